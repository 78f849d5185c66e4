"""Detect a damaged archive, copy it aside, and salvage its readable rows into a new one.

`palimpsest doctor` checks an archive by reading everything; it changes nothing.
"""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec
from peewee import SqliteDatabase

from desktop_app.conversation.message import Message
from desktop_app.open_databases import is_open_here
from desktop_app.paths import sync_file, sync_folder

from .disk_failures import DATABASE_ERRORS, is_damage
from .migrations import MIGRATIONS, migrate, version_of
from .opening import ArchiveDatabase, journal_of, reading_connection, size_of_log
from .projects_and_memories import unreadable as unreadable_values
from .tables import decode, readable_messages, searched_text
from .writing import lost_entries

log = logging.getLogger(__name__)

SIDE_FILES = ("-wal", "-shm")
"""Suffixes of SQLite's files next to the archive."""
FACETS_MISSING = "INSERT INTO facets_missing (below) SELECT number + 1 FROM entries ORDER BY number DESC LIMIT 1"
COPIED = ("conversations", "entries", "archived", "partials", "memories", "drafts")
"""Tables that are copied; the search tables are rebuilt from them."""
MAX_UNKNOWN_ROWS = 10_000
"""Missing rows in sequence after which a table ends, if damage hides the number of its last row."""
RECOVERED_TITLE = "Recovered conversation"
_ODD_INDEX = """typeof(position) != 'integer' OR (message_index IS NOT NULL
    AND (typeof(message_index) != 'integer' OR message_index NOT BETWEEN 0 AND position))"""
ODD_INDEXES = f"SELECT 1 FROM entries WHERE {_ODD_INDEX} LIMIT 1"
REPAIRED_INDEX = f"""CASE WHEN {_ODD_INDEX} THEN (SELECT COALESCE(MAX(before.message_index), -1) + 1 FROM entries before
    NOT INDEXED WHERE before.conversation = entries.conversation AND before.number < entries.number
    AND typeof(before.message_index) = 'integer' AND before.message_index <= before.position) ELSE message_index END"""
"""Replaces an impossible index by one more than the index of the previous message."""
ORPHANS = """INSERT OR IGNORE INTO conversations (id, title, created_at, updated_at, model, share, status)
    SELECT conversation, ?, MIN(at), MAX(at), '', 0.0, 'safe' FROM entries GROUP BY conversation"""


def keep_damaged(path: Path, noted: Mapping[str, int]) -> Path | None:
    """Copy a damaged archive aside and replace it with its readable rows. Return the copy; None for a sound archive.

    A sound archive that has only lost its newest entries is copied, but not replaced. noted: the last recorded number
    of entries of each conversation. Raises errors of peewee and sqlite3 if nothing can be read; OSError.
    """
    _roll_back(path)
    if not path.exists() or not path.stat().st_size:
        return None
    is_truncated = _is_truncated(path)
    with closing(reading_connection(path, "mode=ro", is_truncated)) as database:
        damage = "its end is missing" if is_truncated else damage_of(database)
        if not damage and not _has_lost(database, noted):
            return None
        log.error("the archive %s is damaged (%s); it is copied aside", path, damage or "its newest entries are gone")
        unfinished = _salvage(database, path) if damage else None
    aside = copy_aside(path, "damaged")
    if unfinished is not None:
        replace_archive(path, unfinished)
    return aside


def _roll_back(path: Path) -> None:
    """Let SQLite roll back a change that a power cut interrupted, which a read-only connection cannot do.

    There is a journal only while the archive is created.
    """
    if journal_of(path).exists():
        with suppress(*DATABASE_ERRORS), closing(ArchiveDatabase(str(path), autoconnect=False)) as database:
            database.connect()
            version_of(database)


def _is_truncated(path: Path) -> bool:
    """Return whether the file is shorter than its header says. With a log, the missing pages may be in the log.

    For an archive that this process has open elsewhere, the answer is False: it was checked before it was opened.
    """
    if is_open_here(path):
        return False
    with path.open("rb") as file:
        header = file.read(100)
    size, pages = int.from_bytes(header[16:18], "big"), int.from_bytes(header[28:32], "big")
    return not size_of_log(path) and path.stat().st_size < (65536 if size == 1 else size) * pages


