"""The field that stays fast with megabytes in it: it gives back what it was given, whatever is done to it."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

from desktop_app.ui.widgets import long_text
from desktop_app.ui.widgets.long_text import (
    IS_CONTINUED,
    LINE_END,
    PIECE,
    PIECE_LINES,
    LongTextField,
    end_of_piece,
)
from desktop_app.ui.widgets.number_formats import escape_invisible

TEXTS = st.text(alphabet="ab \u00a0\U0001f600\n\r", max_size=60)
EDITS = st.one_of(
    st.tuples(st.just("insert"), st.integers(0, 200), TEXTS),
    st.tuples(st.just("delete"), st.integers(0, 200), st.integers(1, 40)),
    st.tuples(st.sampled_from(["undo", "redo"])),
)


@pytest.fixture
def field(qtbot) -> LongTextField:
    made = LongTextField()
    qtbot.addWidget(made)
    return made


def text_of_blocks(field: LongTextField) -> str:
    """Return what is written, block by block."""
    parts: list[str] = []
    block = field.document().firstBlock()
    while block.isValid():
        if block.blockNumber() and not block.blockFormat().boolProperty(IS_CONTINUED):
            parts.append("\n")
        parts.append(block.text().replace(LINE_END, "\n"))
        block = block.next()
    return "".join(parts)


def place_in(field: LongTextField, wanted: int) -> int:
    """Return a position that a cursor can be brought to: not within a character that counts twice for Qt."""
    position = min(wanted, field.document().characterCount() - 1)
    return position + (0xDC00 <= ord(field.document().characterAt(position)) <= 0xDFFF)


def as_written(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@given(st.text(alphabet="ab\n", max_size=400), st.integers(1, 20), st.integers(1, 4))
def test_pieces_move_on_and_are_the_text(text: str, most: int, lines: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_text, "PIECE", most)
        patch.setattr(long_text, "PIECE_LINES", lines)
        at, found = 0, ""
        while True:
            end, goes_on = end_of_piece(text, at)
            assert at <= end <= at + most
            assert text.count("\n", at, end) <= lines
            found += text[at:end]
            if end == len(text):
                break
            found += "" if goes_on else text[end]
            assert end + (not goes_on) > at
            at = end + (not goes_on)
        assert found == text


@pytest.mark.long
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(EDITS, max_size=12))
def test_what_is_written_is_known_after_every_edit(field: LongTextField, edits) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_text, "PIECE", 7)
        field.document().clear()
        for kind, *values in edits:
            cursor = field.textCursor()
            if kind == "insert":
                cursor.setPosition(place_in(field, values[0]))
                field.setTextCursor(cursor)
                field.insert_text(values[1])
            elif kind == "delete":
                cursor.setPosition(place_in(field, values[0]))
                cursor.setPosition(place_in(field, values[0] + values[1]), QTextCursor.MoveMode.KeepAnchor)
                cursor.removeSelectedText()
            else:
                getattr(field, kind)()
            assert field.written() == text_of_blocks(field)


@pytest.mark.long
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(TEXTS)
def test_a_text_is_the_same_once_it_is_shown(field: LongTextField, text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_text, "PIECE", 5)
        field.show_text(text)
        assert field.written() == as_written(text)
        field.selectAll()
        assert field.createMimeDataFromSelection().text() == as_written(text)


@pytest.fixture
def slowly(monkeypatch) -> None:
    """Insert one piece in each pass, and of any text."""
    monkeypatch.setattr(long_text, "SLICE", 0.0)
    monkeypatch.setattr(long_text, "AT_ONCE", 10)


LONG = "x" * (2 * PIECE + 5) + "\n" + "line\n" * (3 * PIECE_LINES) + "\U0001f600 end\n"


def test_a_long_text_is_all_there_from_the_first_moment(field, qtbot, slowly):
    field.insert_text("()")
    field.moveCursor(QTextCursor.MoveOperation.Left)
    field.insert_text(LONG)
    passes = 0
    while field.is_inserting:
        assert field.written() == f"({LONG})"
        QTest.qWait(1)
        passes += 1
    assert passes >= 2
    assert field.written() == text_of_blocks(field) == f"({LONG})"


def test_what_is_typed_meanwhile_comes_behind_it(field, qtbot, slowly):
    field.insert_text(LONG)
    assert field.is_inserting
    qtbot.keyClicks(field, "abc")
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: not field.is_inserting)
    assert field.written() == LONG + "ab"


def test_another_text_takes_its_place(field, qtbot, slowly):
    field.show_text(LONG)
    field.show_text("short")
    qtbot.keyClick(field, Qt.Key.Key_End)
    qtbot.keyClicks(field, "!")
    assert field.written() == "short!"
    assert not field.is_inserting


def test_a_text_that_may_not_be_edited_stays_so(field, qtbot, slowly):
    field.setReadOnly(True)
    field.show_text(LONG)
    qtbot.keyClicks(field, "abc")
    qtbot.waitUntil(lambda: not field.is_inserting)
    qtbot.keyClicks(field, "abc")
    assert field.isReadOnly()
    assert field.written() == LONG


@pytest.mark.parametrize("is_read_only", [True, False])
def test_a_text_is_shown_without_laying_out_what_is_below(qtbot, is_read_only) -> None:
    field = LongTextField()
    qtbot.addWidget(field)
    field.setReadOnly(is_read_only)
    text = "漢字" * 600_000
    begun = time.thread_time()
    field.show_text(text)
    assert time.thread_time() - begun < 0.1  # 15 ms here; 200 while the cursor was moved back
    assert field.textCursor().position() == 0
    qtbot.waitUntil(lambda: not field.is_inserting, timeout=30_000)
    assert field.textCursor().position() == 0
    field.setReadOnly(False)
    if not is_read_only:
        qtbot.keyClicks(field, "ab")
        assert field.written().startswith("ab漢")


@pytest.mark.long
def test_pieces_are_shown_as_asked_for(qtbot) -> None:
    field = LongTextField(as_shown=escape_invisible)
    qtbot.addWidget(field)
    text = "ab\u202e\r\n" * 300_000
    field.show_text(text)
    begun = field.written()
    qtbot.waitUntil(lambda: not field.is_inserting, timeout=30_000)
    assert begun == field.written() == escape_invisible(text)
