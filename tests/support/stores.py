"""The archive's store, with the methods of `Archive` at once, for tests without a loop."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from desktop_app.archive import store
from desktop_app.archive.archive import Archive
from desktop_app.archive.full_text_search import search_messages
from desktop_app.conversation.listing import SearchResult


class Store(store.Store):
    """An open archive. A method that the store lacks is the archive's, called on this thread, with its result."""

    def search(self, *args: Any, **kwargs: Any) -> tuple[SearchResult, ...]:
        return self.read(search_messages, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        method = getattr(Archive, name)
        return lambda *args, **kwargs: at_once(method(Archive(self), *args, **kwargs))


def at_once(work: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of a coroutine that waits for nothing."""
    try:
        work.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waits")
