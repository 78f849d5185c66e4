from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from desktop_app.chat.ports import Piece, ReasoningPiece, ReplyEnd, TextPiece, ToolCallPiece
from desktop_app.conversation.message import ToolCall, Usage
from desktop_app.models.provider_dialects import ProviderMetadata, decode_metadata
from desktop_app.models.reply_reader import END_MARK, ReplyReader, StreamError

WRITER = "OpenRouter/model"


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
    reader = ReplyReader(WRITER)
    return [piece for each in chunks for piece in reader.pieces(each)], reader


def ended(*chunks: Any) -> ReplyEnd:
    return read(*chunks)[1].end()


def test_text_and_reasoning_are_pieces_and_empty_deltas_are_none() -> None:
    pieces, reader = read(
        chunk(""), chunk(None, reasoning_content="Hm"), chunk(None, reasoning="m"), chunk("Hi"), chunk(None, "stop")
    )
    assert pieces == [ReasoningPiece("Hm"), ReasoningPiece("m"), TextPiece("Hi")]
    assert reader.is_finished
    assert reader.end() == ReplyEnd("stop")


@pytest.mark.parametrize("content", [12, "12", ["1", {"type": "text", "text": "2"}], [{"text": 12}], {"text": "12"}])
def test_content_in_another_shape_is_text(content: Any) -> None:
    assert "".join(piece.text for piece in read(chunk(content))[0] if isinstance(piece, TextPiece)) == "12"


def test_objects_of_another_shape_are_not_chunks() -> None:
    pieces, reader = read(SimpleNamespace(hello="world"), SimpleNamespace(choices=None, usage=None))
    assert (pieces, reader.chunks) == ([], 0)


def test_reasons_are_named_in_our_words() -> None:
    for reason, word in {
        "length": "length",
        "max_tokens": "length",
        "function_call": "tool_calls",
        "content_filter": "content_filter",
        "SAFETY": "content_filter",
        "MALFORMED_FUNCTION_CALL": "malformed_call",
        "model_context_window_exceeded": "window",
        "eos": "stop",
        "pause_turn": "length",
        "ERROR_LIMIT": "window",
        "contextLengthReached": "window",
        "MISSING_THOUGHT_SIGNATURE": "malformed_call",
        "MODEL_ARMOR": "content_filter",
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
    assert end.tool_calls == (ToolCall("a", "read", '{"x":1}'), ToolCall("a_1", "read", '{"y":2}'))
    assert end.reason == "tool_calls"


def test_a_call_without_id_or_arguments_can_still_be_paired_and_parsed() -> None:
    end = ended(chunk(calls=[fragment(0, None, "now", None)], finish="content_filter"))
    assert (end.tool_calls, end.reason) == ((ToolCall("call_0", "now", "{}"),), "content_filter")


def test_the_last_usage_that_was_reported_counts() -> None:
    details = SimpleNamespace(cached_tokens=4)
    _, reader = read(
        usage_chunk(prompt_tokens=9, completion_tokens=None),
        chunk("x", "stop"),
        usage_chunk(prompt_tokens=9, completion_tokens=5, prompt_tokens_details=details),
    )
    assert reader.end().usage == Usage(9, 5, 4)


def test_zeros_are_no_report_and_the_last_that_is_one_counts() -> None:
    real, zeros = usage_chunk(prompt_tokens=900, completion_tokens=5), usage_chunk(prompt_tokens=0, completion_tokens=0)
    for chunks in ((real, zeros), (zeros, real), (zeros, real, zeros)):
        _, reader = read(chunk("x", "stop"), *chunks)
        assert reader.end().usage == Usage(900, 5)
    _, reader = read(chunk("x", "stop"), zeros)
    assert reader.end().usage is None


def test_later_reports_do_not_take_back_numbers_with_zeros() -> None:
    first = usage_chunk(prompt_tokens=900, completion_tokens=0, cached_tokens=300)
    later = usage_chunk(prompt_tokens=0, completion_tokens=7)
    assert ended(chunk("x", "stop"), first, later).usage == Usage(900, 7, 300)
    assert ended(chunk("x", "stop"), later).usage is None, "without a prompt nothing was measured"


@pytest.mark.parametrize(
    "reason", ["network_error", "abort", "insufficient_system_resource", "modelUnloaded", "failed"]
)
def test_a_reply_that_its_server_could_not_complete_has_broken_off(reason: str) -> None:
    with pytest.raises(StreamError) as caught:
        read(chunk("Hel", calls=[fragment(0, "a", "write", "{}")]), chunk(finish=reason))
    assert caught.value.status_code == 502


def test_a_mark_of_the_end_ends_a_reply_without_a_reason_but_not_nothing() -> None:
    _, reader = read(chunk("Hi"), END_MARK)
    assert (reader.is_finished, reader.end()) == (True, ReplyEnd("stop"))
    assert not read(END_MARK)[1].is_finished
    assert read(chunk("Hi", "length"), END_MARK)[1].end().reason == "length"


@pytest.mark.parametrize(
    "error",
    [
        {"error_code": 336007, "error_msg": "the max input characters is 20000"},
        {"base_resp": {"status_code": 2013, "status_msg": "context window exceeds limit"}, "choices": None},
        {"detail": "Conversation too long"},
        {
            "object": "error",
            "message": "The sum of prompt length should not exceed 8192",
            "type": "InternalServerError",
        },
        {"message": "too many tokens"},
        {"Message": "Input is too long for requested model."},
    ],
)
def test_an_error_in_a_shape_of_its_own_is_an_error(error: dict[str, Any]) -> None:
    with pytest.raises(StreamError):
        read(error)


def test_a_closing_tag_in_the_text_ends_no_thoughts_if_these_have_a_field() -> None:
    pieces, _ = read(chunk(None, reasoning_content="I see."), chunk("The tag "), chunk("</think>"), chunk(" ends it."))
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextPiece)) == "The tag </think> ends it."


