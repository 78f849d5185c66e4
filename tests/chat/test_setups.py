"""How a conversation is held: its own system prompt, parameters, tools and longest reply, as they are sent."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from desktop_app.archive.archive import Archive
from desktop_app.chat.branching import fork
from desktop_app.chat.compaction.fresh_start import start_fresh
from desktop_app.chat.compaction.optimize import plan_optimization
from desktop_app.chat.conversation_setups import change_setup, system_prompt_of
from desktop_app.chat.turn.incoming_reply import longest_reply
from desktop_app.context.view.view import view_of
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import Role
from desktop_app.conversation.setup import ConversationSetup, Persona, ReplyOptions
from desktop_app.conversation.transcript import RequestContext
from provider import Reply

PIRATE = ConversationSetup(
    system_prompt="Answer as a pirate.", options=ReplyOptions(0.2, reasoning_effort="low"), max_output=700
)


def system_texts(body) -> list[str]:
    return [message["content"] for message in body["messages"] if message["role"] == "system"]


async def test_what_is_set_is_sent_from_the_next_request_on(talk) -> None:
    home, session = await talk([Reply("one"), Reply("two")])
    await home.turn(session, "first")
    await change_setup(home.chats, session.id, PIRATE)
    await home.turn(session, "second")
    before, after = (request.body for request in home.provider.requests)
    assert "temperature" not in before
    assert (after["temperature"], after["reasoning_effort"]) == (0.2, "low")
    assert "top_p" not in after
    assert after["max_tokens"] == 700
    assert system_texts(after) == ["Answer as a pirate."]
    assert system_texts(before) != system_texts(after)


async def test_the_system_prompt_is_counted_before_it_is_sent(talk) -> None:
    home, session = await talk([Reply("one")])
    small = session.counter.gauge()
    await change_setup(home.chats, session.id, ConversationSetup(system_prompt="Mind this. " * 500))
    assert session.counter.gauge().segments[Segment.SYSTEM] > small.segments.get(Segment.SYSTEM, 0) + 900
    assert session.counter.gauge().total == sum(session.counter.gauge().segments.values())
    await change_setup(home.chats, session.id, ConversationSetup(system_prompt=""))
    assert session.counter.gauge().total < small.total
    await change_setup(home.chats, session.id, ConversationSetup())
    assert session.counter.gauge().segments == small.segments, "the first one holds again"


async def test_it_is_there_after_a_restart_and_the_record_tells_what_was_sent_when(talk, tmp_path) -> None:
    home, session = await talk([Reply("one")])
    await change_setup(home.chats, session.id, PIRATE)
    await home.turn(session, "first")
    await change_setup(home.chats, session.id, replace(PIRATE, system_prompt="Be brief."))
    home.furnish()
    again = await home.chats.open(session.id)
    assert again.setup == replace(PIRATE, system_prompt="Be brief.")
    assert system_prompt_of(again) == "Be brief."
    assert isinstance(home.archive, Archive)
    told = [e.system_prompt for e in again.transcript.entries if isinstance(e, RequestContext)]
    assert told == ["Answer as a pirate.", "Be brief."]
    assert view_of(again.transcript).items[0].message.text == "Be brief."


async def test_an_earlier_branch_has_the_prompt_that_holds_now(talk) -> None:
    home, session = await talk([Reply("one"), Reply("two"), Reply("three")])
    await home.turn(session, "first")
    await home.turn(session, "second")
    await change_setup(home.chats, session.id, PIRATE)
    first = next(m for m in session.recorded.by_id.values() if m.role is Role.USER)
    await home.chats.turns.edit(session, first.id, "first, again", ())
    await home.chats.turns.wait_until_idle(session.id, with_room=True)
    assert system_texts(home.provider.requests[-1].body) == ["Answer as a pirate."]


async def test_the_longest_reply_is_never_more_than_the_model_can_write(talk) -> None:
    home, session = await talk([Reply("one")])
    most = session.model.info.max_output
    await change_setup(home.chats, session.id, ConversationSetup(max_output=most * 10))
    assert longest_reply(session.counter, session.counter.gauge())[0] == most
    await change_setup(home.chats, session.id, ConversationSetup(max_output=10))
    assert longest_reply(session.counter, session.counter.gauge())[0] == 10
    assert session.counter.budget.window == session.model.info.window


async def test_copies_and_fresh_starts_are_held_alike(talk) -> None:
    home, session = await talk([Reply("one")])
    await change_setup(home.chats, session.id, PIRATE)
    await home.turn(session, "first")
    forked = await fork(home.chats, session, session.recorded.branch[-1].id)
    plan = await plan_optimization(session.counter, None, is_fresh=True)
    for copied in (forked, await start_fresh(home.chats, session, plan)):
        assert copied.setup == PIRATE
        assert system_prompt_of(copied) == "Answer as a pirate."


async def test_a_conversation_begins_with_a_persona_and_keeps_it_as_it_was(talk) -> None:
    home, _ = await talk([Reply("Arr.")])
    home.chats.settings = replace(home.chats.settings, personas=(Persona("Pirate", PIRATE, policy="relaxed"),))
    session = await home.chats.create(persona="Pirate")
    assert session.setup == replace(PIRATE, persona="Pirate")
    assert session.info.policy == "relaxed"
    home.chats.settings = replace(home.chats.settings, personas=(Persona("Pirate"),))
    await home.turn(session, "Hello")
    assert system_texts(home.provider.requests[-1].body) == ["Answer as a pirate."]
    plain = await home.chats.create(persona="gone")
    assert plain.setup == ConversationSetup()


@pytest.mark.parametrize("prompt", ["\ud800 lone", "🙂" * 100, " "])
async def test_any_prompt_can_be_stored(talk, prompt: str) -> None:
    home, session = await talk([Reply("one")])
    await change_setup(home.chats, session.id, ConversationSetup(system_prompt=prompt))
    home.furnish()
    again = await home.chats.open(session.id)
    assert again.setup.system_prompt is not None
    await home.turn(again, "Hello")
