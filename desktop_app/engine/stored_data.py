"""List the contents of the data folder with their sizes, remove the items that the user chooses, and back up daily."""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec

from desktop_app.archive.backups import back_up_to_folder, ids_in_copy, is_backup_due, list_backups
from desktop_app.archive.erasing import deleted_conversations, unused_room
from desktop_app.archive.migrations import OnProgress, ignore_progress
from desktop_app.archive.reading import attachment_bytes, spills_in_use
from desktop_app.archive.store import Store
from desktop_app.chat.ports import WorldError
from desktop_app.chat.tasks import CheckPoint, run_while_wanted
from desktop_app.conversation.events import ArchiveError, Failure
from desktop_app.conversation.installation import (
    ITEM_KINDS,
    Backup,
    ItemKind,
    PartKind,
    RemovableItem,
    StoredData,
    StoredPart,
)
from desktop_app.conversation.words import translatable
from desktop_app.paths import backups_folder, database_file, log_file, spills_folder

from .protocol import CleanedUp

SPILL_SECONDS = 3_600.0
"""Age at which an unused output can be removed. The result that refers to a newer one may not be stored yet."""
ARCHIVE_FILES = ("archive.sqlite3", "archive.sqlite3-wal", "archive.sqlite3-shm", "archive.counts", "archive.lock")
KEPT_PATTERNS: tuple[tuple[ItemKind, str], ...] = (
    ("update", "archive.backup-v*.sqlite3"),
    ("kept", "archive.damaged-*.sqlite3"),
    ("kept", "archive.before-restore-*.sqlite3"),
    ("kept", "settings.damaged*.json"),
    ("log", "palimpsest.log.*"),
)
SIDE_FILES = ("-wal", "-shm")
"""Suffixes of the files that SQLite keeps next to a database."""

STALE = Failure(
    "stale",
    translatable("What takes space has changed in the meantime"),
    kept=translatable("Nothing was removed."),
    advice=translatable("Look again, then choose again."),
)


def describe_data(data: Path) -> StoredData:
    """Return the contents of the folder, in about a second per gigabyte with attachments. Raises ArchiveError."""
    archive, items, attachments = database_file(data), list[RemovableItem](), 0
    if archive.exists():
        with closing(Store(archive, read_only=True)) as store:
            items = list(removable_items(store, data))
            attachments = store.read(attachment_bytes)
    free = shutil.disk_usage(next(folder for folder in (data, *data.absolute().parents) if folder.exists())).free
    order = sorted(items, key=lambda item: (ITEM_KINDS.index(item.kind), -item.size, item.key))
    return StoredData(str(data), str(log_file(data)), free, attachments, tuple(_parts(data)), tuple(order))


def removable_items(store: Store, data: Path) -> Iterator[RemovableItem]:
    """Yield the items that can be removed, in no particular order. Raises ArchiveError."""
    files = list(_removable_files(data))
    copies = {item.key: ids_in_copy(data / item.name) for item in files if item.name.endswith(".sqlite3")}
    for item in store.read(deleted_conversations):
        holders = tuple(key for key, ids in copies.items() if item.key.partition(":")[2] in ids)
        yield msgspec.structs.replace(item, copies=holders)
    yield from files
    if (unused_bytes := store.read(unused_room)) > 0:
        yield RemovableItem("room", "room", "", unused_bytes)
    if unused := unused_spills(data, store.read(spills_in_use, with_deleted=True)):
        yield RemovableItem("spills", "spills", "", sum(map(_size, unused)))


def unused_spills(data: Path, in_use: AbstractSet[str], seconds: float = SPILL_SECONDS) -> list[Path]:
    """Return the spills that nothing refers to and that are older than `seconds`."""
    newest = time.time() - seconds
    found = [path for path in spills_folder(data).glob("*/*") if path.name not in in_use]
    return [path for path in found if path.is_file() and path.stat().st_mtime < newest]


def clean_up(store: Store, data: Path, keys: Sequence[str], on_progress: OnProgress = ignore_progress) -> CleanedUp:
    """Remove the items with these keys, from `describe_data`. Items that cannot be removed are reported.

    on_progress: called with the bytes of the archive that have been rewritten, after everything else was removed; an
    exception that it raises ends the rewriting. Raises WorldError, before anything is removed, if an item no longer
    exists or a conversation has been restored.
    """
    items = {item.key: item for item in removable_items(store, data)}
    if missing := set(keys) - items.keys():
        raise WorldError(msgspec.structs.replace(STALE, detail=", ".join(sorted(missing))))
    chosen = [items[key] for key in dict.fromkeys(keys)]
    before, problems = _folder_size(data), list[Failure]()
    erased = [item.key.partition(":")[2] for item in chosen if item.kind == "conversation"]
    if erased:
        _erase(store, data, erased)
    files = [data / item.name for item in chosen if item.kind not in ("conversation", "room", "spills")]
    if "spills" in keys:
        files += unused_spills(data, store.read(spills_in_use, with_deleted=True))
    problems += [problem for file in files if (problem := _remove(file)) is not None]
    if erased or "room" in keys:
        try:
            store.compact(on_progress)
        except ArchiveError as error:
            problems.append(error.failure)
    return CleanedUp(max(before - _folder_size(data), 0), len(chosen) - len(problems), tuple(problems))


