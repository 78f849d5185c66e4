"""Where the data is and what takes space, backups and restoring, cleaning up, by the engine."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from uuid import uuid4

import pytest
from desk import Desk, open_desk

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.events import DataProgressed
from desktop_app.conversation.installation import ItemKind, RemovableItem, copies_left
from desktop_app.conversation.message import Message, Role, ToolResult, user_message
from desktop_app.engine import protocol as p
from desktop_app.engine import stored_data
from desktop_app.paths import backups_folder, database_file
from texts import NOT_REMOVED

WORD = "xylophone "


def folder(desk: Desk) -> Path:
    return desk.engine.services.data


def make_older(path: Path) -> None:
    then = time.time() - 7_200
    os.utime(path, (then, then))


async def items(desk: Desk, kind: ItemKind) -> list[RemovableItem]:
    described = await desk.ask(p.DescribeData())
    return [item for item in described.stored.removable if item.kind == kind]


async def make(desk: Desk, title: str, *texts: str) -> str:
    return (await desk.engine.conversations.create(title, [user_message(text) for text in texts])).id


async def titles(desk: Desk) -> list[str]:
    return [info.title for info in (await desk.ask(p.ListConversations())).conversations]


async def spill_of(desk: Desk, conversation: str, text: str) -> Path:
    """Keep a long output that a message of the conversation refers to."""
    name = await desk.engine.services.spills.keep(text)
    result = Message(id=uuid4().hex, role=Role.TOOL, parts=(ToolResult("1", "bash", "short", spill=name),))
    await desk.engine.services.archive.append(conversation, result)
    path = folder(desk) / "spills" / name[:2] / name
    make_older(path)
    return path


async def test_it_says_where_everything_is_and_what_it_takes(desk: Desk) -> None:
    await make(desk, "Tea", "What is tea?")
    await desk.ask(p.BackUpNow())
    stored = (await desk.ask(p.DescribeData())).stored
    parts = {part.kind: part for part in stored.parts}
    assert stored.folder == str(folder(desk))
    assert Path(parts["archive"].path) == database_file(folder(desk))
    assert parts["archive"].size >= database_file(folder(desk)).stat().st_size > 0
    assert (parts["backups"].files, parts["backups"].path) == (1, str(backups_folder(folder(desk))))
    assert stored.size == sum(path.stat().st_size for path in folder(desk).rglob("*") if path.is_file())
    assert stored.free > 0


@pytest.mark.long
async def test_a_backup_is_made_listed_and_restored_with_what_was_there_kept(data_folder: Path) -> None:
    desk = await open_desk(data_folder)
    tea = await make(desk, "Tea", "What is tea?")
    made = (await desk.ask(p.BackUpNow())).backup
    assert [event.done for event in desk.events() if isinstance(event, DataProgressed)]
    await desk.engine.conversations.delete(tea)
    await make(desk, "Ink", "What is ink?")
    listed = await desk.ask(p.ListBackups())
    assert [(one.file, one.conversations) for one in listed.backups] == [(made.file, 1)]
    restored = await desk.ask(p.RestoreBackup(made.file))
    assert restored.failure is None
    await desk.close()
    again = await open_desk(data_folder)
    assert await titles(again) == ["Tea"]
    kept = [one for one in (await again.ask(p.ListBackups())).backups if one.kept_before == "restore"]
    assert [one.file for one in kept] == [restored.kept]
    await again.ask(p.RestoreBackup(restored.kept))
    await again.close()
    back = await open_desk(data_folder)
    assert await titles(back) == ["Ink"]
    await back.close()


async def test_what_cannot_be_restored_leaves_the_engine_at_work(desk: Desk) -> None:
    await make(desk, "Tea", "What is tea?")
    (folder(desk) / "b.sqlite3").write_text("No archive.")
    with pytest.raises(WorldError) as raised:
        await desk.ask(p.RestoreBackup(str(folder(desk) / "b.sqlite3")))
    assert raised.value.failure.kind == "damaged"
    await make(desk, "Ink", "What is ink?")
    assert await titles(desk) == ["Ink", "Tea"]


@pytest.mark.long
async def test_a_deleted_conversation_goes_for_good_with_what_only_it_needs(desk: Desk) -> None:
    tea, gone = await make(desk, "Tea", "What is tea?"), await make(desk, "Gone", *[WORD * 50] * 100)
    shared, own = await spill_of(desk, gone, "both"), await spill_of(desk, gone, "own")
    assert await spill_of(desk, tea, "both") == shared
    await desk.engine.conversations.delete(gone)
    await desk.ask(p.BackUpNow())
    (item,) = await items(desk, "conversation")
    (backup,) = await items(desk, "backup")
    assert (item.name, item.messages, item.copies) == ("Gone", 102, (backup.key,))
    assert copies_left([item, backup], {item.key}) == {item.key: (backup.key,)}
    assert not copies_left([item, backup], {item.key, backup.key})
    assert not await items(desk, "spills"), "what a deleted conversation refers to is still of use"
    done = await desk.ask(p.CleanUp((item.key,)))
    assert (done.removed, done.problems) == (1, ())
    assert not await items(desk, "conversation")
    assert not await items(desk, "room")
    assert (shared.exists(), own.exists()) == (True, False)
    assert await titles(desk) == ["Tea"]
    assert WORD.encode() not in database_file(folder(desk)).read_bytes()
    await desk.engine.services.archive.append(tea, Message(id="m", role=Role.USER))


async def test_files_go_by_choice_only(desk: Desk) -> None:
    data = folder(desk)
    names = ("archive.backup-v3.sqlite3", "archive.damaged-1.sqlite3", "palimpsest.log.1", "palimpsest.log")
    for name in (*names, "archive.damaged-1.sqlite3-wal", "settings.damaged.json", "mine.txt"):
        (data / name).write_bytes(b"x" * 100)
    unused = await desk.engine.services.spills.keep("unused")
    path = data / "spills" / unused[:2] / unused
    assert not await items(desk, "spills"), "it may be of a tool that runs"
    make_older(path)
    stored = (await desk.ask(p.DescribeData())).stored
    found = {item.key: item.size for item in stored.removable}
    assert found == {
        "update:archive.backup-v3.sqlite3": 100, "kept:archive.damaged-1.sqlite3": 200,
        "kept:settings.damaged.json": 100, "log:palimpsest.log.1": 100, "spills": 6,
    }  # fmt: skip
    done = await desk.ask(p.CleanUp(("kept:archive.damaged-1.sqlite3", "spills")))
    assert done.freed >= 206
    assert not path.exists()
    left = {path.name for path in data.iterdir()}
    assert {"archive.backup-v3.sqlite3", "palimpsest.log.1", "palimpsest.log", "mine.txt"} <= left
    assert not {name for name in left if "archive.damaged" in name}


async def test_what_is_there_no_more_or_on_the_list_again_is_refused(desk: Desk) -> None:
    tea = await make(desk, "Tea", "What is tea?")
    (folder(desk) / "palimpsest.log.1").write_text("x")
    for key in (f"conversation:{tea}", "log:../../etc/passwd", "log:palimpsest.log", "room:1"):
        with pytest.raises(WorldError) as raised:
            await desk.ask(p.CleanUp(("log:palimpsest.log.1", key)))
        assert raised.value.failure.kind == "stale"
    assert (folder(desk) / "palimpsest.log.1").exists()
    assert await titles(desk) == ["Tea"]


async def test_what_cannot_be_removed_is_told_and_the_rest_goes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (1, 2):
        (folder(desk) / f"palimpsest.log.{number}").write_text("x")
    unlink = Path.unlink

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if path.name == "palimpsest.log.1":
            raise PermissionError(13, "Permission denied")
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    done = await desk.ask(p.CleanUp(("log:palimpsest.log.1", "log:palimpsest.log.2")))
    assert done.removed == 1
    assert [problem.title for problem in done.problems] == [NOT_REMOVED.format(name="palimpsest.log.1")]
    assert not (folder(desk) / "palimpsest.log.2").exists()


async def test_everything_becomes_a_file_and_comes_back(desk: Desk, tmp_path: Path) -> None:
    await make(desk, "Tea", "What is tea?")
    file = tmp_path / "out" / "all.zip"
    file.parent.mkdir()
    written = await desk.ask(p.ExportWhole(str(file)))
    assert (written.archive.conversations, written.archive.entries, written.bytes) == (1, 1, file.stat().st_size)
    with pytest.raises(WorldError) as raised:
        await desk.ask(p.ExportWhole(str(file)))
    assert raised.value.failure.kind == "exists"
    await desk.ask(p.ExportWhole(str(file), is_replacing=True))
    (offered,) = (await desk.ask(p.LookThrough((str(file),)))).found
    assert offered.known == offered.messages == 1
    other = await open_desk(tmp_path / "other")
    done = await other.ask(p.ImportConversations((str(file),), frozenset({offered.id})))
    assert done.outcome.conversations == 1
    assert await titles(other) == ["Tea"]
    await other.close()


async def test_a_backup_that_is_cancelled_leaves_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(archive: Path, backups: Path, on_progress: stored_data.OnProgress) -> None:
        loop.call_soon_threadsafe(begun.set)
        while True:
            on_progress(1, 2)
            time.sleep(0.005)

    monkeypatch.setattr("desktop_app.engine.requests.settings_responses.back_up_to_folder", slow)
    work = asyncio.ensure_future(desk.ask(p.BackUpNow()))
    await begun.wait()
    await desk.ask(p.CancelComputation(p.Computation.DATA))
    with pytest.raises(WorldError) as raised:
        await work
    assert raised.value.failure.kind == "cancelled"
