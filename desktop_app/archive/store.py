"""The archive, synchronous and on one thread.

Every method is one transaction, has stored its changes when it returns, and raises only ArchiveError for errors of the
world. An entry id that is used twice is a bug of the caller, and raises sqlite3.IntegrityError.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from peewee import SqliteDatabase

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.transcript import AnyEntry
from desktop_app.paths import make_private_file, make_private_folder

from . import health, importing, outlines, reading, writing
from . import memories as memory_rows
from .damage import keep_damaged
from .entry_counts import EntryCounts, lost_entries
from .failures import world_errors
from .lock import FolderLock
from .opening import check_is_ours, closed_on_error, open_to_read, open_to_write
from .recall_search import RecallSearch
from .search import search_messages
from .whole_archive import import_whole

log = logging.getLogger(__name__)

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


def _within(
    enter: Callable[[Store], AbstractContextManager[S]], function: Callable[Concatenate[S, P], T]
) -> Callable[Concatenate[Store, P], T]:
    """Return the function as a method of the store, called within that context with what it yields."""

    @wraps(function)
    def call(self: Store, *args: P.args, **kwargs: P.kwargs) -> T:
        with enter(self) as subject:
            return function(subject, *args, **kwargs)

    return call


class Store:
    """An open archive. It belongs to the thread that made it."""

    def __init__(self, path: Path, read_only: bool = False) -> None:
        """Open the archive, or create it. One process may write, any number may read. Raises ArchiveError."""
        self.path = path
        self._lock: FolderLock | None = None
        self._counts = EntryCounts(path)
        with world_errors(path):
            if not read_only:
                make_private_folder(path.parent)
                self._lock = FolderLock(path)
            try:
                self.database = open_to_read(path) if read_only else self._open()
            except BaseException:
                self._release()
                raise
        self._recall = RecallSearch(self.database)

    def _open(self) -> SqliteDatabase:
        """Open it for writing, after a damaged one was copied aside. Lost ends of conversations are marked."""
        check_is_ours(self.path)
        noted = self._counts.read()
        keep_damaged(self.path, noted)
        make_private_file(self.path)  # SQLite gives the files beside it the same mode
        database = open_to_write(self.path)
        with closed_on_error(database):
            lost = lost_entries(database, noted)
            with database.atomic("IMMEDIATE"):
                writing.append_lost_messages(database, lost)
            self._counts.begin(database)
        return database

    @contextmanager
    def _reading(self) -> Iterator[SqliteDatabase]:
        with world_errors(self.path):
            yield self.database

    @contextmanager
    def _writing(self) -> Iterator[SqliteDatabase]:
        """Begin a transaction that takes the write lock at once, so that it is never retried."""
        with world_errors(self.path), self.database.atomic("IMMEDIATE"):
            yield self.database

    @contextmanager
    def _recalling(self) -> Iterator[RecallSearch]:
        with world_errors(self.path):
            yield self._recall

    def close(self) -> None:
        """Fold the write-ahead log into the file, and release the data folder."""
        try:
            with world_errors(self.path):
                if self._lock is not None:
                    self.database.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            self.database.close()
            self._release()

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    conversations = _within(_reading, reading.conversations)
    conversation = _within(_reading, reading.conversation)
    setup = _within(_reading, reading.setup)
    entries = _within(_reading, reading.entries)
    entry_slice = _within(_reading, outlines.entry_slice)
    length = _within(_reading, outlines.length)
    record_outline = _within(_reading, outlines.outline)
    messages = _within(_reading, outlines.messages)
    message_index = _within(_reading, outlines.message_index)
    unsent = _within(_reading, reading.unsent)
    spills_in_use = _within(_reading, reading.spills_in_use)
    examine = _within(_reading, health.examine)
    search = _within(_reading, search_messages)
    outline = _within(_recalling, RecallSearch.outline)
    postings = _within(_recalling, RecallSearch.postings)
    messages_at = _within(_recalling, RecallSearch.messages_at)
    archived_indexes = _within(_recalling, RecallSearch.archived_indexes)
    change = _within(_writing, writing.change)
    store_gauge = _within(_writing, writing.store_gauge)
    store_unsent = _within(_writing, writing.store_unsent)
    store_partial = _within(_writing, writing.store_partial)
    set_archived = _within(_writing, writing.mark_archived)
    known_messages = _within(_reading, importing.known_messages)
    import_conversation = _within(_writing, importing.import_conversation)
    import_whole = _within(_writing, import_whole)
    memories = _within(_reading, memory_rows.read)
    store_memories = _within(_writing, memory_rows.store)
    undo_memories = _within(_writing, memory_rows.undo)
    redo_memories = _within(_writing, memory_rows.redo)

    def create(self, info: ConversationInfo, entries: Sequence[AnyEntry] = ()) -> None:
        """Create a conversation with its first entries."""
        with self._writing() as database:
            writing.create(database, info, entries)
        self._note_count(info.id)

    def append(self, conversation: str, *entries: AnyEntry) -> None:
        """Append to the transcript. A message that was stored as partial no longer is."""
        with self._writing() as database:
            writing.append(database, conversation, entries)
        self._note_count(conversation)

    def recover_partials(self) -> int:
        """Turn every reply that a crash left in flight into an interrupted message. Return how many."""
        with self._reading() as database:
            left = reading.partials(database)
        for conversation, message in left:
            self.append(conversation, message)
        return len(left)

    def _note_count(self, conversation: str) -> None:
        try:
            self._counts.note(self.database, conversation)
        except OSError as error:  # the entries themselves are stored
            log.warning("the entries of %s could not be counted: %s", conversation, error)