def damage_of(database: SqliteDatabase) -> str:
    """Return a description of the damage in the file; "" if it is sound."""
    try:
        if version_of(database) > len(MIGRATIONS):
            return ""
        found = [row[0] for row in database.execute_sql("PRAGMA integrity_check(1)")]  # 0.07 s for 90 MB
        if version_of(database):
            for table, wanted in _columns_of_version(version_of(database)).items():
                database.execute_sql(f"SELECT 1 FROM {table} LIMIT 1").fetchone()
                if lost := wanted - _columns(database, table):
                    return f"the table {table} has lost {', '.join(sorted(lost))}"
            for index in ("words", "trigrams"):  # an integrity check does not read their configuration
                database.execute_sql(f"SELECT 1 FROM {index} WHERE {index} MATCH 'any' LIMIT 1").fetchone()
            if database.execute_sql(ODD_INDEXES).fetchone():
                return "an entry has an impossible index"
    except DATABASE_ERRORS as error:
        if not is_damage(error):
            return ""  # locked or unreadable: opening it raises
        return str(error)
    return "" if found == ["ok"] else str(found[0])


def _columns_of_version(version: int) -> dict[str, set[str]]:
    """Return the columns of each copied table in an archive of a version."""
    plain = SqliteDatabase(":memory:")
    with closing(plain):
        migrate(plain, Path(), MIGRATIONS[:version])
        columns = {table: _columns(plain, table) for table in COPIED}
    return {table: names for table, names in columns.items() if names}


def _columns(database: SqliteDatabase, table: str) -> set[str]:
    return {row[1] for row in database.execute_sql(f"PRAGMA table_info({table})")}


def _has_lost(database: SqliteDatabase, noted: Mapping[str, int]) -> bool:
    try:
        return bool(version_of(database) and lost_entries(database, noted))
    except DATABASE_ERRORS:
        return False  # opening it raises


def free_name(path: Path, reason: str) -> Path:
    """Return an unused name for a copy of the archive, which contains the reason for keeping it."""
    number = 1
    while (aside := path.with_name(f"{path.stem}.{reason}-{number}{path.suffix}")).exists():
        number += 1
    return aside


def copy_aside(path: Path, reason: str) -> Path:
    """Copy the archive and SQLite's side files to an unused name that contains the reason, completely or not at all.

    Raises OSError.
    """
    aside = free_name(path, reason)
    unfinished = aside.with_name(f"{aside.name}.unfinished")
    copies = {name: aside.with_name(aside.name + name) for name in SIDE_FILES} | {"": unfinished}
    try:
        for name, copy in copies.items():
            if (source := path.with_name(path.name + name)).exists():
                shutil.copyfile(source, copy)
                copy.chmod(0o600)
                sync_file(copy)
        unfinished.replace(aside)
        sync_folder(aside.parent)
        return aside
    except BaseException:
        for copy in copies.values():
            copy.unlink(missing_ok=True)
        raise


def replace_archive(path: Path, new: Path) -> None:
    """Replace the archive with another file; the first rename commits the replacement. Raises OSError."""
    sync_file(new)
    new.replace(_decided(path))
    sync_folder(path.parent)
    finish_replacing(path)


def remove_archive(path: Path) -> None:
    """Remove an archive that was copied aside. Raises OSError."""
    path.unlink(missing_ok=True)  # first: SQLite refuses a log without its file, but would open a file without its log
    for name in SIDE_FILES:
        path.with_name(path.name + name).unlink(missing_ok=True)
    sync_folder(path.parent)


def finish_replacing(path: Path) -> None:
    """Complete a `replace_archive` that a crash or a power cut interrupted, if there is one. Raises OSError."""
    new = _decided(path)
    if not new.exists():
        return
    for name in SIDE_FILES:  # before the rename: SQLite would use the old log for the new file
        path.with_name(path.name + name).unlink(missing_ok=True)
    new.replace(path)
    sync_folder(path.parent)


def salvaged_file(path: Path) -> Path:
    """Return the file that collects the readable rows of a damaged archive before it replaces the archive."""
    return path.with_name(f"{path.stem}.salvaged")


def _decided(path: Path) -> Path:
    return path.with_name(f"{path.stem}.decided")


def _salvage(damaged: SqliteDatabase, path: Path) -> Path:
    """Return a new archive with all readable rows. Raises errors of peewee if the schema cannot be read."""
    damaged.execute_sql("SELECT COUNT(*) FROM sqlite_master").fetchone()
    unfinished = salvaged_file(path)
    unfinished.unlink(missing_ok=True)
    os.close(os.open(unfinished, os.O_CREAT | os.O_WRONLY, 0o600))
    pragmas = {"journal_mode": "OFF", "synchronous": "OFF"}  # an unfinished file is discarded
    found = SqliteDatabase(str(unfinished), pragmas=pragmas, autoconnect=False)
    found.connect()
    with closing(found):
        migrate(found, unfinished)
        with found.atomic():
            for table in COPIED:
                _copy(damaged, found, table)
            found.execute_sql(ORPHANS, (RECOVERED_TITLE,))
            _make_searchable(found)
    return unfinished


