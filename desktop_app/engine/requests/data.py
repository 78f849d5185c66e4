"""Requests about what is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, assert_never

from desktop_app.archive.backup import back_up_to_folder, list_backups, list_kept_copies
from desktop_app.archive.migrations import OnProgress
from desktop_app.archive.restoring import prepare_restore
from desktop_app.archive.store import Store
from desktop_app.archive.whole_archive import WholeArchive, export_whole
from desktop_app.chat.ports import WorldError
from desktop_app.chat.tasks import run_while_wanted, shielded
from desktop_app.conversation.events import Failure
from desktop_app.conversation.words import translatable
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine
from desktop_app.engine.progress import telling
from desktop_app.engine.stored_data import clean_up, describe_data
from desktop_app.paths import backups_folder, database_file, spills_folder

T = TypeVar("T")

NOT_DAMAGED = Failure("stale", translatable("The archive is not damaged"), kept=translatable("Nothing was changed."))


async def respond(engine: Engine, request: p.DataRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    data = engine.services.data
    archive, backups, spills = database_file(data), backups_folder(data), spills_folder(data)
    match request:
        case p.DescribeData():
            return request.respond_with(p.DataDescribed(await asyncio.to_thread(describe_data, data)))
        case p.ListBackups():
            found = await asyncio.to_thread(lambda: (*list_backups(backups), *list_kept_copies(archive)))
            return request.respond_with(p.BackupsListed(found, str(backups)))
        case p.BackUpNow():
            made = await _on_a_thread(engine, lambda on: back_up_to_folder(archive, backups, on))
            return request.respond_with(p.BackedUp(made))
        case p.RestoreBackup():
            return request.respond_with(await _restore(engine, archive, Path(request.file)))
        case p.BeginEmpty():
            raise WorldError(NOT_DAMAGED)
        case p.ExportWhole():
            path, is_replacing = Path(request.path), request.is_replacing
            whole = await _on_a_thread(engine, lambda on: export_whole(archive, spills, path, is_replacing, on))
            return request.respond_with(_written(whole))
        case p.CleanUp():
            chosen = request.chosen
            return request.respond_with(
                await _on_archive(engine, lambda store, on_progress: clean_up(store, data, chosen, on_progress))
            )
        case _:
            assert_never(request)


async def _on_a_thread(engine: Engine, work: Callable[[OnProgress], T]) -> T:
    """Run work beside the archive, which tells how far it is, until nobody waits for it any more."""
    tell = telling(engine.coalescer.publish, "data")
    wanted = run_while_wanted(lambda check: work(lambda done, whole: check() or tell(done, whole)))
    return await engine.compute(p.Computation.DATA, "", wanted)


async def _on_archive(engine: Engine, work: Callable[[Store, OnProgress], T]) -> T:
    """Run such work on the archive's own thread: whatever else is stored or read comes after it."""
    tell = telling(engine.coalescer.publish, "data")
    wanted = engine.services.archive.run_while_wanted(
        lambda store, check: work(store, lambda done, whole: check() or tell(done, whole))
    )
    return await engine.compute(p.Computation.DATA, "", wanted)


async def _restore(engine: Engine, archive: Path, backup: Path) -> p.BackupRestored:
    """Put a backup in the archive's place. What fails before the engine lets go of the old one raises WorldError."""
    engine.conversations.refuse_while_any_runs()
    new = await _on_a_thread(engine, lambda on_progress: prepare_restore(archive, backup, on_progress))
    return await shielded(_exchange(engine, new))


async def _exchange(engine: Engine, new: Path) -> p.BackupRestored:
    await engine.conversations.close()  # nobody shall write what belongs to the old one
    try:
        kept = await engine.services.archive.run(lambda store: store.exchange(new, is_keeping=True))
    except WorldError as error:
        return p.BackupRestored(failure=error.failure)
    return p.BackupRestored(str(kept or ""))


def _written(whole: WholeArchive) -> p.WholeExported:
    size = Path(whole.file).stat().st_size
    return p.WholeExported(whole.file, size, whole.conversations, whole.entries, whole.unreadable)
