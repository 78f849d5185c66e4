"""An engine whose archive cannot be opened: it says why, and does what mends that: a backup, or an empty archive."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from desktop_app.archive.backup import list_backups, list_kept_copies
from desktop_app.archive.restoring import restore_backup, set_damaged_aside
from desktop_app.chat.ports import WorldError
from desktop_app.conversation.events import Failure
from desktop_app.paths import backups_folder, database_file

from . import protocol as p
from .event_coalescer import EventCoalescer


async def refuse_everything(
    reader: asyncio.StreamReader, coalescer: EventCoalescer, data: Path, failure: Failure
) -> None:
    """Refuse each request with that failure, until the window goes, asks for the end, or lets the archive be mended."""
    while line := await reader.readline():
        with contextlib.suppress(p.ProtocolError):
            asked = p.decode_request(line)
            coalescer.send(await _answer(asked, data, failure))
            if isinstance(asked.request, p.Shutdown):
                return


async def _answer(asked: p.RequestLine[p.AnyRequest], data: Path, failure: Failure) -> p.ResponseLine[p.EngineResponse]:
    archive, request = database_file(data), asked.request
    try:
        match request:
            case p.Shutdown():
                return p.ResponseLine(asked.number, p.Done())
            case p.ListBackups():
                folder = backups_folder(data)
                found = await asyncio.to_thread(lambda: (*list_backups(folder), *list_kept_copies(archive)))
                return p.ResponseLine(asked.number, p.BackupsListed(found, str(folder)))
            case p.RestoreBackup():
                kept = await asyncio.to_thread(restore_backup, archive, Path(request.file))
                return p.ResponseLine(asked.number, p.BackupRestored(str(kept or "")))
            case p.BeginEmpty() if failure.kind == p.DAMAGED:
                kept = await asyncio.to_thread(set_damaged_aside, archive)
                return p.ResponseLine(asked.number, p.BackupRestored(str(kept or "")))
            case _:
                return p.ResponseLine(asked.number, failure=failure)
    except WorldError as error:
        return p.ResponseLine(asked.number, failure=error.failure)
