"""Synchronous access to an archive: its file, its lock and its transactions.

What returned from a transaction is stored. For errors of the disk and the database, only ArchiveError is raised; a
duplicate entry id is a bug of the caller and raises sqlite3.IntegrityError.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, Unpack

from peewee import SqliteDatabase

from desktop_app.conversation.events import ArchiveError, Failure
from desktop_app.conversation.listing import Changes, ConversationInfo
from desktop_app.conversation.transcript import AnyEntry
from desktop_app.conversation.unsent import UnsentMessages
from desktop_app.paths import forget_picture, make_private_file, make_private_folder

from . import erasing, reading, writing
from .backups import compacted_file, damage_of_copy, entry_total, put_in_place, remove_leftovers
from .damage import keep_damaged
from .disk_failures import damaged_archive, failing_as, in_use, mended_archive, not_compacted, world_errors
from .migrations import OnProgress, ignore_progress
from .opening import FolderLock, check_is_ours, closed_on_error, open_to_read, open_to_write
from .recall_search import RecallSearch
from .writing import EntryCounts, lost_entries, missing_entries

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")


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
        self._recall = RecallSearch(self.database)

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

    def read(self, query: Callable[Concatenate[SqliteDatabase, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function that reads from the database. Raises ArchiveError."""
        with world_errors(self.path):
            return query(self.database, *args, **kwargs)

    def write(self, change: Callable[Concatenate[SqliteDatabase, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function that writes to the database, in one transaction. Raises ArchiveError.

        The transaction takes the write lock at once, so that it is never retried.
        """
        with world_errors(self.path), self.database.atomic("IMMEDIATE"):
            return change(self.database, *args, **kwargs)

    def recall(self, look_up: Callable[[RecallSearch], T]) -> T:
        """Call a function that looks something up for a recall. Raises ArchiveError."""
        with world_errors(self.path):
            return look_up(self._recall)

    def create(self, info: ConversationInfo, entries: Sequence[AnyEntry] = (), archived: Sequence[str] = ()) -> None:
        """Create a conversation with its first entries. archived: the ids of messages that are not in its view."""
        self.write(writing.create, info, entries, archived)
        self._note_count(info.id)

    def append(
        self,
        conversation: str,
        *entries: AnyEntry,
        archived: Sequence[str] = (),
        restored: Sequence[str] = (),
        unsent: UnsentMessages | None = None,
    ) -> None:
        """Append to the transcript. If the message was stored as a partial reply, that is removed.

        archived, restored: the ids of messages that the entries take out of the view, or bring back. unsent: the draft
        and the queue from now on; None if they stay.
        """
        self.write(writing.append, conversation, entries, archived, restored, unsent)
        self._note_count(conversation)

    def recover_partials(self) -> int:
        """Append every reply that a crash cut off as an interrupted message; return their number."""
        partials = self.read(reading.partials)
        for conversation, message in partials:
            self.append(conversation, message)
        return len(partials)

    def change(self, conversation: str, **changes: Unpack[Changes]) -> None:
        """Change a conversation's columns. The picture of the window, which may show a deleted one, is removed."""
        if "is_deleted" in changes:
            with world_errors(self.path):
                forget_picture(self.path.parent)
        self.write(writing.change, conversation, **changes)

    def erase(self, conversations: Sequence[str]) -> None:
        """Erase deleted conversations permanently, with everything in them; conversations not deleted are refused."""
        with world_errors(self.path):
            self._counts.forget_conversations(conversations)  # or the next start would report lost entries
            forget_picture(self.path.parent)
        self.write(erasing.erase, conversations)
        self._recall = RecallSearch(self.database)  # new rows may get the numbers of erased ones

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
                self._recall = RecallSearch(self.database)

    def _note_count(self, conversation: str) -> None:
        try:
            self._counts.note(self.database, conversation)
        except OSError as error:  # the entries themselves are stored
            log.warning("the entries of %s could not be counted: %s", conversation, error)
