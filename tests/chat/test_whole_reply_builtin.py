"""A reply that truly fills the window of a real model: llama.cpp counts, not we."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from desktop_app.archive.archive import ArchiveThread
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session, stamped
from desktop_app.chat.whole_reply import WholeReply
from desktop_app.context.breakdown import request_tokens
from desktop_app.context.policy import BALANCED
from desktop_app.conversation.events import RoomEnded, RoomStarted, TextDelta, TurnEvent, ViewChanged
from desktop_app.conversation.listing import ConversationInfo, ModelInfo
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.conversation.transcript import Trigger
from desktop_app.models import builtin
from desktop_app.models.litellm_library import Endpoint, LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel
from desktop_app.models.llama_server import LlamaServer
from desktop_app.models.tokenizers import tokenizer_for

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(600)]

WINDOW = 2_048
POLICY = replace(BALANCED, reserve_least=256)
"""A thousand tokens of reserve would be half of this window."""
ENDLESS = {"temperature": 0.3, "extra_body": {"repeat_penalty": 1.1, "cache_prompt": True, "ignore_eos": True}}
"""The model does not end by itself: what ends is the room."""


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[Session]:
    """A conversation of some length with a model whose window is small."""
    path = builtin.model_path()
    if path is None or builtin.check_model() is not None:
        pytest.skip("the built-in model is not installed")
    server, litellm = LlamaServer(path, WINDOW), LiteLLM()
    endpoint = Endpoint("llama.cpp", await server.start(), server.token)
    info = ModelInfo(builtin.MODEL_ID, "SmolLM2 135M", WINDOW, 0)
    model = LiteLLMModel(info, tokenizer_for(builtin.MODEL_ID), litellm, endpoint, builtin.MODEL_ID, ENDLESS)
    archive = await ArchiveThread.open(tmp_path / "archive.sqlite3")
    await archive.create(ConversationInfo("c", "Rivers", 0.0, 0.0), ())
    session = Session(ConversationInfo("c", "Rivers", 0.0, 0.0), (), model, POLICY, archive)
    for n in range(14):
        await session.record_message(stamped(user_message(f"What do you know of river number {n}, and of its towns?")))
        said = f"River {n} rises in the hills of county {n} and passes {n + 2} towns. " * 4
        await session.record_message(stamped(Message(role=Role.ASSISTANT, parts=(Text(said),))))
    yield session
    await litellm.close()
    await server.stop()
    await archive.close()


async def test_a_reply_that_fills_the_window_goes_on_after_room_was_made(session: Session) -> None:
    await session.record_message(stamped(user_message("Now tell a long story about a boat on such a river.")))
    before = session.gauge().total
    assert 0.55 * WINDOW < before < 0.9 * session.budget.usable
    whole, events, stopped_at, room = WholeReply(session), list[TurnEvent](), 0.0, list[float]()
    with suppress(WorldError):  # after two restarts the model still has not ended, but the window has
        async for event in whole.streamed():
            events.append(event)
            if isinstance(event, RoomStarted):
                stopped_at = time.monotonic()
            elif isinstance(event, RoomEnded):
                room.append(time.monotonic() - stopped_at)
    events += [event async for event in whole.kept()]
    assert whole.restarts >= 1
    shown = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert "".join(message.text for message in whole.stored) == shown
    assert [m.continues for m in whole.stored] == ["", *[m.id for m in whole.stored[:-1]]]
    first = whole.stored[0]
    reached = before + session.counts.text(first.text)
    print(f"stopped at {reached:,} of {WINDOW:,} tokens ({reached / WINDOW:.1%}); room made in {room} s")
    print(f"{len(whole.stored)} parts of {[session.counts.text(m.text) for m in whole.stored]} tokens")
    print(
        "where they meet:", [(a.text[-60:], b.text[:60]) for a, b in zip(whole.stored, whole.stored[1:], strict=False)]
    )
    assert 0.88 <= reached / WINDOW <= 0.94
    assert {event.cause for event in events if isinstance(event, ViewChanged)} == {Trigger.STREAMING}
    assert request_tokens(session.view, session.counts) <= WINDOW
