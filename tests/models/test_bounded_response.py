"""What is read of a server that sends more than anybody wants, over loopback and piece by piece."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from itertools import pairwise

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.chat.ports import ModelError, Piece, TextPiece
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import user_message
from desktop_app.models.bounded_response import MAX_ERROR_BYTES, PIECE_BYTES, ResponseTooLarge, limit_bytes
from desktop_app.models.endpoint import Endpoint, ask, http_client
from desktop_app.models.errors.body import parse_body
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel
from desktop_app.models.tokens.tokenizers import tokenizer_for
from desktop_app.settings import ServerKind
from provider import AnyStep, Endless, ScriptedProvider
from texts import NOT_ACCEPTED

pytestmark = pytest.mark.wire

KINDS: tuple[ServerKind, ...] = ("openai_compatible", "vllm")
PAIRS = [(KINDS[0], "gzip"), (KINDS[1], "")]
HI = 'data: {"id":"s","object":"chat.completion.chunk","created":1,"model":"s","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'  # noqa: E501
MEGABYTE = 1024 * 1024


def model_at(provider: ScriptedProvider, kind: ServerKind, litellm: LiteLLM) -> LiteLLMModel:
    info = ModelInfo("test/s", "s", 8192, 1024, Provenance.MEASURED)
    return LiteLLMModel(info, tokenizer_for("s"), litellm, Endpoint("s", provider.base_url, "", kind), "scripted")


async def reply_to(step: AnyStep, kind: ServerKind, litellm: LiteLLM) -> tuple[list[Piece], ModelError]:
    """The pieces that came, and the error that ended them."""
    pieces: list[Piece] = []
    with ScriptedProvider([step], repeat_last=True) as provider:
        try:
            async for piece in model_at(provider, kind, litellm).stream((user_message("Hello"),), 100):
                pieces.append(piece)
        except ModelError as error:
            assert not isinstance(step, Endless) or provider.client_left.wait(10), "nobody listens any more"
            return pieces, error
    pytest.fail("the reply ended as if it were whole")


@pytest.mark.parametrize(("kind", "packed"), PAIRS)
async def test_of_an_error_without_an_end_the_beginning_is_read(
    packed: str, kind: ServerKind, litellm: LiteLLM
) -> None:
    step = Endless(" a word", "The engine has burnt down.", packed, 500, "text/plain")
    _, error = await reply_to(step, kind, litellm)
    assert error.kind == "server"
    assert error.failure.detail.startswith("The engine has burnt down. a word")


@pytest.mark.parametrize(("kind", "packed"), PAIRS)
async def test_a_line_without_an_end_ends_the_reply(packed: str, kind: ServerKind, litellm: LiteLLM) -> None:
    pieces, error = await reply_to(Endless("a" * 64, HI, packed), kind, litellm)
    assert pieces == [TextPiece("Hi")]
    assert (error.kind, "4 MB in one line" in error.failure.detail) == ("garbage", True)


@pytest.mark.parametrize(("kind", "packed"), PAIRS)
async def test_signs_of_life_without_an_end_come_to_the_bound_of_a_reply(
    packed: str, kind: ServerKind, litellm: LiteLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop_app.models.server_stream.MAX_REPLY_BYTES", MEGABYTE)
    pieces, error = await reply_to(Endless(": ping\n\n", HI, packed), kind, litellm)
    assert pieces == [TextPiece("Hi")]
    assert (error.kind, "1 MB" in error.failure.detail) == ("garbage", True)


@pytest.mark.parametrize("kind", [*KINDS, "anthropic"])
async def test_of_a_redirection_without_an_end_no_more_is_read(
    kind: ServerKind, litellm: LiteLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    """litellm reads it for Anthropic, and would fail on an error of httpx's that lacks its request."""
    monkeypatch.setattr("desktop_app.models.server_stream.MAX_REPLY_BYTES", MEGABYTE)
    _, error = await reply_to(Endless(" a word", packed="gzip", code=307, location="/elsewhere"), kind, litellm)
    assert (error.kind, error.failure.title) == ("provider", NOT_ACCEPTED.format(server="s"))


