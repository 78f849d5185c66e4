"""Requests about tools, whole outputs and memory."""

from __future__ import annotations

import asyncio
from typing import assert_never

from desktop_app.chat.memory.memory_flusher import write_memory
from desktop_app.chat.ports import WorldError
from desktop_app.chat.sent_requests import memory_tokens
from desktop_app.chat.session import Session
from desktop_app.context.memory.memories import memory_room
from desktop_app.context.view.dialect import sent_tools
from desktop_app.conversation.events import Failure
from desktop_app.conversation.words import translatable
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine

MAX_LINE = 2_000
"""Characters of a line of a spill that are shown."""


async def respond(engine: Engine, request: p.ToolRequest) -> p.EngineResponse:
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
    """Return the lines of a text that the request asks for."""
    query = request.query.casefold()
    whole = text.removesuffix("\n").split("\n") if text else []
    lines = [(n, line) for n, line in enumerate(whole, 1) if not query or query in line.casefold()]
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
