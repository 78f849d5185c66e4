"""The schema as numbered migrations: migration n takes an archive from version n - 1 to n.

A released migration is never changed. `tests/archive/data` has an archive of each version, which must still open.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from peewee import SqliteDatabase

from desktop_app.paths import create_file, sync_file, sync_folder

from .disk_failures import newer_archive

APPLICATION_ID = int.from_bytes(b"Plmp", "big")
"""Distinguishes archives from other SQLite files; stored in the header."""

PAGES_AT_ONCE = 2048
"""Pages copied between two progress reports: 8 MB."""

Migration = tuple[str, ...]

OnProgress = Callable[[int, int], None]
"""Called often with the amount done and the total; an exception from it ends the operation."""


def ignore_progress(done: int, whole: int) -> None:
    """Ignore progress."""


FIRST: Migration = (
    """CREATE TABLE conversations (
        id TEXT NOT NULL PRIMARY KEY,
        title TEXT NOT NULL,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        model TEXT NOT NULL,
        share REAL NOT NULL,
        status TEXT NOT NULL,
        is_deleted INTEGER NOT NULL DEFAULT 0
    )""",
    """CREATE TABLE entries (
        number INTEGER PRIMARY KEY,
        conversation TEXT NOT NULL REFERENCES conversations (id),
        position INTEGER NOT NULL,
        message_index INTEGER,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        at REAL NOT NULL,
        body TEXT NOT NULL,
        UNIQUE (conversation, position)
    )""",
    "CREATE UNIQUE INDEX messages ON entries (conversation, message_index) WHERE message_index IS NOT NULL",
    # The transcript is append-only: not even a bug can change it.
    """CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
        BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END""",
    """CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
        BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END""",
    """CREATE TRIGGER conversations_never_go BEFORE DELETE ON conversations
        BEGIN SELECT RAISE(ABORT, 'conversations are marked as deleted, never erased'); END""",
    "CREATE TABLE archived (entry INTEGER PRIMARY KEY REFERENCES entries (number))",
    """CREATE TABLE partials (
        conversation TEXT NOT NULL PRIMARY KEY REFERENCES conversations (id),
        id TEXT NOT NULL,
        body TEXT NOT NULL
    )""",
    # The searched text, for both indexes. `words` finds words and their forms; `trigrams` finds parts of words, such as
    # identifiers, in 0.3 ms where a scan takes 30 (10,000 messages).
    "CREATE TABLE message_texts (entry INTEGER PRIMARY KEY REFERENCES entries (number), text TEXT NOT NULL)",
    """CREATE VIRTUAL TABLE words USING fts5 (
        text, content='message_texts', content_rowid='entry', tokenize='porter unicode61 remove_diacritics 2'
    )""",
    # detail=none suffices for LIKE, and takes half the space and two thirds of the time.
    """CREATE VIRTUAL TABLE trigrams USING fts5 (
        text, content='message_texts', content_rowid='entry', tokenize='trigram', detail=none
    )""",
)

SECOND: Migration = (
    "ALTER TABLE conversations ADD COLUMN folder TEXT NOT NULL DEFAULT ''",
    # replaced_by: the successor of a deleted memory; undoing the successor restores this one.
    """CREATE TABLE memories (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        text TEXT NOT NULL,
        at REAL NOT NULL,
        changed_at REAL NOT NULL,
        conversation TEXT NOT NULL DEFAULT '',
        author TEXT NOT NULL DEFAULT 'user',
        is_on INTEGER NOT NULL DEFAULT 1,
        is_deleted INTEGER NOT NULL DEFAULT 0,
        replaced_by TEXT NOT NULL DEFAULT ''
    )""",
    """CREATE TRIGGER memories_never_go BEFORE DELETE ON memories
        BEGIN SELECT RAISE(ABORT, 'memories are marked as deleted, never erased'); END""",
)
"""The working folder of a conversation, and memories."""

THIRD: Migration = ("ALTER TABLE conversations ADD COLUMN uncounted INTEGER NOT NULL DEFAULT 0",)
"""The number of uncounted messages; for an older conversation, it is stored when the conversation is opened."""

FOURTH: Migration = (
    "ALTER TABLE memories ADD COLUMN scope TEXT NOT NULL DEFAULT 'user'",
    "ALTER TABLE memories ADD COLUMN folder TEXT NOT NULL DEFAULT ''",
    """UPDATE memories SET folder = (SELECT folder FROM conversations WHERE conversations.id = memories.conversation)
        WHERE conversation IN (SELECT id FROM conversations)""",
    # The user never approved memories that rules found, so these apply only where they were made.
    """UPDATE memories SET scope = CASE folder WHEN '' THEN 'conversation' ELSE 'folder' END
        WHERE author = 'rule' AND conversation != ''""",
)
"""The scope of a memory."""

FIFTH: Migration = (
    "ALTER TABLE conversations ADD COLUMN policy TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE conversations ADD COLUMN section TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE conversations ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE conversations ADD COLUMN is_put_away INTEGER NOT NULL DEFAULT 0",
    "CREATE TABLE drafts (conversation TEXT NOT NULL PRIMARY KEY REFERENCES conversations (id), body TEXT NOT NULL)",
)
"""A policy and a place in the list for each conversation, and drafts, which are not in the record yet."""

SIXTH: Migration = ("ALTER TABLE conversations ADD COLUMN setup TEXT NOT NULL DEFAULT ''",)
"""The system prompt and the parameters of a conversation, as JSON."""

SEVENTH: Migration = ("CREATE INDEX operations ON entries (conversation, position) WHERE message_index IS NULL",)
"""An index of the entries of a conversation other than messages."""

EIGHTH: Migration = (
    "CREATE TABLE facet_names (facet INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (kind, name))",
    "CREATE TABLE facets (facet INTEGER NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (facet, entry)) WITHOUT ROWID",
    # Reading a million messages takes a minute, so facets are filled in the background (search_filters.py).
    "CREATE TABLE facets_missing (below INTEGER NOT NULL)",
    "INSERT INTO facets_missing (below) SELECT number + 1 FROM entries ORDER BY number DESC LIMIT 1",
)
"""Facets for search filters: the role, month, model, tools and code of messages."""

NINTH: Migration = (
    """CREATE TABLE projects (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        folder TEXT NOT NULL DEFAULT '',
        instructions TEXT NOT NULL DEFAULT '',
        policy TEXT NOT NULL DEFAULT '',
        model TEXT NOT NULL DEFAULT '',
        recall_in TEXT NOT NULL DEFAULT 'conversation',
        created_at REAL NOT NULL,
        is_deleted INTEGER NOT NULL DEFAULT 0
    )""",
    """CREATE TRIGGER projects_never_go BEFORE DELETE ON projects
        BEGIN SELECT RAISE(ABORT, 'projects are marked as deleted, never erased'); END""",
    "ALTER TABLE conversations ADD COLUMN project TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE memories ADD COLUMN project TEXT NOT NULL DEFAULT ''",
    """INSERT INTO projects (id, name, created_at)
        SELECT lower(hex(randomblob(16))), MIN(TRIM(section)), MIN(created_at) FROM conversations
        WHERE TRIM(section) != '' GROUP BY TRIM(section) COLLATE NOCASE""",
    """UPDATE conversations SET project = (SELECT id FROM projects WHERE name = TRIM(section) COLLATE NOCASE)
        WHERE TRIM(section) != ''""",
    "ALTER TABLE conversations DROP COLUMN section",
)
"""Projects, one for each former section of the list, and the project in which a memory was made."""

TENTH: Migration = (
    # meaning: reserved for a vector of the passage; empty so far.
    """CREATE TABLE passages (
        number INTEGER PRIMARY KEY, start INTEGER NOT NULL, length INTEGER NOT NULL, meaning BLOB NOT NULL DEFAULT x''
    )""",
    # In bytes: as a text, it would end at its first NUL.
    """CREATE VIEW passage_texts AS SELECT p.number AS number,
        CAST(substr(CAST(t.text AS BLOB), p.start + 1, p.length) AS TEXT) AS text
        FROM passages p JOIN message_texts t ON t.entry = p.number >> 12""",
    """CREATE VIRTUAL TABLE passage_words USING fts5 (
        text, content='passage_texts', content_rowid='number', tokenize='porter unicode61 remove_diacritics 2'
    )""",
    # Filled in the background, together with the facets, which are stored only once.
    "DELETE FROM facets_missing",
    "INSERT INTO facets_missing (below) SELECT number + 1 FROM entries ORDER BY number DESC LIMIT 1",
)
"""Passages of messages for recall."""

MIGRATIONS: tuple[Migration, ...] = (FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, EIGHTH, NINTH, TENTH)


def migrate(
    database: SqliteDatabase,
    path: Path,
    migrations: tuple[Migration, ...] = MIGRATIONS,
    on_progress: OnProgress = ignore_progress,
) -> None:
    """Migrate an archive to the newest version in one transaction, after a backup of an existing one.

    on_progress: called with numbers of pages of the backup. Raises ArchiveError for an archive of a newer Palimpsest.
    """
    version = version_of(database)
    if version > len(migrations):
        raise newer_archive(path, version, len(migrations))
    if version == len(migrations):
        return
    if version > 0:
        back_up(database, path.with_name(f"{path.stem}.backup-v{version}{path.suffix}"), on_progress)
    with database.atomic("IMMEDIATE"):
        for statement in (statement for migration in migrations[version:] for statement in migration):
            database.execute_sql(statement)
        database.execute_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute_sql(f"PRAGMA user_version = {len(migrations)}")


def version_of(database: SqliteDatabase) -> int:
    """Return the number of applied migrations; 0 for a new file."""
    return int(database.execute_sql("PRAGMA user_version").fetchone()[0])


def back_up(database: SqliteDatabase, target: Path, on_progress: OnProgress = ignore_progress) -> Path:
    """Copy the archive, completely or not at all. If a backup has the name already, the copy's name gets a number."""
    unfinished = target.with_suffix(".unfinished")
    copy_to_file(database, unfinished, on_progress)
    free, number = target, 2
    while free.exists():
        free, number = target.with_name(f"{target.stem}-{number}{target.suffix}"), number + 1
    unfinished.rename(free)
    sync_folder(free.parent)
    return free


def copy_to_file(database: SqliteDatabase, file: Path, on_progress: OnProgress = ignore_progress) -> None:
    """Copy a consistent snapshot of the archive to a file, even while it is written. A failure leaves no file.

    on_progress: called with numbers of pages.
    """
    os.close(create_file(file))
    try:
        with closing(sqlite3.connect(file)) as copy:
            # An incomplete copy is discarded, so it needs neither a journal nor a sync at each step.
            copy.execute("PRAGMA journal_mode = OFF")
            copy.execute("PRAGMA synchronous = OFF")
            database.connection().backup(
                copy, pages=PAGES_AT_ONCE, progress=lambda _, left, total: on_progress(total - left, total)
            )
        sync_file(file)
    except BaseException:
        file.unlink(missing_ok=True)
        raise
