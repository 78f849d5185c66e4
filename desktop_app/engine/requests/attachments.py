"""Requests about attachments."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import assert_never

from desktop_app.chat.operations import not_found
from desktop_app.chat.session import Session
from desktop_app.context.counting.tokens import count_message
from desktop_app.conversation.message import Attachment, user_message
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine
from desktop_app.tools.attachments import read_attachment, read_image

from .tools import lines_of


async def respond(engine: Engine, request: p.AttachmentRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    match request:
        case p.AttachFile(path):
            return request.respond_with(p.FileAttached(await read_attachment(Path(path).expanduser())))
        case p.AttachImage(name, content):
            return request.respond_with(p.FileAttached(await read_image(name, content)))
        case p.CountAttachments(conversation, attachments):
            session = await engine.conversations.open(conversation)
            tokens = await asyncio.to_thread(_count, session, attachments)
            return request.respond_with(p.AttachmentsCounted(tokens))
        case p.ReadAttachment():
            text = _text_of(await engine.conversations.open(request.conversation), request)
            return request.respond_with(await asyncio.to_thread(lines_of, text, request))
        case _:
            assert_never(request)


def _count(session: Session, attachments: tuple[Attachment, ...]) -> tuple[int, ...]:
    """Return the tokens of each, as the request will have it."""
    tokenizer, dialect = session.counts.tokenizer, session.counts.dialect
    counted = (count_message(user_message("", (one,)), tokenizer, dialect).total for one in attachments)
    return tuple(session.provider_tokens(tokens - tokenizer.overhead.message) for tokens in counted)


def _text_of(session: Session, request: p.ReadAttachment) -> str:
    message = session.message(request.message_id)
    part = message.parts[request.part] if message is not None and request.part < len(message.parts) else None
    if not isinstance(part, Attachment) or part.is_image:
        raise not_found("This attachment")
    return part.content
