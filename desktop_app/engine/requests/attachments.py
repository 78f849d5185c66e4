"""Requests about attachments."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import aclosing, suppress
from pathlib import Path
from typing import assert_never

from msgspec.structs import replace

from desktop_app.chat.image_captions import find_image_reader
from desktop_app.chat.operations import not_found
from desktop_app.chat.sent_requests import attachment_tokens
from desktop_app.chat.session import Session
from desktop_app.conversation.message import Attachment, ToolCall
from desktop_app.conversation.tools import ToolOutcome
from desktop_app.conversation.words import pluralize, translatable
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine
from desktop_app.tools.attachments import read_attachment, read_image
from desktop_app.tools.graphics import draw_graphics
from desktop_app.tools.path_policy import one_line

from .tools import lines_of

COMMAND = "command"
"""The key of the task that runs a command, with that of the command."""


async def respond(engine: Engine, request: p.AttachmentRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    match request:
        case p.AttachFile(path, name):
            attachment = await read_attachment(Path(os.path.expanduser(path)))
            return request.respond_with(p.FileAttached(replace(attachment, name=one_line(name) or attachment.name)))
        case p.AttachImage(name, content):
            return request.respond_with(p.FileAttached(await read_image(name, content)))
        case p.CountAttachments(conversation, attachments):
            session = await engine.conversations.open(conversation)
            tokens = await asyncio.to_thread(attachment_tokens, session, attachments)
            reader = find_image_reader(session, engine.services.catalogue, engine.services.settings)
            return request.respond_with(p.AttachmentsCounted(tokens, reader))
        case p.ReadAttachment():
            text = _text_of(await engine.conversations.open(request.conversation), request)
            return request.respond_with(await asyncio.to_thread(lines_of, text, request))
        case p.CompletePath(conversation, query, limit):
            session = await engine.conversations.open(conversation)
            return request.respond_with(await _complete(engine, session.folder, query, limit))
        case p.RunCommand(conversation, command, key):
            session = await engine.conversations.open(conversation)
            attachment = await engine.run_newest(f"{COMMAND} {key}", _run(engine, session, command))
            return request.respond_with(p.FileAttached(attachment))
        case p.StopCommand(key):
            await engine.newest.cancel(f"{COMMAND} {key}")
            return request.respond_with(p.Done())
        case p.DrawGraphics(graphics):
            return request.respond_with(p.GraphicsDrawn(await draw_graphics(graphics)))
        case _:
            assert_never(request)


async def _complete(engine: Engine, folder: str, query: str, limit: int) -> p.FilesCompleted:
    """Complete a path; nothing is found where there is no folder, or it is gone."""
    found: tuple[str, ...] = ()
    if folder:
        with suppress(OSError):
            found = await engine.file_names.matching(folder, query, limit)
    return p.FilesCompleted(folder, found)


async def _run(engine: Engine, session: Session, command: str) -> Attachment:
    """Run a command as the model's commands are run, but unasked, and if they may run none: the user has typed it."""
    tools = engine.services.tools
    context = replace(engine.services.tool_runtime.context_of(session), is_by_user=True)
    call = ToolCall("", "bash", json.dumps({"command": command}))
    await tools.needs(call, context)  # it runs only if it still needs no more than this
    outcome = ToolOutcome("")
    async with aclosing(tools.run(call, context)) as pieces:
        async for piece in pieces:
            outcome = piece if isinstance(piece, ToolOutcome) else outcome
    return Attachment(f"$ {command}", "text/plain", outcome.text, pluralize(outcome.text.count("\n"), "line"))


def _text_of(session: Session, request: p.ReadAttachment) -> str:
    message = session.message(request.message_id)
    part = message.parts[request.part] if message is not None and request.part < len(message.parts) else None
    if not isinstance(part, Attachment) or part.is_image:
        raise not_found(translatable("This attachment"))
    return part.content
