"""What the window reads of tools, outputs and memory, and the rules that it stores."""

from __future__ import annotations

import asyncio

import pytest
from desk import Desk
from msgspec.structs import replace

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import user_message
from desktop_app.conversation.tools import Rule
from desktop_app.engine import protocol as p
from desktop_app.engine.requests.turn_responses import MAX_LINE
from desktop_app.paths import settings_file
from desktop_app.settings import read_settings


async def test_a_whole_output_is_read_in_pages_and_searched(desk: Desk) -> None:
    lines = [f"line {n}" for n in range(1, 101)]
    lines[49] = "The Needle " + "x" * MAX_LINE
    spill = await desk.engine.services.spills.keep("\n".join(lines))
    page = await desk.ask(p.ReadSpill(spill, "", 10, 3))
    assert page == p.SpillRead(((11, "line 11"), (12, "line 12"), (13, "line 13")), 100, len("\n".join(lines)))
    found = await desk.ask(p.ReadSpill(spill, "nEEDLE"))
    assert [(number, len(line)) for number, line in found.lines] == [(50, MAX_LINE)]
    assert found.total == 1
    with pytest.raises(WorldError) as caught:
        await desk.ask(p.ReadSpill("0" * 64))
    assert caught.value.failure.kind == "not_found"


async def test_the_newline_at_the_end_of_an_output_begins_no_line(desk: Desk) -> None:
    for text, count in (("", 0), ("one", 1), ("one\n", 1), ("one\n\n", 2), ("\n", 1), ("1\n2", 2)):
        page = await desk.ask(p.ReadSpill(await desk.engine.services.spills.keep(text)))
        assert (page.total, len(page.lines)) == (count, count), repr(text)


async def test_tools_are_listed_with_what_they_take_also_those_that_are_switched_off(desk: Desk) -> None:
    settings = replace(desk.engine.services.settings, tools_off=("web_fetch",), is_memory_on=True)
    await desk.ask(p.WriteSettings(settings))
    opened = await desk.ask(p.CreateConversation())
    offers = {offer.spec.name: offer for offer in (await desk.ask(p.ListTools(opened.conversation.id))).tools}
    assert {"read", "write", "edit", "web_fetch", "web_search", "recall", "save_memory"} <= offers.keys()
    assert not offers["web_fetch"].is_on
    assert offers["read"].is_on
    assert all(offer.tokens > 20 for offer in offers.values())


async def test_a_memory_is_written_edited_and_deleted(desk: Desk) -> None:
    made = await desk.ask(p.WriteMemory(Memory("", "Drinks tea.", 0.0, 0.0)))
    (memory,) = made.memories
    assert (memory.text, memory.author) == ("Drinks tea.", "user")
    assert 0 == made.tokens < made.most, "no conversation, and so no request that has it"
    assert not (await desk.ask(p.WriteMemory(replace(memory, is_on=False)))).memories[0].is_on
    assert (await desk.ask(p.WriteMemory(replace(memory, is_deleted=True)))).memories == ()
    with pytest.raises(WorldError):
        await desk.ask(p.WriteMemory(Memory("", "  ", 0.0, 0.0)))


async def test_the_tokens_of_memories_are_those_that_are_sent_in_that_conversation(desk: Desk) -> None:
    await desk.ask(p.WriteSettings(replace(desk.engine.services.settings, is_memory_on=True)))
    here = (await desk.ask(p.CreateConversation())).conversation.id
    limited = Memory("", "Drinks tea.", 0.0, 0.0, conversation="elsewhere", scope="conversation")
    away = await desk.ask(p.WriteMemory(limited, here))
    assert (len(away.memories), away.tokens, away.conversation, away.folder) == (1, 0, here, "")
    await desk.ask(p.WriteMemory(replace(away.memories[0], scope="user"), here))
    await desk.engine.conversations.turns.getting_ready.equip(await desk.engine.conversations.open(here))
    assert (await desk.ask(p.ListMemories(here))).tokens > 0


async def test_a_message_that_was_recalled_is_found_by_the_beginning_of_its_conversation(desk: Desk) -> None:
    chats = desk.engine.conversations
    there = await chats.create("There", [user_message("One."), user_message("Two.")])
    second = there.view.items[1].message.id
    assert await desk.ask(p.FindRecalled(there.id[:12], 1)) == p.RecalledFound(there.id, second)
    await desk.ask(p.Delete((there.id,)))
    for beginning, index in ((there.id[:12], 1), ("nowhere", 0)):
        with pytest.raises(WorldError) as caught:
            await desk.ask(p.FindRecalled(beginning, index))
        assert caught.value.failure.kind == "not_found"


async def test_rules_that_come_at_the_same_time_are_all_kept(desk: Desk) -> None:
    services = desk.engine.services
    rules = [Rule("bash", f"git {verb} *") for verb in ("log", "diff", "show", "blame")]
    await asyncio.gather(*map(services.keep_rule, rules))
    assert set(services.settings.rules) == set(rules)
    assert set(read_settings(settings_file(services.data)).rules) == set(rules)
    await services.keep_rule(replace(rules[0], is_allowed=False))
    assert [rule.is_allowed for rule in services.settings.rules if rule.pattern == "git log *"] == [False]


async def test_a_rule_that_cannot_be_stored_is_told(desk: Desk) -> None:
    services = desk.engine.services
    settings_file(services.data).unlink()
    settings_file(services.data).mkdir()
    with pytest.raises(WorldError) as caught:
        await services.keep_rule(Rule("bash"))
    assert caught.value.failure.kind == "disk"
    assert services.settings.rules == ()
