"""Importing through the engine: what is offered, what is stored, and what a cancel leaves."""

from __future__ import annotations

import asyncio
import json
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from desk import Desk
from msgspec.structs import replace

from desktop_app.archive.whole_archive import export_whole
from desktop_app.chat.ports import WorldError
from desktop_app.chat.tasks import TaskKey
from desktop_app.conversation.events import ImportProgressed
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.engine import protocol as p
from desktop_app.imports import formats, openai_files
from stores import Store

pytestmark = pytest.mark.wire


def chat_file(path: Path, *texts: str) -> str:
    roles = ("user", "assistant")
    lines = [json.dumps({"role": roles[index % 2], "content": text}) for index, text in enumerate(texts)]
    path.write_text("\n".join(lines))
    return str(path)


async def test_what_was_offered_and_chosen_is_in_the_list_and_can_be_read(desk: Desk, tmp_path: Path) -> None:
    one = chat_file(tmp_path / "one.jsonl", "What is tea?", "A drink.")
    other = chat_file(tmp_path / "other.jsonl", "What is ink?", "A liquid.", "Thanks!")
    looked = await desk.ask(p.LookThrough((one, other)))
    assert {each.title: each.messages for each in looked.found} == {"What is tea?": 2, "What is ink?": 3}
    chosen = next(each.id for each in looked.found if each.messages == 3)
    outcome = (await desk.ask(p.ImportConversations((one, other), frozenset({chosen})))).outcome
    assert (outcome.conversations, outcome.messages, outcome.newest) == (1, 3, chosen)
    listed = await desk.ask(p.ListConversations())
    assert [info.title for info in listed.conversations] == ["What is ink?"]
    read = await desk.ask(p.ReadMessages(chosen, 100, 10))
    assert [row.message.text for row in read.rows] == ["What is ink?", "A liquid.", "Thanks!"]


async def test_an_open_conversation_shows_what_a_later_import_adds(desk: Desk, tmp_path: Path) -> None:
    texts = ["What is tea?", "A drink.", "Hot?", "Mostly."]
    file = chat_file(tmp_path / "one.jsonl", *texts)
    (found,) = (await desk.ask(p.LookThrough((file,)))).found
    await desk.ask(p.ImportConversations((file,), frozenset({found.id})))
    await desk.ask(p.OpenConversation(found.id))
    file = chat_file(tmp_path / "one.jsonl", *texts, "And cold?")
    assert (await desk.ask(p.ImportConversations((file,), frozenset({found.id})))).outcome.messages == 1
    read = await desk.ask(p.ReadMessages(found.id, 100, 10))
    assert [row.message.text for row in read.rows] == [*texts, "And cold?"]


def whole_of(folder: Path, **texts: str) -> str:
    """Write a file of `export --all` that has a conversation for each text, one that was deleted, and a memory."""
    folder.mkdir()
    with closing(Store(folder / "archive.sqlite3")) as store:
        for number, (name, text) in enumerate({**texts, "gone": "deleted"}.items()):
            said = Message(id=f"{name}-1", at=1e9 + number, role=Role.USER, parts=(Text(text),))
            store.create(ConversationInfo(name, name.title(), 1e9, 1e9 + number), [said])
        store.change("gone", is_deleted=True)
        store.store_memories(Memory("m1", "likes tea", 1.0, 1.0))
    export_whole(folder / "archive.sqlite3", folder / "spills", folder / "all.zip")
    return str(folder / "all.zip")


