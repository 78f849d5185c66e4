"""Where conversations stand in the list: pinned, put away, duplicated, deleted together."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from desk import Desk, open_desk
from msgspec.structs import replace

from desktop_app.chat import open_sessions
from desktop_app.chat.ports import DELETED, WorldError
from desktop_app.chat.session import Session, stamp
from desktop_app.conversation.gauge import Status
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Role, Text, user_message
from desktop_app.conversation.setup import Project
from desktop_app.engine import protocol as p
from desktop_app.settings import Settings


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    made = await open_desk(tmp_path, Settings())
    yield made
    await made.close()


async def made(desk: Desk, *titles: str) -> list[str]:
    return [(await desk.ask(p.CreateConversation(title))).conversation.id for title in titles]


async def listed(desk: Desk) -> dict[str, ConversationInfo]:
    return {info.id: info for info in (await desk.ask(p.ListConversations())).conversations}


async def test_what_is_arranged_is_stored_and_the_rest_stays(desk: Desk) -> None:
    one, two, three = await made(desk, "One", "Two", "Three")
    answer = await desk.ask(p.Arrange((one, two), is_pinned=True))
    await desk.ask(p.Arrange((two,), is_put_away=True))
    infos = await listed(desk)
    places = {name: (info.is_pinned, info.is_put_away) for name, info in infos.items()}
    assert places == {one: (True, False), two: (True, True), three: (False, False)}
    assert {info.id for info in answer.conversations} == set(infos)
    assert (await desk.ask(p.OpenConversation(two))).conversation == infos[two], "an open one knows it too"
    await desk.ask(p.Arrange((one, two), is_pinned=False, is_put_away=False))
    assert all(not (i.is_pinned or i.is_put_away) for i in (await listed(desk)).values())


async def test_how_full_a_window_is_said_to_be_follows_the_policies(desk: Desk) -> None:
    """Also of conversations that are not in memory: what was stored of them was said by the policy of that time."""
    plain, chosen, unknown, of_project = await made(desk, "Plain", "Chosen", "Unknown", "Of a project")
    archive = desk.engine.conversations.archive
    (project,) = (await desk.ask(p.SaveProject(Project("", "Slow", policy="relaxed")))).projects
    await archive.change(chosen, policy="relaxed")
    await archive.change(of_project, project=project.id)
    for each in (plain, chosen, of_project):
        await archive.store_gauge(each, 0.77, Status.WARNING)
    await archive.store_gauge(unknown, 0.77, Status.UNKNOWN)
    safe, warning = Status.SAFE, Status.WARNING
    told = await listed(desk)
    assert [told[i].status for i in (plain, chosen, of_project, unknown)] == [warning, safe, safe, Status.UNKNOWN]
    await desk.ask(p.WriteSettings(replace(desk.engine.services.settings, policy="relaxed")))
    told = await listed(desk)
    assert [told[i].status for i in (plain, chosen, of_project, unknown)] == [safe, safe, safe, Status.UNKNOWN]


async def test_one_that_is_not_there_is_told(desk: Desk) -> None:
    with pytest.raises(WorldError):
        await desk.ask(p.Arrange(("nowhere",), is_pinned=True))


async def test_several_are_deleted_and_restored_together(desk: Desk) -> None:
    one, two, three = await made(desk, "One", "Two", "Three")
    assert [info.id for info in (await desk.ask(p.Delete((one, two)))).conversations] == [three]
    await desk.ask(p.Restore((one, two)))
    assert set(await listed(desk)) == {one, two, three}


async def test_a_duplicate_has_all_that_was_said_and_lives_by_itself(desk: Desk) -> None:
    (one,) = await made(desk, "One")
    copied = await desk.ask(p.Fork(one))
    assert copied.conversation.id != one
    assert [row.message.role for row in copied.rows] == [Role.SYSTEM]
    session = await desk.engine.conversations.open(one)
    prompt = next(m for m in session.transcript.entries if getattr(m, "role", None) is Role.SYSTEM)
    assert copied.rows[0].message.parts == prompt.parts
    assert all(isinstance(part, Text) for part in prompt.parts)


async def test_what_ends_behind_a_deletion_shows_the_conversation_no_more(desk: Desk, monkeypatch) -> None:
    (name,) = await made(desk, "One")
    folder = desk.engine.services.settings.folder

    async def delete_meanwhile(session: Session) -> None:
        await desk.ask(p.Delete((session.id,)))

    monkeypatch.setattr(desk.engine.conversations.turns.getting_ready, "equip", delete_meanwhile)
    with pytest.raises(WorldError) as caught:
        await desk.ask(p.ChooseFolder(name, folder))
    assert caught.value.failure == DELETED


async def test_a_long_conversation_that_is_shown_before_it_is_read_is_the_one_that_is_shown(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_sessions, "LONG", 3)
    long, other = await made(desk, "Long", "Other")
    chats = desk.engine.conversations
    session = await chats.open(long)
    for number in range(4):
        await session.record(stamp(user_message(f"Message {number}")))
    del session
    monkeypatch.setattr(open_sessions, "MAX_KEPT", 1)
    await desk.ask(p.OpenConversation(other))
    gc.collect()
    assert long not in chats.sessions.cache
    assert (await desk.ask(p.OpenConversation(long))).gauge is None, "it is seen before it is read"
    await chats.open(long)
    await chats.open(other)
    assert long in chats.sessions.cache, "that does not leave memory while others are used"
