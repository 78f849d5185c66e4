"""Windows so small that the room for the reply is about half of them: however long a reply is, it ends cleanly."""

from __future__ import annotations

import re

import pytest
from test_whole_reply import STORY, chat_of, stored

from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.conversation.events import TextDelta, TurnFailed, TurnFinished
from desktop_app.conversation.message import Message
from desktop_app.models.tokens.tokenizers import tokenizer_for
from provider import Overflow, Reply, Windowed

EXCEEDED = re.compile(r"Context limit exceeded \([\d,]+/[\d,]+ tokens\)")
WISH = "Tell me a very long story."


def storyteller(length: int):
    """Tells so many characters of the story, and goes on where the reply in the request ends."""

    def answer(request) -> Reply:
        said = next((text for role, text in reversed(request.turns) if role == "assistant"), "")
        begin = len(said) if said and STORY.startswith(said) else 0
        return Reply(STORY[begin:length], size=23)

    return answer


@pytest.mark.slow
@pytest.mark.parametrize("length", [400, 2_200, 4_500, len(STORY)])
@pytest.mark.parametrize("earlier", [0, 350, 900])
@pytest.mark.parametrize("max_output", [0, 1_000])
@pytest.mark.parametrize("is_strict", [False, True])
@pytest.mark.parametrize("window", [1_024, 1_536, 2_048])
async def test_a_reply_in_a_tiny_window_ends_cleanly(
    talk, window: int, is_strict: bool, max_output: int, earlier: int, length: int
) -> None:
    script = Windowed(window, storyteller(length), count=tokenizer_for("gpt-4o").count, is_strict=is_strict)
    home, session = await talk(script, window=window, max_output=max_output, messages=chat_of(earlier))
    assert session.counter.budget.reserve >= 0.48 * window
    events = await home.turn(session, WISH)
    told = stored(session)
    text = "".join(message.text for message in told)
    assert text == "".join(event.text for event in events if isinstance(event, TextDelta))
    assert STORY[:length].startswith(text), "nothing is lost in between, or said twice"
    assert text
    (finished,) = [event for event in events if isinstance(event, TurnFinished)]
    failures = [event.failure for event in events if isinstance(event, TurnFailed)]
    if failures:
        assert EXCEEDED.fullmatch(failures[0].title), failures
        assert text != STORY[:length]
        assert told[-1].is_interrupted
        assert room_left(session, script) < 0.2 * window, "it was truly full"
    else:
        assert finished.reason == "finished"
        assert not told[-1].is_interrupted
        assert text == STORY[:length] or script.requests[-1].reply_tokens >= 0.97 * (max_output or window)
    assert not any(request.is_refused for request in script.requests)
    assert [m.continues for m in told] == ["", *[m.id for m in told[:-1]]]
    kept = [e for e in await home.archive.entries(session.id) if isinstance(e, Message)]
    assert kept[-len(told) :] == told


def room_left(session, script: Windowed) -> int:
    """Tokens of the window that the last request and its reply left."""
    last = script.requests[-1]
    assert request_tokens(session.view, session.counter.counts) > 0
    return script.window - last.prompt_tokens - last.reply_tokens


@pytest.mark.parametrize("window", [1_024, 8_192])
async def test_a_server_that_counts_more_than_we_do_and_wants_room_for_all_is_asked_for_less(
    house, window: int
) -> None:
    """What it adds to the prompt does not fit beside a reply of all the rest of the window."""
    script = Windowed(window, storyteller(400), count=tokenizer_for("gpt-4o").count, is_strict=True, factor=1.3)
    home = await house(script, window=window, max_output=0)
    session = await home.chats.create("Strict")
    events = await home.turn(session, WISH)
    assert [event.reason for event in events if isinstance(event, TurnFinished)] == ["finished"]
    assert [request.is_refused for request in script.requests] == [True, False]
    assert home.provider.requests[-1].body["max_tokens"] == session.counter.budget.reserve
    assert [message.text for message in stored(session)] == [STORY[:400]]
    assert not session.operations(), "nothing had to leave"


async def test_what_is_too_long_by_itself_is_not_asked_for_twice(talk) -> None:
    home, session = await talk(
        [Overflow(window=8_192, tokens=20_000), Reply("Now.", usage=None)],
        window=8_192,
        max_output=0,
        messages=chat_of(3_000),
    )
    await home.turn(session, WISH)
    first, second = home.provider.requests[:2]
    assert len(second.messages) < len(first.messages), "room was made at once"
