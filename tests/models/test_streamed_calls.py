"""The same calls, in whichever shape and pieces a server streams them, are exactly these calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.chat.ports import ToolCallPiece
from desktop_app.models.reply_reader import ReplyReader
from desktop_app.models.streamed_calls import Fragment, join_calls

Json = dict[str, Any]
NAMES = ("read", "read_file", "list", "glob", "write")
values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 99) | st.text('{}"\\ \nab世', max_size=6),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab{", max_size=2), inner, max_size=2),
)
arguments = st.dictionaries(st.sampled_from(["path", "content", "a"]), values, min_size=1, max_size=3)
calls_made = st.lists(
    st.tuples(st.sampled_from(NAMES), arguments), min_size=1, max_size=4, unique_by=lambda call: json.dumps(call)
)
Cut = Callable[[str], list[str]]


def function(name: str | None, text: Any) -> Json:
    return {"function": {"name": name, "arguments": text} if name is not None else {"arguments": text}}


def as_specified(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield {"index": number, "id": f"c{number}"} | function(name, "")
    yield from ({"index": number} | function(None, part) for part in cut(whole))


def without_index(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield {"id": f"c{number}"} | function(name, "")
    yield from (function(None, part) for part in cut(whole))


def with_its_id_in_each(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield {"id": f"c{number}"} | function(name, "")
    yield from ({"id": f"c{number}"} | function(None, part) for part in cut(whole))


def without_index_or_id(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield function(name, whole)


def with_an_empty_id(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield {"id": ""} | function(name, whole)


def all_with_index_0(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield {"index": 0} | function(name, whole)


def all_with_index_0_in_parts(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield {"index": 0, "id": f"c{number}"} | function(name, "")
    yield from ({"index": 0} | function(None, part) for part in cut(whole))


def with_another_index_in_each(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield {"index": 10 * number, "id": f"c{number}"} | function(name, "")
    parts = enumerate(cut(whole), start=1)
    yield from ({"index": 1_000 * number + place} | function(None, part) for place, part in parts)


def with_another_id_in_each(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield {"index": number, "id": f"c{number}"} | function(name, "")
    parts = enumerate(cut(whole))
    yield from ({"index": number, "id": f"x{number}.{place}"} | function(None, part) for place, part in parts)


def all_with_one_id(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield {"index": number, "id": "same"} | function(name, "")
    yield from ({"index": number, "id": "same"} | function(None, part) for part in cut(whole))


def with_a_name_in_parts(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield {"index": number, "id": f"c{number}"} | function(name[:2], "")
    yield {"index": number} | function(name[2:], "")
    yield from ({"index": number} | function(None, part) for part in cut(whole))


def with_its_name_in_each(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield from ({"index": number, "id": f"c{number}"} | function(name, part) for part in cut(whole))


def from_the_beginning_each_time(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    text = ""
    for part in cut(whole):
        text += part
        yield {"index": number, "id": f"c{number}"} | function(name, text)


def in_parts_and_then_whole(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield from as_specified(number, name, whole, cut)
    yield {"index": number, "id": f"c{number}"} | function(name, whole)


def in_parts_and_then_whole_without_an_index(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield from as_specified(number, name, whole, cut)
    yield {"id": f"c{number}"} | function(name, whole)


def empty_first(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield {"index": number, "id": f"c{number}"} | function(name, "{}")
    yield from ({"index": number} | function(None, part) for part in cut(whole))


def as_an_object(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield {"index": number, "id": f"c{number}"} | function(name, json.loads(whole))


def as_json_in_a_text(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield {"index": number, "id": f"c{number}"} | function(name, json.dumps(whole))


def with_an_empty_end(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield from as_specified(number, name, whole, cut)
    yield {"index": number, "id": f"c{number}"} | function(name, "")


def in_parts_without_index_or_id(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield function(name, "")
    yield from (function(None, part) for part in cut(whole))


def all_with_index_0_in_parts_without_id(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield {"index": 0} | function(name, "")
    yield from ({"index": 0} | function(None, part) for part in cut(whole))


def all_with_one_id_in_parts_without_index(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield {"id": "same"} | function(name, "")
    yield from ({"id": "same"} | function(None, part) for part in cut(whole))


def in_parts_and_then_whole_without_name(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield from as_specified(number, name, whole, cut)
    yield {"index": number} | function(None, whole)


def with_a_name_that_grows(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    yield {"index": number, "id": f"c{number}"} | function(name[:2], "")
    yield {"index": number, "id": f"c{number}"} | function(name, "")
    yield from ({"index": number} | function(None, part) for part in cut(whole))


def with_its_name_and_another_id_in_each(number: int, name: str, whole: str, cut: Cut) -> Iterator[Json]:
    parts = enumerate(cut(whole))
    yield from ({"index": number, "id": f"x{number}.{place}"} | function(name, part) for place, part in parts)


SHAPES = (
    as_specified, without_index, with_its_id_in_each, without_index_or_id, with_an_empty_id, all_with_index_0,
    all_with_index_0_in_parts, with_another_index_in_each, with_another_id_in_each, all_with_one_id,
    with_a_name_in_parts, with_its_name_in_each, from_the_beginning_each_time, in_parts_and_then_whole,
    in_parts_and_then_whole_without_an_index, empty_first, as_an_object, as_json_in_a_text, with_an_empty_end,
    in_parts_without_index_or_id, all_with_index_0_in_parts_without_id, all_with_one_id_in_parts_without_index,
    in_parts_and_then_whole_without_name, with_a_name_that_grows, with_its_name_and_another_id_in_each,
)  # fmt: skip


def read(deltas: list[list[Json]], **choice: Any) -> list[tuple[str, Any]]:
    """The calls that are read in a stream of such deltas, each with some fragments."""
    reader = ReplyReader("writer", names=NAMES)
    for fragments in deltas:
        _ = [*reader.pieces({"choices": [{"delta": {"tool_calls": fragments}}]})]
    _ = [*reader.pieces({"choices": [{"delta": {}, "finish_reason": "tool_calls"} | choice]})]
    calls = reader.end().tool_calls
    assert len({call.call_id for call in calls}) == len(calls)
    return [(call.name, json.loads(call.arguments)) for call in calls]


@given(calls_made, st.data())
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_calls_in_every_shape_are_exactly_these_calls(
    shape: Callable[..., Iterator[Json]], calls: list[tuple[str, Json]], data: st.DataObject
) -> None:
    def cut(text: str) -> list[str]:
        places = sorted(data.draw(st.sets(st.integers(1, max(len(text) - 1, 1)), max_size=6)))
        return [text[begin:end] for begin, end in zip([0, *places], [*places, len(text)], strict=True)]

    ascii_only = data.draw(st.booleans())
    wholes = [json.dumps(of, ensure_ascii=ascii_only) for _, of in calls]
    fragments = [f for n, (name, _) in enumerate(calls) for f in shape(n, name, wholes[n], cut)]
    deltas: list[list[Json]] = []
    for fragment in fragments:  # some in one delta
        if deltas and data.draw(st.booleans()):
            deltas[-1].append(fragment)
        else:
            deltas.append([fragment])
    assert read(deltas) == calls


@given(calls_made)
def test_calls_that_come_whole_in_the_message_are_these_calls(calls: list[tuple[str, Json]]) -> None:
    whole = [{"id": f"c{n}"} | function(name, json.dumps(of)) for n, (name, of) in enumerate(calls)]
    assert read([], message={"content": None, "tool_calls": whole}) == calls
    parts = [[{"index": n, "id": f"c{n}"} | function(name, '{"')] for n, (name, _) in enumerate(calls)]
    assert read(parts, message={"tool_calls": whole}) == calls, "what had been streamed is only a part of it"


def test_arguments_that_are_sent_from_the_beginning_each_time_count_once() -> None:
    whole = json.dumps({"path": "a.txt", "content": "word " * 200})
    reader, counted = ReplyReader("writer", names=NAMES), 0
    for end in range(10, len(whole) + 10, 10):
        fragment = {"index": 0, "id": "c"} | function("write", whole[:end])
        pieces = reader.pieces({"choices": [{"delta": {"tool_calls": [fragment]}}]})
        counted += sum(len(piece.text) for piece in pieces if isinstance(piece, ToolCallPiece))
    assert counted == len(whole)


def test_the_old_field_for_one_call_is_read() -> None:
    deltas = [{"function_call": {"name": "glob", "arguments": '{"a"'}}, {"function_call": {"arguments": ": 1}"}}]
    reader = ReplyReader("writer", names=NAMES)
    for delta in deltas:
        _ = [*reader.pieces({"choices": [{"delta": delta}]})]
    (call,) = reader.end().tool_calls
    assert (call.name, call.arguments) == ("glob", '{"a": 1}')


@pytest.mark.parametrize(
    "texts",
    [
        ['{"a": 1}', '{"a": 2}'],  # two calls, or one and its correction
        ['{"a": '],
        ['{"a": 1}', "}"],
        ['"text"'],
    ],
)
def test_what_is_ambiguous_or_cut_is_no_json_so_that_no_tool_runs(texts: list[str]) -> None:
    (call,) = join_calls([Fragment(0, "a", "glob", ""), *(Fragment(0, "", "", text) for text in texts)], NAMES)
    try:
        assert not isinstance(json.loads(call.arguments), dict)
    except ValueError:
        assert call.arguments == "".join(texts)


def test_of_calls_whose_fragments_cannot_be_told_apart_none_runs() -> None:
    texts = ('{"path": "."}', '{"pattern": "*"}')
    fragments = [
        *(Fragment(None, "", name, "") for name in ("list", "glob")),
        *(Fragment(None, "", "", t) for t in texts),
    ]
    calls = join_calls(fragments, NAMES)
    assert [(call.name, call.arguments) for call in calls] == [("list", "".join(texts)), ("glob", "".join(texts))]


def test_a_call_that_another_interrupts_is_not_complete() -> None:
    first, second = join_calls([Fragment(0, "", "write", '{"path": "a'), Fragment(0, "", "list", "{}")], NAMES)
    assert (first.name, first.arguments, second.name, second.arguments) == ("write", '{"path": "a', "list", "{}")
