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
    if isinstance(error, OSError):
        return Failure(
            "disk",
            f"The data folder {path.parent} cannot be used",
            detail=str(error),
            kept="Nothing was changed.",
            advice="Check the folder and its permissions, or choose another one with --data-dir.",
        )
    if is_damage(error):
        return Failure(
            "damaged",
            f"The archive {path} is damaged",
            detail=str(error),
            kept="The file was left as it is; conversations outside of the damaged place can still be read.",
            advice="Copy the file away, run `palimpsest doctor`, and go on from a backup if there is one.",
        )
    match _code(error):
        case sqlite3.SQLITE_FULL:
            return _disk("The disk is full", error, "Free some space, then try again.")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return _disk(f"{path} cannot be written", error, "Check the permissions of the file and of its folder.")
        case sqlite3.SQLITE_CANTOPEN:
            return _disk(f"{path} cannot be opened", error, "Check that the folder exists and can be written.")
        case sqlite3.SQLITE_IOERR:
            return _disk("The disk did not do what was asked", error, "Check the disk and its free space.")
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return Failure(
                "locked",
                "Another program holds the archive",
                detail=str(error),
                kept=KEPT,
                advice="Close what else reads or writes it, then try again.",
            )
        case _:
            return None


def _disk(title: str, error: Exception, advice: str) -> Failure:
    return Failure("disk", title, detail=str(error), kept=KEPT, advice=advice)


def already_open(path: Path, holder: str) -> ArchiveError:
    """Return the error of a data folder in use. holder: the other process's id, if known."""
    return ArchiveError(
        Failure(
            "locked",
            "Palimpsest is already open on this data folder",
            detail=f"{path.parent} is in use" + (f" by process {holder}." if holder else "."),
            kept="Nothing was changed.",
            advice="Use the window that is open, close it first, or choose another folder with --data-dir.",
        )
    )


def foreign_file(path: Path, detail: str) -> ArchiveError:
    """Return the error of a file that is no archive."""
    return ArchiveError(
        Failure(
            "damaged",
            f"{path} is not a Palimpsest archive",
            detail=detail,
            kept="The file was not touched.",
            advice="Move it elsewhere, or choose another folder with --data-dir.",
        )
    )


def empty_beside_log(path: Path) -> ArchiveError:
    """Return the error of an empty archive with a log, which opening would erase."""
    return ArchiveError(
        Failure(
            "damaged",
            f"The archive {path} is empty, but its log is not",
            detail=f"{path.name}-wal holds what was written last. Opening the empty file would erase it.",
            kept="Neither file was touched.",
            advice="Copy both files away, then put a backup in their place, or choose another folder with --data-dir.",
        )
    )


def newer_archive(path: Path, version: int, known: int) -> ArchiveError:
    """Return the error of an archive with unknown migrations."""
    return ArchiveError(
        Failure(
            "damaged",
            f"{path} was written by a newer Palimpsest",
            detail=f"It has version {version}; this program knows version {known} and older.",
            kept="The file was not touched.",
            advice="Install the newest Palimpsest.",
        )
    )


def older_archive(path: Path, version: int) -> ArchiveError:
    """Return the error of an archive that must be migrated, which a reader must not do."""
    return ArchiveError(
        Failure(
            "locked",
            f"{path} was written by an older Palimpsest",
            detail=f"It has version {version}, and is brought up to date when Palimpsest opens it.",
            kept="The file was not touched.",
            advice="Start Palimpsest once on this data folder, then try again.",
        )
    )


def no_archive(path: Path) -> ArchiveError:
    """Return the error of a missing archive."""
    return ArchiveError(
        Failure(
            "not_found",
            f"There is no archive in {path.parent} yet",
            advice="Start Palimpsest once, import a conversation, or choose another folder with --data-dir.",
        )
    )


def no_conversation(conversation: str) -> ArchiveError:
    """Return the error of a missing or deleted conversation."""
    return ArchiveError(
        Failure(
            "not_found",
            f"There is no conversation {conversation!r}",
            detail="It does not exist, or it was deleted.",
            advice="Choose one from the list.",
        )
    )
