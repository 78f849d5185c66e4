"""Optimize conversation with the real engine: the plan, the mark, the history, what is brought back, undone, redone."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from person import Person, long_talk, store_talk
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from desktop_app.conversation.events import MessageState, Trigger
from desktop_app.conversation.gauge import Segment
from desktop_app.ui.context_panel.context_panel import PinCard
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.transcript.row_painter import Action
from provider import Reply

pytestmark = [pytest.mark.wire, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]
MINE = "And the harbour is mine."


async def optimize(person: Person) -> str:
    """Move the slider, add a sentence to the summary, apply; return the operation's id."""
    await person.click(person.window.ui.gauge.optimize)
    dialog = await person.sheet(PlanDialog, 30, "the plan")
    kept = dialog.tail_label.text()
    dialog.tail.setFocus()
    for _ in range(4):
        QTest.keyClick(dialog.tail, Qt.Key.Key_Left)
    await person.sees(lambda: dialog.apply.isEnabled() and dialog.tail_label.text() != kept, "another plan")
    await person.click(dialog.summary.area.viewport())
    QTest.keyClick(dialog.summary.area, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    await person.type(f" {MINE}")
    await person.sees(lambda: not dialog.apply.isEnabled(), "the check of what was written")
    await person.sees(dialog.apply.isEnabled, "a plan that can be applied")
    await person.click(dialog.apply)
    await person.wait_until_closed(PlanDialog)
    await person.sees(lambda: person.operations, "the operation")
    return person.operations[-1].id


async def bring_back_and_pin(person: Person, operation: str, words: str) -> None:
    """From the mark in the chat to the archived messages; find one there, bring it back and pin it."""
    panel = person.window.ui.panel
    await person.press_action(f"mark {operation}", Action.SHOW_OPERATION)
    archived = panel.history.archived
    await person.sees(lambda: archived.list.rows.rowCount() > 5, "the archived messages")
    await person.click(archived.search)
    await person.type(words)
    await person.sees(lambda: archived.list.rows.rowCount() == 1, "what was searched for")
    await person.click(archived.list.viewport(), (60, 20))
    await person.sees(lambda: words in archived.reader.page.toPlainText(), "the message, whole")
    toast, tokens = person.window.ui.toast, (await person.shown_gauge()).total
    await person.click(archived.reader.bring_back)
    await person.sees(lambda: not archived.reader.bring_back.isVisible(), "the message in the view")
    await person.press_toast("1 message is")
    await person.sees(archived.reader.bring_back.isVisible, "the message archived again")
    await person.sees(lambda: toast.label.text().startswith("Undone"), "what was undone")
    await person.sees(lambda: person.window.ui.gauge.gauge.total == tokens, "the gauge of before")
    await person.click(archived.reader.bring_back)
    await person.sees(lambda: not archived.reader.bring_back.isVisible(), "the message in the view again")
    await person.click(archived.reader.pin)


@pytest.mark.row("W2", "plan, slider, a summary that is edited, applied")
@pytest.mark.row("W3", "archived messages: searched, read, brought back, pinned")
@pytest.mark.row("W4", "the mark: show, undo")
@pytest.mark.row("W6", "a pin, its cost in the gauge, the list")
def test_a_conversation_is_optimized_browsed_and_taken_back(play_by_engine, data_folder: Path) -> None:
    asyncio.run(store_talk(data_folder, long_talk(50)))

    async def scene(person: Person) -> None:
        window, panel = person.window, person.window.ui.panel
        before = await person.shown_gauge()
        operation = await optimize(person)
        await person.sees(lambda: window.ui.gauge.gauge.total < 0.8 * before.total, "a lower gauge")
        (row,) = person.operations
        after = await person.shown_gauge()
        assert (row.trigger, row.tokens_before, row.tokens_after) == (Trigger.USER, before.total, after.total)
        assert row.summary.endswith(MINE)
        assert after.segments[Segment.SUMMARY] > 0
        states = [message.state for message in window.ui.transcript_model.rows]
        assert (states[0], states[-1]) == (MessageState.ARCHIVED, MessageState.IN_VIEW)
        # archived messages
        await bring_back_and_pin(person, operation, "topic7")
        await person.sees(lambda: window.ui.gauge.gauge.segments.get(Segment.PINNED), "the pin in the gauge")
        await person.click(panel.tabs.button("pins"))
        (pin,) = panel.pins.list.findChildren(PinCard)
        await person.sees(pin.isVisible, "the list of pins")
        # what the model gets now
        await person.ask("Where are we?", "At sea.")
        # undone in the card, redone, and undone by the mark
        full = row.tokens_before
        await person.click(panel.tabs.button("history"))
        if panel.history.archived.isVisible():
            await person.click(panel.history.archived.back)
        await person.press_link(panel.history.list.cards[operation], "undo")
        await person.sees(lambda: window.ui.gauge.gauge.total > full, "the gauge as it was, and more")
        await person.press_link(panel.history.list.cards[operation], "redo")
        await person.sees(lambda: window.ui.gauge.gauge.total < full, "a lower gauge again")
        await person.press_action(f"mark {operation}", Action.UNDO_OPERATION)
        await person.sees(lambda: window.ui.gauge.gauge.total > full, "the gauge as it was again")
        assert MessageState.ARCHIVED not in [message.state for message in window.ui.transcript_model.rows]

    (request,) = play_by_engine(scene, [Reply("At sea.", usage=None)], window=10_000).requests
    said = "\n".join(text for _, text in request.turns)
    assert MINE in said
    assert ("about topic7 " * 15).strip() in said, "it was brought back"
    replies = [text for role, text in request.turns if role == "assistant"]
    assert not [text for text in replies if text.startswith("Answer 8.")], "the others are archived"
    assert [text for text in replies if text.startswith("Answer 49.")]
    assert ("about topic49 " * 15).strip() in said
    assert "Never restart the server on Fridays." in said


@pytest.mark.row("W2", "undo in the toast")
def test_undo_in_the_toast_takes_it_back_at_once(play_by_engine, data_folder: Path) -> None:
    asyncio.run(store_talk(data_folder, long_talk(50)))

    async def scene(person: Person) -> None:
        before = (await person.shown_gauge()).total
        await optimize(person)
        await person.press_toast("")
        await person.sees(lambda: person.window.ui.gauge.gauge.total == before, "the gauge as it was")
        await person.sees(lambda: person.operations[-1].is_undone, "an operation that is undone")

    play_by_engine(scene, [], window=10_000)
