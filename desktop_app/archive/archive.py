"""Asynchronous access to the archive: the store on one thread, the search on another one with its own connection.

No reading or storing waits for a search.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from pathlib import Path
from types import CoroutineType
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from peewee import SqliteDatabase

from desktop_app.chat.ports import ArchiveError
from desktop_app.chat.tasks import CheckPoint, run_while_wanted
from desktop_app.conversation.events import Failure
from desktop_app.conversation.listing import NO_FILTERS, SEARCH_LIMIT, SearchFilters, SearchResult
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import AnyEntry
from desktop_app.conversation.words import translatable

from .disk_failures import KEPT, world_errors
from .full_text_search import search_messages
from .migrations import OnProgress, ignore_progress
from .opening import open_to_read
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


def _on_thread(
    method: Callable[Concatenate[Store, P], T],
) -> Callable[Concatenate[ArchiveThread, P], CoroutineType[Any, Any, T]]:
    """Make a method of the store awaitable. Lists are copied, because the caller may change them in the meantime."""

    @wraps(method)
    async def call(self: ArchiveThread, *args: P.args, **kwargs: P.kwargs) -> T:
        copied = [tuple(arg) if isinstance(arg, list) else arg for arg in args]
        return await self.run(lambda store: cast("Callable[..., T]", method)(store, *copied, **kwargs))

    return call


class ArchiveThread:
    """The `Archive` port: the methods of `Store`, run one after the other in the order of the calls.

    Cancelling a call prevents it from starting, but does not stop one that is running.
    """

    def __init__(self, thread: ThreadPoolExecutor, store: Store) -> None:
        self._thread = thread
        self._store = store
        self.warning = store.warning
        self._is_closing = False
        self._searches = SearchThread(store.path)
        self.search = self._searches.search

    @classmethod
    async def open(
        cls, path: Path, read_only: bool = False, on_progress: OnProgress = ignore_progress
    ) -> ArchiveThread:
        """Open the archive, or create it, as `Store` does; on_progress is called on its thread. Raises ArchiveError."""
        # One thread, because an SQLite connection belongs to the thread that opened it.
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="archive")
        try:
            store = await asyncio.get_running_loop().run_in_executor(thread, Store, path, read_only, on_progress)
        except BaseException:
            thread.shutdown(wait=False)  # cancelled: the opening may still run
            raise
        return cls(thread, store)

    async def close(self) -> None:
        """Finish the waiting calls, then close the file and release the data folder. Later calls raise ArchiveError."""
        try:
            await self._searches.close()
            self._is_closing = True
            await asyncio.get_running_loop().run_in_executor(self._thread, Store.close, self._store)
        finally:
            self._thread.shutdown()  # it is idle now

    async def run(self, work: Callable[[Store], T]) -> T:
        """Call a function with the store on the thread. Raises ArchiveError once the archive is being closed."""
        return await asyncio.get_running_loop().run_in_executor(self._open_thread(), work, self._store)

    async def run_while_wanted(self, work: Callable[[Store, CheckPoint], T]) -> T:
        """Call a function as `run` does. If this is cancelled, the function stops at its next check point."""
        return await run_while_wanted(lambda check: work(self._store, check), self._open_thread())

    def _open_thread(self) -> ThreadPoolExecutor:
        """Return the thread. Raises ArchiveError once the archive is being closed."""
        if self._is_closing:
            raise ArchiveError(CLOSING)
        return self._thread

    async def entries(self, conversation: str) -> tuple[AnyEntry, ...]:
        """Return the entire record. A long one is read in slices, so that other calls can run between them."""
        read: list[AnyEntry] = []
        messages, end = 0, await self._length(conversation)
        for start in range(0, end if end > SLICE else 0, SLICE):
            found = await self._entry_slice(conversation, start, min(start + SLICE, end), messages)
            if found is None:
                return await self._whole_record(conversation)
            read += found
            messages += sum(isinstance(entry, Message) for entry in found)
        return tuple(read) or await self._whole_record(conversation)

    conversations = _on_thread(Store.conversations)
    list_deleted = _on_thread(Store.list_deleted)
    conversation = _on_thread(Store.conversation)
    create = _on_thread(Store.create)
    change = _on_thread(Store.change)
    store_gauge = _on_thread(Store.store_gauge)
    setup = _on_thread(Store.setup)
    record_outline = _on_thread(Store.record_outline)
    messages = _on_thread(Store.messages)
    message_index = _on_thread(Store.message_index)
    _whole_record = _on_thread(Store.entries)
    _entry_slice = _on_thread(Store.entry_slice)
    _length = _on_thread(Store.length)
    unsent = _on_thread(Store.unsent)
    store_unsent = _on_thread(Store.store_unsent)
    spills_in_use = _on_thread(Store.spills_in_use)
    append = _on_thread(Store.append)
    store_partial = _on_thread(Store.store_partial)
    recover_partials = _on_thread(Store.recover_partials)
    projects = _on_thread(Store.projects)
    store_project = _on_thread(Store.store_project)
    memories = _on_thread(Store.memories)
    store_memories = _on_thread(Store.store_memories)
    undo_memories = _on_thread(Store.undo_memories)
    redo_memories = _on_thread(Store.redo_memories)
    known_messages = _on_thread(Store.known_messages)
    import_conversation = _on_thread(Store.import_conversation)
    import_whole = _on_thread(Store.import_whole)
    search_values = _on_thread(Store.search_values)
    entries_without_facets = _on_thread(Store.entries_without_facets)
    fill_facets = _on_thread(Store.fill_facets)
    outline = _on_thread(Store.outline)
    postings = _on_thread(Store.postings)
    messages_at = _on_thread(Store.messages_at)
    archived_indexes = _on_thread(Store.archived_indexes)
    read_rows = _on_thread(Store.read_rows)
    find_candidates = _on_thread(Store.find_candidates)
    count_conversations = _on_thread(Store.count_conversations)
    conversations_named = _on_thread(Store.conversations_named)
