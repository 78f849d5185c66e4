from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from archive_messages import said

from desktop_app.archive.archive import ArchiveThread
from desktop_app.chat.ports import Archive, ArchiveError
from desktop_app.conversation.listing import ConversationInfo


async def opened(path: Path) -> ArchiveThread:
    archive = await ArchiveThread.open(path)
    await archive.create(ConversationInfo("c", "A conversation", 1.0, 1.0))
    return archive


async def test_it_does_all_that_the_port_promises(path: Path) -> None:
    thread = await opened(path)
    archive: Archive = thread  # what chat/ sees of it; pyright compares the two
    await archive.append("c", said("m1", "the ledger"), said("m2"))
    await archive.store_partial("c", said("r1", "half"))
    await archive.set_archived("c", ["m1"], [])
    await archive.store_gauge("c", 0.5, "warning")
    await archive.change("c", title="New")
    assert await archive.recover_partials() == 1
    assert [entry.id for entry in await archive.entries("c")] == ["m1", "m2", "r1"]
    assert [(result.message, result.archived) for result in await archive.search("ledger", None, 5)] == [("m1", True)]
    assert [info.title for info in await archive.conversations()] == ["New"]
    assert (await archive.conversation("c")).share == 0.5
    await archive.change("c", is_deleted=True)
    assert await archive.conversations() == ()
    await thread.close()


async def test_calls_are_carried_out_in_their_order_on_one_thread_of_their_own(path: Path) -> None:
    archive = await opened(path)
    names = [thread.name for thread in threading.enumerate() if thread.name.startswith("archive")]
    assert len(names) == 1
    await asyncio.gather(*(archive.append("c", said(f"m{number}")) for number in range(50)))
    assert [entry.id for entry in await archive.entries("c")] == [f"m{number}" for number in range(50)]
    await archive.close()
    assert not [thread.name for thread in threading.enumerate() if thread.name == names[0] and thread.is_alive()]


async def test_the_loop_goes_on_while_the_archive_works(path: Path) -> None:
    archive = await opened(path)
    work = asyncio.ensure_future(archive.append("c", *(said(f"m{n}", "word " * 100) for n in range(2_000))))
    beats = 0
    while not work.done():
        await asyncio.sleep(0)
        beats += 1
    await work
    assert beats > 10
    await archive.close()


async def test_close_carries_out_what_waits_and_frees_the_folder(path: Path) -> None:
    archive = await opened(path)
    waiting = asyncio.ensure_future(archive.append("c", said("m1")))
    await asyncio.sleep(0)
    await archive.close()
    await waiting
    again = await ArchiveThread.open(path)
    assert [entry.id for entry in await again.entries("c")] == ["m1"]
    await again.close()


async def test_errors_come_through_and_a_failed_opening_leaves_no_thread(path: Path) -> None:
    path.write_text("not an archive, " * 20)
    before = threading.active_count()
    with pytest.raises(ArchiveError, match="not a Palimpsest archive"):
        await ArchiveThread.open(path)
    for thread in threading.enumerate():
        if thread.name.startswith("archive"):
            thread.join(5)
    assert threading.active_count() <= before
