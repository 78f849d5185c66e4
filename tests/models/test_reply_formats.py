"""Replies in every provider's format: sound ones mean what litellm reads in them, and odd ones can be stored."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import httpx
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_json_fields import values

from desktop_app.chat.turn.incoming_reply import ReplyInFlight
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import replace_surrogates
from desktop_app.models.bounded_response import events_of
from desktop_app.models.endpoint import PREFIX
from desktop_app.models.provider_dialects import BLOCKS
from desktop_app.models.reply_formats import WireFormat, chunk_reader
from desktop_app.models.reply_reader import DETAILS, MalformedChunk, ReplyReader, StreamError
from desktop_app.models.tagged_thoughts import ALONE, OPENING
from desktop_app.settings import ServerKind
from provider import Call, Reply
from provider_flavours import FLAVOURS

FORMATS: tuple[WireFormat, ...] = ("anthropic", "gemini", "ollama", "responses")
TRANSLATED: tuple[ServerKind, ...] = ("anthropic", "gemini", "ollama")
"""The formats that litellm also translates to OpenAI's."""

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<>"), max_size=12)
replies = st.builds(
    Reply,
    words,
    size=st.integers(1, 5),
    reasoning=words,
    calls=st.lists(st.builds(Call, st.just("look"), st.just('{"a": "世"}') | st.just("{}")), max_size=2).map(tuple),
    finish=st.sampled_from(["stop", "length"]),
    usage=st.none() | st.just((21, 7, 5)),
)


def content_of(wire: str, reply: Reply) -> bytes:
    shape = FLAVOURS[wire]
    return b"".join([*shape.opening(reply, {}), *shape.ending(reply, {})])


async def events_in(wire: str, content: bytes) -> list[Any]:
    async def pieces() -> Any:
        yield content

    return [event async for event in events_of(pieces(), wire == "ollama")]


def message_of(wire: WireFormat, events: Sequence[Any]) -> Message:
    read, reader = chunk_reader(wire), ReplyReader("writer", BLOCKS if wire == "anthropic" else DETAILS)
    reply = ReplyInFlight("writer")
    for event in events:
        for piece in reader.pieces(read(event)):
            reply.add(piece)
    for piece in (*reader.rest(), reader.end()):
        reply.add(piece)
    return reply.message()


def contents(message: Message) -> tuple[Any, ...]:
    calls = [(call.name, json.loads(call.arguments)) for call in message.tool_calls]
    return message.text, "".join(part.text for part in message.parts if type(part).__name__ == "Reasoning"), calls


async def by_litellm(client: Any, kind: ServerKind, content: bytes) -> tuple[Any, ...]:
    """The text, the thoughts and the calls that litellm's own, documented iterator reads in the same bytes."""
    answer = httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content=content)
    handler = client.AsyncHTTPHandler(transport=httpx.MockTransport(lambda _: answer))
    stream = await client.litellm.acompletion(
        f"{PREFIX[kind]}/m", api_base="http://s.invalid", api_key="k", client=handler, stream=True,
        messages=[{"role": "user", "content": "Hi"}], tools=[],
    )  # fmt: skip
    deltas = [chunk.choices[0].delta async for chunk in stream if chunk.choices]
    await handler.close()
    calls: list[list[str]] = []
    for fragment in (one for delta in deltas for one in delta.tool_calls or ()):
        if fragment.function.name:
            calls.append([fragment.function.name, ""])
        calls[-1][1] += fragment.function.arguments or ""
    texts = ("".join(getattr(d, name, None) or "" for d in deltas) for name in ("content", "reasoning_content"))
    return (*texts, [(name, json.loads(arguments or "{}")) for name, arguments in calls])


@given(replies)
@pytest.mark.parametrize("wire", FORMATS)
async def test_a_reply_means_what_was_written(wire: WireFormat, reply: Reply) -> None:
    message = message_of(wire, await events_in(wire, content_of(wire, reply)))
    calls = [(call.name, json.loads(call.arguments)) for call in reply.calls]
    assert contents(message) == (reply.text, reply.reasoning, calls)
    if reply.usage is not None:
        assert message.usage is not None
        assert (message.usage.prompt_tokens, message.usage.reply_tokens) == reply.usage[:2]


@pytest.mark.parametrize("kind", TRANSLATED)
@pytest.mark.parametrize(
    "reply",
    [
        Reply("Hi 世界", size=2),
        Reply("I look.", reasoning="Well, well.", calls=(Call("look", '{"a": "世"}'), Call("see", '{"b": 1}', "c2"))),
        Reply(calls=(Call("look"),)),
        Reply("Half a", finish="length", usage=None),
    ],
    ids=repr,
)
async def test_a_reply_means_what_litellm_reads_in_it(kind: ServerKind, reply: Reply, client: Any) -> None:
    content = content_of(kind, reply)
    assert contents(message_of(kind, await events_in(kind, content))) == await by_litellm(client, kind, content)


