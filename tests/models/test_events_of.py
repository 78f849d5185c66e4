"""The events of a streaming reply: those without data, those that never end, and bytes that are cut anywhere."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_odd_shapes import ANTHROPIC, END, GEMINI, HI, chunk

from desktop_app.chat.ports import ModelError, Piece, ReplyEnd, TextPiece
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import user_message
from desktop_app.models.bounded_response import ReplyMarks, events_of
from desktop_app.models.endpoint import Endpoint
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel
from desktop_app.models.tokens.tokenizers import tokenizer_for
from desktop_app.settings import ServerKind
from provider import AnyStep, Endless, Garbage, ScriptedProvider, Status
from provider_shapes import encode

pytestmark = pytest.mark.wire
BODY = b"".join(b"data: " + encode(event) + b"\n\n" for event in (HI, chunk({"content": " there"}), END))


SIGNS = ["id: 7", "retry: 3000", "event: ping", "data:", "event: ping\ndata", ": ping"]


async def reply_to(
    step: AnyStep, litellm: LiteLLM, kind: ServerKind = "openai_compatible"
) -> tuple[list[Piece], ModelError | None]:
    pieces: list[Piece] = []
    with ScriptedProvider([step]) as provider:
        info = ModelInfo("test/s", "s", 8192, 1024, Provenance.MEASURED)
        address = provider.root_url + {"gemini": "/v1beta", "anthropic": ""}.get(kind, "/v1")
        model = LiteLLMModel(info, tokenizer_for("s"), litellm, Endpoint("s", address, "k", kind), "scripted")
        try:
            async for piece in model.stream((user_message("Hello"),), 100):
                pieces.append(piece)
        except ModelError as error:
            return pieces, error
    return pieces, None


@pytest.mark.parametrize("sign", SIGNS)
async def test_an_event_without_data_is_a_sign_of_life(sign: str, litellm: LiteLLM) -> None:
    body = f"{sign}\n\n" + BODY.decode().replace("\n\n", f"\n\n{sign}\n\n", 1)
    pieces, error = await reply_to(Garbage(body, "text/event-stream"), litellm)
    assert error is None
    assert pieces == [TextPiece("Hi"), TextPiece(" there"), ReplyEnd("stop")]


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize(("kind", "events"), [("gemini", GEMINI), ("anthropic", ANTHROPIC), ("vllm", (HI, END))])
async def test_for_other_kinds_too(kind: ServerKind, events: Sequence[Any], sign: str, litellm: LiteLLM) -> None:
    body = "".join(f"{sign}\n\ndata: {encode(event).decode()}\n\n" for event in events)
    pieces, error = await reply_to(Garbage(body, "text/event-stream"), litellm, kind)
    assert error is None
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextPiece)).startswith("Hi")
    assert isinstance(pieces[-1], ReplyEnd)


async def test_a_status_that_is_neither_200_nor_an_error_is_the_servers_error(litellm: LiteLLM) -> None:
    _, error = await reply_to(Status(202, body="queued"), litellm, "gemini")
    assert error is not None
    assert (error.kind, error.failure.detail) == ("provider", "queued")


async def test_an_event_that_never_ends_is_refused_before_it_takes_all_memory(litellm: LiteLLM) -> None:
    async with asyncio.timeout(30):  # with one value that grows it takes minutes
        pieces, error = await reply_to(Endless("data: a\n", BODY.decode().partition("\n\n")[0] + "\n\n"), litellm)
    assert pieces == [TextPiece("Hi")]
    assert error is not None
    assert "4 MB in one event" in error.failure.detail


async def events_in(body: bytes, cuts: list[int], is_in_lines: bool = False) -> list[Any]:
    async def pieces() -> AsyncIterator[bytes]:
        for begin, stop in pairwise(sorted({0, *(cut % (len(body) + 1) for cut in cuts), len(body)})):
            yield body[begin:stop]

    return [event async for event in events_of(pieces(), is_in_lines)]


@given(st.lists(st.integers(0, 9_999)), st.sampled_from([b"\n", b"\r\n", b"\r"]))
async def test_events_are_the_same_wherever_their_bytes_are_cut(cuts: list[int], end: bytes) -> None:
    body = (
        b': sign\n\nevent: a\ndata: {"a":\ndata: "' + "世\u2028界".encode() + b'"}\n\ndata: 2\n\ndata: 3\n\n'
    ).replace(b"\n", end)
    assert await events_in(body, cuts) == [{"a": "世\u2028界"}, 2, 3]


@given(st.lists(st.recursive(st.none() | st.integers() | st.text(), st.lists)), st.lists(st.integers(0, 9_999)))
async def test_events_are_read_without_the_empty_lines_between_them(values: list[Any], cuts: list[int]) -> None:
    lines = [json.dumps(value, ensure_ascii=False).encode(errors="replace") for value in values]
    expected = [json.loads(line) for line in lines]
    assert await events_in(b"".join(b"data: " + line + b"\n" for line in lines), cuts) == expected
    assert await events_in(b"\n".join(lines), cuts, is_in_lines=True) == expected


async def test_what_is_behind_the_end_is_not_read() -> None:
    assert await events_in(b"data: 1\n\ndata: [DONE]\n\ndata: 2\n\n", []) == [1]


async def test_an_event_that_is_cut_is_dropped_and_one_that_is_no_json_refused() -> None:
    assert await events_in(b'data: 1\n\ndata: {"a": ', []) == [1]
    for body in (b"data: {no\n\n", b"data: " + b"[" * 100_000 + b"\n\n", b"data: " + b"7" * 9_000 + b"\n\n"):
        with pytest.raises(json.JSONDecodeError):
            await events_in(body, [])
    with pytest.raises(UnicodeDecodeError):
        await events_in(b"data: \xff\n\n", [])


@pytest.mark.parametrize("end", [b"\n\n", b"\n", b""])
async def test_an_error_may_be_plain_text(end: bytes) -> None:
    body = b"data: 1\n\nevent: error\ndata: The prompt is too long" + end
    assert await events_in(body, []) == [1, {"error": {"message": "The prompt is too long"}}]


async def test_numbers_and_texts_are_read_as_python_reads_them() -> None:
    for text in ("1e400", "NaN", "-Infinity", '"\\ud800"', "12345678901234567890123", "1.10", '{"a": 1, "a": 2}'):
        assert repr(await events_in(f"data: [{text}]\n\n".encode(), [])) == repr([[json.loads(text)]])


@given(
    st.lists(st.dictionaries(st.text(max_size=3), st.integers(), min_size=1), min_size=1), st.lists(st.integers(0, 99))
)
async def test_json_without_events_is_read_as_a_value_a_list_or_lines(values: list[Any], cuts: list[int]) -> None:
    lines = "\n".join(json.dumps(value) for value in values).encode()
    assert await events_in(lines, cuts) == values
    assert await events_in(json.dumps(values, indent=1).encode(), cuts) == values
    assert await events_in(b": sign\n\n\n" + json.dumps(values[0], indent=1).encode() + b"\n", cuts) == values[:1]
    assert await events_in(b"\xef\xbb\xbf" + json.dumps(values[0]).encode(), cuts) == values[:1]


async def test_the_mark_of_the_end_is_noted() -> None:
    async def pieces(body: bytes) -> AsyncIterator[bytes]:
        yield body

    for body, has_end in ((b"data: 1\n\ndata: [DONE]\n\n", True), (b"data: 1\n\n", False), (b'{"a": 1}', False)):
        marks = ReplyMarks()
        _ = [event async for event in events_of(pieces(body), marks=marks)]
        assert marks.has_end == has_end
