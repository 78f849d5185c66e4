"""The archive, synchronous and on one thread.

Every method is one transaction, has stored its changes when it returns, and raises only ArchiveError for errors of the
world. An entry id that is used twice is a bug of the caller, and raises sqlite3.IntegrityError.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Unpack

from peewee import ModelSelect, Query, SqliteDatabase, Value, fn

from desktop_app.chat.ports import Changes
from desktop_app.context.recall.outline import Outline
from desktop_app.conversation.gauge import Status
from desktop_app.conversation.listing import ConversationInfo, SearchResult
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import AnyEntry
from desktop_app.paths import make_private_file, make_private_folder

from . import health, memories, reading, search, writing
from .damage import keep_damaged
from .entry_counts import EntryCounts, lost_entries
from .failures import no_conversation, world_errors
from .lock import FolderLock
from .opening import check_is_ours, open_to_read, open_to_write
from .recall_search import MAX_HELD, RecallSearch
from .rows import info_of, replace_surrogates_in_text
from .tables import ConversationRow, EntryRow

log = logging.getLogger(__name__)


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
        try:
            lost = lost_entries(database, noted)
            with database.atomic("IMMEDIATE"):
                writing.append_lost_messages(database, lost)
            self._counts.begin(database)
        except BaseException:
            database.close()
            raise
        return database

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

    def conversations(self) -> tuple[ConversationInfo, ...]:
        """Return the conversations that are not deleted, newest first."""
        return tuple(self._infos(_conversations().order_by(ConversationRow.updated_at.desc(), ConversationRow.id)))

    def conversation(self, conversation: str) -> ConversationInfo:
        infos = self._infos(_conversations().where(ConversationRow.id == conversation))
        if not infos:
            raise no_conversation(conversation)
        return infos[0]

    def create(self, info: ConversationInfo, entries: Sequence[AnyEntry] = ()) -> None:
        """Create a conversation with its first entries."""
        with self._writing():
            self._execute(
                ConversationRow.insert(
                    id=info.id,
                    title=replace_surrogates_in_text(info.title),
                    created_at=info.created_at,
                    updated_at=info.updated_at,
                    model=info.model,
                    share=info.share,
                    status=info.status.value,
                    is_deleted=False,
                    folder=replace_surrogates_in_text(info.folder),
                    uncounted=sum(isinstance(entry, Message) and not entry.is_counted for entry in entries),
                )
            )
            writing.append(self.database, info.id, entries)
        self._note_count(info.id)

    def change(self, conversation: str, **changes: Unpack[Changes]) -> None:
        """Change the title, model or working folder, or delete or restore it. Nothing is ever erased."""
        mended = {
            name: replace_surrogates_in_text(value) if isinstance(value, str) else value
            for name, value in changes.items()
        }
        self._update(conversation, mended)

    def store_gauge(self, conversation: str, share: float, status: str, uncounted: int = 0) -> None:
        """Store the used share of the window, and the number of uncounted messages, for the sidebar."""
        self._update(conversation, {"share": share, "status": Status(status).value, "uncounted": uncounted})

    def entries(self, conversation: str) -> tuple[AnyEntry, ...]:
        """Return the transcript in its order. A damaged message is replaced by one that says so."""
        with world_errors(self.path):
            return reading.entries(self.database, conversation)

    def spills_in_use(self) -> frozenset[str]:
        with world_errors(self.path):
            return reading.spills_in_use(self.database)

    def append(self, conversation: str, *entries: AnyEntry) -> None:
        """Append to the transcript. A message that was stored as partial no longer is."""
        with self._writing():
            writing.append(self.database, conversation, entries)
        self._note_count(conversation)

    def store_partial(self, conversation: str, partial: Message) -> None:
        """Store the part of a reply that has arrived, replacing an earlier one of the conversation."""
        with self._writing():
            writing.store_partial(self.database, conversation, partial)

    def recover_partials(self) -> int:
        """Turn every reply that a crash left in flight into an interrupted message. Return how many."""
        with world_errors(self.path):
            left = reading.partials(self.database)
        for conversation, message in left:
            self.append(conversation, message)
        return len(left)

    def set_archived(self, conversation: str, archived: Sequence[str], restored: Sequence[str]) -> None:
        """Mark which messages are archived, for search results."""
        with self._writing():
            writing.mark_archived(self.database, conversation, archived, restored)

    def memories(self, with_deleted: bool = False) -> tuple[Memory, ...]:
        """Return the memories, oldest first."""
        with world_errors(self.path):
            return memories.read(self.database, with_deleted)

    def store_memories(self, *kept: Memory, replaced: Mapping[str, str] | None = None) -> None:
        """Store memories that are new or changed.

        replaced: ids of memories that are deleted, and the id of each one's successor.
        """
        with self._writing():
            memories.store(self.database, kept, replaced or {})

    def undo_memories(self, ids: Sequence[str], at: float) -> None:
        """Delete those memories, and restore what they had replaced. Idempotent."""
        with self._writing():
            memories.undo(self.database, ids, at)

    def redo_memories(self, ids: Sequence[str], at: float) -> None:
        """Restore undone memories, and delete again what they had replaced. Idempotent."""
        with self._writing():
            memories.redo(self.database, ids, at)

    def search(self, query: str, conversation: str | None = None, limit: int = 50) -> tuple[SearchResult, ...]:
        """Return messages found by their words, best first, including archived ones."""
        with world_errors(self.path):
            return search.search(self.database, query, conversation, limit)

    def outline(self, conversation: str) -> Outline:
        """Return the outline, which is cached: 60 ms for 10,000 messages, then 0.1 ms."""
        with world_errors(self.path):
            return self._recall.outline(conversation)

    def postings(self, conversation: str, terms: Sequence[str], most: int = MAX_HELD) -> dict[str, tuple[int, ...]]:
        """Return for each term that is found the indexes of the first `most` messages with it, ascending."""
        with world_errors(self.path):
            return self._recall.postings(conversation, terms, most)

    def messages_at(self, conversation: str, indexes: Sequence[int]) -> dict[int, Message]:
        """Return the messages at those indexes, without missing and unreadable ones."""
        with world_errors(self.path):
            return self._recall.messages_at(conversation, indexes)

    def archived_indexes(self, conversation: str) -> frozenset[int]:
        """Return the indexes of the messages that a compaction took out of the view."""
        with world_errors(self.path):
            return self._recall.archived_indexes(conversation)

    def examine(self) -> health.Health:
        with world_errors(self.path):
            return health.examine(self.database)

    def _note_count(self, conversation: str) -> None:
        try:
            self._counts.note(self.database, conversation)
        except OSError as error:  # the entries themselves are stored
            log.warning("the entries of %s could not be counted: %s", conversation, error)

    def _update(self, conversation: str, values: dict[str, object]) -> None:
        with self._writing():
            changed = self._execute(ConversationRow.update(values).where(ConversationRow.id == conversation))
            if not changed:
                raise no_conversation(conversation)

    def _infos(self, query: ModelSelect[ConversationRow]) -> list[ConversationInfo]:
        with world_errors(self.path):
            return [info_of(columns) for columns in self.database.execute(query)]

    def _execute(self, query: Query) -> object:
        return query.execute(self.database)

    @contextmanager
    def _writing(self) -> Iterator[SqliteDatabase]:
        """Begin a transaction that takes the write lock at once, so that it is never retried."""
        with world_errors(self.path), self.database.atomic("IMMEDIATE"):
            yield self.database


def _conversations() -> ModelSelect[ConversationRow]:
    """Select the fields of ConversationInfo in their order."""
    messages = EntryRow.select(fn.MAX(EntryRow.message_index) + Value(1)).where(
        EntryRow.conversation == ConversationRow.id, EntryRow.message_index.is_null(False)
    )
    return ConversationRow.select(
        ConversationRow.id,
        ConversationRow.title,
        ConversationRow.created_at,
        ConversationRow.updated_at,
        fn.COALESCE(messages, 0) - ConversationRow.uncounted,
        ConversationRow.model,
        ConversationRow.share,
        ConversationRow.status,
        ConversationRow.folder,
    ).where(ConversationRow.is_deleted == Value(False))
