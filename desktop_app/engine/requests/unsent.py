"""Requests about what is written and not sent yet."""

from __future__ import annotations

from typing import assert_never

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.events import Failure
from desktop_app.conversation.words import translatable
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine


async def respond(engine: Engine, request: p.UnsentRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    turns = engine.conversations.turns
    match request:
        case p.SendQueued(conversation, message_id):
            await turns.send_now(await engine.conversations.open(conversation), message_id)
        case p.RemoveQueued(conversation, message_id):
            await turns.queue.remove(conversation, message_id)
        case p.TakeBackQueued(conversation, message_id, draft):
            taken = await turns.queue.take_back(conversation, message_id, draft)
            if taken is None:
                raise WorldError(Failure("stale", translatable("This message has been sent already")))
            return request.respond_with(p.DraftRead(taken))
        case p.KeepDraft(conversation, text, attachments):
            await turns.queue.keep_draft(conversation, text, attachments)
        case _:
            assert_never(request)
    return request.respond_with(p.Done())