def _copy(damaged: SqliteDatabase, found: SqliteDatabase, table: str) -> None:
    wanted = [row[1] for row in found.execute_sql(f"PRAGMA table_info({table})")]
    try:
        known = _columns(damaged, table)
    except DATABASE_ERRORS:
        return
    columns = ", ".join(column for column in wanted if column in known)
    if not columns:
        return
    marks = ", ".join("?" for column in wanted if column in known)
    insert = f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})"
    connection = found.connection()
    for row in _rows(damaged, table, columns):
        try:
            connection.execute(insert, row)
        except (sqlite3.IntegrityError, sqlite3.InterfaceError) as error:
            log.error("a row of %s cannot be kept: %s", table, error)


def _rows(damaged: SqliteDatabase, table: str, columns: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows in order, with one look-up for each: a scan would end at the first damaged page."""
    missing, last = 0, _last_row(damaged, table)
    number = 0
    while number <= last or missing < MAX_UNKNOWN_ROWS:
        try:
            wanted = columns.replace("message_index", REPAIRED_INDEX)
            query = f"SELECT {wanted} FROM {table} NOT INDEXED WHERE rowid = ?"
            row = damaged.execute_sql(query, (number,)).fetchone()
        except DATABASE_ERRORS:
            row = None
        missing = 0 if row is not None else missing + 1
        number += 1
        if row is not None:
            yield row


def _last_row(damaged: SqliteDatabase, table: str) -> int:
    try:
        last = damaged.execute_sql(f"SELECT MAX(rowid) FROM {table}").fetchone()[0]
    except DATABASE_ERRORS:
        return -1
    return last if isinstance(last, int) and last < 100 * MAX_UNKNOWN_ROWS else -1


def _make_searchable(found: SqliteDatabase) -> None:
    rows = found.execute_sql("SELECT number, body FROM entries WHERE message_index IS NOT NULL").fetchall()
    found.connection().executemany(
        "INSERT INTO message_texts (entry, text) VALUES (?, ?)",
        ((number, searched_text(message)) for number, message in readable_messages(rows)),
    )
    for index in ("words", "trigrams"):
        found.execute_sql(f"INSERT INTO {index} ({index}) VALUES ('rebuild')")
    found.execute_sql(FACETS_MISSING)


MAX_NAMED = 5
"""Damaged items that are listed by name; the others are only counted."""

_ENTRIES = """SELECT e.id, CAST(e.body AS BLOB), t.text,
    (e.number IN (SELECT id FROM words_docsize)) + (e.number IN (SELECT id FROM trigrams_docsize))
    FROM entries e LEFT JOIN message_texts t ON t.entry = e.number"""


class Health(msgspec.Struct, frozen=True):
    """The result of a check."""

    conversations: int = 0
    entries: int = 0
    damage: tuple[str, ...] = ()
    """SQLite's messages about damage in the file."""
    unreadable: tuple[str, ...] = ()
    """Entries, memories and projects whose content is damaged."""
    unsearchable: tuple[str, ...] = ()
    """Messages that are missing in the search tables, or have a different text there."""
    is_whole: bool = True
    """Whether the check was completed, so that the lists above are complete."""


def examine(database: SqliteDatabase) -> Health:
    """Check the entire archive, in half a second for 10,000 messages. Raises errors of peewee other than damage."""
    unreadable: list[str] = []
    unsearchable: list[str] = []
    damage: list[str] = []
    conversations = entries = 0
    is_whole = True
    try:
        found = [row[0] for row in database.execute_sql(f"PRAGMA integrity_check({MAX_NAMED})")]
        damage += [] if found == ["ok"] else found
        conversations = database.execute_sql("SELECT COUNT(*) FROM conversations").fetchone()[0]
        for entry_id, body, text, indexes in database.execute_sql(_ENTRIES):
            entries += 1
            try:
                entry = decode(body.decode())  # strict: elsewhere, invalid UTF-8 is replaced
            except (msgspec.DecodeError, UnicodeDecodeError, AttributeError, TypeError, RecursionError):
                unreadable.append(str(entry_id))
                continue
            if isinstance(entry, Message) and (indexes != 2 or text != searched_text(entry)):
                unsearchable.append(entry_id)
        unreadable += unreadable_values(database)
    except DATABASE_ERRORS as error:
        if not is_damage(error):
            raise
        damage.append(str(error))
        is_whole = False
    return Health(conversations, entries, tuple(damage), tuple(unreadable), tuple(unsearchable), is_whole)


def list_names(places: Iterable[str]) -> str:
    """Return the first MAX_NAMED names, and the number of further ones."""
    known = list(places)
    more = len(known) - MAX_NAMED
    return ", ".join(known[:MAX_NAMED]) + (f" and {more:,} more" if more > 0 else "")