def with_value(event: Any, path: Sequence[int], value: Any) -> Any:
    """The event with that value in one place, to which the path leads."""
    if path and isinstance(event, dict) and event:
        name = list(event)[path[0] % len(event)]
        return event | {name: with_value(event[name], path[1:], value)}
    if path and isinstance(event, list) and event:
        return [with_value(event[0], path[1:], value), *event[1:]]
    return value


@given(replies, st.integers(0, 99), st.lists(st.integers(0, 9), max_size=6), values)
@pytest.mark.parametrize("wire", FORMATS)
async def test_whatever_is_in_an_event_the_message_can_be_stored(
    wire: WireFormat, reply: Reply, place: int, path: list[int], value: Any
) -> None:
    events = await events_in(wire, content_of(wire, reply))
    place %= len(events)
    events[place] = with_value(events[place], path, value)
    try:
        message = replace_surrogates(message_of(wire, events))
    except (MalformedChunk, StreamError):
        return
    assert isinstance(message, Message)
    assert msgspec.json.decode(msgspec.json.encode(message), type=Message) == message


@pytest.mark.parametrize("wire", ["ollama", "chat"])
@pytest.mark.parametrize(
    ("pieces", "thought", "text"),
    [
        (["<think>", "Well", "</think>", "Hi"], "Well", "Hi"),
        (["\n<think>We", "ll</think>\n\nHi"], "Well", "Hi"),
        (["A tag is <think>", " and </think>."], "", "A tag is <think> and </think>."),
        (["<think>a</think>b</think>"], "a", "b</think>"),
        (["<think></think>", "\n", "b"], "", "b"),
        (["<", "thi", "nk>a<", "/think>", "b<"], "a", "b<"),
        (["Well, we", "ll.\n</thi", "nk>", "\n\nHi", "."], "Well, well.\n", "Hi."),
        (["</think>\n\nHi"], "", "Hi"),
        (['Say "', '</think>"', "."], "", 'Say "</think>".'),
        (
            ["Say `</think>`", " or </think", "> in ```\n</think>\n```"],
            "Say `</think>` or ",
            "in ```\n</think>\n```",
        ),
        (["Write `</think>", '` to end "</think>".'], "", 'Write `</think>` to end "</think>".'),
        (["[THINK]a[/THINK]b"], "a", "b"),
        (["<think>only"], "only", ""),
        (["a < b", " and c</b>"], "", "a < b and c</b>"),
        (["<", "b>"], "", "<b>"),
    ],
)
def test_thoughts_between_tags_are_no_text(wire: WireFormat, pieces: list[str], thought: str, text: str) -> None:
    if wire == "ollama":
        events: list[Any] = [{"message": {"content": piece}, "done": False} for piece in pieces]
        events.append({"message": {"content": ""}, "done": True})
    else:
        events = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    message = message_of(wire, events)
    assert contents(message)[:2] == (text, thought)


@given(
    st.text("a `\n", max_size=8), st.text("a<\n /", min_size=1, max_size=8), st.booleans(), st.sets(st.integers(0, 40))
)
def test_tags_are_found_wherever_a_text_is_cut(thought: str, text: str, has_opening: bool, cuts: set[int]) -> None:
    text = f"x{text}"
    whole = f"{OPENING if has_opening else ''}{thought}{ALONE}\n\n{text}"
    places = sorted({0, len(whole), *(cut % len(whole) for cut in cuts)})
    events = [{"choices": [{"delta": {"content": whole[begin:end]}}]} for begin, end in pairwise(places)]
    is_code = thought.count("`") % 2 == 1 or thought.endswith("`")
    expected = (whole, "") if is_code and not has_opening else (text, thought.lstrip() if has_opening else thought)
    message_text, message_thought, _ = contents(message_of("chat", events))
    assert (message_text, message_thought.lstrip() if has_opening else message_thought) == expected


def test_reasoning_tokens_are_those_that_claude_reports() -> None:
    usage = {"input_tokens": 9, "output_tokens": 50}
    thoughts = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "a b " * 9}}
    ]
    for details, expected in (({}, 0), ({"output_tokens_details": {"thinking_tokens": 30}}, 30)):
        end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage | details}
        message = message_of("anthropic", [*thoughts, end])
        assert message.usage is not None
        assert message.usage.reasoning_tokens == expected
