"""What was learned in one conversation does not reach another one, until the user says so: looked for on the wire."""

# ruff: noqa: F811 - the fixture is imported, and named by the tests

from __future__ import annotations

import pytest
from msgspec.structs import replace
from remembering import RULE, TEA, Home, made, saving  # noqa: F401 - a fixture

from builders import user
from desktop_app.chat.conversation_setups import save_project
from desktop_app.chat.memory_flusher import write_memory
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import stamp
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.setup import Project
from desktop_app.conversation.transcript import RequestContext
from provider import Reply


async def another(home: Home, folder: str = "") -> Home:
    """A second conversation of the same archive."""
    chats = home.house.chats
    talk = [user(f"Let us look at place {n}.", id=f"{folder}-{n}") for n in range(6)]
    session = await chats.create_with("Other", talk, home.session.info.model, folder)
    other = Home(home.house, session)
    other.settings = home.settings
    return other


def wire(home: Home) -> str:
    """All texts of the newest request."""
    return "\n".join(text for _, text in home.requests[-1].turns)


async def sent_in(home: Home) -> str:
    """What goes over the wire when a message is sent there."""
    await home.session.record(
        stamp(RequestContext(memory=await home.keeper.text(home.session), project=home.session.info.project))
    )
    await home.house.turn(home.session, "Hello?")
    return wire(home)


@pytest.mark.parametrize("folder", ["", "/work/billing"])
@pytest.mark.parametrize("by_model", [False, True])
@pytest.mark.long
async def test_the_request_of_another_conversation_does_not_hold_it(made, folder: str, by_model: bool) -> None:
    flushes = [saving("The depot opens at seven.")] if by_model else []
    home = await made([*flushes, *[Reply("Yes.")] * 2, *[Reply("SILENT")] * by_model, Reply("Yes.")])
    home.session.info = replace(home.session.info, folder=folder)
    home.choose(summaries="auto" if by_model else "extractive")
    await home.flushed()
    (memory,) = await home.archive.memories()
    assert (memory.scope, memory.folder) == ("folder" if folder else "conversation", folder)
    assert memory.text in await sent_in(home)
    other = await another(home, "/work/elsewhere")
    assert memory.text not in await sent_in(other)
    await other.flushed()
    assert memory.text not in wire(home), "nor is its flush told"
    await write_memory(home.archive, replace(memory, scope="user"))
    assert memory.text in await sent_in(other)


async def test_it_is_sent_in_another_conversation_of_the_same_folder(made) -> None:
    home = await made([Reply("Yes."), Reply("Yes.")])
    home.session.info = replace(home.session.info, folder="/work/billing")
    home.choose(summaries="extractive")
    await home.flushed()
    assert RULE in await sent_in(await another(home, "/work/billing"))
    assert RULE not in await sent_in(await another(home, "/work/billing/old"))


async def test_what_is_said_in_a_project_is_sent_in_its_conversations_alone(made) -> None:
    home = await made([Reply("Yes."), Reply("Yes."), Reply("Yes.")])
    await save_project(home.house.chats, Project("p", "Billing"))
    home.session.info = replace(home.session.info, folder="/work/billing", project="p")
    home.choose(summaries="extractive")
    await home.flushed()
    (memory,) = await home.archive.memories()
    assert (memory.scope, memory.project, memory.folder) == ("project", "p", "/work/billing")
    other = await another(home, "/work/billing")
    assert RULE not in await sent_in(other), "though it works in the same folder"
    inside = await another(home, "/elsewhere")
    inside.session.info = replace(inside.session.info, project="p")
    assert RULE in await sent_in(inside)


async def test_a_memory_can_be_limited_only_to_a_place_that_it_has(made) -> None:
    home = await made([])
    tea = await write_memory(home.archive, Memory("", TEA, 0.0, 0.0))
    assert tea.scope == "user"
    with pytest.raises(WorldError):
        await write_memory(home.archive, replace(tea, scope="folder"))
    limited = await write_memory(home.archive, replace(tea, scope="folder", folder="/work/billing"))
    assert await home.archive.memories() == (limited,)
    assert await home.keeper.text(home.session) == ""
