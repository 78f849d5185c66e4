"""Server-sent events through the package openai, which reads the JSON even of those that hold none."""

from __future__ import annotations

import asyncio
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
async def test_through_litellm_too(kind: ServerKind, events: Sequence[Any], sign: str, litellm: LiteLLM) -> None:
    """For Gemini it waits for the rest of a line that is no JSON, for ever."""
    body = "".join(f"{sign}\n\ndata: {encode(event).decode()}\n\n" for event in events)
    pieces, error = await reply_to(Garbage(body, "text/event-stream"), litellm, kind)
    assert error is None
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextPiece)).startswith("Hi")
    assert isinstance(pieces[-1], ReplyEnd)


async def test_a_status_that_is_neither_200_nor_an_error_is_the_servers_error(litellm: LiteLLM) -> None:
    _, error = await reply_to(Status(202, body="queued"), litellm, "gemini")
    assert error is not None
    assert (error.kind, error.failure.detail) == ("provider", "It answered with status 202.")


async def test_an_event_that_never_ends_is_refused_before_it_takes_all_memory(litellm: LiteLLM) -> None:
    async with asyncio.timeout(30):  # with one value that grows it takes minutes
        pieces, error = await reply_to(Endless("data: a\n", BODY.decode().partition("\n\n")[0] + "\n\n"), litellm)
    assert pieces == [TextPiece("Hi")]
    assert error is not None
    assert "4 MB in one event" in error.failure.detail


@given(st.lists(st.integers(0, 9_999)), st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_events_are_the_same_wherever_their_bytes_are_cut(loaded: LiteLLM, cuts: list[int], end: bytes) -> None:
    from desktop_app.models.event_decoder import EventDecoder

    body = (b": sign\n\nevent: a\ndata: {\n" + "data: 世\u2028界\n".encode() + b"\ndata: 2\n\n").replace(b"\n", end)

    async def pieces() -> AsyncIterator[bytes]:
        for begin, stop in pairwise(sorted({0, *(cut % (len(body) + 1) for cut in cuts), len(body)})):
            yield body[begin:stop]

    async def events() -> list[Any]:
        return [(event.event, event.data) async for event in EventDecoder().aiter_bytes(pieces())]

    assert asyncio.run(events()) == [("a", "{\n世\u2028界"), (None, "2")]
