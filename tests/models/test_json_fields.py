from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.chat.turn.incoming_reply import ReplyInFlight
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import replace_surrogates
from desktop_app.models.reply_reader import (
    MalformedChunk,
    ReplyReader,
    StreamError,
    count_of,
    index_of,
    json_of,
    text_of,
    word_of,
)

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8) | st.just("error")
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)


def maybe(expected: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return expected | values


def fields(**named: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={name: maybe(strategy) for name, strategy in named.items()})


details = fields(type=st.sampled_from(["reasoning.text", "reasoning.summary"]), text=st.text(), index=st.integers(0, 1))
functions = fields(name=st.just("read"), arguments=st.sampled_from(["{", "}", "{}"]))
calls = fields(
    index=st.integers(0, 2),
    id=st.sampled_from(["a", "b", "a__thought__x"]),
    function=functions,
    provider_specific_fields=fields(thought_signature=st.text()),
)
deltas = fields(
    content=st.text(),
    reasoning=st.text(),
    tool_calls=st.lists(maybe(calls)),
    reasoning_details=st.lists(maybe(details)),
)
usages = fields(
    prompt_tokens=st.integers(0, 99),
    completion_tokens=st.integers(0, 99),
    cost=st.floats(0, 1),
    prompt_tokens_details=fields(cached_tokens=st.integers(0, 99)),
)
choices = fields(delta=deltas, finish_reason=st.sampled_from(["stop", "tool_calls"]), usage=usages)
chunks = fields(choices=st.lists(maybe(choices), max_size=2), usage=usages, error=values)


@given(st.lists(maybe(chunks), max_size=5))
def test_whatever_the_chunks_are_the_message_can_be_stored_and_read_again(events: list[Any]) -> None:
    reader, reply = ReplyReader("writer"), ReplyInFlight("writer")
    try:
        for event in events:
            for piece in reader.pieces(event):
                reply.add(piece)
        reply.add(reader.end())
    except (MalformedChunk, StreamError):
        pass  # of the world
    message = replace_surrogates(reply.message())
    assert isinstance(message, Message)
    assert msgspec.json.decode(msgspec.json.encode(message), type=Message) == message


@given(values)
def test_each_value_becomes_one_of_its_type_or_nothing(value: Any) -> None:
    assert all(isinstance(read(value), str) for read in (text_of, word_of, json_of))
    count, index = count_of(value), index_of(value)
    assert count is None or (type(count) is int and count >= 0)
    assert index is None or type(index) is int


def test_counts_are_whole_not_negative_and_of_a_size_that_can_be() -> None:
    found = [count_of(value) for value in ("12", 12.5, 0, -1, 10**12, 10**30, float("nan"), "9" * 100_000)]
    assert found == [12, 12, 0, None, None, None, None, None]
