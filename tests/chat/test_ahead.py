"""A summary is written ahead in the background, so that the compaction that needs it asks no model."""

from __future__ import annotations

import asyncio
import json

import pytest
from msgspec.structs import replace
from test_prefix_ride import COUNT, PAGE, SUMMARY, chat, is_question

from desktop_app.chat import operations
from desktop_app.chat.compaction.ahead import summarize_ahead
from desktop_app.chat.ports import Price
from desktop_app.conversation.transcript import Compaction, StandingSummary, Trigger
from provider import Hang, Reply
from summary_prompts import PROMPTS

PRICE = Price(3e-6, 15e-6, 3e-7, 3.75e-6)


def standing(session) -> list[StandingSummary]:
    return [entry for entry in session.transcript.entries if isinstance(entry, StandingSummary)]


async def nearly_full(talk, *script, turns: int = 188, **changes) -> tuple:
    """A conversation at two thirds of its window, whose newest reply has just arrived."""
    said = chat(turns)
    usage = sum(COUNT(message.text) + 4 for message in said) + 20, 10, 0
    home, session = await talk([Reply("Here.", usage=usage), *script], prompts=PROMPTS, messages=said, window=30_000)
    home.models.cost = PRICE
    if changes:
        home.chats.change_settings(replace(home.chats.settings, **changes))
        session = await home.chats.open(session.id)
    await home.turn(session, "Where are we?")
    while home.chats.turns.is_busy(session.id) and not any(isinstance(step, Hang) for step in script):
        await asyncio.sleep(0.01)
    assert 0.65 <= session.counter.gauge().share < 0.75
    return home, session


async def test_it_is_written_behind_the_cached_conversation_recorded_with_its_cost_and_shown(talk) -> None:
    home, session = await nearly_full(talk, SUMMARY)
    (entry,) = standing(session)
    assert is_question(home.provider.requests[-1])
    assert entry.summary == PAGE
    assert session.view.items[-1].message.id in entry.message_ids
    assert session.totals().auxiliary.requests == 1
    (row,) = session.operations()
    assert (row.kind, row.summary, row.model) == ("standing", PAGE, session.model.info.record_name)


async def test_the_compaction_that_needs_it_asks_no_model(talk) -> None:
    home, session = await nearly_full(talk, SUMMARY)
    asked = len(home.provider.requests)
    await home.make_room(session, Trigger.OVERFLOW)
    assert len(home.provider.requests) == asked
    done = session.view.summary
    assert done is not None
    assert (done.strategy, done.model) == ("llm", session.model.info.record_name)
    assert done.summary.startswith(PAGE)
    assert done.usage is None, "it was paid for before"


async def test_it_is_used_while_the_spend_guard_pauses_models(talk) -> None:
    home, session = await nearly_full(talk, SUMMARY)
    session.counter.chosen_policy = replace(session.counter.chosen_policy, max_spend=1)
    await home.make_room(session, Trigger.OVERFLOW)
    assert session.view.summary is not None
    assert (session.view.summary.strategy, session.view.summary.note) == ("llm", "")
    assert len(home.provider.requests) == 2


async def test_what_was_said_since_is_folded_into_it_at_the_price_of_what_is_new(talk) -> None:
    added = {
        "summary": "## Current state (now)\nThe topic is done.\n\n## Decisions\n- Details about topics.",
        "turn": "",
    }
    home, session = await nearly_full(talk, SUMMARY, Reply(json.dumps(added), size=60))
    (first,) = standing(session)
    old = replace(first, id="old", message_ids=first.message_ids[:40])  # written when the conversation was shorter
    await session.record(old)
    await summarize_ahead(session, home.services, home.publish)
    asked = home.provider.requests[-1]
    assert asked.messages[: len(home.provider.requests[0].messages)] == home.provider.requests[0].messages
    assert PAGE.splitlines()[1] in asked.text, "the summary so far is in the question"
    assert "What is new begins after" in asked.text
    entry = standing(session)[-1]
    assert (entry.extends, entry.added) == ("old", len(first.message_ids) - 40)
    assert entry.message_ids == first.message_ids
    assert all(line in entry.summary for line in PAGE.splitlines() if line.strip())
    assert "## Current state\nThe topic is done." in entry.summary
    assert session.operations()[-1].strategies == {"fold": entry.added}
    asked_so_far = len(home.provider.requests)
    await home.make_room(session, Trigger.OVERFLOW)
    assert len(home.provider.requests) == asked_so_far
    assert session.view.summary is not None
    assert "The topic is done." in session.view.summary.summary
    assert session.view.summary.fidelity.lost == 0


async def test_it_is_not_written_twice_and_not_once_it_was_undone(talk) -> None:
    home, session = await nearly_full(talk, SUMMARY, SUMMARY)
    asked = len(home.provider.requests)
    await summarize_ahead(session, home.services, home.publish)
    assert len(home.provider.requests) == asked
    (entry,) = standing(session)
    await operations.undo(session, entry.id)
    assert session.operations()[-1].is_undone
    await operations.redo(session, entry.id)
    assert not session.operations()[-1].is_undone


@pytest.mark.parametrize(
    "changes", [{"is_summarizing_ahead": False}, {"summaries": "extractive"}, {"is_automatic": False}]
)
async def test_the_settings_switch_it_off(talk, changes) -> None:
    home, session = await nearly_full(talk, **changes)
    assert standing(session) == []
    assert len(home.provider.requests) == 1


async def test_a_new_message_ends_it_and_nothing_is_recorded(talk) -> None:
    home, session = await nearly_full(talk, Hang(), Reply("And here."))
    while len(home.provider.requests) < 2:
        await asyncio.sleep(0.01)
    home.chats.change_settings(replace(home.chats.settings, is_summarizing_ahead=False))
    await home.turn(session, "Go on")
    assert standing(session) == []
    assert session.view.items[-1].message.text == "And here."


async def test_a_summary_that_says_nothing_is_not_kept(talk) -> None:
    weather = Reply(json.dumps({"summary": "The weather is nice today, thanks."}))
    _, session = await nearly_full(talk, weather, weather)
    assert standing(session) == []
    assert not any(isinstance(entry, Compaction) for entry in session.transcript.entries)
