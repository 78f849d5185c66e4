"""Putting another file in the archive's place. Killed at any moment, the archive is the old one or the new one."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from pathlib import Path

from desktop_app.chat.ports import ArchiveError
from desktop_app.paths import make_private_folder, sync_folder

from .backups import damage_of_copy
from .damage import copy_aside, damage_of, finish_replacing, free_name, remove_archive, replace_archive, salvaged_file
from .disk_failures import (
    DATABASE_ERRORS,
    backup_not_restored,
    damaged_backup,
    failing_as,
    newer_archive,
    world_errors,
)
from .migrations import MIGRATIONS, OnProgress, copy_to_file, ignore_progress, version_of
from .opening import ArchiveDatabase, FolderLock, check_is_ours, open_as_it_is, reading_connection, size_of_log
from .writing import EntryCounts

BEFORE_RESTORE = "before-restore"


def restored_file(archive: Path) -> Path:
    """Return where a backup is copied to before it takes the archive's place."""
    return archive.with_name(f"{archive.stem}.restored")


def compacted_file(archive: Path) -> Path:
    """Return where the archive is copied to, made smaller, before the copy takes its place."""
    return archive.with_name(f"{archive.stem}.compacted")


def prepare_restore(archive: Path, backup: Path, on_progress: OnProgress = ignore_progress) -> Path:
    """Copy a backup beside the archive, and check the copy. Raises ArchiveError; nothing was changed then.

    on_progress: called with pages of the file.
    """
    unfinished = restored_file(archive)
    with failing_as(lambda error: backup_not_restored(backup, error)), world_errors(archive):
        try:
            with world_errors(backup), closing(open_as_it_is(backup)) as database:
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
    """Put a backup in the archive's place. Return the copy of the archive that was there before; None without one.

    Raises ArchiveError; nothing was changed then: the backup is damaged or of a newer program, the disk is full, or
    another process has the archive open.
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
    """Put an archive that cannot be opened aside, as it is, so that an empty one can be made. Return the copy.

    Raises ArchiveError; nothing was changed then.
    """
    with world_errors(archive):
        lock = FolderLock(archive)
        try:
            aside = copy_aside(archive, "damaged") if archive.exists() else None
            EntryCounts(archive).forget()
            remove_archive(archive)
            return aside
        finally:
            lock.release()


def put_in_place(archive: Path, new: Path, *, is_keeping: bool) -> Path | None:
    """Put a file in the place of an archive that nobody has open. Return the copy of what was there, if it is kept.

    Raises OSError; the archive is as it was then.
    """
    aside = _set_aside(archive) if is_keeping and archive.exists() else None
    EntryCounts(archive).forget()
    replace_archive(archive, new)
    return aside


def remove_leftovers(archive: Path) -> None:
    """Finish what was decided, and remove what was left of what was not: of a file for the archive's place.

    Raises OSError.
    """
    finish_replacing(archive)
    for left in (restored_file(archive), compacted_file(archive), salvaged_file(archive)):
        for beside in ("", "-journal", "-wal", "-shm"):
            left.with_name(left.name + beside).unlink(missing_ok=True)
    if archive.exists() and archive.stat().st_nlink > 1:
        for aside in archive.parent.glob(f"{archive.stem}.{BEFORE_RESTORE}-*{archive.suffix}"):
            if aside.samefile(archive):
                aside.unlink()


def _fold_log(archive: Path) -> None:
    """Fold the log into the archive, so that one file is all of it; what is damaged stays as it is."""
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
    """Keep the archive by another name, without a copy where the disk can do that: it takes no room and no time."""
    if not size_of_log(archive):
        aside = free_name(archive, BEFORE_RESTORE)
        with suppress(OSError):
            os.link(archive, aside)
            sync_folder(aside.parent)
            return aside
    return copy_aside(archive, BEFORE_RESTORE)
