"""Search on a thread and a connection of its own: nothing that is read or stored meanwhile waits for it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from peewee import SqliteDatabase

from desktop_app.conversation.listing import SearchResult
from desktop_app.conversation.searching import NO_FILTERS, SEARCH_LIMIT, SearchFilters

from .failures import world_errors
from .opening import open_to_read
from .search import search_messages

CHECK_EVERY = 5_000
"""Instructions of SQLite's machine between two checks whether the search is still wanted: 1 ms at most."""
CACHE = 16_000
"""Kilobytes of the index that stay in memory between two searches."""


class _Interest:
    """A search that somebody waits for, until nobody does."""

    is_over = False


class SearchThread:
    """Carries out searches one after the other. A cancelled one ends, so that the next keystroke's begins at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="search")
        self._database: SqliteDatabase | None = None  # of that thread

    async def search(
        self,
        query: str,
        conversation: str | None = None,
        limit: int = SEARCH_LIMIT,
        filters: SearchFilters = NO_FILTERS,
    ) -> tuple[SearchResult, ...]:
        """Return what `search_messages` does. Raises ArchiveError."""
        interest = _Interest()
        work = asyncio.get_running_loop().run_in_executor(
            self._thread, self._search, interest, query, conversation, limit, filters
        )
        try:
            return await work
        finally:
            interest.is_over = True

    async def close(self) -> None:
        """End the search that runs, if any, and close the connection."""
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
            with self._database.atomic("DEFERRED"):  # of one moment, whatever is stored meanwhile
                return search_messages(self._database, query, conversation, limit, filters)
