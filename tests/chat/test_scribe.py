"""Who writes the summaries, and whether room is made by itself."""

from __future__ import annotations

import time

import pytest
from msgspec.structs import replace

from desktop_app.chat.basis import basis_of
from desktop_app.chat.scribe import strategy_for
from desktop_app.context.policy import BALANCED
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message, Role, Text


@pytest.mark.parametrize(
    ("strategy", "is_builtin", "expected"),
    [
        ("auto", False, "llm"),
        ("auto", True, "extractive"),
        ("llm", False, "llm"),
        ("llm", True, "extractive"),
        ("extractive", False, "extractive"),
        ("last_messages", True, "last_messages"),
    ],
)
def test_the_built_in_model_writes_no_summaries(strategy, is_builtin: bool, expected: str) -> None:
    model = ModelInfo("m/m", "M", 8_192, 512, is_builtin=is_builtin)
    assert strategy_for(replace(BALANCED, strategy=strategy), model) == expected


async def test_a_decision_knows_how_long_ago_the_provider_was_asked(house) -> None:
    home = await house([])
    session = await home.chats.create("New", [])
    assert basis_of(session).seconds_since_request is None
    said = Message(id="r", role=Role.ASSISTANT, parts=(Text("b"),), model="scripted/scripted", at=time.time() - 100)
    await session.record_message(said)
    assert basis_of(session).seconds_since_request == pytest.approx(100, abs=20)
    await session.record_message(replace(said, id="s", model="another/model"))
    assert basis_of(session).seconds_since_request is None, "the cache of another model is no use to this one"


async def test_a_policy_may_switch_the_making_of_room_off(house) -> None:
    home = await house([])
    session = await home.chats.create("New", [])
    assert home.chats.is_automatic(session)
    session.policy = replace(BALANCED, is_automatic=False)
    assert not home.chats.is_automatic(session)
