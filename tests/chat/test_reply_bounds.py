"""A reply is stopped at the bounds of the policy, whatever its server sends."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from desktop_app.chat.ports import ModelError, ReasoningPiece, ReplyEnd, TextPiece, ToolCallPiece
from desktop_app.chat.turn import incoming_reply
from desktop_app.chat.turn.incoming_reply import ReplyBounds
from desktop_app.context.policy import BALANCED
from desktop_app.conversation.events import TextDelta, ToolStarted, TurnFailed
from desktop_app.conversation.message import Message, ToolCall
from provider import Call, Endless, Reply

POLICY = replace(BALANCED, stream_calls=2, stream_quiet_seconds=60)
EVENT = (
    'data: {"id":"s","object":"chat.completion.chunk","created":1,"model":"s","choices":[{"index":0,"delta":%s}]}\n\n'
)
HI = EVENT % '{"content":"Hi"}'


def call(place: int) -> ToolCall:
    return ToolCall(f"c{place}", "read")


@pytest.mark.parametrize(
    ("within", "beyond"),
    [
        ([TextPiece("12345"), ReasoningPiece("123"), ToolCallPiece(0, "read", "12")], TextPiece("1")),
        (
            [ToolCallPiece(0, "read", ""), ToolCallPiece(1, "read", ""), ToolCallPiece(0, "read", "")],
            ToolCallPiece(2, "read", ""),
        ),
        ([TextPiece("1")], ReplyEnd("tool_calls", None, (call(0), call(1), call(2)))),
        ([TextPiece("1"), ReplyEnd("tool_calls", None, (call(0), call(1)))], None),
    ],
)
def test_a_reply_is_as_long_as_its_bounds_and_no_longer(within: list[Any], beyond: Any, monkeypatch) -> None:
    monkeypatch.setattr(incoming_reply, "MAX_CHARACTERS", 10)
    now = 0.0
    bounds = ReplyBounds(POLICY, "Model", lambda: now)
    for piece in within:
        bounds.check(piece)
    now = 61.0
    with pytest.raises(ModelError) as caught:
        bounds.check(beyond)
    assert caught.value.kind == "garbage", "which is not asked again by itself"


def test_only_content_puts_off_the_end_of_a_quiet_reply() -> None:
    now = 0.0
    bounds = ReplyBounds(POLICY, "Model", lambda: now)
    now = 60.0
    bounds.check(None)
    bounds.check(TextPiece("x"))
    now = 120.0
    bounds.check(None)
    now = 121.0
    with pytest.raises(ModelError, match="stopped"):
        bounds.check(None)


async def turn_under(talk, policy: Any, step: Any) -> tuple[Any, list[Any], list[Message]]:
    home, session = await talk([step], window=32_000, repeat_last=True)
    session.counter.chosen_policy = policy
    events = await home.turn(session, "Hello")
    entries = await home.archive.entries(session.id)
    return home, events, [entry for entry in entries if isinstance(entry, Message)]


@pytest.mark.wire
async def test_a_server_that_only_pings_is_left_and_what_it_had_said_stays(talk) -> None:
    policy = replace(BALANCED, stream_quiet_seconds=0)
    home, events, messages = await turn_under(talk, policy, Endless(": ping\n\n", HI, size=8, pause=0.02))
    (failed,) = [event for event in events if isinstance(event, TurnFailed)]
    assert failed.failure.kind == "garbage"
    assert (messages[-1].text, messages[-1].is_interrupted) == ("Hi", True)
    assert len(home.provider.requests) == 1
    assert home.provider.client_left.wait(10)


async def test_a_reply_with_thousands_of_calls_is_stopped_and_none_is_run(talk) -> None:
    calls = tuple(Call("list", '{"path": "."}', f"c{place}") for place in range(2_000))
    home, events, messages = await turn_under(talk, BALANCED, Reply("I look.", calls=calls, size=100))
    assert [event.failure.kind for event in events if isinstance(event, TurnFailed)] == ["garbage"]
    assert not [event for event in events if isinstance(event, ToolStarted)]
    assert (messages[-1].text, messages[-1].tool_calls) == ("I look.", ())
    assert len(home.provider.requests) == 1


@pytest.mark.wire
async def test_text_without_an_end_is_stopped_by_its_characters_where_it_has_hardly_a_token(talk, monkeypatch) -> None:
    step = Endless(EVENT % ('{"content":"%s"}' % (" " * 500)), HI)
    monkeypatch.setattr(incoming_reply, "MAX_CHARACTERS", 20_000)
    policy = replace(BALANCED, phases=())
    _, events, messages = await turn_under(talk, policy, step)
    assert [event.failure.kind for event in events if isinstance(event, TurnFailed)] == ["garbage"]
    shown = sum(len(event.text) for event in events if isinstance(event, TextDelta))
    assert 15_000 < shown <= 20_000
    assert messages[-1].text.startswith("Hi")
