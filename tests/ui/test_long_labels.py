"""Long texts where only short ones are expected: what is laid out of them is bounded."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtGui import QFontMetricsF
from test_context_panel import COMPACTION

from desktop_app.ui.context_panel.operation_card import OperationCard
from desktop_app.ui.context_panel.requests import PanelRequests
from desktop_app.ui.sidebar.conversation_delegate import MAX_TITLE, cut_title
from desktop_app.ui.widgets.long_text import LongTextField
from desktop_app.ui.widgets.look import font
from desktop_app.ui.widgets.text_label import MAX_TEXT, Run, TextLabel


def test_a_label_lays_out_no_more_than_several_screens(qtbot):
    label = TextLabel.of_runs((Run("a" * 10), Run("b" * 5_000_000), Run("c")), wraps=True)
    qtbot.addWidget(label)
    assert label.text() == "a" * 10 + "b" * (MAX_TEXT - 10) + "…"
    label.set_runs((Run("short"),))
    assert label.text() == "short"


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
