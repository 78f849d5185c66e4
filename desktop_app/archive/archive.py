"""Asynchronous access to the archive: `Archive` on one thread, its searches on another one with its own connection.

No reading or storing waits for a search.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, Unpack

from peewee import SqliteDatabase

from desktop_app.context.recall.outline import Outline
from desktop_app.context.recall.query import KnownConversation
from desktop_app.context.recall.rank import Candidates
from desktop_app.context.recall.times import TimeSpan
from desktop_app.conversation.events import ArchiveError, Failure
from desktop_app.conversation.foreign import ForeignConversation
from desktop_app.conversation.installation import WholeArchive
from desktop_app.conversation.listing import (
    NO_FILTERS,
    SEARCH_LIMIT,
    Changes,
    ConversationInfo,
    SearchFilters,
    SearchResult,
    SearchValues,
)
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import Message
from desktop_app.conversation.setup import ConversationSetup, Project
from desktop_app.conversation.transcript import AnyEntry, RecordOutline
from desktop_app.conversation.unsent import UnsentMessages
from desktop_app.conversation.words import translatable

from . import projects_and_memories, reading, search_filters, whole_archive, writing
from .disk_failures import KEPT, world_errors
from .full_text_search import search_messages
from .migrations import OnProgress, ignore_progress
from .opening import open_to_read
from .recall_search import MAX_HELD, RecallSearch
from .store import Store

CHECK_EVERY = 5_000
"""SQLite VM instructions between two checks whether the search was cancelled: 1 ms at most."""
CACHE = 16_000
"""Kilobytes of the index cached between two searches."""


class _Interest:
    """A flag that tells the search thread that its caller no longer waits."""

    is_over = False


class SearchThread:
    """Runs searches one after the other. A cancelled one stops, so that the search for the next keystroke can begin."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="search")
        self._database: SqliteDatabase | None = None  # used on that thread only

    async def search(
        self,
        query: str,
        conversation: str | None = None,
        limit: int = SEARCH_LIMIT,
        filters: SearchFilters = NO_FILTERS,
    ) -> tuple[SearchResult, ...]:
        """Run `search_messages` on the thread. Raises ArchiveError."""
        interest = _Interest()
        work = asyncio.get_running_loop().run_in_executor(
            self._thread, self._search, interest, query, conversation, limit, filters
        )
        try:
            return await work
        finally:
            interest.is_over = True

    async def close(self) -> None:
        """Wait for a running search, and close the connection."""
        if self._database is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._database.close)
        self._thread.shutdown(wait=False)

    def _search(
        self, interest: _Interest, query: str, conversation: str | None, limit: int, filters: SearchFilters
    ) -> tuple[SearchResult, ...]:
        with world_errors(self._path):
            if self._database is None:
                self._database = open_to_read(self._path)
                self._database.execute_sql(f"PRAGMA cache_size = -{CACHE}")
            connection = self._database.connection()
            connection.set_progress_handler(lambda: interest.is_over, CHECK_EVERY)
            with self._database.atomic("DEFERRED"):  # a consistent snapshot, whatever is stored in the meantime
                return search_messages(self._database, query, conversation, limit, filters)


CLOSING = Failure("engine", translatable("Palimpsest is closing"), kept=KEPT)
SLICE = 2_000
"""Entries read at a time, which takes a few milliseconds."""

P = ParamSpec("P")
T = TypeVar("T")