async def test_a_whole_archive_of_ours_is_imported_in_part_and_then_whole(desk: Desk, tmp_path: Path) -> None:
    file = whole_of(tmp_path / "other", tea="What is tea?", ink="What is ink?")
    looked = await desk.ask(p.LookThrough((file,)))
    assert [(each.program, each.title, each.messages, each.new) for each in looked.found] == [
        ("Palimpsest", "Ink", 1, 1), ("Palimpsest", "Tea", 1, 1),
    ]  # fmt: skip
    outcome = (await desk.ask(p.ImportConversations((file,), frozenset({"tea"})))).outcome
    assert (outcome.conversations, outcome.messages, outcome.newest) == (1, 1, "tea")
    assert [info.id for info in (await desk.ask(p.ListConversations())).conversations] == ["tea"]
    assert (await desk.ask(p.ListMemories())).memories == ()
    looked = await desk.ask(p.LookThrough((file,)))
    assert {each.id: each.new for each in looked.found} == {"ink": 1, "tea": 0}
    await desk.ask(p.Delete(("tea",)))
    outcome = (await desk.ask(p.ImportConversations((file,), frozenset({"tea", "ink"})))).outcome
    assert (outcome.conversations, outcome.newest) == (1, "ink")
    assert {info.id for info in (await desk.ask(p.ListConversations())).conversations} == {"tea", "ink"}
    assert [each.text for each in (await desk.ask(p.ListMemories())).memories] == ["likes tea"]


async def test_an_archive_of_ours_that_cannot_be_read_is_told(desk: Desk, tmp_path: Path) -> None:
    file = str(tmp_path / "all.zip")
    with zipfile.ZipFile(file, "w") as zipped:
        zipped.writestr("archive.json", json.dumps({"format": "palimpsest-archive", "version": 99}))
    with pytest.raises(WorldError, match="cannot be imported"):
        await desk.ask(p.LookThrough((file,)))


async def test_how_many_are_stored_is_told_while_it_goes_on(desk: Desk, tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.jsonl" for number in range(3)]
    for number, file in enumerate(files):
        file.write_text(json.dumps({"role": "user", "content": f"What is {number}?"}))
    found = (await desk.ask(p.LookThrough((str(tmp_path),)))).found
    await desk.ask(p.ImportConversations((str(tmp_path),), frozenset(each.id for each in found)))
    assert [event.imported for event in desk.events() if isinstance(event, ImportProgressed)][-1] == 3


async def test_where_nothing_is_found_the_known_kinds_are_named(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "picture.bin").write_bytes(bytes(range(256)))
    looked = await desk.ask(p.LookThrough((str(tmp_path / "picture.bin"),)))
    assert looked.found == ()
    assert [each.file for each in looked.unread] == ["picture.bin"]
    kinds = (await desk.ask(p.FindHistories())).known_kinds
    assert "ChatGPT" in [each.program for each in kinds]


async def test_looking_through_can_be_cancelled(desk: Desk, tmp_path: Path) -> None:
    file = chat_file(tmp_path / "one.jsonl", *["word " * 1_000] * 2_000)
    looking = asyncio.ensure_future(desk.ask(p.LookThrough((file,))))
    while not desk.engine.newest.is_running(TaskKey(p.Computation.IMPORT)):
        await asyncio.sleep(0)
    await desk.ask(p.CancelComputation(p.Computation.IMPORT))
    with pytest.raises(WorldError) as caught:
        await looking
    assert caught.value.failure.kind == "cancelled"


async def test_histories_of_this_machine_are_found(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    assert (await desk.ask(p.FindHistories())).histories == ()
    monkeypatch.setattr(formats, "FORMATS", (replace(openai_files.FORMAT, program="Tea Chat", homes=(".tea",)),))
    (tmp_path / ".tea").mkdir()
    chat_file(tmp_path / ".tea" / "one.jsonl", "What is tea?")
    (found,) = (await desk.ask(p.FindHistories())).histories
    assert (found.program, found.path, found.files) == ("Tea Chat", str(tmp_path / ".tea"), 1)
    (offered,) = (await desk.ask(p.LookThrough((found.path,)))).found
    assert offered.title == "What is tea?"


async def test_a_folder_that_is_not_there_is_told_when_the_conversation_opens(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    opened = await desk.ask(p.ChooseFolder((await desk.ask(p.CreateConversation())).conversation.id, str(folder)))
    assert not opened.is_folder_missing
    folder.rmdir()
    assert (await desk.ask(p.OpenConversation(opened.conversation.id))).is_folder_missing
