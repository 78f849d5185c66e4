"""Projects through the engine, as the window asks for them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from desk import Desk, open_desk
from msgspec.structs import replace

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.gauge import PartKind
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.setup import Project
from desktop_app.conversation.tools import ToolSpec
from desktop_app.engine import protocol as p
from desktop_app.settings import Server, Settings


@pytest.fixture
async def desk(data_folder: Path) -> AsyncIterator[Desk]:
    server = Server("away", "http://127.0.0.1:9/v1", ("able",), window=32_000, max_output=2_000)
    made = await open_desk(data_folder, Settings(chat_model="away/able", servers=(server,)))
    yield made
    await made.close()


async def test_a_project_is_saved_listed_deleted_and_restored(desk: Desk) -> None:
    saved = await desk.ask(p.SaveProject(Project("", "  Trip   home ", instructions=" Be kind. \n")))
    (trip,) = saved.projects
    assert (trip.id, trip.name, trip.instructions) == (saved.changed, "Trip home", "Be kind.")
    changed = await desk.ask(p.SaveProject(replace(trip, name="Trips", created_at=0.0)))
    assert changed.projects == (replace(trip, name="Trips"),)
    own = await desk.ask(p.SaveProject(Project("of-the-window", "About")))
    assert [project.name for project in own.projects] == ["About", "Trips"]
    assert own.changed == "of-the-window"
    with pytest.raises(WorldError, match="already"):
        await desk.ask(p.SaveProject(Project("", "TRIPS")))
    begun = await desk.ask(p.CreateConversation("One", project=trip.id))
    gone = await desk.ask(p.DeleteProject(trip.id))
    assert [project.name for project in gone.projects] == ["About"]
    listed = await desk.ask(p.ListConversations())
    assert ([info.project for info in listed.conversations], listed.projects) == ([""], gone.projects)
    await desk.ask(p.RestoreProject(trip.id))
    listed = await desk.ask(p.ListConversations())
    assert listed.conversations[0].project == begun.conversation.project == trip.id
    assert (await desk.ask(p.ListProjects())).projects == listed.projects


async def test_conversations_are_moved_and_work_where_their_project_does(desk: Desk, tmp_path: Path) -> None:
    one, two = [(await desk.ask(p.CreateConversation(title))).conversation.id for title in ("One", "Two")]
    assert "bash" not in {spec.name for spec in await offered(desk, one)}
    saved = await desk.ask(p.SaveProject(Project("", "Work", str(tmp_path))))
    moved = await desk.ask(p.MoveConversations((one, two), saved.changed))
    assert {info.project for info in moved.conversations} == {saved.changed}
    assert (await desk.ask(p.ListTools(one))).folder == str(tmp_path)
    assert {"bash", "write"} <= {spec.name for spec in await offered(desk, one)}
    assert (await desk.ask(p.OpenConversation(one))).conversation.folder == ""
    await desk.ask(p.MoveConversations((one,), ""))
    assert (await desk.ask(p.ListTools(one))).folder == ""
    with pytest.raises(WorldError):
        await desk.ask(p.MoveConversations((one,), "nowhere"))


async def offered(desk: Desk, conversation: str) -> tuple[ToolSpec, ...]:
    """Return the tools that the next request will offer."""
    session = await desk.engine.conversations.open(conversation)
    return await desk.engine.services.tool_runtime.specs(session, session.model.info)


async def test_instructions_are_counted_as_a_request_grows_by_them(desk: Desk) -> None:
    one = (await desk.ask(p.CreateConversation())).conversation.id
    text = "Answer in the language of the question.\n\nNever guess. " * 20
    counted = (await desk.ask(p.CountInstructions(f" {text}"))).tokens
    before = (await desk.ask(p.OpenConversation(one))).gauge
    saved = await desk.ask(p.SaveProject(Project("", "Work", instructions=text)))
    await desk.ask(p.MoveConversations((one,), saved.changed))
    after = (await desk.ask(p.OpenConversation(one))).gauge
    assert before is not None
    assert after is not None
    assert after.total - before.total == counted
    assert (await desk.ask(p.CountInstructions("  "))).tokens == 0


async def test_a_memory_of_a_project_is_counted_in_its_conversations_alone(desk: Desk) -> None:
    saved = await desk.ask(p.SaveProject(Project("", "Work")))
    inside = (await desk.ask(p.CreateConversation(project=saved.changed))).conversation.id
    outside = (await desk.ask(p.CreateConversation())).conversation.id
    memory = Memory("", "Ships on Fridays.", 0.0, 0.0, scope="project", project=saved.changed)
    listed = await desk.ask(p.WriteMemory(memory, inside))
    assert (listed.project, listed.tokens > 0) == (saved.changed, True)
    assert (await desk.ask(p.ListMemories(outside))).tokens == 0
    sent = (await desk.ask(p.ReadRequest(inside))).request.parts
    (remembered,) = [part.tokens for part in sent if part.kind is PartKind.MEMORY]
    assert listed.tokens == remembered, "it is the figure of the request"
    with pytest.raises(WorldError, match="belongs to no project"):
        await desk.ask(p.WriteMemory(replace(memory, project="")))