def test_a_refusal_without_a_reason_is_one() -> None:
    _, reader = read(chunk(None, refusal="I will not."), chunk(None, "stop"))
    assert reader.end().reason == "content_filter"


@pytest.mark.parametrize("kind", ["web_search", "code_interpreter", "mcp_call", "x_search_call"])
def test_calls_that_the_server_has_run_are_not_ours(kind: str) -> None:
    call = {"index": 0, "id": "s1", "type": kind, "function": {"name": "web_search", "arguments": '{"query": "x"}'}}
    ours = {"index": 1, "id": "c1", "type": "function", "function": {"name": "web_search", "arguments": "{}"}}
    end = ended({"choices": [{"delta": {"content": "It is so.", "tool_calls": [call, ours]}, "finish_reason": "stop"}]})
    assert [each.call_id for each in end.tool_calls] == ["c1"]


def test_parts_of_type_thinking_are_reasoning() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"type": "text", "text": "Hi"}]
    assert read(chunk(parts))[0] == [ReasoningPiece("Hm."), TextPiece("Hi")]  # type: ignore[arg-type]


def test_what_a_whole_message_adds_to_its_deltas_is_read() -> None:
    whole = {"role": "assistant", "content": "Hi there.", "reasoning_content": "Hm."}
    last = {"choices": [{"index": 0, "delta": {}, "message": whole, "finish_reason": "stop"}]}
    assert read(last)[0] == [ReasoningPiece("Hm."), TextPiece("Hi there.")]
    assert read(chunk("Hi"), last)[0] == [TextPiece("Hi"), ReasoningPiece("Hm."), TextPiece(" there.")]
    assert read(chunk("Hi there."), last)[0] == [TextPiece("Hi there."), ReasoningPiece("Hm.")]


def test_growing_arguments_are_pieces_that_say_which_call_they_belong_to() -> None:
    pieces, _ = read(
        chunk(calls=[fragment(0, "a", "read", ""), fragment(1, "b", "list", '{"p')]),
        chunk(calls=[fragment(0, None, None, "{}"), fragment(1, None, None, '":1}')]),
    )
    assert pieces == [ToolCallPiece(1, "list", '{"p'), ToolCallPiece(0, "read", "{}"), ToolCallPiece(1, "list", '":1}')]


def test_whole_calls_that_all_have_the_index_0_are_calls_of_their_own() -> None:
    end = ended(
        chunk(calls=[fragment(0, "a", "read", '{"x": 1}')]),
        chunk(calls=[fragment(0, "b", "read", '{"x": 2}')]),
        chunk(finish="stop"),
    )
    assert [call.call_id for call in end.tool_calls] == ["a", "b"]


def test_a_name_and_an_id_that_come_with_each_fragment_do_not_begin_a_call_anew() -> None:
    end = ended(
        chunk(calls=[fragment(0, "a", "read", '{"x"')]),
        chunk(calls=[fragment(0, "a", "read", ": 1}")]),
        chunk(calls=[fragment(0, "other", "read", "")]),
    )
    assert end.tool_calls[0] == ToolCall("a", "read", '{"x": 1}')


