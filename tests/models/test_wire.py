from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from desktop_app.chat.ports import Piece, ReasoningPiece, ReplyEnd, TextPiece
from desktop_app.conversation.message import Attachment, Message, Role, Text, ToolCall, Usage, user_message
from desktop_app.models.wire import ReplyReader, request_of


def chunk(
    content: str | None = None, finish: str | None = None, calls: list[Any] | None = None, **fields: Any
) -> SimpleNamespace:
    delta = SimpleNamespace(content=content, tool_calls=calls, **fields)
    return SimpleNamespace(choices=[SimpleNamespace(delta=delta, finish_reason=finish)], usage=None)


def fragment(index: int | None, call_id: str | None, name: str | None, arguments: str | None) -> SimpleNamespace:
    return SimpleNamespace(index=index, id=call_id, function=SimpleNamespace(name=name, arguments=arguments))


def usage_chunk(**usage: Any) -> SimpleNamespace:
    return SimpleNamespace(choices=[], usage=SimpleNamespace(**usage))


def read(*chunks: Any) -> tuple[list[Piece], ReplyReader]:
    reader = ReplyReader()
    return [piece for each in chunks for piece in reader.pieces(each)], reader


def test_text_and_reasoning_are_pieces_and_empty_deltas_are_none() -> None:
    pieces, reader = read(
        chunk(""), chunk(None, reasoning_content="Hm"), chunk(None, reasoning="m"), chunk("Hi"), chunk(None, "stop")
    )
    assert pieces == [ReasoningPiece("Hm"), ReasoningPiece("m"), TextPiece("Hi")]
    assert reader.is_finished
    assert reader.end() == ReplyEnd("stop")


def test_a_stream_without_a_reason_is_not_finished() -> None:
    _, reader = read(chunk("Hi"))
    assert not reader.is_finished
    assert reader.chunks == 1


def test_objects_of_another_shape_are_not_chunks() -> None:
    pieces, reader = read(SimpleNamespace(hello="world"), SimpleNamespace(choices=None, usage=None))
    assert (pieces, reader.chunks) == ([], 0)


def test_reasons_are_told_in_three_words() -> None:
    for reason, word in {
        "length": "length",
        "max_tokens": "length",
        "function_call": "tool_calls",
        "content_filter": "stop",
        "eos": "stop",
    }.items():
        assert read(chunk("x", reason))[1].end().reason == word


def test_fragments_of_calls_are_joined_by_index_even_when_they_alternate() -> None:
    _, reader = read(
        chunk(calls=[fragment(0, "a", "read", ""), fragment(1, "b", "list", None)]),
        chunk(calls=[fragment(1, None, None, '{"path":')]),
        chunk(calls=[fragment(0, None, None, '{"x":1}')]),
        chunk(calls=[fragment(1, None, None, '"."}')], finish="tool_calls"),
    )
    assert reader.end().tool_calls == (ToolCall("a", "read", '{"x":1}'), ToolCall("b", "list", '{"path":"."}'))


def test_fragments_without_an_index_belong_to_the_last_call() -> None:
    _, reader = read(
        chunk(calls=[fragment(None, "a", "read", '{"x"')]),
        chunk(calls=[fragment(None, None, None, ":1}")]),
        chunk(calls=[fragment(None, "a", "read", '{"y":2}')], finish="stop"),
    )
    end = reader.end()
    assert end.tool_calls == (ToolCall("a", "read", '{"x":1}'), ToolCall("a", "read", '{"y":2}'))
    assert end.reason == "tool_calls"


def test_a_call_without_id_or_arguments_can_still_be_paired_and_parsed() -> None:
    _, reader = read(chunk(calls=[fragment(0, None, "now", None)], finish="tool_calls"))
    assert reader.end().tool_calls == (ToolCall("call_0", "now", "{}"),)


def test_the_last_usage_that_was_reported_counts() -> None:
    details = SimpleNamespace(cached_tokens=4)
    _, reader = read(
        usage_chunk(prompt_tokens=9, completion_tokens=None),
        chunk("x", "stop"),
        usage_chunk(prompt_tokens=9, completion_tokens=5, prompt_tokens_details=details),
    )
    assert reader.end().usage == Usage(9, 5, 4)


def test_a_request_holds_the_messages_in_openai_s_shape() -> None:
    image = Message(role=Role.USER, parts=(Text("Look"), Attachment("a.png", "image/png", "data:image/png;base64,xx")))
    request = request_of((user_message("Hi"), image), 50)
    assert request["messages"][0] == {"role": "user", "content": "Hi"}
    assert request["messages"][1]["content"][1]["image_url"]["url"].startswith("data:")
    assert request["max_tokens"] == 50
    assert request["stream"] is True
