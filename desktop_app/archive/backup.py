"""Backups of the archive: made while it is written, checked by opening them, kept by their age, and restored."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path

import msgspec
from peewee import SqliteDatabase

from desktop_app.paths import FOLDER_MODE, make_private_folder

from .damage import copy_aside, damage_of, replace_archive
from .entry_counts import EntryCounts
from .failures import (
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
from .lock import FolderLock
from .migrations import MIGRATIONS, copy_to_file, version_of
from .opening import open_as_it_is, reading_connection

log = logging.getLogger(__name__)

NAME = "archive-%Y-%m-%dT%H%M%S.sqlite3"
"""Of a backup in its folder, by the time at which it was made, UTC."""
UNFINISHED = ".unfinished"
DAYS, WEEKS = 7, 4
EVERY = timedelta(days=1)

Check = Callable[[], None]
"""Called often while a backup is made; what it raises ends that."""


class Backup(msgspec.Struct, frozen=True):
    """A backup, and what it holds."""

    file: str
    at: float
    """When it was made, in seconds since 1970."""
    size: int
    """In bytes."""
    conversations: int = 0
    entries: int = 0
    is_damaged: bool = False


def make_backup(archive: Path, target: Path, check: Check = lambda: None, is_replacing: bool = False) -> Backup:
    """Write a backup to that file, complete and checked or not at all. Raises ArchiveError.

    A file that is there already stays, with a failure of the kind "exists", unless `is_replacing`.
    """
    if target.exists() and not (is_replacing and target.is_file()):
        raise backup_exists(target)
    unfinished = target.with_name(target.name + UNFINISHED)
    with failing_as(lambda error: backup_failed(target, error)), world_errors(target):
        try:
            with closing(open_as_it_is(archive)) as database, database.atomic("DEFERRED"):  # counted and copied as one
                target.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
                counts = _counts(database)
                copy_to_file(database, unfinished, check)
            if damage := _damage_of_copy(unfinished, counts):
                raise damaged_archive(archive, damage)
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
    return _backup_of(target, datetime.now(UTC), counts)


def back_up_to_folder(archive: Path, folder: Path, check: Check = lambda: None) -> Backup:
    """Add a backup to the folder, and remove those that are too old. Raises ArchiveError."""
    now = datetime.now(UTC).replace(microsecond=0)
    while (target := folder / now.strftime(NAME)).exists():
        now += timedelta(seconds=1)
    made = make_backup(archive, target, check)
    _remove_old(folder, now)
    return msgspec.structs.replace(made, at=now.timestamp())


def is_backup_due(folder: Path, now: datetime) -> bool:
    """Return whether none of the backups in the folder was made within the last day."""
    return not any(now - EVERY < at <= now for at in _times_of(folder).values())


def list_backups(folder: Path) -> tuple[Backup, ...]:
    """Return the backups in the folder, newest first, each with what it holds. Raises ArchiveError."""
    with world_errors(folder / "*"):
        times = sorted(_times_of(folder).items(), key=lambda item: item[1], reverse=True)
        return tuple(_described(path, at) for path, at in times)


def times_to_keep(times: Iterable[datetime], now: datetime) -> set[datetime]:
    """Return which backups stay: the newest of each of the last 7 days and of each of the last 4 weeks that have one.

    Days without a backup do not count, so that nothing goes while the program is not used. What seems to be of the
    future was made when the clock was wrong: it stays until its time has come.
    """
    newest_first = sorted(set(times), reverse=True)
    past = [at for at in newest_first if at <= now]
    days: dict[date, datetime] = {}
    weeks: dict[tuple[int, int], datetime] = {}
    for at in past:
        days.setdefault(at.date(), at)
        weeks.setdefault(at.isocalendar()[:2], at)
    return {*newest_first} - {*past} | {*islice(days.values(), DAYS)} | {*islice(weeks.values(), WEEKS)}


def restore_backup(archive: Path, backup: Path) -> Path | None:
    """Put a backup in the archive's place. Return the copy of the archive that was there before; None without one.

    Raises ArchiveError; nothing was changed then: the backup is damaged or of a newer program, the disk is full, or
    another process has the archive open.
    """
    unfinished = archive.with_name(f"{archive.stem}.restored")
    with world_errors(archive):
        make_private_folder(archive.parent)
        lock = FolderLock(archive)
        try:
            with failing_as(lambda error: backup_not_restored(backup, error)):
                _copy_checked(backup, unfinished)
            aside = copy_aside(archive, "before-restore") if archive.exists() else None
            EntryCounts(archive).forget()
            replace_archive(archive, unfinished)
            return aside
        finally:
            unfinished.unlink(missing_ok=True)
            lock.release()


def _copy_checked(backup: Path, unfinished: Path) -> None:
    with world_errors(backup), closing(open_as_it_is(backup)) as database:
        if (version := version_of(database)) > len(MIGRATIONS):
            raise newer_archive(backup, version, len(MIGRATIONS))
        copy_to_file(database, unfinished)
    if damage := _damage_of_copy(unfinished):
        raise damaged_backup(backup, damage)


def _damage_of_copy(file: Path, counts: tuple[int, int] | None = None) -> str:
    """Return what is wrong with a copy of the archive, "" if nothing is. counts: what it must hold."""
    with closing(reading_connection(file, "mode=ro&immutable=1")) as database:  # makes no files beside it
        if damage := damage_of(database):
            return damage
        found = _counts(database)
        return "" if counts in (None, found) else f"the copy has {found} conversations and entries, not {counts}"


def _counts(database: SqliteDatabase) -> tuple[int, int]:
    (conversations,) = database.execute_sql("SELECT COUNT(*) FROM conversations WHERE NOT is_deleted").fetchone()
    (entries,) = database.execute_sql("SELECT COUNT(*) FROM entries").fetchone()
    return conversations, entries


def _described(path: Path, at: datetime) -> Backup:
    try:
        with closing(reading_connection(path, "mode=ro&immutable=1")) as database:
            return _backup_of(path, at, _counts(database))
    except DATABASE_ERRORS as error:
        log.warning("the backup %s cannot be read: %s", path, error)
        return Backup(str(path), at.timestamp(), path.stat().st_size, is_damaged=True)


def _backup_of(path: Path, at: datetime, counts: tuple[int, int]) -> Backup:
    return Backup(str(path), at.timestamp(), path.stat().st_size, *counts)


def _times_of(folder: Path) -> dict[Path, datetime]:
    """Return the backups of the folder with their times. Other files in it are not ours."""
    return {path: at for path in folder.glob("archive-*.sqlite3") if (at := _time_in(path.name)) is not None}


def _time_in(name: str) -> datetime | None:
    with suppress(ValueError):
        return datetime.strptime(name, NAME).replace(tzinfo=UTC)
    return None


def _remove_old(folder: Path, now: datetime) -> None:
    """Remove the backups that are too old, and what was left of one that was cut off. What cannot be removed stays."""
    times = _times_of(folder)
    kept = times_to_keep(times.values(), now)
    old = [path for path, at in times.items() if at not in kept]
    for left in folder.glob(f"archive-*{UNFINISHED}"):
        at = _time_in(left.name.removesuffix(UNFINISHED))
        old += [left] if at is not None and at < now - EVERY else []
    for path in old:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            log.warning("the old backup %s cannot be removed: %s", path, error)