def test_arguments_that_come_as_an_object_are_told_as_json() -> None:
    (call,) = ended(chunk(calls=[fragment(0, "a", "read", {"x": "ä"})])).tool_calls  # type: ignore[arg-type]
    assert call.arguments == '{"x": "ä"}'


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 5, "cached_tokens": 4}, Usage(9, 5, 4)),
        ({"prompt_tokens": 9, "completion_tokens": 5, "prompt_cache_hit_tokens": 4}, Usage(9, 5, 4)),
        ({"prompt_tokens": 9, "completion_tokens": 5, "cost": 0.25}, Usage(9, 5, 0, 0, 0.25)),
        ({"prompt_tokens": 9, "completion_tokens": 5, "cost": 0}, Usage(9, 5, 0, 0, 0.0)),
        # More cached tokens than there are: they were left out.
        ({"prompt_tokens": 1_500, "cache_read_input_tokens": 33_000, "completion_tokens": 4}, Usage(34_500, 4, 33_000)),
        (
            {"prompt_tokens": 9, "cached_tokens": 40, "cache_creation_input_tokens": 30, "completion_tokens": 4},
            Usage(79, 4, 40, 30),
        ),
        ({"prompt_tokens": 40, "cached_tokens": 40, "completion_tokens": 4}, Usage(40, 4, 40)),
        # The total tells what the parts leave out.
        ({"prompt_tokens": 40, "cached_tokens": 30, "completion_tokens": 4, "total_tokens": 74}, Usage(70, 4, 30)),
        ({"prompt_tokens": 40, "cached_tokens": 30, "completion_tokens": 4, "total_tokens": 44}, Usage(40, 4, 30)),
        (
            {"prompt_tokens": 40, "completion_tokens": 4, "total_tokens": 64}
            | {"completion_tokens_details": {"reasoning_tokens": 20}},
            Usage(40, 24, reasoning_tokens=20),
        ),
        (
            {"prompt_tokens": 40, "cached_tokens": 30, "completion_tokens": 40, "total_tokens": 130}
            | {"completion_tokens_details": {"reasoning_tokens": 20}},
            Usage(70, 60, 30, reasoning_tokens=20),
        ),
        (
            {"prompt_tokens": 40, "completion_tokens": 4, "completion_tokens_details": {"reasoning_tokens": 20}},
            Usage(40, 24, reasoning_tokens=20),
        ),
        ({"input_tokens": 40, "output_tokens": 4}, Usage(40, 4)),
        (
            {"prompt_tokens": 90, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 30},
            Usage(90, 0, 40, 30),
        ),
    ],
)
def test_usage_is_read_in_all_its_spellings(reported: dict[str, Any], usage: Usage) -> None:
    assert ended(usage_chunk(**reported)).usage == usage
    in_choice = chunk("x", "stop")
    in_choice.choices[0].usage = reported
    assert ended(in_choice).usage == usage, "where Kimi puts it"


def test_a_refusal_is_shown_and_ends_the_reply_as_filtered() -> None:
    pieces, reader = read(chunk(None, refusal="I will not."), chunk(None, "refusal"))
    assert (pieces, reader.end().reason) == ([TextPiece("I will not.")], "content_filter")


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "reasoning_text", "thinking"])
def test_reasoning_is_read_in_all_its_spellings_and_only_once(field: str) -> None:
    one = chunk()
    setattr(one.choices[0].delta, field, "Hm")
    assert read(one)[0] == [ReasoningPiece("Hm")]
    assert read(chunk(None, reasoning_content="Hm", reasoning="Hm"))[0] == [ReasoningPiece("Hm")]


def test_an_error_within_a_stream_is_raised() -> None:
    with pytest.raises(StreamError):
        read(chunk("Hel"), chunk(None, "error"))
    broken = chunk("Hel")
    broken.error = {"message": "Provider disconnected", "code": 502}
    with pytest.raises(StreamError, match="disconnected") as caught:
        read(broken)
    assert caught.value.status_code == 502


def with_error(said: SimpleNamespace) -> SimpleNamespace:
    said.error = {"message": "Provider disconnected", "code": 502}
    return said


@pytest.mark.parametrize("last", [with_error(chunk("lo")), with_error(chunk("lo", "stop")), chunk("lo", "error")])
def test_text_that_comes_along_with_an_error_is_kept(last: SimpleNamespace) -> None:
    reader, said = ReplyReader(WRITER), list[Piece]()
    with pytest.raises(StreamError):
        said.extend(reader.pieces(last))
    assert said == [TextPiece("lo")]
    assert reader.chunks == 1, "the reply has begun"
    assert not reader.is_finished


def test_a_signature_is_taken_out_of_the_id_and_goes_back_with_the_call() -> None:
    _, reader = read(chunk(calls=[fragment(0, "call_1__thought__c2ln+/=", "read", "{}")]))
    (call,) = reader.end().tool_calls
    assert call.call_id == "call_1"
    fields = {"provider_specific_fields": {"thought_signature": "c2ln+/="}}
    assert decode_metadata(call.provider_metadata, WRITER) == ProviderMetadata(WRITER, fields)


def test_a_thought_that_streams_in_details_is_one_detail_and_others_stay_as_they_are() -> None:
    details = [
        {"type": "reasoning.summary", "summary": "**A", "index": 0},
        {"type": "reasoning.summary", "summary": "lpha**", "index": 0},
        {"type": "reasoning.summary", "summary": "Beta", "index": 1},
        {"type": "reasoning.encrypted", "data": "x", "index": 1},
        {"type": "reasoning.encrypted", "data": "y", "index": 1},
    ]
    deltas = [chunk(None, reasoning_details=[detail]) for detail in details]
    calls = chunk(calls=[fragment(0, "a", "read", "{}"), fragment(1, "b", "read", "{}")])
    first, second = ended(*deltas, calls).tool_calls
    kept = decode_metadata(first.provider_metadata, WRITER)
    assert kept
    assert kept.message["reasoning_details"] == [details[0] | {"summary": "**Alpha**"}, *details[2:]]
    assert second.provider_metadata == "", "they are the message's"