@pytest.mark.parametrize("kind", KINDS)
async def test_a_reply_that_never_pauses_can_be_stopped(kind: ServerKind, litellm: LiteLLM) -> None:
    with ScriptedProvider([Endless(": ping\n\n", HI, "gzip")]) as provider:
        stream = model_at(provider, kind, litellm).stream((user_message("Hi"),), 9)
        assert await anext(stream) == TextPiece("Hi")
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0.05)  # it would never return, if the stream let nobody else run
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await stream.aclose()
        assert provider.client_left.wait(10)


async def test_a_list_of_models_without_an_end_is_none() -> None:
    async def page() -> AsyncIterator[bytes]:
        while True:
            yield b"[" * PIECE_BYTES

    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=page()))
    async with http_client(Endpoint("s", "http://127.0.0.1:9/v1"), transport=transport) as client:
        assert await ask(client, "http://127.0.0.1:9/v1/models") == (0, None)


async def read_of(
    content: bytes, coding: str, cuts: list[int], limit: int = 32 * MEGABYTE, status: int = 200
) -> tuple[bytes, list[int]]:
    """What is read of a body that comes in pieces cut there, and how large the pieces are that are given on."""

    class Body(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            places = sorted({0, *(cut % (len(content) + 1) for cut in cuts), len(content)})
            for begin, end in pairwise(places):
                yield content[begin:end]

    response = httpx.Response(status, headers={"Content-Encoding": coding}, stream=Body())
    await limit_bytes(limit, response)
    pieces = [piece async for piece in response.aiter_raw()]
    return b"".join(pieces), [len(piece) for piece in pieces]


@given(st.binary(max_size=300), st.integers(1, 2_000), st.booleans(), st.lists(st.integers(0, 9_999)))
async def test_what_is_packed_is_the_same_when_it_is_unpacked(
    seed: bytes, times: int, is_packed: bool, cuts: list[int]
) -> None:
    content = seed * times
    read, sizes = await read_of(gzip.compress(content) if is_packed else content, "gzip" if is_packed else "", cuts)
    assert read == content
    assert max(sizes, default=0) <= PIECE_BYTES


@pytest.mark.parametrize("behind", [b"behind", gzip.compress(b"another", mtime=0), b"\0" * 9])
@pytest.mark.parametrize("cuts", [[], [40], [20, 60, 61]])
async def test_what_stands_behind_the_packed_content_is_ignored(behind: bytes, cuts: list[int]) -> None:
    """zlib gives it back again and again, so that unpacking would never end, and stop everything."""
    packed = gzip.compress(b"a word " * 30_000)
    read, _ = await read_of(packed + behind, "gzip", [cut % 70 for cut in cuts])
    assert read == b"a word " * 30_000


async def test_no_more_is_unpacked_than_is_given_on() -> None:
    bomb = gzip.compress(b"a\n" * 64 * MEGABYTE)
    with pytest.raises(ResponseTooLarge):
        await read_of(bomb, "gzip", [], limit=MEGABYTE)


@pytest.mark.parametrize("coding", ["gzip", "br"])
async def test_what_cannot_be_unpacked_is_the_servers_error(coding: str) -> None:
    with pytest.raises(httpx.DecodingError):
        await read_of(b"this is no gzip at all", coding, [3])


async def test_of_an_error_only_the_beginning_is_read() -> None:
    read, _ = await read_of(b"a" * MEGABYTE, "", [], status=500)
    assert len(read) == MAX_ERROR_BYTES


@pytest.mark.parametrize("hostile", ["<style", "<", "<script>", "<style></", "</style", "<a ", "<style>x</style><"])
def test_a_page_of_an_error_is_read_in_one_pass_whatever_stands_in_it(hostile: str) -> None:
    # With a pass for each tag this takes minutes, and pytest's own limit ends it.
    body = parse_body("<html><p>It burns.</p>" + hostile * (2 * MEGABYTE // len(hostile)))
    assert body.is_page
    assert body.message.startswith("It burns.")


def test_styles_and_scripts_of_a_page_are_no_words() -> None:
    page = "<html><style>p {}</style><SCRIPT>var x</script><p class='x'>It <b>burns</b>.</p><script>open"
    assert parse_body(page).message == "It burns ."
