"""Replacement of the archive with another file, which leaves either the old or the new one if killed at any moment."""

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
from .opening import ArchiveDatabase, FolderLock, check_is_ours, open_any_version, reading_connection, size_of_log
from .writing import EntryCounts

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
