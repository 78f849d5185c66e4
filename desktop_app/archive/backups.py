"""Backups of the archive: made while it is in use, verified by opening them, removed by age, and restored.

Restoring replaces the archive with another file, and leaves either the old or the new one if killed at any moment.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Literal

import msgspec
from peewee import SqliteDatabase

from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.installation import Backup
from desktop_app.paths import forget_picture, make_folder, make_private_folder, sync_folder

from .damage import copy_aside, damage_of, finish_replacing, free_name, remove_archive, replace_archive, salvaged_file
from .disk_failures import (
    DATABASE_ERRORS,
    backup_exists,
    backup_failed,
    backup_not_restored,
    damaged_archive,
    damaged_backup,
    failing_as,
    newer_archive,
    world_errors,
)
from .migrations import MIGRATIONS, OnProgress, copy_to_file, ignore_progress, version_of
from .opening import ArchiveDatabase, FolderLock, check_is_ours, open_any_version, reading_connection, size_of_log
from .writing import EntryCounts

log = logging.getLogger(__name__)

NAME = "archive-%Y-%m-%dT%H%M%S.sqlite3"
"""The file name of a backup in its folder, by the time when it was made, UTC."""
UNFINISHED = ".unfinished"
DAYS, WEEKS = 7, 4
EVERY = timedelta(days=1)


def make_backup(
    archive: Path, target: Path, on_progress: OnProgress = ignore_progress, is_replacing: bool = False
) -> Backup:
    """Write a backup to a file, complete and verified or not at all. Raises ArchiveError.

    An existing file is not overwritten (a failure of the kind "exists") unless `is_replacing`. on_progress: called with
    numbers of pages.
    """
    check_target(target, is_replacing)
    unfinished = target.with_name(target.name + UNFINISHED)
    with failing_as(lambda error: backup_failed(target, error)), world_errors(target):
        try:
            # One transaction, so that the copy has the entries that were counted.
            with closing(open_any_version(archive)) as database, database.atomic("DEFERRED"):
                make_folder(target.parent)
                counts = entry_total(database)
                copy_to_file(database, unfinished, on_progress)
            if damage := damage_of_copy(unfinished, counts):
                raise damaged_archive(archive, damage)
            unfinished.replace(target)
            sync_folder(target.parent)
        finally:
            unfinished.unlink(missing_ok=True)
    return _backup_of(target, datetime.now(UTC), counts)


def back_up_to_folder(archive: Path, folder: Path, on_progress: OnProgress = ignore_progress) -> Backup:
    """Add a backup to the folder, and remove old ones. Raises ArchiveError."""
    now = datetime.now(UTC).replace(microsecond=0)
    while (target := folder / now.strftime(NAME)).exists():
        now += timedelta(seconds=1)
    backup = make_backup(archive, target, on_progress)
    _remove_old(folder, now)
    return msgspec.structs.replace(backup, at=now.timestamp())


def check_target(target: Path, is_replacing: bool) -> None:
    """Raise ArchiveError if the file exists and must not be replaced, or if its name is invalid."""
    with failing_as(lambda error: backup_failed(target, error)), world_errors(target):
        is_there = target.exists()
    if is_there and not (is_replacing and target.is_file()):
        raise backup_exists(target)


def is_backup_due(folder: Path, now: datetime) -> bool:
    """Return whether no backup in the folder was made within the last day."""
    return not any(now - EVERY < at <= now for at in _times_of(folder).values())


def list_backups(folder: Path) -> tuple[Backup, ...]:
    """Return the backups in the folder, newest first, each with the size of its content. Raises ArchiveError."""
    with world_errors(folder / "*"):
        times = sorted(_times_of(folder).items(), key=lambda item: item[1], reverse=True)
        return tuple(_described(path, at) for path, at in times)


def list_kept_copies(archive: Path) -> tuple[Backup, ...]:
    """Return the copies of the archive that were made before a restore or an update, newest first.

    Raises ArchiveError.
    """
    with world_errors(archive):
        found = [_described(path, _changed_at(path), why) for path, why in _kept_copies(archive)]
    return tuple(sorted(found, key=lambda copy: copy.at, reverse=True))


def ids_in_copy(copy: Path) -> frozenset[str]:
    """Return the ids of the conversations in a copy of the archive; empty if it cannot be read."""
    try:
        with closing(reading_connection(copy, "mode=ro&immutable=1")) as database:
            return frozenset(str(row[0]) for row in database.execute_sql("SELECT id FROM conversations").fetchall())
    except DATABASE_ERRORS as error:
        log.warning("the copy %s cannot be read: %s", copy, error)
        return frozenset()


def times_to_keep(times: Iterable[datetime], now: datetime) -> set[datetime]:
    """Return the backups to keep: the newest of each of the last 7 days and of each of the last 4 weeks that have one.

    Days without a backup do not count, so that no backup is removed while the program is not used. A backup from the
    future was made when the clock was wrong: it is kept until that time has come.
    """
    newest_first = sorted(set(times), reverse=True)
    past = [at for at in newest_first if at <= now]
    days: dict[date, datetime] = {}
    weeks: dict[tuple[int, int], datetime] = {}
    for at in past:
        days.setdefault(at.date(), at)
        weeks.setdefault(at.isocalendar()[:2], at)
    return {*newest_first} - {*past} | {*islice(days.values(), DAYS)} | {*islice(weeks.values(), WEEKS)}


def damage_of_copy(file: Path, counts: tuple[int, int] | None = None) -> str:
    """Return a description of the damage in a copy of the archive; "" if it is sound.

    counts: the numbers of conversations and entries that it must have.
    """
    with closing(reading_connection(file, "mode=ro&immutable=1")) as database:  # immutable: creates no other files
        if damage := damage_of(database):
            return damage
        found = entry_total(database)
        return "" if counts in (None, found) else f"the copy has {found} conversations and entries, not {counts}"


def entry_total(database: SqliteDatabase) -> tuple[int, int]:
    """Return the number of conversations that are not deleted, and of all entries."""
    (conversations,) = database.execute_sql("SELECT COUNT(*) FROM conversations WHERE NOT is_deleted").fetchone()
    (entries,) = database.execute_sql("SELECT COUNT(*) FROM entries").fetchone()
    return conversations, entries


def _described(path: Path, at: datetime, kept_before: Literal["", "restore", "update"] = "") -> Backup:
    backup = Backup(str(path), at.timestamp(), path.stat().st_size, is_damaged=True, kept_before=kept_before)
    try:
        with closing(reading_connection(path, "mode=ro&immutable=1")) as database:
            conversations, entries = entry_total(database)
    except DATABASE_ERRORS as error:
        log.warning("the backup %s cannot be read: %s", path, error)
        return backup
    return msgspec.structs.replace(backup, conversations=conversations, entries=entries, is_damaged=False)


def _kept_copies(archive: Path) -> Iterator[tuple[Path, Literal["restore", "update"]]]:
    for path in archive.parent.glob(f"{archive.stem}.before-restore-*{archive.suffix}"):
        yield path, "restore"
    for path in archive.parent.glob(f"{archive.stem}.backup-v*{archive.suffix}"):
        yield path, "update"


def _changed_at(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _backup_of(path: Path, at: datetime, counts: tuple[int, int]) -> Backup:
    return Backup(str(path), at.timestamp(), path.stat().st_size, *counts)


def _times_of(folder: Path) -> dict[Path, datetime]:
    """Return the backups in the folder with their times. Other files in it are ignored."""
    return {path: at for path in folder.glob("archive-*.sqlite3") if (at := _time_in(path.name)) is not None}


def _time_in(name: str) -> datetime | None:
    with suppress(ValueError):
        return datetime.strptime(name, NAME).replace(tzinfo=UTC)
    return None


def _remove_old(folder: Path, now: datetime) -> None:
    """Remove old backups, and unfinished ones older than a day. Files that cannot be removed are logged."""
    times = _times_of(folder)
    kept = times_to_keep(times.values(), now)
    old = [path for path, at in times.items() if at not in kept]
    for unfinished in folder.glob(f"archive-*{UNFINISHED}"):
        at = _time_in(unfinished.name.removesuffix(UNFINISHED))
        old += [unfinished] if at is not None and at < now - EVERY else []
    for path in old:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            log.warning("the old backup %s cannot be removed: %s", path, error)


BEFORE_RESTORE = "before-restore"


def restored_file(archive: Path) -> Path:
    """Return the file that a backup is copied to before it replaces the archive."""
    return archive.with_name(f"{archive.stem}.restored")


def compacted_file(archive: Path) -> Path:
    """Return the file that the archive is compacted into before the copy replaces it."""
    return archive.with_name(f"{archive.stem}.compacted")


def prepare_restore(archive: Path, backup: Path, on_progress: OnProgress = ignore_progress) -> Path:
    """Copy a backup to a file next to the archive, and check the copy. Raises ArchiveError without changing anything.

    on_progress: called with numbers of pages.
    """
    unfinished = restored_file(archive)
    with failing_as(lambda error: backup_not_restored(backup, error)), world_errors(archive):
        try:
            with world_errors(backup), closing(open_any_version(backup)) as database:
                if (version := version_of(database)) > len(MIGRATIONS):
                    raise newer_archive(backup, version, len(MIGRATIONS))
                copy_to_file(database, unfinished, on_progress)
            if damage := damage_of_copy(unfinished):
                raise damaged_backup(backup, damage)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
    return unfinished


def restore_backup(archive: Path, backup: Path) -> Path | None:
    """Replace the archive with a backup. Return the copy of the previous archive; None if there was none.

    Raises ArchiveError without changing anything if the backup is damaged or was written by a newer program, the disk
    is full, or another process has the archive open.
    """
    with world_errors(archive):
        make_private_folder(archive.parent)
        lock = FolderLock(archive)
        try:
            finish_replacing(archive)
            new = prepare_restore(archive, backup)
            try:
                _fold_log(archive)
                return put_in_place(archive, new, is_keeping=True)
            finally:
                new.unlink(missing_ok=True)
        finally:
            lock.release()


def set_damaged_aside(archive: Path) -> Path | None:
    """Move an archive that cannot be opened aside, unchanged, so that an empty one can be created. Return the copy.

    Raises ArchiveError without changing anything.
    """
    with world_errors(archive):
        lock = FolderLock(archive)
        try:
            aside = copy_aside(archive, "damaged") if archive.exists() else None
            EntryCounts(archive).forget()
            forget_picture(archive.parent)
            remove_archive(archive)
            return aside
        finally:
            lock.release()


def put_in_place(archive: Path, new: Path, *, is_keeping: bool) -> Path | None:
    """Replace an archive that no connection has open with a file. Return the copy of the previous one, if it is kept.

    Raises OSError and leaves the archive unchanged then.
    """
    aside = _set_aside(archive) if is_keeping and archive.exists() else None
    EntryCounts(archive).forget()
    forget_picture(archive.parent)
    replace_archive(archive, new)
    return aside


def remove_leftovers(archive: Path) -> None:
    """Complete a committed replacement of the archive, and remove the files of uncommitted ones. Raises OSError."""
    finish_replacing(archive)
    for leftover in (restored_file(archive), compacted_file(archive), salvaged_file(archive)):
        for suffix in ("", "-journal", "-wal", "-shm"):
            leftover.with_name(leftover.name + suffix).unlink(missing_ok=True)
    if archive.exists() and archive.stat().st_nlink > 1:
        for aside in archive.parent.glob(f"{archive.stem}.{BEFORE_RESTORE}-*{archive.suffix}"):
            if aside.samefile(archive):
                aside.unlink()


def _fold_log(archive: Path) -> None:
    """Write the log into the archive, so that a single file is complete. A damaged archive is left unchanged."""
    if not archive.exists() or not size_of_log(archive):
        return
    with suppress(ArchiveError, *DATABASE_ERRORS):
        check_is_ours(archive)
        with closing(reading_connection(archive, "mode=ro")) as database:
            if damage_of(database):
                return
        with closing(ArchiveDatabase(str(archive), autoconnect=False)) as database:
            database.connect()
            database.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def _set_aside(archive: Path) -> Path:
    """Keep the archive under another name: as a hard link, which takes no space, or otherwise as a copy."""
    if not size_of_log(archive):
        aside = free_name(archive, BEFORE_RESTORE)
        with suppress(OSError):
            os.link(archive, aside)
            sync_folder(aside.parent)
            return aside
    return copy_aside(archive, BEFORE_RESTORE)