def _erase(store: Store, data: Path, conversations: Sequence[str]) -> None:
    """Erase conversations and the spills that only they refer to."""
    before = store.read(spills_in_use, with_deleted=True)
    store.erase(conversations)
    for name in before - store.read(spills_in_use, with_deleted=True):
        _remove(spills_folder(data) / name[:2] / name)


def _remove(file: Path) -> Failure | None:
    try:
        for name in (*SIDE_FILES, ""):
            file.with_name(file.name + name).unlink(missing_ok=True)
    except OSError as error:
        title = translatable("{name} could not be removed").format(name=file.name)
        advice = translatable("Check the permissions of the folder {folder}.").format(folder=file.parent)
        return Failure("disk", title, error.strerror or str(error), translatable("It was not changed."), advice)
    return None


def _removable_files(data: Path) -> Iterator[RemovableItem]:
    for backup in list_backups(backups_folder(data)):
        name = str(Path(backup.file).relative_to(data))
        yield RemovableItem(f"backup:{Path(name).name}", "backup", name, backup.size, backup.at)
    for kind, pattern in KEPT_PATTERNS:
        for path in data.glob(pattern):
            side_files = (path.with_name(path.name + name) for name in SIDE_FILES)
            size = sum(map(_size, (path, *side_files)))
            yield RemovableItem(f"{kind}:{path.name}", kind, path.name, size, path.stat().st_mtime)


def _parts(data: Path) -> Iterator[StoredPart]:
    kinds: dict[PartKind, list[Path]] = {"archive": [data / name for name in ARCHIVE_FILES]}
    kinds["spills"] = list(spills_folder(data).glob("*/*"))
    kinds["backups"] = list(backups_folder(data).glob("*"))
    kinds["kept"] = [path for _, pattern in KEPT_PATTERNS[:-1] for path in data.glob(f"{pattern}*")]
    kinds["logs"] = list(data.glob("palimpsest.log*"))
    known = {path for paths in kinds.values() for path in paths}
    kinds["other"] = [path for path in _files_of(data) if path not in known]
    where = {"spills": spills_folder(data), "backups": backups_folder(data), "other": data, "kept": data}
    where |= {"archive": database_file(data), "logs": log_file(data)}
    for kind, paths in kinds.items():
        files = [path for path in paths if path.is_file()]
        if files:
            yield StoredPart(kind, str(where[kind]), sum(map(_size, files)), len(files))


def _files_of(data: Path) -> Iterator[Path]:
    """Yield the program's own files: the data folder may contain others."""
    for pattern in ("archive.*", "settings*", "models.json", "window.*", "keys*", "prompts/**/*", "drafts/**/*"):
        yield from data.glob(pattern)


def _folder_size(data: Path) -> int:
    return sum(part.size for part in _parts(data))


def _size(file: Path) -> int:
    with suppress(OSError):  # removed in the meantime
        return file.stat().st_size
    return 0


FIRST_SECONDS = 60.0
"""Seconds from the start to the first check whether a backup is due, which would slow down the start."""
EVERY_SECONDS = 3600.0
"""Seconds between two checks: a window may be open for weeks, or the computer may have been asleep."""

log = logging.getLogger(__name__)


class DailyBackups:
    """Makes one backup a day while the engine runs. Only the first of several failures in a row is reported."""

    def __init__(self, data: Path, report: Callable[[Failure], None]) -> None:
        self._archive, self._folder = database_file(data), backups_folder(data)
        self._report = report
        self._has_failed = False

    async def run(self, first: float = FIRST_SECONDS, every: float = EVERY_SECONDS) -> None:
        """Back up whenever that is due, until cancelled."""
        await asyncio.sleep(first)
        while True:
            await self.back_up_if_due()
            await asyncio.sleep(every)

    async def back_up_if_due(self) -> None:
        """Make a backup unless there is one from the last day. A failure is reported; the next check tries again."""
        try:
            backup = await run_while_wanted(partial(_back_up_if_due, self._archive, self._folder))
        except WorldError as error:
            log.warning("the daily backup failed: %s %s", error.failure.title, error.failure.detail)
            if not self._has_failed:
                self._report(error.failure)
            self._has_failed = True
        else:
            self._has_failed &= backup is None


def _back_up_if_due(archive: Path, folder: Path, check: CheckPoint) -> Backup | None:
    if not is_backup_due(folder, datetime.now(UTC)):
        return None
    return back_up_to_folder(archive, folder, lambda *_: check())
