"""Servers whose window is not the one that they state: requests of llama.cpp share it, and it ends them in midstream.

Seen with llama-server as it is in xllamacpp 2026.10.11549, with four slots and a unified cache, which is its default:
/props states the whole window, and two streams that fit alone both end with a status of 200 and an error event.
"""

from __future__ import annotations

import pytest

from desktop_app.conversation.events import RetryScheduled, TurnFailed
from desktop_app.conversation.message import Message, Role, Text
from provider import ErrorEvent, Reply

pytestmark = pytest.mark.wire

ROLES = (Role.USER, Role.ASSISTANT)
LONG = [Message(role=role, parts=(Text(f"point {n} " + "word " * 250),)) for n in range(8) for role in ROLES]
ONE = [Message(role=Role.USER, parts=(Text("word " * 3_000),)), Message(role=Role.ASSISTANT, parts=(Text("Read."),))]


def cut_after(text: str) -> ErrorEvent:
    return ErrorEvent(text, "Context size has been exceeded.", "server_error", 500)


def replies(session) -> list[str]:
    return [m.text for m in session.view.messages if m.role is Role.ASSISTANT][-2:]


async def test_a_reply_that_a_full_shared_window_ends_is_kept_and_goes_on_with_less(talk) -> None:
    home, session = await talk([cut_after("First half, "), Reply("second half.")], window=8_192, messages=LONG)
    await home.turn(session, "And?")
    first, second = home.provider.requests
    assert len(str(second.body)) < len(str(first.body)), "older messages were shortened"
    assert session.counter.budget.window < 8_192
    assert not home.of(TurnFailed)
    assert replies(session)[-1] == "First half, second half."


async def test_it_goes_on_as_it_is_if_nothing_can_be_freed(talk) -> None:
    home, session = await talk([cut_after("First half, "), Reply("second half.")], window=8_192)
    await home.turn(session, "word " * 4_000)
    assert not home.of(TurnFailed)
    assert session.counter.budget.window == 8_192, "the requests that shared it may be over"
    assert replies(session)[-1] == "First half, second half."


async def test_a_request_that_fits_alone_is_sent_again_once_others_may_be_over(talk) -> None:
    home, session = await talk([cut_after(""), Reply("There it is.")], window=8_192)
    await home.turn(session, "And?")
    assert [event.seconds for event in home.of(RetryScheduled)] == [2.0]
    assert not home.of(TurnFailed)
    assert replies(session)[-1] == "There it is."


async def test_one_that_is_ended_again_and_again_is_kept_and_the_next_message_works(talk) -> None:
    cuts = [cut_after(f"Part {n} of the long reply. ") for n in range(3)] + [cut_after("")] * 9
    home, session = await talk(cuts, window=8_192, messages=ONE)
    await home.turn(session, "And?")
    assert len(home.of(TurnFailed)) == 1
    assert "Part 0" in " ".join(m.text for m in session.view.messages)
    home.provider.script[:] = [Reply("Next.")]
    await home.turn(session, "Again?")
    assert len(home.of(TurnFailed)) == 1
    assert replies(session)[-1] == "Next."
