"""History and insights with the real engine: what room cost, why it was made, why it could not be made."""

from __future__ import annotations

import asyncio
import json

import pytest
from person import Person, long_talk, store_talk
from ui_scenes import is_idle, texts

from desktop_app.conversation.events import Trigger
from desktop_app.ui.context_panel.operation_card import OperationCard
from desktop_app.ui.model_picker import ModelPicker
from desktop_app.ui.transcript.row_painter import Action
from provider import AnyStep, Reply, Request
from provider_shapes import Shape

pytestmark = [pytest.mark.wire, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]
RULE = "Never restart the server on Fridays."
PAGE = f"## Primary intent\nQuestions about topics, and answers with details.\n\n## Rules and constraints\n- {RULE}"
SUMMARY = Reply(json.dumps({"summary": PAGE, "turn": "", "keep": []}), usage=(4_321, 98, 0))


class Answers:
    """A provider's script: summaries where they are wanted, and else the same reply."""

    window = 0

    def take(self, request: Request, shape: Shape) -> AnyStep:
        is_summary = request.turns[0][1].startswith("You write the summary")
        return SUMMARY if is_summary else Reply("At sea.", usage=(900, 5, 0))


@pytest.mark.row("W3", "cause, cost, summary of an operation")
@pytest.mark.row("W7", "operations in the chart, summaries apart")
def test_room_that_a_model_made_says_its_cause_its_cost_and_is_in_the_insights(play_by_engine, data_folder) -> None:
    asyncio.run(store_talk(data_folder, long_talk(62)))

    async def scene(person: Person) -> None:
        window, panel = person.window, person.window.ui.panel
        full = await person.shown_gauge()
        assert full.share > 0.9
        await person.ask("Where are we?", "At sea.")
        (row,) = [row for row in person.operations if row.kind == "compaction"]
        assert row.trigger is Trigger.BEFORE_REQUEST
        assert row.usage is not None
        calls = len(person.provider.requests) - 1
        assert (row.usage.prompt_tokens, row.usage.reply_tokens) == (4_321 * calls, 98 * calls)
        await person.click(panel.tabs.button("history"))
        card = panel.history.list.cards[row.id]
        await person.sees(card.isVisible, "its card")
        assert isinstance(card, OperationCard)
        told = card.accessibleName()
        share = round(100 * row.tokens_before / row.usable)
        for words in (f"{share} %", f"{4_321 * calls:,}", f"{98 * calls} ", row.model):
            assert words in told
        await person.press_link(card, "summary")
        assert card.summary is not None
        assert "Never restart the server on Fridays." in card.summary.toPlainText()
        # the same in the insights
        await person.click(window.ui.sidebar.insights)
        await person.sees(lambda: window.insights.page and window.insights.page.chart.isVisible(), "the chart")
        page = window.insights.page
        assert page is not None
        assert [point.operation.kind for point in page.chart.points if point.operation] == ["compaction"]
        used = {one.note: one.cells for one in page.models.table.rows}
        assert used["chat"][0] == "1"
        assert any(cells[0] == str(calls) for note, cells in used.items() if note != "chat")

    provider = play_by_engine(scene, Answers(), window=8_192, summaries="auto")
    summary, *_, question = provider.requests
    assert "detail3" in json.dumps(summary.body), "the head is what is summarised"
    assert "Questions about topics, and answers with details." in json.dumps(question.body)


@pytest.mark.row("W3", "room that could not be made says why and what helps")
def test_room_that_cannot_be_made_is_a_card_that_says_why_and_offers_a_larger_model(
    play_by_engine, data_folder
) -> None:
    asyncio.run(store_talk(data_folder, long_talk(6, opening="This must stay. " * 1_100)))

    async def scene(person: Person) -> None:
        panel = person.window.ui.panel
        await person.press_action(person.id_of("This must stay."), Action.MORE)
        await person.choose_from_menu("Pin")
        await person.sees(lambda: person.window.ui.transcript_model.rows[0].is_pinned, "the pin")
        await person.say("Where are we?")
        await person.sees(lambda: "FailureItem" in texts(person.window) and is_idle(person.window), "a failure")
        failed = [row for row in person.operations if row.kind == "failed"]
        assert [row.strategies.keys() for row in failed[-1:]] == [{"too_small"}]
        await person.click(panel.tabs.button("history"))
        card = panel.history.list.cards[failed[-1].id]
        await person.sees(card.isVisible, "the card of what failed")
        await person.press_link(card, "use a larger model…")
        await person.sheet(ModelPicker, 30, "the models")
        await person.escape()

    assert play_by_engine(scene, [], window=5_000).requests == []
