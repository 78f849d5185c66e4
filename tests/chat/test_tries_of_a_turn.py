"""All the room that one turn makes counts, whatever it is made for: at most three tries, and then a clear error."""

from __future__ import annotations

import pytest
from agents import CountedTools, equipped_with, output, ran, tries_in
from msgspec.structs import replace
from test_whole_reply import STORY, WINDOW, Storyteller, chat_of

from builders import model, result
from desktop_app.chat.compaction.making_room import LASTING, OFTEN, RoomTries, make_room
from desktop_app.context.policy import BALANCED
from desktop_app.conversation.events import TurnFailed, TurnFinished, ViewChanged
from desktop_app.conversation.message import ToolCall, user_message
from desktop_app.conversation.transcript import Trigger
from provider import Overflow, Reply


def causes(events) -> list[Trigger | None]:
    """What each step of making room was for, in their order."""
    changes = [event for event in events if isinstance(event, ViewChanged)]
    return [change.cause for change in changes for row in change.operations if row.kind in ("prune", "compaction")]


@pytest.mark.parametrize("tries", [1, 3])
async def test_a_stream_is_stopped_only_while_the_turn_has_tries_left(house, tries: int) -> None:
    home = await house([], window=WINDOW)
    home.provider.script = Storyteller(STORY)
    session = await home.chats.create("Long", chat_of(3_000))
    session.counter.chosen_policy = replace(BALANCED, tool_result_tries=tries, flush_distance=0)
    events = await home.turn(session, "Tell me a very long story.")
    made = causes(events)
    assert made[0] is Trigger.BEFORE_REQUEST
    assert (Trigger.STREAMING in made) is (tries > 1)
    assert tries_in(events) <= tries
    assert [event.failure.kind for event in events if isinstance(event, TurnFailed)], "the story has no end"
    (finished,) = [event for event in events if isinstance(event, TurnFinished)]
    assert finished.restarts < tries


@pytest.mark.parametrize("tries", [1, 3])
async def test_a_refused_request_makes_room_only_while_the_turn_has_tries_left(talk, tries: int) -> None:
    home, session = await talk([Overflow(), Reply("Done.")], window=WINDOW, repeat_last=True, messages=chat_of(3_000))
    session.counter.chosen_policy = replace(BALANCED, tool_result_tries=tries, flush_distance=0)
    events = await home.turn(session, "And now?")
    made = causes(events)
    assert made[0] is Trigger.BEFORE_REQUEST
    assert (Trigger.OVERFLOW in made) is (tries > 1)
    assert tries_in(events) <= tries


async def long_turn(house, folder, calls: int, tokens: int):
    """A turn of so many calls, each of another command and with so many tokens of result; its events."""
    home = await house([], window=16_000, max_output=0)
    tools = CountedTools(output(tokens))
    session = await equipped_with(home, folder, tools)
    home.chats.settings = replace(home.chats.settings, max_rounds=1_000)
    home.provider.script = [
        *(Reply("Next.", calls=(ran(f"look {n}", f"c{n}"),), finish="tool_calls") for n in range(calls)),
        Reply("Done."),
    ]
    session.counter.chosen_policy = replace(session.counter.policy, flush_distance=0)
    return tools, await home.turn(session, "Look at all of it.")


@pytest.mark.long
async def test_a_long_turn_that_gets_on_is_not_stopped(house, tmp_path) -> None:
    tools, events = await long_turn(house, tmp_path, 110, 420)
    assert tries_in(events) > BALANCED.tool_result_tries
    assert not [event.failure for event in events if isinstance(event, TurnFailed)]
    assert len(tools.runs) == sum(tools.runs.values()) == 110


async def test_a_turn_whose_results_fill_the_window_again_at_once_is_stopped(house, tmp_path) -> None:
    tools, events = await long_turn(house, tmp_path, 110, 2_500)
    assert tries_in(events) == BALANCED.tool_result_tries
    (failure,) = [event.failure for event in events if isinstance(event, TurnFailed)]
    assert failure.advice == OFTEN
    assert len(tools.runs) < 30


async def test_a_prune_and_the_compaction_after_it_are_one_try(house) -> None:
    said = [
        *chat_of(1_800),
        user_message("Read it."),
        model(ToolCall("c", "read", '{"path": "it"}')),
        result("a line of it\n" * 1_500, name="read"),
    ]
    home = await house([Reply("- All of it was read.")], window=WINDOW, repeat_last=True)
    session, tries = await home.chats.create("Read", said), RoomTries()
    session.counter.chosen_policy = replace(BALANCED, flush_distance=0)
    await make_room(session, home.services, Trigger.TOOL_RESULT, home.publish, tries)
    assert {row.kind for row in session.operations()} == {"prune", "compaction"}
    assert tries.count == 1


def test_only_room_that_lasts_gives_the_tries_back() -> None:
    tries = RoomTries()
    for _ in range(BALANCED.tool_result_tries):
        assert tries.may_try(BALANCED)
        tries.note_try()
        for _ in range(LASTING - 1):
            tries.note_reply()
    assert not tries.may_try(BALANCED)
    tries.note_reply()
    assert tries.may_try(BALANCED)
    assert tries.count == 0
