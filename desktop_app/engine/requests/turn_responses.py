"""Respond to requests about turns, drafts, queued messages, attachments, tools and memories."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import aclosing, suppress
from pathlib import Path
from typing import assert_never

from msgspec.structs import replace

from desktop_app.chat.image_captions import find_image_reader
from desktop_app.chat.memory_flusher import write_memory
from desktop_app.chat.operations import not_found
from desktop_app.chat.ports import WorldError
from desktop_app.chat.sent_requests import attachment_tokens, draft_tokens, memory_tokens, shorten_message
from desktop_app.chat.session import Session
from desktop_app.context.memory.memories import memory_room
from desktop_app.context.view.dialect import sent_tools
from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import Attachment, MessageDraft, ToolCall
from desktop_app.conversation.tools import ToolOutcome
from desktop_app.conversation.words import pluralize, translatable
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine
from desktop_app.tools.graphics_drawer import draw_graphics
from desktop_app.tools.path_policy import one_line
from desktop_app.tools.read_attachments import read_attachment, read_image


async def respond_turn(engine: Engine, request: p.TurnRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    chats, turns, tools = engine.conversations, engine.conversations.turns, engine.services.tool_runtime
    match request:
        case p.Send(conversation, text, attachments, is_now, is_draft):
            session = await chats.open(conversation)
            await turns.send(session, text, attachments, is_now=is_now, is_draft=is_draft)
        case p.EditMessage(conversation, message_id, text, attachments):
            await turns.edit(await chats.open(conversation), message_id, text, attachments)
        case p.StartResearch(conversation, question, is_now, is_draft):
            await turns.research(await chats.open(conversation), question, is_now, is_draft)
        case p.Regenerate(conversation, reply_id):
            await turns.regenerate(await chats.open(conversation), reply_id)
        case p.GoOn(conversation, makes_room, is_forced, not_before):
            session = await chats.open(conversation)
            await turns.go_on(session, makes_room=makes_room, is_forced=is_forced, not_before=not_before)
        case p.ContinueReply(conversation):
            await turns.continue_reply(await chats.open(conversation))
        case p.ShortenMessage(conversation, as_file):
            await shorten_message(turns, chats.services, await chats.open(conversation), as_file)
        case p.Stop() | p.StopTool() | p.StopRoom():
            await _stop(engine, request)
        case p.AnswerQuestion(_, question, answer):
            tools.questions.answer(question, answer)
        case p.UseOwnWindow(conversation):
            session = await chats.open(conversation)
            session.learned_window.trust_stated()
            await engine.publish(session, [session.gauge_changed()])
        case p.CountDraft(conversation, text):
            tokens = await _count_draft(engine, await chats.open(conversation), text)
            return request.respond_with(p.DraftCounted(tokens))
        case _:
            assert_never(request)
    return request.respond_with(p.Done())


async def _stop(engine: Engine, request: p.Stop | p.StopTool | p.StopRoom) -> None:
    turns, tools = engine.conversations.turns, engine.services.tool_runtime
    match request:
        case p.Stop(conversation):
            await turns.stop(conversation)
        case p.StopTool(conversation, reply_id, call_index):
            tools.stop(conversation, reply_id, call_index)
        case p.StopRoom(conversation):
            await turns.stop_room(conversation)


async def _count_draft(engine: Engine, session: Session, text: str) -> int:
    if not text:
        return 0
    engine.conversations.turns.getting_ready.expect(session)
    return await asyncio.to_thread(draft_tokens, session, MessageDraft(text))  # it may be a pasted book


async def respond_unsent(engine: Engine, request: p.UnsentRequest) -> p.EngineResponse:
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
        case p.KeepEdits(conversation, edits):
            await turns.queue.keep_edits(conversation, edits)
        case _:
            assert_never(request)
    return request.respond_with(p.Done())


MAX_LINE = 2_000
"""Characters of a spill's line that are shown."""


