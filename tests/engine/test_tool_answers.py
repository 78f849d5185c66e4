"""What the window reads of tools, outputs and memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from msgspec.structs import replace

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.memory import Memory
from desktop_app.engine import protocol as p
from desktop_app.engine.compose import compose
from desktop_app.engine.engine import Engine
from desktop_app.engine.event_coalescer import EventCoalescer
from desktop_app.engine.requests import respond
from desktop_app.engine.requests.tools import MAX_LINE


@pytest_asyncio.fixture
async def engine(data_folder: Path) -> AsyncIterator[Engine]:
    bugs: list[BaseException] = []
    made = await compose(data_folder, EventCoalescer(lambda _: None), lambda: None, bugs.append)
    yield made
    await made.close()
    assert not bugs


async def test_a_whole_output_is_read_in_pages_and_searched(engine: Engine) -> None:
    lines = [f"line {n}" for n in range(1, 101)]
    lines[49] = "The Needle " + "x" * MAX_LINE
    spill = await engine.services.spills.keep("\n".join(lines))
    page = await respond(engine, p.ReadSpill(spill, "", 10, 3))
    assert page == p.SpillRead(((11, "line 11"), (12, "line 12"), (13, "line 13")), 100, len("\n".join(lines)))
    found = await respond(engine, p.ReadSpill(spill, "nEEDLE"))
    assert isinstance(found, p.SpillRead)
    assert [(number, len(line)) for number, line in found.lines] == [(50, MAX_LINE)]
    assert found.total == 1
    with pytest.raises(WorldError, match="no longer available"):
        await respond(engine, p.ReadSpill("0" * 64))


@pytest.mark.parametrize(("text", "count"), [("", 0), ("one", 1), ("one\n", 1), ("one\n\n", 2), ("\n", 1), ("1\n2", 2)])
async def test_the_newline_at_the_end_of_an_output_begins_no_line(engine: Engine, text: str, count: int) -> None:
    page = await respond(engine, p.ReadSpill(await engine.services.spills.keep(text)))
    assert isinstance(page, p.SpillRead)
    assert (page.total, len(page.lines)) == (count, count)


async def test_tools_are_listed_with_what_they_take_those_too_that_are_switched_off(engine: Engine) -> None:
    await respond(engine, p.WriteSettings(replace(engine.services.settings, tools_off=("web_fetch",))))
    opened = await respond(engine, p.CreateConversation())
    assert isinstance(opened, p.ConversationOpened)
    tools = await respond(engine, p.ListTools(opened.conversation.id))
    assert isinstance(tools, p.ToolsListed)
    known = {offer.spec.name: offer for offer in tools.tools}
    assert {"read", "write", "edit", "web_fetch", "web_search", "recall", "save_memory"} <= known.keys()
    assert not known["web_fetch"].is_on
    assert known["read"].is_on
    assert all(offer.tokens > 20 for offer in tools.tools)


async def test_a_memory_is_written_edited_and_deleted(engine: Engine) -> None:
    made = await respond(engine, p.WriteMemory(Memory("", "Drinks tea.", 0.0, 0.0)))
    assert isinstance(made, p.MemoriesListed)
    (memory,) = made.memories
    assert (memory.text, memory.author) == ("Drinks tea.", "user")
    assert 0 < made.tokens <= made.most
    off = await respond(engine, p.WriteMemory(replace(memory, is_on=False)))
    assert isinstance(off, p.MemoriesListed)
    assert off.tokens == 0
    gone = await respond(engine, p.WriteMemory(replace(memory, is_deleted=True)))
    assert isinstance(gone, p.MemoriesListed)
    assert gone.memories == ()
    with pytest.raises(WorldError, match="has to say something"):
        await respond(engine, p.WriteMemory(Memory("", "  ", 0.0, 0.0)))


async def test_the_tokens_of_memories_are_those_that_are_sent_in_that_conversation(engine: Engine) -> None:
    opened = await respond(engine, p.CreateConversation())
    assert isinstance(opened, p.ConversationOpened)
    here = opened.conversation.id
    limited = Memory("", "Drinks tea.", 0.0, 0.0, conversation="elsewhere", scope="conversation")
    away = await respond(engine, p.WriteMemory(limited, here))
    assert isinstance(away, p.MemoriesListed)
    assert (len(away.memories), away.tokens, away.conversation, away.folder) == (1, 0, here, "")
    wide = await respond(engine, p.WriteMemory(replace(away.memories[0], scope="user"), here))
    assert isinstance(wide, p.MemoriesListed)
    assert wide.tokens > 0
