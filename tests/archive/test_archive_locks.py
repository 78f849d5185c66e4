"""Whatever reads the archive in the process that writes it, SQLite's lock on the file stays: POSIX drops all locks of a
process on a file when it closes any descriptor of it, and then another program that opens the archive and closes it
removes the log that is still written to."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from archive_messages import said

from archive_visitor import seen_by_a_visitor
from desktop_app.archive.archive import SearchThread
from desktop_app.archive.backups import make_backup
from desktop_app.archive.opening import check_is_ours
from desktop_app.archive.whole_archive import export_whole
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.paths import make_private_file, make_private_folder
from stores import Store


def read(archive: Path) -> None:
    Store(archive, read_only=True).close()


def search(archive: Path) -> None:
    async def once() -> None:
        thread = SearchThread(archive)
        await thread.search("hello")
        await thread.close()

    asyncio.run(once())


def back_up(archive: Path) -> None:
    make_backup(archive, archive.with_name("backup.sqlite3"))


def export(archive: Path) -> None:
    export_whole(archive, archive.with_name("spills"), archive.with_name("whole.zip"))


def check(archive: Path) -> None:
    check_is_ours(archive)


def keep_private(archive: Path) -> None:
    make_private_folder(archive.parent)
    make_private_file(archive)


@pytest.mark.skipif(os.name == "nt", reason="there a lock belongs to what it was taken with")
@pytest.mark.parametrize("reading", [read, search, back_up, export, check, keep_private])
@pytest.mark.long
def test_what_reads_beside_the_writer_leaves_it_the_lock(tmp_path: Path, reading: Callable[[Path], None]) -> None:
    archive = tmp_path / "archive.sqlite3"
    with closing(Store(archive)) as store:
        store.create(ConversationInfo("c", "C", 1.0, 1.0), [said("m1")])
        reading(archive)
        assert seen_by_a_visitor(archive) == 1
        store.append("c", said("m2"))
        assert seen_by_a_visitor(archive) == 2, "it is written to a log that the visitor has removed"
    assert seen_by_a_visitor(archive) == 2
