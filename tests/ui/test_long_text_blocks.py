"""A long text in few blocks of Qt: shown without being laid out, edited like any other, cut and brought back."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from desktop_app.ui.composer.draft_field import DraftField
from desktop_app.ui.widgets.long_text import DENSE_PIECE, PIECE, PIECE_LINES, LongTextField, end_of_piece
from desktop_app.ui.widgets.number_formats import escape_invisible

MANY_LINES = "a\n" * 100_000


def shown_whole(qtbot, field: LongTextField, text: str) -> None:
    """Show a long text, and wait until all of it is there."""
    qtbot.addWidget(field)
    field.show_text(text)
    qtbot.waitUntil(lambda: not field.is_inserting, timeout=60_000)


@pytest.mark.parametrize(
    "text",
    [MANY_LINES, "\n" * 600_000, "a\r\n" * 100_000, "a\u2029" * 100_000, "\ufdd0" * 100_000, "\u2028" * 100_000],
    ids=["lines", "empty lines", "carriage returns", "paragraphs", "no characters", "line separators"],
)
def test_a_long_text_stands_in_few_blocks(qtbot, text) -> None:
    field = DraftField()
    shown_whole(qtbot, field, text)
    lines = len(field.written().split("\n"))
    assert field.document().blockCount() <= lines / PIECE_LINES + 1
    assert lines == len(re.split("\r\n|[\n\u2028\u2029\ufdd0]", text))


def test_what_becomes_long_by_being_readable_is_inserted_by_and_by(qtbot) -> None:
    field = LongTextField(as_shown=escape_invisible)
    qtbot.addWidget(field)
    field.show_text("\u200b" * 200_000)
    assert field.is_inserting


def test_the_end_of_a_text_that_is_shown_is_not_laid_out(qtbot, monkeypatch) -> None:
    field, moves = LongTextField(), list[int]()
    qtbot.addWidget(field)
    ensure = field.moveCursor
    monkeypatch.setattr(field, "moveCursor", lambda to: (moves.append(field.document().characterCount()), ensure(to)))
    monkeypatch.setattr(field, "ensureCursorVisible", lambda: moves.append(field.document().characterCount()))
    field.show_text("[" * 500_000)
    assert len(moves) == 1
    assert moves[0] <= PIECE + 1
    assert field.written() == "[" * 500_000
    assert field.textCursor().position() == 0
    field.undo()
    assert field.written() == "[" * 500_000


def test_what_is_shown_as_it_is_read_stands_in_few_blocks(qtbot) -> None:
    field, text = LongTextField(as_shown=escape_invisible), "a\u2029\n\ufdd0" * 100_000
    shown_whole(qtbot, field, text)
    assert field.document().blockCount() <= text.count("\n") / PIECE_LINES * 2 + 1
    assert field.written() == "a‹U+2029›\n\n" * 100_000


def test_lines_of_wide_letters_are_laid_out_few_at_a_time() -> None:
    line = "漢字" * 20
    assert end_of_piece(f"{line}\n" * 100, 0) == (DENSE_PIECE // 41 * 41 - 1, False)
    assert end_of_piece("漢" * PIECE, 0) == (PIECE, False)
    assert end_of_piece("漢" * PIECE + "\n漢", 0) == (PIECE, False)
    assert end_of_piece("漢" * (PIECE + 1), 0) == (DENSE_PIECE, True)


@pytest.mark.parametrize(
    ("key", "modifier", "left"),
    [
        (Qt.Key.Key_X, Qt.KeyboardModifier.ControlModifier, ""),
        (Qt.Key.Key_Delete, Qt.KeyboardModifier.NoModifier, ""),
        (Qt.Key.Key_Backspace, Qt.KeyboardModifier.NoModifier, ""),
        (Qt.Key.Key_Q, Qt.KeyboardModifier.NoModifier, "q"),
        (Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier, "pasted"),
        (Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier, MANY_LINES),
    ],
)
def test_all_of_a_long_draft_goes_and_comes_back(qtbot, key, modifier, left) -> None:
    field = DraftField()
    shown_whole(qtbot, field, MANY_LINES)
    QGuiApplication.clipboard().setText("pasted")
    field.selectAll()
    qtbot.keyClick(field, key, modifier)
    assert field.written() == left
    copies = key in (Qt.Key.Key_X, Qt.Key.Key_C)
    assert QGuiApplication.clipboard().text() == (MANY_LINES if copies else "pasted")
    for _ in range(2):
        field.undo()
    assert field.written() == MANY_LINES
    for _ in range(2):
        field.redo()
    assert field.written() == left


def test_a_long_text_is_read_once_until_it_changes(qtbot, monkeypatch) -> None:
    field = DraftField()
    shown_whole(qtbot, field, MANY_LINES)
    read = list[int]()
    monkeypatch.setattr(field, "_text_between", lambda start, end: read.append(end) or "text")
    assert field.written() == MANY_LINES
    assert not read
    for count in (1, 2):
        qtbot.keyClicks(field, "a")
        assert field.written() == "text"
        field.selectAll()
        assert field.createMimeDataFromSelection().text() == "text"
        assert len(read) == count


def test_a_line_of_a_long_text_is_edited_like_any_other(qtbot) -> None:
    field = DraftField()
    shown_whole(qtbot, field, "first\n" + MANY_LINES)
    assert field.first_line() == "first"
    qtbot.keyClick(field, Qt.Key.Key_End)
    qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(field, "see @pa")
    assert field.text_before_cursor() == "see @pa"
    qtbot.keyClick(field, Qt.Key.Key_Down)
    qtbot.keyClick(field, Qt.Key.Key_Home)
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    assert field.written() == "first\nsee @pa" + MANY_LINES


def test_what_was_typed_before_a_long_text_is_not_undone_within_it(qtbot) -> None:
    field = DraftField()
    qtbot.addWidget(field)
    qtbot.keyClicks(field, "typed ")
    field.insert_text(MANY_LINES)
    qtbot.waitUntil(lambda: not field.is_inserting, timeout=60_000)
    qtbot.keyClicks(field, "b")
    for _ in range(3):
        field.undo()
    assert field.written() == "typed " + MANY_LINES
