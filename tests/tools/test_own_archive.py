"""The archive's own files, named where any file may be named, also by another name, by who was allowed it: they are
not opened beside SQLite, which would lose its lock, so that another program that looks at the archive damages it."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from tool_calls import Desk

from archive_visitor import seen_by_a_visitor
from builders import user
from desktop_app.archive.whole_archive import conversations_in, is_whole_archive
from desktop_app.chat.ports import WorldError
from desktop_app.commands.attached import attached_in
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.open_databases import IN_USE
from desktop_app.tools import change_files
from desktop_app.tools.read_attachments import read_attachment
from stores import Store

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there a lock belongs to what it was taken with")


def calling(name: str, **arguments: str) -> Callable[[Desk, Path], Awaitable[object]]:
    async def call(desk: Desk, file: Path) -> object:
        return (await desk.pieces(name, json.dumps({"path": str(file), **arguments})))[1].text

    return call


async def attach(desk: Desk, file: Path) -> object:
    return await read_attachment(file)


async def attach_in_a_line(desk: Desk, file: Path) -> object:
    return await attached_in(f'look at @"{file}"', desk.folder)


async def look_for_imports(desk: Desk, file: Path) -> object:
    return is_whole_archive(file)


async def look_through(desk: Desk, file: Path) -> object:
    return conversations_in(file)


WAYS = (
    *(calling("read"), calling("edit", old="SQLite", new="x"), calling("grep", pattern="SQLite")),
    *(calling("glob", pattern="*"), calling("list"), attach, attach_in_a_line, look_for_imports, look_through),
)


@pytest.mark.wire
@pytest.mark.parametrize("name", ["", "-wal", "-shm"])
@pytest.mark.parametrize("other", ["its own", "a link", "another name"])
async def test_nothing_that_is_named_takes_the_lock_away(desk: Desk, name: str, other: str) -> None:
    archive = desk.data / "archive.sqlite3"
    with closing(Store(archive)) as store:
        store.create(ConversationInfo("c", "C", 1.0, 1.0), [user("hello", id="m1")])
        file = Path(f"{archive}{name}")
        if other == "a link":
            (desk.folder / "notes.txt").symlink_to(file)
        elif other == "another name":
            (desk.folder / "notes.txt").hardlink_to(file)
        named = file if other == "its own" else desk.folder / "notes.txt"
        for count, way in enumerate(WAYS, 2):
            with suppress(WorldError):
                assert "SQLite format" not in repr(await way(desk, named))
            seen_by_a_visitor(archive)
            store.append("c", user("hello", id=f"m{count}"))
            assert seen_by_a_visitor(archive) == count, "it is written to a log that the visitor has removed"


async def test_it_says_why_and_a_copy_of_it_is_read_as_any_file(desk: Desk) -> None:
    archive = desk.data / "archive.sqlite3"
    with closing(Store(archive)):
        assert IN_USE in await desk.failure("read", path=str(archive))
        with pytest.raises(WorldError, match=IN_USE):
            await read_attachment(archive)
    assert "binary file" in await desk.failure("read", path=str(archive))


async def test_one_that_is_put_there_in_the_last_moment_stays_open(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    archive, named = desk.data / "archive.sqlite3", desk.file("notes.txt", "mine")
    opened = change_files.open_file

    def swap(path: Path, flags: int) -> int:
        named.unlink()
        named.hardlink_to(archive)
        return opened(path, flags)

    with closing(Store(archive)) as store:
        store.create(ConversationInfo("c", "C", 1.0, 1.0), [user("hello", id="m1")])
        monkeypatch.setattr(change_files, "open_file", swap)
        assert IN_USE in await desk.failure("read", path="notes.txt")
        seen_by_a_visitor(archive)
        store.append("c", user("hello", id="m2"))
        assert seen_by_a_visitor(archive) == 2
