"""The port to the search in everything that was said."""

from __future__ import annotations

from typing import Protocol

from desktop_app.conversation.listing import SearchResult
from desktop_app.conversation.searching import SearchFilters, SearchValues


class MessageSearch(Protocol):
    """What the archive finds."""

    async def search(
        self, query: str, conversation: str | None, limit: int, filters: SearchFilters
    ) -> tuple[SearchResult, ...]:
        """Return the messages with those words, best first, archived ones too. Once cancelled, it ends soon."""
        ...

    async def search_values(self) -> SearchValues:
        """Return what search filters may name."""
        ...

    async def entries_without_facets(self) -> int:
        """Return the number below which entries are not known to filters yet; 0 if all are."""
        ...