async def respond_tool(engine: Engine, request: p.ToolRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    match request:
        case p.ListTools():
            session = await engine.conversations.open(request.conversation)
            return request.respond_with(await _list_tools(engine, session))
        case p.ReadSpill():
            return request.respond_with(await _read_spill(engine, request))
        case p.WriteMemory():
            await write_memory(engine.services.memories, request.memory)
            await engine.conversations.use_what_is_known()
            return request.respond_with(await _list_memories(engine, request.conversation))
        case p.ListMemories():
            return request.respond_with(await _list_memories(engine, request.conversation))
        case p.FindRecalled():
            return request.respond_with(await _find_recalled(engine, request))
        case _:
            assert_never(request)


async def _find_recalled(engine: Engine, request: p.FindRecalled) -> p.RecalledFound:
    archive = engine.services.archive
    for known in await archive.conversations_named(request.conversation):
        for message in (await archive.messages_at(known.id, (request.index,))).values():
            return p.RecalledFound(known.id, message.id)
    advice = translatable("Its conversation was deleted. Restore it to read the message there.")
    raise WorldError(Failure("not_found", translatable("This message cannot be shown"), advice=advice))


async def _list_tools(engine: Engine, session: Session) -> p.ToolsListed:
    runtime = engine.services.tool_runtime
    off = set(engine.services.settings.tools_off)
    specs = await engine.services.tools.all_specs(runtime.context_of(session))
    in_request, counts = session.gauge().tokens_of, session.counts
    offers = tuple(p.ToolOffer(spec, in_request(counts.tool(spec)), spec.name not in off) for spec in specs)
    sent = sent_tools((), tuple(offer.spec for offer in offers if offer.is_on), counts.dialect)
    tokens = in_request(counts.tools(sent)) if sent else 0
    return p.ToolsListed(offers, tokens, session.folder, runtime.toolbox.failures())


async def _read_spill(engine: Engine, request: p.ReadSpill) -> p.SpillRead:
    text = await engine.services.spills.read(request.spill)
    if text is None:
        kept = translatable("The part that the model saw is in the conversation.")
        raise WorldError(Failure("not_found", translatable("This output is no longer available"), kept=kept))
    return await asyncio.to_thread(lines_of, text, request)


def lines_of(text: str, request: p.ReadSpill | p.ReadAttachment) -> p.SpillRead:
    """Return the requested lines of a text."""
    query = request.query.casefold()
    all_lines = text.removesuffix("\n").split("\n") if text else []
    lines = [(n, line) for n, line in enumerate(all_lines, 1) if not query or query in line.casefold()]
    page = lines[request.offset : request.offset + request.limit]
    size = len(text.encode(errors="surrogatepass"))
    return p.SpillRead(tuple((number, line[:MAX_LINE]) for number, line in page), len(lines), size)


async def _list_memories(engine: Engine, conversation: str) -> p.MemoriesListed:
    memories = await engine.services.archive.memories()
    if not conversation:
        return p.MemoriesListed(memories, 0, engine.conversations.policy.memory_most)
    session, flusher = await engine.conversations.open(conversation), engine.conversations.services.memory
    is_pending = flusher is not None and await flusher.text(session) != session.view.request_context.memory
    return p.MemoriesListed(
        memories,
        await asyncio.to_thread(memory_tokens, session),
        memory_room(session.policy, session.budget),
        conversation,
        session.folder,
        session.project.id,
        is_pending=is_pending,
    )


COMMAND = "command"
"""Prefix of the key of a task that runs a command; the command's key follows."""


async def respond_attachment(engine: Engine, request: p.AttachmentRequest) -> p.EngineResponse:
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
    """Return the files whose paths match; none if there is no folder, or it has been removed."""
    found: tuple[str, ...] = ()
    if folder:
        with suppress(OSError):
            found = await engine.file_names.matching(folder, query, limit)
    return p.FilesCompleted(folder, found)


async def _run(engine: Engine, session: Session, command: str) -> Attachment:
    """Run a command like the model's, but without asking, and even where the model may run none: the user typed it."""
    tools = engine.services.tools
    context = replace(engine.services.tool_runtime.context_of(session), is_by_user=True)
    call = ToolCall("", "bash", json.dumps({"command": command}))
    await tools.needs(call, context)  # `run` refuses a call that needs more than was determined here
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
