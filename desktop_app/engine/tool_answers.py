"""What the engine answers about tools, spills and memory."""

from __future__ import annotations

import asyncio

from desktop_app.chat.memory import memory_flusher
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.context.memory.memories import memory_tokens
from desktop_app.context.memory.scopes import memories_in
from desktop_app.conversation.events import Failure
from desktop_app.conversation.memory import Memory

from . import protocol as p
from .engine import Engine

LINE_MOST = 2_000
"""Characters of a line of a spill that are shown."""


async def tools_of(engine: Engine, session: Session) -> p.Tools:
    """All tools of that conversation, those too that are switched off."""
    bench = engine.joined.bench
    off = set(engine.joined.settings.tools_off)
    specs = await engine.joined.toolbox.all_specs(bench.place_of(session))
    offers = tuple(p.ToolOffer(spec, session.counts.tool(spec), spec.name not in off) for spec in specs)
    return p.Tools(offers, session.info.folder, bench.toolbox.failures())


async def spill_read(engine: Engine, wish: p.ReadSpill) -> p.SpillRead:
    """Lines of a whole output. Raises WorldError if it is not there any more."""
    text = await engine.joined.spills.read(wish.spill)
    if text is None:
        kept = "The part that the model saw is in the conversation."
        raise WorldError(Failure("not_found", "This output is no longer available", kept=kept))
    return await asyncio.to_thread(_lines, text, wish)


def _lines(text: str, wish: p.ReadSpill) -> p.SpillRead:
    wanted = wish.query.casefold()
    whole = text.removesuffix("\n").split("\n") if text else []
    lines = [(n, line) for n, line in enumerate(whole, 1) if not wanted or wanted in line.casefold()]
    page = lines[wish.offset : wish.offset + wish.limit]
    size = len(text.encode(errors="surrogatepass"))
    return p.SpillRead(tuple((number, line[:LINE_MOST]) for number, line in page), len(lines), size)


async def memories_read(engine: Engine, conversation: str = "") -> p.Memories:
    """What is remembered, and what it takes of a request of that conversation."""
    archive, chats = engine.joined.archive, engine.conversations
    memories = await archive.memories()
    count = engine.joined.catalogue.model("builtin").tokenizer.count
    most = chats.policy.memory_most
    folder = (await archive.conversation(conversation)).folder if conversation else ""
    sent = memories_in(memories, conversation, folder)
    tokens = await asyncio.to_thread(memory_tokens, sent, most, count)
    return p.Memories(memories, tokens, most, conversation, folder)


async def write_memory(engine: Engine, memory: Memory, conversation: str = "") -> p.Memories:
    """Keeps a memory as the user left it."""
    await memory_flusher.write_memory(engine.joined.archive, memory)
    return await memories_read(engine, conversation)
