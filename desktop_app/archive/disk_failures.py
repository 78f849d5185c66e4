"""Translation of errors of the disk and of SQLite into failures that the window shows."""

from __future__ import annotations

import errno
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from peewee import DatabaseError

from desktop_app.conversation.events import ArchiveError, Failure
from desktop_app.conversation.words import translatable

DATABASE_ERRORS = (DatabaseError, sqlite3.DatabaseError, UnicodeDecodeError)
"""Errors of the database. peewee wraps errors of starting a statement, but not errors of fetching its rows. sqlite3
raises UnicodeDecodeError for an error message that quotes a damaged schema."""

_SCHEMA_ERROR = re.compile(
    "no such (table|column|tokenizer|module|index)|malformed|vtable constructor failed|invalid fts5 file format"
    "|unrecognized (column )?option|parse error in|error in tokenizer|reserved fts5|has no column named"
)
"""SQLite's messages about a schema whose text was damaged. No statement of this program causes them otherwise."""

DISK_FULL = translatable("The disk is full")
FREE_SPACE = translatable("Free some space, then try again.")
FULL = (errno.ENOSPC, errno.EDQUOT)
KEPT = translatable("Everything that was stored before is still there.")
UNCHANGED = translatable("Nothing was changed.")
UNTOUCHED = translatable("The file was not touched.")
UNWRITABLE = translatable("{path} cannot be written")
CHECK_PERMISSIONS = translatable("Check the permissions of the file and of its folder.")


@contextmanager
def world_errors(path: Path) -> Iterator[None]:
    """Raise ArchiveError for errors of the disk and the database. Bugs, such as a duplicate id, propagate unchanged."""
    try:
        yield
    except (*DATABASE_ERRORS, OSError) as error:
        failure = _failure_of(error, path)
        if failure is None:
            raise
        raise ArchiveError(failure) from error


@contextmanager
def failing_as(described: Callable[[ArchiveError], ArchiveError]) -> Iterator[None]:
    """Replace an ArchiveError by one that describes the failed operation."""
    try:
        yield
    except ArchiveError as error:
        raise described(error) from error


