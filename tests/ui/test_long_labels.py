"""Long texts where only short ones are expected: what is laid out of them is bounded."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QWidget
from test_context_panel import COMPACTION

from desktop_app.conversation.memory import Memory
from desktop_app.ui import toast as toast_module
from desktop_app.ui import translation
from desktop_app.ui.context_panel.memory_card import CurrentScope, MemoryCard
from desktop_app.ui.context_panel.operation_card import OperationCard
from desktop_app.ui.context_panel.requests import PanelRequests
from desktop_app.ui.sidebar.conversation_delegate import MAX_TITLE, cut_title
from desktop_app.ui.toast import Toast
from desktop_app.ui.widgets.long_text import LongTextField
from desktop_app.ui.widgets.look import font
from desktop_app.ui.widgets.text_label import DENSER, LINE_WEIGHT, MAX_TEXT, Run, TextLabel


def test_a_label_lays_out_no_more_than_a_screen(qtbot):
    label = TextLabel.of_runs((Run("a" * 10), Run("b" * 5_000_000), Run("c")))
    qtbot.addWidget(label)
    assert label.text() == "a" * 10 + "b" * (MAX_TEXT - 10) + "…"
    label.set_runs((Run("short"),))
    assert label.text() == "short"


def test_letters_that_take_longest_count_several_times(qtbot):
    label = TextLabel("漢" * MAX_TEXT, wraps=True)
    qtbot.addWidget(label)
    assert label.text() == "漢" * (MAX_TEXT // DENSER) + "…"
    for whole in ("ä" * MAX_TEXT, "漢" * (MAX_TEXT // DENSER), "a漢" * (MAX_TEXT // (DENSER + 1))):
        label.set_text(whole)
        assert label.text() == whole
    label.set_runs((Run("b" * (MAX_TEXT - DENSER)), Run("ä漢漢c"), Run("d")))
    assert label.text() == "b" * (MAX_TEXT - DENSER) + "ä…"


def test_new_lines_count_as_what_they_take(qtbot):
    label = TextLabel("a\n" * MAX_TEXT, wraps=True)
    qtbot.addWidget(label)
    assert label.text() == "a\n" * (MAX_TEXT // (LINE_WEIGHT + 1)) + "a" * (MAX_TEXT % (LINE_WEIGHT + 1) > 0) + "…"
    for lines in ("a" * 60 + "\n") * 30, "ä" * 60 + "\n":
        label.set_text(lines)
        assert label.text() == lines


def test_a_toast_shows_the_beginning_of_a_long_text(qtbot):
    toast = Toast(QWidget())
    qtbot.addWidget(toast)
    text = "word " * 1_000
    toast.show_message(text)
    assert toast.label.text() == text[: toast_module.MAX_TEXT] + "…"
    toast.withdraw(text)
    assert toast.isHidden()


def test_a_long_title_is_cut_in_its_middle(qapp):
    shown = cut_title("x " * 1_000_000 + "(copy)", QFontMetricsF(font(14)), 200)
    assert len(shown) < MAX_TITLE
    assert shown.endswith(" (copy)")


def test_a_summary_that_is_too_long_for_markdown_is_there_in_full(qtbot):
    text = "A **word** of it.\n" * 2_000
    card = OperationCard(replace(COMPACTION, summary=text), PanelRequests())
    qtbot.addWidget(card)
    card.toggle_summary()
    assert isinstance(card.summary, LongTextField)
    assert card.summary.written() == text
    card.toggle_summary()
    assert not card.is_open()


def test_the_error_of_a_server_is_not_looked_for_among_ours(qtbot, monkeypatch):
    monkeypatch.setattr(translation, "tr", lambda text: pytest.fail("it is copied to be looked for"))
    text = "wrong " * 1_000_000
    assert translation.tr_engine(text) == text


def test_an_error_with_half_of_a_character_is_shown_as_it_is(qapp):
    assert translation.tr_engine("wrong \ud83d") == "wrong \ud83d"


def test_a_long_memory_is_edited_in_a_field_for_long_texts(qtbot):
    text = "word " * 500_000
    card = MemoryCard(Memory("x1", text, 1.0, 1.0), "Title", CurrentScope(), PanelRequests())
    qtbot.addWidget(card)
    card.begin_edit()
    assert isinstance(card.editing.field, LongTextField)
    assert card.editing.field.is_inserting
    assert card.editing.field.written() == text
