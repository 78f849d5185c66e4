"""Synchronous access to the archive on one thread.

Every method is one transaction, has stored its changes when it returns, and raises only ArchiveError for errors of the
disk and the database. A duplicate entry id is a bug of the caller and raises sqlite3.IntegrityError.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from peewee import SqliteDatabase

from desktop_app.chat.ports import ArchiveError
from desktop_app.conversation.events import Failure
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.transcript import AnyEntry
from desktop_app.paths import make_private_file, make_private_folder

from . import damage, erasing, reading, search_filters, writing
from . import memory_table as memory_rows
from . import project_table as project_rows
from .backups import compacted_file, damage_of_copy, entry_total, put_in_place, remove_leftovers
from .damage import keep_damaged
from .disk_failures import damaged_archive, failing_as, in_use, mended_archive, not_compacted, world_errors
from .full_text_search import search_messages
from .migrations import OnProgress, ignore_progress
from .opening import FolderLock, check_is_ours, closed_on_error, open_to_read, open_to_write
from .recall_search import RecallRows, RecallSearch
from .whole_archive import import_whole
from .writing import EntryCounts, lost_entries, missing_entries

log = logging.getLogger(__name__)

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


def _within(
    enter: Callable[[Store], AbstractContextManager[S]], function: Callable[Concatenate[S, P], T]
) -> Callable[Concatenate[Store, P], T]:
    """Return a method of the store that calls the function with the value of a context manager, within the context."""

    @wraps(function)
    def call(self: Store, *args: P.args, **kwargs: P.kwargs) -> T:
        with enter(self) as subject:
            return function(subject, *args, **kwargs)

    return call


class Store:
    """An open archive, which belongs to the thread that opened it."""

    def __init__(self, path: Path, read_only: bool = False, on_progress: OnProgress = ignore_progress) -> None:
        """Open or create the archive. One process may write, any number may read. Raises ArchiveError.

        on_progress: called with numbers of pages of the backup that is made before an older archive is migrated.
        """
        self.path = path
        self.warning: Failure | None = None
        """The notice that the archive was damaged when it was opened, and how it was repaired; None if it was sound."""
        self._lock: FolderLock | None = None
        self._counts = EntryCounts(path)
        with world_errors(path):
            if not read_only:
                make_private_folder(path.parent)
                self._lock = FolderLock(path)
            try:
                self.database = open_to_read(path) if read_only else self._open(on_progress)
            except BaseException:
                self._release()
                raise
        self._forget_for_recall()

    def _open(self, on_progress: OnProgress = ignore_progress) -> SqliteDatabase:
        """Open the archive for writing; first copy a damaged one aside. Lost ends of conversations are marked."""
        remove_leftovers(self.path)
        check_is_ours(self.path)
        noted = self._counts.read()
        aside = keep_damaged(self.path, noted)
        make_private_file(self.path)  # SQLite creates its other files with the same mode
        database = open_to_write(self.path, on_progress)
        with closed_on_error(database):
            lost = lost_entries(database, noted)
            if aside is not None:
                self.warning = mended_archive(aside, entry_total(database), missing_entries(database, noted))
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

    @contextmanager
    def _recalling_across(self) -> Iterator[RecallRows]:
        with world_errors(self.path):
            yield self._recall_rows

    def close(self) -> None:
        """Write the log into the file, and release the data folder.

        On a full disk, the log remains, and its changes are read from it the next time.
        """
        try:
            with world_errors(self.path):
                if self._lock is not None:
                    self.database.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        except ArchiveError as error:  # not an error for the caller: everything is stored
            log.warning("the log of %s stays beside it: %s", self.path, error.failure.title)
        finally:
            self.database.close()
            self._release()

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    conversations = _within(_reading, reading.conversations)
    list_deleted = _within(_reading, reading.list_deleted)
    conversation = _within(_reading, reading.conversation)
    setup = _within(_reading, reading.setup)
    entries = _within(_reading, reading.entries)
    entry_slice = _within(_reading, reading.entry_slice)
    length = _within(_reading, reading.length)
    record_outline = _within(_reading, reading.outline)
    messages = _within(_reading, reading.messages)
    message_index = _within(_reading, reading.message_index)
    unsent = _within(_reading, reading.unsent)
    spills_in_use = _within(_reading, reading.spills_in_use)
    attachment_bytes = _within(_reading, reading.attachment_bytes)
    deleted_conversations = _within(_reading, erasing.deleted_conversations)
    unused_room = _within(_reading, erasing.unused_room)
    examine = _within(_reading, damage.examine)
    search = _within(_reading, search_messages)
    search_values = _within(_reading, search_filters.search_values)
    entries_without_facets = _within(_reading, search_filters.entries_without)
    fill_facets = _within(_writing, search_filters.fill_facets)
    outline = _within(_recalling, RecallSearch.outline)
    postings = _within(_recalling, RecallSearch.postings)
    messages_at = _within(_recalling, RecallSearch.messages_at)
    archived_indexes = _within(_recalling, RecallSearch.archived_indexes)
    read_rows = _within(_recalling_across, RecallRows.read_on)
    find_candidates = _within(_recalling_across, RecallRows.find_candidates)
    count_conversations = _within(_recalling_across, RecallRows.count_conversations)
    conversations_named = _within(_recalling_across, RecallRows.conversations_named)
    change = _within(_writing, writing.change)
    store_gauge = _within(_writing, writing.store_gauge)
    store_unsent = _within(_writing, writing.store_unsent)
    store_partial = _within(_writing, writing.store_partial)
    known_messages = _within(_reading, writing.known_messages)
    import_conversation = _within(_writing, writing.import_conversation)
    import_whole = _within(_writing, import_whole)
    projects = _within(_reading, project_rows.read)
    store_project = _within(_writing, project_rows.store)
    memories = _within(_reading, memory_rows.read)
    store_memories = _within(_writing, memory_rows.store)
    undo_memories = _within(_writing, memory_rows.undo)
    redo_memories = _within(_writing, memory_rows.redo)

    def create(self, info: ConversationInfo, entries: Sequence[AnyEntry] = (), archived: Sequence[str] = ()) -> None:
        """Create a conversation with its first entries. archived: the ids of messages that are not in its view."""
        with self._writing() as database:
            writing.create(database, info, entries, archived)
        self._note_count(info.id)

    def append(
        self, conversation: str, *entries: AnyEntry, archived: Sequence[str] = (), restored: Sequence[str] = ()
    ) -> None:
        """Append to the transcript. If the message was stored as a partial reply, that is removed.

        archived, restored: the ids of messages that the entries take out of the view, or bring back.
        """
        with self._writing() as database:
            writing.append(database, conversation, entries, archived, restored)
        self._note_count(conversation)

    def recover_partials(self) -> int:
        """Append every reply that a crash cut off as an interrupted message; return their number."""
        with self._reading() as database:
            partials = reading.partials(database)
        for conversation, message in partials:
            self.append(conversation, message)
        return len(partials)

    def erase(self, conversations: Sequence[str]) -> None:
        """Erase deleted conversations permanently, with everything in them; conversations not deleted are refused."""
        with world_errors(self.path):
            self._counts.forget_conversations(conversations)  # or the next start would report lost entries
        with self._writing() as database:
            erasing.erase(database, conversations)
        self._forget_for_recall()  # new rows may get the numbers of erased ones

    def compact(self, on_progress: OnProgress = ignore_progress) -> None:
        """Make the file smaller by the space of erased rows. An exception from on_progress ends that."""
        new = compacted_file(self.path)
        with failing_as(not_compacted), world_errors(self.path):
            try:
                erasing.merge_indexes(self.database, on_progress)
                erasing.copy_compacted(self.database, new, on_progress)
                if damage := damage_of_copy(new, entry_total(self.database)):
                    raise damaged_archive(self.path, damage)
                self.exchange(new, is_keeping=False)
            finally:
                new.unlink(missing_ok=True)

    def exchange(self, new: Path, *, is_keeping: bool) -> Path | None:
        """Replace this archive, which stays locked, with a checked copy of an archive, and open it.

        Return the copy of the previous archive, if it is kept. An ArchiveError leaves the archive unchanged.
        """
        with world_errors(self.path):
            (is_read, *_) = self.database.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if is_read:
                raise in_use(self.path)
            self.database.close()
            try:
                return put_in_place(self.path, new, is_keeping=is_keeping)
            finally:
                self.database = self._open()
                self._forget_for_recall()

    def _forget_for_recall(self) -> None:
        self._recall, self._recall_rows = RecallSearch(self.database), RecallRows(self.database)

    def _note_count(self, conversation: str) -> None:
        try:
            self._counts.note(self.database, conversation)
        except OSError as error:  # the entries themselves are stored
            log.warning("the entries of %s could not be counted: %s", conversation, error)