def is_damage(error: BaseException) -> bool:
    """Return whether an error means that the file's content is damaged."""
    if isinstance(error, UnicodeDecodeError):
        return True
    if _code(error) == sqlite3.SQLITE_ERROR:  # e.g. a schema that is partly readable
        return bool(_SCHEMA_ERROR.search(str(error)))
    code = getattr(getattr(error, "orig", error), "sqlite_errorcode", None)
    return code == sqlite3.SQLITE_IOERR_SHORT_READ or _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _code(error: BaseException) -> int | None:
    """Return SQLite's primary result code. peewee keeps the driver's error as `orig`."""
    code: int | None = getattr(getattr(error, "orig", error), "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


_BY_CODE = {
    sqlite3.SQLITE_FULL: (DISK_FULL, FREE_SPACE),
    sqlite3.SQLITE_READONLY: (UNWRITABLE, CHECK_PERMISSIONS),
    sqlite3.SQLITE_PERM: (UNWRITABLE, CHECK_PERMISSIONS),
    sqlite3.SQLITE_CANTOPEN: (
        translatable("{path} cannot be opened"),
        translatable("Check that the folder exists and can be written."),
    ),
    sqlite3.SQLITE_IOERR: (
        translatable("The disk reported an error"),
        translatable("Check the disk and its free space."),
    ),
}
"""Title and advice by SQLite's result code."""


def _failure_of(error: Exception, path: Path) -> Failure | None:
    detail, code = str(error), _code(error)
    if isinstance(error, OSError) and error.errno in FULL:
        return Failure("disk", DISK_FULL, detail, KEPT, FREE_SPACE)
    if isinstance(error, OSError):
        title = translatable("The data folder {parent} cannot be used").format(parent=path.parent)
        advice = translatable("Check the folder and its permissions, or choose another one with --data-dir.")
        return Failure("disk", title, detail, UNCHANGED, advice)
    if is_damage(error):
        return damaged_archive(path, detail).failure
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        title = translatable("Another program is using the archive")
        return Failure("locked", title, detail, KEPT, translatable("Close other programs that use it, then try again."))
    if code in _BY_CODE:
        title, advice = _BY_CODE[code]
        return Failure("disk", title.format(path=path), detail, KEPT, advice)
    return None


def _error(kind: str, title: str, detail: str = "", kept: str = "", advice: str = "") -> ArchiveError:
    return ArchiveError(Failure(kind, title, detail, kept, advice))


def damaged_archive(path: Path, detail: str) -> ArchiveError:
    """Return the error for a damaged archive."""
    kept = translatable("The file was left as it is; conversations outside of the damaged place can still be read.")
    advice = translatable("Copy the file away, run `palimpsest doctor`, and go on from a backup if there is one.")
    title = translatable("The archive {path} is damaged").format(path=path)
    return _error("damaged", title, detail, kept, advice)


def mended_archive(aside: Path, total: tuple[int, int], missing: int) -> Failure:
    """Return the notice about an archive that was repaired. total: the conversations and entries that were readable."""
    detail = translatable("What could be read is here: {conversations} conversations with {entries} entries.").format(
        conversations=f"{total[0]:,}", entries=f"{total[1]:,}"
    )
    if missing:
        detail = translatable(
            "What could be read is here: {conversations} conversations with {entries} entries. {missing} are missing; "
            "where messages were lost, the conversation says so."
        ).format(conversations=f"{total[0]:,}", entries=f"{total[1]:,}", missing=f"{missing:,}")
    kept = translatable("The damaged file was kept as it was: {file}.").format(file=aside.name)
    advice = translatable("If you miss something, restore a backup: Settings, Data.")
    return Failure("damaged", translatable("The archive was damaged"), detail, kept, advice)


def already_open(path: Path, holder: str) -> ArchiveError:
    """Return the error for a data folder in use. holder: the other process's id; "" if unknown."""
    used = translatable("{folder} is in use by process {holder}.") if holder else translatable("{folder} is in use.")
    detail = used.format(folder=path.parent, holder=holder)
    advice = translatable("Use the window that is open, close it first, or choose another folder with --data-dir.")
    title = translatable("Palimpsest is already open on this data folder")
    return _error("locked", title, detail, UNCHANGED, advice)


def foreign_file(path: Path, detail: str) -> ArchiveError:
    """Return the error for a file that is not an archive."""
    advice = translatable("Move it elsewhere, or choose another folder with --data-dir.")
    title = translatable("{path} is not a Palimpsest archive").format(path=path)
    return _error("damaged", title, detail, UNTOUCHED, advice)


def empty_beside_log(path: Path) -> ArchiveError:
    """Return the error for an empty archive with a log, which opening would erase."""
    title = translatable("The archive {path} is empty, but its log is not").format(path=path)
    detail = translatable("{name}-wal holds what was written last. Opening the empty file would erase it.").format(
        name=path.name
    )
    advice = translatable(
        "Copy both files away, then put a backup in their place, or choose another folder with --data-dir."
    )
    return _error("damaged", title, detail, translatable("Neither file was touched."), advice)


def newer_archive(path: Path, version: int, known: int) -> ArchiveError:
    """Return the error for an archive of a newer version."""
    detail = translatable("It has version {version}; this program knows version {known} and older.").format(
        version=version, known=known
    )
    title = translatable("{path} was written by a newer Palimpsest").format(path=path)
    return _error("newer", title, detail, UNTOUCHED, translatable("Install the newest Palimpsest."))


def older_archive(path: Path, version: int) -> ArchiveError:
    """Return the error for an archive that must be migrated first, which needs write access."""
    detail = translatable("It has version {version}, and is brought up to date when Palimpsest opens it.").format(
        version=version
    )
    advice = translatable("Start Palimpsest once on this data folder, then try again.")
    title = translatable("{path} was written by an older Palimpsest").format(path=path)
    return _error("older", title, detail, UNTOUCHED, advice)


def no_archive(path: Path) -> ArchiveError:
    """Return the error for a missing archive."""
    advice = translatable("Start Palimpsest once, import a conversation, or choose another folder with --data-dir.")
    title = translatable("There is no archive in {parent} yet").format(parent=path.parent)
    return _error("not_found", title, advice=advice)


def no_conversation(conversation: str) -> ArchiveError:
    """Return the error for a missing or deleted conversation."""
    title = translatable("There is no conversation {conversation}").format(conversation=f"{conversation!r}")
    detail = translatable("It does not exist, or it was deleted.")
    return _error("not_found", title, detail, advice=translatable("Choose one from the list."))


def backup_exists(path: Path) -> ArchiveError:
    """Return the error for a backup that would replace an existing file."""
    title = translatable("A file {name} already exists").format(name=path.name)
    advice = translatable("Replace it, or choose another.")
    return _error("exists", title, str(path), translatable("It was not changed."), advice)


def backup_failed(path: Path, error: ArchiveError) -> ArchiveError:
    """Return the error for a backup that could not be made. error: the cause."""
    title = translatable("The backup {path} could not be made").format(path=path)
    return _because_of(error, title, translatable("The archive and older backups were not changed."))


def backup_not_restored(path: Path, error: ArchiveError) -> ArchiveError:
    """Return the error for a backup that cannot be restored. error: the cause."""
    return _because_of(error, translatable("{path} cannot be restored").format(path=path), UNCHANGED)


def _because_of(error: ArchiveError, title: str, kept: str) -> ArchiveError:
    why = error.failure
    detail = " ".join(part for part in (f"{why.title}.", why.detail) if part)
    return _error(why.kind, title, detail, kept, why.advice)


def damaged_backup(path: Path, damage: str) -> ArchiveError:
    """Return the error for a damaged backup."""
    title = translatable("The backup {path} is damaged").format(path=path)
    return _error("damaged", title, damage, UNTOUCHED, translatable("Choose another backup."))


def not_deleted(conversation: str) -> ArchiveError:
    """Return the error for erasing a conversation that is not deleted or does not exist."""
    title = translatable("The conversation {conversation} is not among the deleted ones").format(
        conversation=f"{conversation!r}"
    )
    advice = translatable("Look again at what takes space.")
    return _error("stale", title, kept=UNCHANGED, advice=advice)


def in_use(path: Path) -> ArchiveError:
    """Return the error for an archive that cannot be replaced because another connection is reading it."""
    advice = translatable("Try again in a minute: a backup or another program is reading it.")
    return _error("locked", translatable("{path} is being read").format(path=path), kept=UNCHANGED, advice=advice)


def not_compacted(error: ArchiveError) -> ArchiveError:
    """Return the error for an archive that could not be compacted. error: the cause."""
    kept = translatable("What was removed is gone; its space will be used again.")
    return _because_of(error, translatable("The archive could not be made smaller"), kept)


def bad_export(path: Path, detail: str) -> ArchiveError:
    """Return the error for an exported archive that cannot be imported."""
    title = translatable("{path} cannot be imported").format(path=path)
    advice = translatable("Export everything again, with the newest Palimpsest.")
    return _error("damaged", title, detail, UNCHANGED, advice)
