"""A reply that truly fills the window of a real model: llama.cpp counts, not we."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

import pytest
from msgspec.structs import replace

from desktop_app.archive.archive import Archive
from desktop_app.chat.compaction.summarize import SummaryService
from desktop_app.chat.session import Session, stamp
from desktop_app.chat.turn.reply import StreamedReply
from desktop_app.chat.turn_services import Services
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.policy import BALANCED
from desktop_app.conversation.events import RoomEnded, RoomStarted, TextDelta, TurnEvent, ViewChanged
from desktop_app.conversation.listing import ConversationInfo, ModelInfo
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.conversation.transcript import Trigger
from desktop_app.models import builtin
from desktop_app.models.catalogue import Catalogue
from desktop_app.models.litellm_library import Endpoint, LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel
from desktop_app.models.llama_server import LlamaServer
from desktop_app.models.tokens.tokenizers import tokenizer_for
from desktop_app.settings import Settings

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(1_200)]

POLICY = replace(BALANCED, reserve_share_of_window=0.08, min_reserve=64)
"""Hardly anything is kept free for the reply, so that one of a few hundred tokens fills the window."""
FILLED = 0.74
"""Share of the window that the conversation takes before the reply begins."""
HEARD = 200
"""Characters of a reply that went on; then it is stopped, since such a model writes for minutes."""
ENDLESS = {"temperature": 0.3, "extra_body": {"repeat_penalty": 1.1, "cache_prompt": True, "ignore_eos": True}}
"""The model does not end by itself: what ends is the room."""


@pytest.fixture(params=[1_024, 4_096])
async def session(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Session]:
    """A conversation that nearly fills the small window of its model."""
    window: int = request.param
    path = builtin.model_path()
    if path is None or builtin.check_model() is not None:
        pytest.skip("the built-in model is not installed")
    server, litellm = LlamaServer(path, window), LiteLLM()
    endpoint = Endpoint("llama.cpp", await server.start(), server.token)
    info = ModelInfo(builtin.MODEL_ID, "SmolLM2 135M", window, 0)
    model = LiteLLMModel(info, tokenizer_for(builtin.MODEL_ID), litellm, endpoint, builtin.MODEL_ID, ENDLESS)
    archive = await Archive.open(tmp_path / "archive.sqlite3")
    await archive.create(ConversationInfo("c", "Rivers", 0.0, 0.0), ())
    session = Session(ConversationInfo("c", "Rivers", 0.0, 0.0), (), model, POLICY, archive)
    for n in count():
        if session.counter.gauge().total > FILLED * window:
            break
        await session.record_message(stamp(user_message(f"What do you know of river number {n}, and of its towns?")))
        said = f"River {n} rises in the hills of county {n} and passes {n + 2} towns. "
        await session.record_message(stamp(Message(role=Role.ASSISTANT, parts=(Text(said),))))
    yield session
    await litellm.close()
    await server.stop()
    await archive.close()


async def test_a_reply_that_fills_the_window_goes_on_after_room_was_made(session: Session) -> None:
    await session.record_message(stamp(user_message("Now tell a long story about a boat on such a river.")))
    before, window = session.counter.gauge().total, session.counter.budget.window
    assert FILLED * window < before < 0.9 * session.counter.budget.usable
    events, room = list[TurnEvent](), list[float]()

    def hear(event: TurnEvent) -> None:
        events.append(event)
        if isinstance(event, RoomStarted | RoomEnded):
            room.append(time.monotonic())
        if whole.restarts and len(shown(events)) > len(whole.stored[0].text) + HEARD:
            receiving.cancel()

    models = Catalogue(Settings(), lambda _: "")
    services = Services(models, Settings, SummaryService(models, Settings), lambda bug: None)
    whole = StreamedReply(session, services, hear)
    receiving = asyncio.ensure_future(whole.receive())
    await asyncio.wait({receiving})
    await whole.keep()
    first, second = whole.stored
    reached = before + session.counter.counts.text(first.text)
    print(
        f"stopped at {reached:,} of {window:,} tokens ({reached / window:.1%}); room made in {room[1] - room[0]:.2f} s"
    )
    print("where they meet:", (first.text[-60:], second.text[:60]))
    assert 0.90 <= reached / window <= 0.94, "a line may be ended"
    assert whole.restarts == 1
    assert first.text + second.text == shown(events)
    assert (first.continues, second.continues) == ("", first.id)
    assert {event.cause for event in events if isinstance(event, ViewChanged)} == {Trigger.STREAMING}
    assert request_tokens(session.view, session.counter.counts) < 0.9 * window


def shown(events: list[TurnEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))
