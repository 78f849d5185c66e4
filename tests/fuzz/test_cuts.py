"""A reply of each kind of server, cut behind each of its bytes: what had come whole is there, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest
from stream_events import OF_NAME, events_of
from stream_maker import Stream
from stream_parts import Reset, Write
from stream_server import StreamServer

from desktop_app.chat.ports import ModelError, ReplyEnd, TextPiece
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import user_message
from desktop_app.models.dialect_fields import dialect_fields
from desktop_app.models.endpoint import Endpoint
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel
from desktop_app.models.tokens.tokenizers import tokenizer_for
from provider import Call, Reply

pytestmark = pytest.mark.wire
REPLY = Reply("Hi 世界", size=2, reasoning="Well.", calls=(Call("look", '{"a": "世"}', "c1"),))
HEAD = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


async def try_cuts(name: str, litellm: LiteLLM, places: Iterable[int], is_reset: bool) -> int:
    """Return how many cuts were tried."""
    kind, events = OF_NAME[name], events_of(OF_NAME[name], REPLY)
    whole = b"".join(event.encoded() for event in events)
    state: dict[str, Stream] = {}
    server = StreamServer(lambda body, _: state["now"] if body else None)
    info = ModelInfo(name, kind.model, 16_000, 1_000, Provenance.MEASURED, **dialect_fields(kind.kind, kind.model))
    endpoint = Endpoint(name, server.root_url + kind.path, "k", kind.kind)
    model = LiteLLMModel(info, tokenizer_for("s"), litellm, endpoint, kind.model)
    tried = 0
    try:
        for place in places:
            if place > len(whole):
                break
            chunk = b"%x\r\n%s\r\n" % (place, whole[:place]) if place else b""
            end = (Reset(),) if is_reset else (Write(b"0\r\n\r\n"),)
            state["now"] = Stream(name, (Write(HEAD + chunk), *end), ())
            await _check_cut(model, events, place)
            tried += 1
    finally:
        await asyncio.to_thread(server.stop)
    return tried


async def _check_cut(model: LiteLLMModel, events: list, place: int) -> None:
    arrived, size = "", 0
    for event in events:
        size += len(event.encoded())
        arrived += event.text if size <= place else ""
    said, is_whole, why = "", False, ""
    try:
        async for piece in model.stream((user_message("Hi"),), 100):
            said += piece.text if isinstance(piece, TextPiece) else ""
            is_whole = is_whole or isinstance(piece, ReplyEnd)
    except ModelError as error:
        why = error.failure.title
    assert is_whole or why, place
    assert said.startswith(arrived), place
    assert REPLY.text.startswith(said), place
    assert said == REPLY.text or not is_whole, place


@pytest.mark.parametrize("name", sorted(OF_NAME))
async def test_a_reply_that_is_cut_anywhere_is_there_up_to_the_cut(name: str, library: LiteLLM) -> None:
    assert await try_cuts(name, library, range(7, 100_000, 97), is_reset=name < "m") > 5


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("is_reset", [False, True])
@pytest.mark.parametrize("name", sorted(OF_NAME))
async def test_a_reply_that_is_cut_behind_any_byte(name: str, is_reset: bool, library: LiteLLM) -> None:
    print(name, await try_cuts(name, library, range(100_000), is_reset))