class Archive:
    """The durable store of conversations, memories and projects, on its own thread.

    Calls run one after the other, in their order. Each is one transaction, whose changes are stored when it returns;
    all raise ArchiveError. Cancelling a call prevents it from starting, but does not stop one that is running.
    """

    def __init__(self, store: Store, thread: ThreadPoolExecutor | None = None) -> None:
        """thread: the thread that opened the store; None to run each call at once, on the caller's."""
        self._store = store
        self._thread = thread
        self._searches = SearchThread(store.path)
        self._is_closing = False
        self.warning = store.warning
        self.memories_changed: Callable[[], None] = lambda: None
        """Called after each change of memories."""

    @classmethod
    async def open(cls, path: Path, read_only: bool = False, on_progress: OnProgress = ignore_progress) -> Archive:
        """Open the archive, or create it, as `Store` does; on_progress is called on its thread. Raises ArchiveError."""
        # One thread, because an SQLite connection belongs to the thread that opened it.
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="archive")
        try:
            store = await asyncio.get_running_loop().run_in_executor(thread, Store, path, read_only, on_progress)
        except BaseException:
            thread.shutdown(wait=False)  # cancelled: the opening may still run
            raise
        return cls(store, thread)

    async def close(self) -> None:
        """Finish the waiting calls, then close the file and release the data folder. Later calls raise ArchiveError."""
        try:
            await self._searches.close()
            self._is_closing = True
            await self._call(Store.close)
        finally:
            if self._thread is not None:
                self._thread.shutdown()  # it is idle now

    async def run(self, work: Callable[Concatenate[Store, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function with the store on the thread. Raises ArchiveError once the archive is being closed."""
        if self._is_closing:
            raise ArchiveError(CLOSING)
        return await self._call(work, *args, **kwargs)

    async def _call(self, work: Callable[Concatenate[Store, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self._thread is None:
            return work(self._store, *args, **kwargs)
        call = partial(work, self._store, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    async def _read(self, query: Callable[Concatenate[SqliteDatabase, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.run(lambda store: store.read(query, *args, **kwargs))

    async def _write(self, change: Callable[Concatenate[SqliteDatabase, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.run(lambda store: store.write(change, *args, **kwargs))

    async def _recall(self, look_up: Callable[[RecallSearch], T]) -> T:
        return await self.run(lambda store: store.recall(look_up))

    async def conversations(self) -> tuple[ConversationInfo, ...]:
        """Return the conversations that are not deleted, newest first."""
        return await self._read(reading.conversations)

    async def list_deleted(self) -> tuple[ConversationInfo, ...]:
        """Return the deleted conversations that have messages, newest first."""
        return await self._read(reading.list_deleted)

    async def conversation(self, conversation: str) -> ConversationInfo:
        """Return a conversation. Raises ArchiveError if it does not exist or is deleted."""
        return await self._read(reading.conversation, conversation)

    async def create(
        self, info: ConversationInfo, entries: Sequence[AnyEntry] = (), archived: Sequence[str] = ()
    ) -> None:
        """Create a conversation with its first entries. archived: the ids of messages that are not in its view."""
        await self.run(Store.create, info, tuple(entries), tuple(archived))

    async def change(self, conversation: str, **changes: Unpack[Changes]) -> None:
        """Change what the list shows of a conversation, or its setup, or delete or restore it. Nothing is erased."""
        await self.run(lambda store: store.change(conversation, **changes))

    async def store_gauge(self, conversation: str, share: float, status: str, uncounted: int = 0) -> None:
        """Store the used share of the window, and the number of uncounted messages, for the sidebar."""
        await self._write(writing.store_gauge, conversation, share, status, uncounted)

    async def setup(self, conversation: str) -> ConversationSetup:
        """Return the settings of a conversation; the defaults if none are stored or they cannot be read."""
        return await self._read(reading.setup, conversation)

    async def entries(self, conversation: str) -> tuple[AnyEntry, ...]:
        """Return the entire record; a damaged message is replaced by one that says so.

        A long record is read in slices, so that other calls can run between them.
        """
        read: list[AnyEntry] = []
        messages, end = 0, await self._read(reading.length, conversation)
        for start in range(0, end if end > SLICE else 0, SLICE):
            found = await self._read(reading.entry_slice, conversation, start, min(start + SLICE, end), messages)
            if found is None:
                return await self._read(reading.entries, conversation)
            read += found
            messages += sum(isinstance(entry, Message) for entry in found)
        return tuple(read) or await self._read(reading.entries, conversation)

    async def append(
        self,
        conversation: str,
        *entries: AnyEntry,
        archived: Sequence[str] = (),
        restored: Sequence[str] = (),
        unsent: UnsentMessages | None = None,
    ) -> None:
        """Append to the record. If one of the messages was stored as a partial reply, that is removed.

        archived, restored: the ids of messages that the entries take out of the view or bring back. unsent: the draft
        and the queue from now on; None if they stay.
        """
        archived, restored = tuple(archived), tuple(restored)
        await self.run(Store.append, conversation, *entries, archived=archived, restored=restored, unsent=unsent)

    async def store_partial(self, conversation: str, partial: Message) -> None:
        """Replace the conversation's partial reply, unless the complete one is in the record."""
        await self._write(writing.store_partial, conversation, partial)

    async def recover_partials(self) -> int:
        """Append every reply that a crash cut off as an interrupted message; return their number."""
        return await self.run(Store.recover_partials)

    async def record_outline(self, conversation: str) -> RecordOutline | None:
        """Return the outline of a record; None if it is damaged."""
        return await self._read(reading.outline, conversation)

    async def messages(self, conversation: str, indexes: Sequence[int], characters: int) -> tuple[Message, ...] | None:
        """Return the messages at the indexes in their order, until their texts have a total of `characters` characters.

        None if one of them is missing or damaged.
        """
        return await self._read(reading.messages, conversation, tuple(indexes), characters)

    async def message_index(self, conversation: str, message_id: str) -> int | None:
        """Return the index of a message among all messages of a record; None if it has no such message."""
        return await self._read(reading.message_index, conversation, message_id)

    async def spills_in_use(self) -> frozenset[str]:
        """Return the names of the spills to which conversations that are not deleted refer."""
        return await self._read(reading.spills_in_use)

    async def dollars_after(self, row: int, since: float) -> tuple[int, float]:
        """Return the newest row, and the US dollars in the usage of rows after `row`, recorded since that time."""
        return await self._read(reading.dollars_after, row, since)

    async def unsent(self, conversation: str) -> UnsentMessages:
        """Return the draft and the queued messages of a conversation; none if they are damaged."""
        return await self._read(reading.unsent, conversation)

    async def store_unsent(self, conversation: str, unsent: UnsentMessages) -> None:
        """Replace the draft and the queued messages of a conversation."""
        await self._write(writing.store_unsent, conversation, unsent)

    async def projects(self, with_deleted: bool = False) -> tuple[Project, ...]:
        """Return the projects, sorted by name."""
        return await self._read(projects_and_memories.projects, with_deleted)

    async def store_project(self, project: Project) -> None:
        """Store a project: a new one, or a changed one with a known id.

        Raises ArchiveError if another project that is not deleted has the same name.
        """
        await self._write(projects_and_memories.store_project, project)

    async def memories(self, with_deleted: bool = False) -> tuple[Memory, ...]:
        """Return the memories, oldest first."""
        return await self._read(projects_and_memories.memories, with_deleted)

    async def store_memories(self, *memories: Memory, replaced: Mapping[str, str] | None = None) -> None:
        """Store new or changed memories. replaced: the ids of memories to delete, each with its successor's id."""
        await self._write(projects_and_memories.store_memories, *memories, replaced=replaced)
        self.memories_changed()

    async def undo_memories(self, ids: Sequence[str], at: float) -> None:
        """Delete memories, and restore the ones that they replaced; repeating it changes nothing.

        at: seconds since 1970, UTC.
        """
        await self._write(projects_and_memories.undo_memories, tuple(ids), at)
        self.memories_changed()

    async def redo_memories(self, ids: Sequence[str], at: float) -> None:
        """Restore memories, and delete again the ones that they replace. at: seconds since 1970, UTC."""
        await self._write(projects_and_memories.redo_memories, tuple(ids), at)
        self.memories_changed()

    async def known_messages(self, ids: Sequence[str]) -> int:
        """Return how many of the messages are stored in conversations that are not deleted."""
        return await self._read(writing.known_messages, tuple(ids))

    async def import_conversation(self, foreign: ForeignConversation, file: str, project: str = "") -> int:
        """Store the new entries of a foreign conversation; return the number of messages in them.

        project: the id of the project for a new conversation; "" for the project that the other program names, or
        otherwise the project of the agent's folder.
        """
        return await self._write(writing.import_conversation, foreign, file, project)

    async def import_whole(self, spills: Path, path: Path, *, only: frozenset[str] | None = None) -> WholeArchive:
        """Store the content of an exported archive without changing what is stored already.

        only: the ids of the conversations to import, without memories; None for everything.
        """
        return await self._write(whole_archive.import_whole, spills, path, only=only)

    async def search(
        self,
        query: str,
        conversation: str | None = None,
        limit: int = SEARCH_LIMIT,
        filters: SearchFilters = NO_FILTERS,
    ) -> tuple[SearchResult, ...]:
        """Return messages with the query's words, best first, also archived ones; a cancelled search ends soon."""
        return await self._searches.search(query, conversation, limit, filters)

    async def search_values(self) -> SearchValues:
        """Return the models and tools that filters can name."""
        return await self._read(search_filters.search_values)

    async def entries_without_facets(self) -> int:
        """Return the number below which entries have no facets for filters yet; 0 if all have."""
        return await self._read(search_filters.entries_without)

    async def fill_facets(self) -> bool:
        """Store the facets of the newest entries that have none; return whether others remain."""
        return await self._write(search_filters.fill_facets)

    async def outline(self, conversation: str) -> Outline:
        """Return the lengths, speakers and days of the messages. Raises ArchiveError without such a conversation."""
        return await self._recall(lambda recall: recall.outline(conversation))

    async def postings(
        self, conversation: str, terms: Sequence[str], most: int = MAX_HELD
    ) -> dict[str, tuple[int, ...]]:
        """Return the ascending indexes of the first `most` messages with each term, without terms that no message has.

        A term of several words matches these words in sequence.
        """
        return await self._recall(lambda recall: recall.postings(conversation, terms, most))

    async def messages_at(self, conversation: str, indexes: Iterable[int]) -> dict[int, Message]:
        """Return the messages at the indexes, without missing and damaged ones."""
        return await self._recall(lambda recall: recall.messages_at(conversation, indexes))

    async def archived_indexes(self, conversation: str) -> frozenset[int]:
        """Return the indexes of the messages that compactions took out of the view."""
        return await self._recall(lambda recall: recall.archived_indexes(conversation))

    async def read_rows(self) -> bool:
        """Read a slice of the rows that `find_candidates` searches; return whether there may be more."""
        return await self._recall(lambda recall: recall.rows.read_on())

    async def find_candidates(
        self, terms: Sequence[str], project: str | None, without: str, span: TimeSpan | None = None
    ) -> Candidates:
        """Return the conversations that may contain the terms, among the rows read so far, without deleted ones.

        project: the id of the project to search; None for all conversations. without: the id of a conversation to
        exclude; "" for none. span: the days whose months are searched; None for any.
        """
        return await self._recall(lambda recall: recall.rows.find_candidates(terms, project, without, span))

    async def count_conversations(self, project: str | None) -> int:
        """Return the number of conversations in a project; of all conversations for None."""
        return await self._recall(lambda recall: recall.rows.count_conversations(project))

    async def conversations_named(self, beginning: str) -> tuple[KnownConversation, ...]:
        """Return the conversations whose ids begin with `beginning`, without deleted ones."""
        return await self._recall(lambda recall: recall.rows.conversations_named(beginning))
