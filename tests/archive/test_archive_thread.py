from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from archive_messages import said

from desktop_app.archive.archive import Archive
from desktop_app.archive.reading import conversations
from desktop_app.archive.store import Store
from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.listing import ConversationInfo

Ask = Callable[[Archive], Awaitable[object]]


def archive_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("archive")]


@pytest.mark.long
async def test_calls_are_carried_out_in_their_order_on_one_thread_while_the_loop_goes_on(path: Path) -> None:
    archive = await Archive.open(path)
    await archive.create(ConversationInfo("c", "A conversation", 1.0, 1.0))
    assert len(archive_threads()) == 1
    work = asyncio.gather(*(archive.append("c", said(f"m{n}", "word " * 100)) for n in range(200)))
    beats = 0
    while not work.done():
        await asyncio.sleep(0)
        beats += 1
    assert beats > 10
    waiting = asyncio.ensure_future(archive.append("c", said("last")))
    await asyncio.sleep(0)
    await archive.close()
    await waiting
    assert archive_threads() == []
    again = await Archive.open(path)
    assert [entry.id for entry in await again.entries("c")] == [*(f"m{n}" for n in range(200)), "last"]
    await again.close()


async def test_errors_come_through_and_a_failed_opening_leaves_no_thread(path: Path) -> None:
    path.write_text("not an archive, " * 20)
    with pytest.raises(ArchiveError, match="not a Palimpsest archive"):
        await Archive.open(path)
    for thread in archive_threads():
        thread.join(5)
    assert archive_threads() == []


@pytest.mark.parametrize(
    "ask",
    [
        lambda archive: archive.conversations(),
        lambda archive: archive.run(Store.read, conversations),
    ],
    ids=["a method", "a function"],
)
async def test_what_is_asked_while_it_closes_is_carried_out_or_refused(tmp_path: Path, ask: Ask) -> None:
    archive = await Archive.open(tmp_path / "archive.sqlite3")
    before = asyncio.ensure_future(archive.conversations())
    await asyncio.sleep(0)
    closing = asyncio.ensure_future(archive.close())
    while not closing.done():
        await asyncio.sleep(0)
        with contextlib.suppress(ArchiveError):
            await ask(archive)
    assert await before == ()
    with pytest.raises(ArchiveError, match="is closing"):
        await ask(archive)
