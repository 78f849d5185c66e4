"""Failures of the disk and of SQLite, for the user."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from peewee import DatabaseError

from desktop_app.chat.ports import ArchiveError
from desktop_app.conversation.events import Failure

DATABASE_ERRORS = (DatabaseError, sqlite3.DatabaseError)
"""peewee wraps errors of starting a statement, but not those of fetching its rows."""

_SCHEMA_ERROR = re.compile(r"no such (table|column)|malformed|vtable constructor failed")

KEPT = "Everything that was stored before is still there."
UNCHANGED = "Nothing was changed."
UNTOUCHED = "The file was not touched."


@contextmanager
def world_errors(path: Path) -> Iterator[None]:
    """Turn errors of the world into ArchiveError. Bugs pass, such as an id that is used twice."""
    try:
        yield
    except (*DATABASE_ERRORS, OSError) as error:
        failure = _failure_of(error, path)
        if failure is None:
            raise
        raise ArchiveError(failure) from error


def is_damage(error: BaseException) -> bool:
    """Return whether SQLite found the file's content damaged."""
    if _code(error) == sqlite3.SQLITE_ERROR:  # of a schema that can be read in part
        return bool(_SCHEMA_ERROR.search(str(error)))
    code = getattr(getattr(error, "orig", error), "sqlite_errorcode", None)
    return code == sqlite3.SQLITE_IOERR_SHORT_READ or _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _code(error: BaseException) -> int | None:
    """Return SQLite's primary result code. peewee keeps the driver's error as `orig`."""
    code: int | None = getattr(getattr(error, "orig", error), "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _failure_of(error: Exception, path: Path) -> Failure | None:
    detail = str(error)
    if isinstance(error, OSError):
        advice = "Check the folder and its permissions, or choose another one with --data-dir."
        return Failure("disk", f"The data folder {path.parent} cannot be used", detail, UNCHANGED, advice)
    if is_damage(error):
        kept = "The file was left as it is; conversations outside of the damaged place can still be read."
        advice = "Copy the file away, run `palimpsest doctor`, and go on from a backup if there is one."
        return Failure("damaged", f"The archive {path} is damaged", detail, kept, advice)
    match _code(error):
        case sqlite3.SQLITE_FULL:
            title, advice = "The disk is full", "Free some space, then try again."
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            title, advice = f"{path} cannot be written", "Check the permissions of the file and of its folder."
        case sqlite3.SQLITE_CANTOPEN:
            title, advice = f"{path} cannot be opened", "Check that the folder exists and can be written."
        case sqlite3.SQLITE_IOERR:
            title, advice = "The disk did not do what was asked", "Check the disk and its free space."
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            advice = "Close what else reads or writes it, then try again."
            return Failure("locked", "Another program holds the archive", detail, KEPT, advice)
        case _:
            return None
    return Failure("disk", title, detail, KEPT, advice)


def already_open(path: Path, holder: str) -> ArchiveError:
    """Return the error of a data folder in use. holder: the other process's id, if known."""
    detail = f"{path.parent} is in use" + (f" by process {holder}." if holder else ".")
    advice = "Use the window that is open, close it first, or choose another folder with --data-dir."
    title = "Palimpsest is already open on this data folder"
    return ArchiveError(Failure("locked", title, detail, UNCHANGED, advice))


def foreign_file(path: Path, detail: str) -> ArchiveError:
    """Return the error of a file that is no archive."""
    advice = "Move it elsewhere, or choose another folder with --data-dir."
    return ArchiveError(Failure("damaged", f"{path} is not a Palimpsest archive", detail, UNTOUCHED, advice))


def empty_beside_log(path: Path) -> ArchiveError:
    """Return the error of an empty archive with a log, which opening would erase."""
    title = f"The archive {path} is empty, but its log is not"
    detail = f"{path.name}-wal holds what was written last. Opening the empty file would erase it."
    advice = "Copy both files away, then put a backup in their place, or choose another folder with --data-dir."
    return ArchiveError(Failure("damaged", title, detail, "Neither file was touched.", advice))


def newer_archive(path: Path, version: int, known: int) -> ArchiveError:
    """Return the error of an archive with unknown migrations."""
    detail = f"It has version {version}; this program knows version {known} and older."
    title, advice = f"{path} was written by a newer Palimpsest", "Install the newest Palimpsest."
    return ArchiveError(Failure("damaged", title, detail, UNTOUCHED, advice))


def older_archive(path: Path, version: int) -> ArchiveError:
    """Return the error of an archive that must be migrated, which a reader must not do."""
    detail = f"It has version {version}, and is brought up to date when Palimpsest opens it."
    advice = "Start Palimpsest once on this data folder, then try again."
    return ArchiveError(Failure("locked", f"{path} was written by an older Palimpsest", detail, UNTOUCHED, advice))


def no_archive(path: Path) -> ArchiveError:
    """Return the error of a missing archive."""
    advice = "Start Palimpsest once, import a conversation, or choose another folder with --data-dir."
    return ArchiveError(Failure("not_found", f"There is no archive in {path.parent} yet", advice=advice))


def no_conversation(conversation: str) -> ArchiveError:
    """Return the error of a missing or deleted conversation."""
    title, detail = f"There is no conversation {conversation!r}", "It does not exist, or it was deleted."
    return ArchiveError(Failure("not_found", title, detail, advice="Choose one from the list."))
