"""Respond to requests about turns, drafts, queued messages, attachments, tools and memories."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import aclosing, suppress
from pathlib import Path

from msgspec.structs import replace

from desktop_app.chat.image_captions import find_image_reader
from desktop_app.chat.memory_flusher import write_memory
from desktop_app.chat.operations import not_found
from desktop_app.chat.ports import WorldError
from desktop_app.chat.sent_requests import attachment_tokens, draft_tokens, memory_tokens, shorten_message
from desktop_app.chat.session import Session
from desktop_app.chat.tasks import Job
from desktop_app.chat.turn.take_turn import TurnOptions
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
from desktop_app.tools.read_attachments import read_attachments, read_image

from .responders import responds


@responds(p.Send)
async def _send(engine: Engine, request: p.Send) -> None:
    session = await engine.conversations.open(request.conversation)
    await engine.conversations.turns.send(
        session,
        request.text,
        request.attachments,
        is_now=request.is_now,
        is_draft=request.is_draft,
        is_steering=request.is_steering,
    )


@responds(p.EditMessage)
async def _edit(engine: Engine, request: p.EditMessage) -> None:
    session = await engine.conversations.open(request.conversation)
    await engine.conversations.turns.edit(session, request.message_id, request.text, request.attachments)


@responds(p.StartResearch)
async def _start_research(engine: Engine, request: p.StartResearch) -> None:
    session = await engine.conversations.open(request.conversation)
    await engine.conversations.turns.research(session, request.question, request.is_now, request.is_draft)


@responds(p.Regenerate)
async def _regenerate(engine: Engine, request: p.Regenerate) -> None:
    session = await engine.conversations.open(request.conversation)
    await engine.conversations.turns.regenerate(session, request.reply_id)


@responds(p.GoOn)
async def _go_on(engine: Engine, request: p.GoOn) -> None:
    session = await engine.conversations.open(request.conversation)
    options = TurnOptions(request.is_forced, request.makes_room, request.not_before)
    await engine.conversations.turns.go_on(session, options)


@responds(p.ContinueReply)
async def _continue_reply(engine: Engine, request: p.ContinueReply) -> None:
    session = await engine.conversations.open(request.conversation)
    await engine.conversations.turns.continue_reply(session)


@responds(p.ShortenMessage)
async def _shorten_message(engine: Engine, request: p.ShortenMessage) -> None:
    session = await engine.conversations.open(request.conversation)
    await shorten_message(engine.conversations.turns, engine.conversations.services, session, request.as_file)


@responds(p.Stop)
async def _stop(engine: Engine, request: p.Stop) -> None:
    await engine.conversations.turns.stop(request.conversation)


@responds(p.StopTool)
async def _stop_tool(engine: Engine, request: p.StopTool) -> None:
    engine.services.tool_runtime.stop(request.conversation, request.reply_id, request.call_index)


@responds(p.StopRoom)
async def _stop_room(engine: Engine, request: p.StopRoom) -> None:
    await engine.conversations.turns.stop_room(request.conversation)


@responds(p.AnswerQuestion)
async def _answer_question(engine: Engine, request: p.AnswerQuestion) -> None:
    engine.services.tool_runtime.questions.answer(request.question, request.answer)


@responds(p.UseOwnWindow)
async def _use_own_window(engine: Engine, request: p.UseOwnWindow) -> None:
    session = await engine.conversations.open(request.conversation)
    session.counter.learned.trust_stated()
    if session.model.info.learned.window:
        session.use(await engine.services.catalogue.learn(session.model.info.id, window=0))
    await engine.publish(session, [session.gauge_changed()])


@responds(p.CountDraft)
async def _count_draft(engine: Engine, request: p.CountDraft) -> p.DraftCounted:
    session = await engine.conversations.open(request.conversation)
    if not request.text:
        return p.DraftCounted(0)
    engine.conversations.turns.getting_ready.expect(session)
    # On a thread: the draft may be a pasted book.
    return p.DraftCounted(await asyncio.to_thread(draft_tokens, session.counter, MessageDraft(request.text)))


@responds(p.SendQueued)
async def _send_queued(engine: Engine, request: p.SendQueued) -> None:
    session = await engine.conversations.open(request.conversation)
    await engine.conversations.turns.send_now(session, request.message_id)


@responds(p.SteerQueued)
async def _steer_queued(engine: Engine, request: p.SteerQueued) -> None:
    session = await engine.conversations.open(request.conversation)
    engine.conversations.turns.queue.steer(session.id, request.message_id)


@responds(p.RemoveQueued)
async def _remove_queued(engine: Engine, request: p.RemoveQueued) -> None:
    await engine.conversations.turns.queue.remove(request.conversation, request.message_id)


@responds(p.TakeBackQueued)
async def _take_back_queued(engine: Engine, request: p.TakeBackQueued) -> p.DraftRead:
    queue = engine.conversations.turns.queue
    taken = await queue.take_back(request.conversation, request.message_id, request.draft)
    if taken is None:
        raise WorldError(Failure("stale", translatable("This message has been sent already")))
    return p.DraftRead(taken)


@responds(p.KeepDraft)
async def _keep_draft(engine: Engine, request: p.KeepDraft) -> None:
    queue = engine.conversations.turns.queue
    await queue.keep_draft(request.conversation, request.text, request.attachments)


@responds(p.KeepEdits)
async def _keep_edits(engine: Engine, request: p.KeepEdits) -> None:
    await engine.conversations.turns.queue.keep_edits(request.conversation, request.edits)


@responds(p.ListTools)
async def _list_tools(engine: Engine, request: p.ListTools) -> p.ToolsListed:
    session, runtime = await engine.conversations.open(request.conversation), engine.services.tool_runtime
    off = set(engine.services.settings.tools_off)
    specs = await engine.services.tools.all_specs(runtime.context_of(session))
    in_request, counts = session.counter.gauge().tokens_of, session.counter.counts
    offers = tuple(p.ToolOffer(spec, in_request(counts.tool(spec)), spec.name not in off) for spec in specs)
    sent = sent_tools((), tuple(offer.spec for offer in offers if offer.is_on), counts.dialect)
    tokens = in_request(counts.tools(sent)) if sent else 0
    return p.ToolsListed(offers, tokens, session.folder, runtime.toolbox.failures())


MAX_LINE = 2_000
"""Characters shown of a line of a spill or an attachment."""


@responds(p.ReadSpill)
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


@responds(p.WriteMemory)
async def _write_memory(engine: Engine, request: p.WriteMemory) -> p.MemoriesListed:
    await write_memory(engine.services.archive, request.memory)
    await engine.conversations.use_what_is_known()
    return await _memories_of(engine, request.conversation)


@responds(p.ListMemories)
async def _list_memories(engine: Engine, request: p.ListMemories) -> p.MemoriesListed:
    return await _memories_of(engine, request.conversation)


async def _memories_of(engine: Engine, conversation: str) -> p.MemoriesListed:
    memories = await engine.services.archive.memories()
    if not conversation:
        return p.MemoriesListed(memories, 0, engine.conversations.policy.max_memory)
    session, flusher = await engine.conversations.open(conversation), engine.conversations.services.memory
    is_pending = flusher is not None and await flusher.text(session) != session.view.request_context.memory
    return p.MemoriesListed(
        memories,
        await asyncio.to_thread(memory_tokens, session),
        memory_room(session.counter.policy, session.counter.budget),
        conversation,
        session.folder,
        session.project.id,
        is_pending=is_pending,
    )


@responds(p.FindRecalled)
async def _find_recalled(engine: Engine, request: p.FindRecalled) -> p.RecalledFound:
    archive = engine.services.archive
    for known in await archive.conversations_named(request.conversation):
        for message in (await archive.messages_at(known.id, (request.index,))).values():
            return p.RecalledFound(known.id, message.id)
    advice = translatable("Its conversation was deleted. Restore it to read the message there.")
    raise WorldError(Failure("not_found", translatable("This message cannot be shown"), advice=advice))


@responds(p.AttachFile)
async def _attach_file(engine: Engine, request: p.AttachFile) -> p.FileAttached:
    attachment, *pages = await read_attachments(Path(os.path.expanduser(request.path)))
    return p.FileAttached(replace(attachment, name=one_line(request.name) or attachment.name), tuple(pages))


@responds(p.AttachImage)
async def _attach_image(engine: Engine, request: p.AttachImage) -> p.FileAttached:
    return p.FileAttached(await read_image(request.name, request.content))


@responds(p.CountAttachments)
async def _count_attachments(engine: Engine, request: p.CountAttachments) -> p.AttachmentsCounted:
    session = await engine.conversations.open(request.conversation)
    tokens = await asyncio.to_thread(attachment_tokens, session.counter, request.attachments)
    reader = find_image_reader(session, engine.services.catalogue, engine.services.settings)
    return p.AttachmentsCounted(tokens, reader)


@responds(p.ReadAttachment)
async def _read_attachment(engine: Engine, request: p.ReadAttachment) -> p.SpillRead:
    session = await engine.conversations.open(request.conversation)
    message = session.message(request.message_id)
    parts = () if message is None else message.parts
    part = parts[request.part] if 0 <= request.part < len(parts) else None
    if not isinstance(part, Attachment) or part.is_image:
        raise not_found(translatable("This attachment"))
    return await asyncio.to_thread(lines_of, part.content, request)


@responds(p.CompletePath)
async def _complete_path(engine: Engine, request: p.CompletePath) -> p.FilesCompleted:
    """Return the files whose paths match; none if there is no folder, or it has been removed."""
    folder = (await engine.conversations.open(request.conversation)).folder
    found: tuple[str, ...] = ()
    if folder:
        with suppress(OSError):
            found = await engine.file_names.matching(folder, request.query, request.limit)
    return p.FilesCompleted(folder, found)


@responds(p.RunCommand)
async def _run_command(engine: Engine, request: p.RunCommand) -> p.FileAttached:
    session = await engine.conversations.open(request.conversation)
    work = _run(engine, session, request.command)
    return p.FileAttached(await engine.run_newest(Job.COMMAND.of(request.key), work))


async def _run(engine: Engine, session: Session, command: str) -> Attachment:
    """Run a command that the user typed: without permission, and even if the model may not run commands."""
    tools = engine.services.tools
    context = replace(engine.services.tool_runtime.context_of(session), is_by_user=True)
    call = ToolCall("", "bash", json.dumps({"command": command}))
    await tools.needs(call, context)  # `run` refuses a call that needs more than was determined here
    outcome = ToolOutcome("")
    async with aclosing(tools.run(call, context)) as pieces:
        async for piece in pieces:
            outcome = piece if isinstance(piece, ToolOutcome) else outcome
    return Attachment(f"$ {command}", "text/plain", outcome.text, pluralize(outcome.text.count("\n"), "line"))


@responds(p.StopCommand)
async def _stop_command(engine: Engine, request: p.StopCommand) -> None:
    await engine.newest.cancel(Job.COMMAND.of(request.key))


@responds(p.DrawGraphics)
async def _draw_graphics(engine: Engine, request: p.DrawGraphics) -> p.GraphicsDrawn:
    return p.GraphicsDrawn(await draw_graphics(request.graphics))
