"""A conversation that the command line imported has no model: it is talked to with that of new conversations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from desktop_app.chat.stamp import stamp
from desktop_app.conversation.events import TurnFailed
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text, user_message
from provider import Reply


async def test_it_is_answered_by_the_model_of_new_conversations(house: Callable[..., Any]) -> None:
    made = await house([Reply("Yes.")])
    info = ConversationInfo("1" * 32, "Imported", 1.0, 2.0, 2)
    assert not info.model
    answer = Message(role=Role.ASSISTANT, parts=(Text("Hello."),))
    await made.archive.create(info, [stamp(user_message("Hi")), stamp(answer)])
    session = await made.chats.open(info.id)
    assert session.gauge().window == 8_192
    await made.turn(session, "Are you there?")
    assert not made.of(TurnFailed)
    assert len(made.provider.requests) == 1


async def test_it_keeps_that_model_and_its_place_in_the_list(house: Callable[..., Any]) -> None:
    made = await house([])
    info = ConversationInfo("1" * 32, "Imported", 1.0, 2.0, 1)
    await made.archive.create(info, [stamp(user_message("Hi"))])
    before = await made.archive.conversation(info.id)
    await made.chats.open(info.id)
    kept = await made.archive.conversation(info.id)
    assert kept.model == "scripted/scripted"
    assert kept.share > 0, "the list shows how full the window is"
    assert kept.updated_at == before.updated_at
