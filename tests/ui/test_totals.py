"""What a conversation has cost, and the ways from one to the other."""

from __future__ import annotations

import pytest
from transcript_rows import chat
from ui_scenes import play_scene, send, until

from desktop_app.conversation.events import OperationRow
from desktop_app.conversation.message import Totals, Usage
from desktop_app.conversation.transcript import Trigger
from desktop_app.ui.context_panel.history import History
from desktop_app.ui.context_panel.panel_breakdown import TotalsCard, format_spent
from desktop_app.ui.context_panel.requests import PanelRequests
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.row_text import mark_text
from desktop_app.ui.transcript.transcript_model import TranscriptModel
from desktop_app.ui.transcript.transcript_widget import TranscriptWidget
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.number_formats import format_dollars, format_percent
from provider import Reply
from texts import FREED


def link(way: str) -> OperationRow:
    return OperationRow(
        id="l1", kind="link", at=0, trigger=Trigger.USER, strategies={way: 1}, messages=0, tokens_before=0,
        tokens_after=0, after_message_id="m1", note="Billing, part two", linked="c9",
    )  # fmt: skip


def test_what_was_spent_is_said_with_what_came_from_the_cache():
    spent = Usage(120_300, 4_000, 96_240, 0, 0.1234, 12)
    words = "12 requests · 120,300 tokens in, 80 % cached · 4,000 out · $0.12"
    assert format_spent(spent) == words
    assert "0" not in format_spent(Usage(0, 0)), "nothing was reported: not that nothing was used"
    assert format_spent(Usage(10, 2)) == "1 request · 10 tokens in · 2 out"


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.0, "0 %"), (0.002, "< 1 %"), (0.62, "62 %"), (3.68, "368 %"), (9.99, "999 %"), (153.82, "over 999 %")],
)
def test_a_share_that_says_nothing_is_no_number(share, words):
    assert format_percent(share) == words


@pytest.mark.parametrize(
    ("dollars", "words"),
    [(0.0, "$0.00"), (0.00001, "less than $0.0001"), (0.0031, "$0.0031"), (1_234.5, "$1,234.50")],
)
def test_small_sums_are_not_nothing(dollars, words):
    assert format_dollars(dollars) == words


def test_nothing_is_shown_before_anything_was_spent(qtbot):
    card = TotalsCard()
    qtbot.addWidget(card)
    assert card.isHidden()
    card.set_totals(Totals(Usage(10, 2), Usage(20, 4, requests=2), 3, 5_000))
    assert not card.isHidden()
    assert not card.replies.isHidden()
    card.set_totals(Totals(Usage(0, 0, requests=0), Usage(20, 4, requests=2), 3, 5_000))
    assert card.replies.isHidden()
    assert FREED.format(tokens=5_000, operations=3) in card.accessibleDescription()
    assert not card.auxiliary.isHidden()


@play_scene()
async def test_the_window_shows_what_was_spent(window, bridge, provider):
    provider.script = [Reply("Yes.", usage=(2_400, 7, 1_920))]
    totals = window.ui.panel.breakdown.totals
    await send(window, bridge, "Once more")
    await until(lambda: totals.isVisible() and "80 % cached" in totals.replies.text())


@pytest.mark.parametrize(("way", "words"), [("from", "Continues “{}”"), ("to", "Continued in “{}”")])
def test_the_way_to_the_other_conversation_stands_in_both(qtbot, way, words):
    view = TranscriptWidget(TranscriptModel())
    qtbot.addWidget(view)
    view.resize(800, 600)
    view.show()
    view.transcript.open(chat(4), (link(way),))
    assert mark_text(link(way)) == words.format("Billing, part two")
    hot = view.layout_of(view.transcript.row_of("mark l1")).hit_regions
    assert [entry.action for entry in hot] == [Action.OPEN_CONVERSATION]
    with qtbot.waitSignal(view.action_requested) as told:
        view.perform(hot[0].action, hot[0].argument)
    assert told.args == [Action.OPEN_CONVERSATION, "c9"]


def test_the_history_leads_there_too(qtbot):
    requests = PanelRequests()
    history = History(requests)
    qtbot.addWidget(history)
    history.set_operations((link("to"),))
    links = history.list.cards["l1"].findChildren(LinkButton)
    assert [button.text() for button in links] == ["Open"]
    with qtbot.waitSignal(requests.conversation_requested) as told:
        links[0].click()
    assert told.args == ["c9"]
