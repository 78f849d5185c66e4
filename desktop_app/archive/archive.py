"""The archive for the engine's event loop: the store, on one thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, Unpack

from desktop_app.chat.ports import Changes
from desktop_app.context.recall.outline import Outline
from desktop_app.conversation.listing import ConversationInfo, SearchResult
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import AnyEntry

from .recall_search import HELD_MOST
from .store import Store

P = ParamSpec("P")
T = TypeVar("T")


class ArchiveThread:
    """The `Archive` port. Calls are carried out one after the other, in the order in which they were made.

    A call that is cancelled while it runs is still carried out; one that waits for its turn is not.
    """

    def __init__(self, thread: ThreadPoolExecutor, store: Store) -> None:
        self._thread = thread
        self._store = store

    @classmethod
    async def open(cls, path: Path, read_only: bool = False) -> ArchiveThread:
        """Opens the archive, or creates it. Raises ArchiveError."""
        # One thread, since an SQLite connection belongs to the thread that made it.
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="archive")
        try:
            store = await asyncio.get_running_loop().run_in_executor(thread, Store, path, read_only)
        except BaseException:
            thread.shutdown(wait=False)  # cancelled: the opening may still run
            raise
        return cls(thread, store)

    async def close(self) -> None:
        """Carries out what waits, then closes the file and gives the data folder free."""
        try:
            await self._run(Store.close)
        finally:
            self._thread.shutdown()  # it is idle now: this waits for its last step alone

    async def conversations(self) -> tuple[ConversationInfo, ...]:
        """Those that are not deleted, newest first."""
        return await self._run(Store.conversations)

    async def conversation(self, conversation: str) -> ConversationInfo:
        """One of them."""
        return await self._run(Store.conversation, conversation)

    async def create(self, info: ConversationInfo, entries: Sequence[AnyEntry] = ()) -> None:
        """A new conversation with its first entries, in one transaction."""
        await self._run(Store.create, info, tuple(entries))

    async def change(self, conversation: str, **changes: Unpack[Changes]) -> None:
        """Renames, chooses a model or a working folder, deletes or restores. Nothing is ever erased."""
        await self._run(Store.change, conversation, **changes)

    async def store_gauge(self, conversation: str, share: float, status: str, uncounted: int = 0) -> None:
        """Keeps how full the window was, for the sidebar."""
        await self._run(Store.store_gauge, conversation, share, status, uncounted)

    async def entries(self, conversation: str) -> tuple[AnyEntry, ...]:
        """The whole record in its order. A message that is damaged is replaced by one that says so."""
        return await self._run(Store.entries, conversation)

    async def spills_in_use(self) -> frozenset[str]:
        """The names of the spills that messages refer to."""
        return await self._run(Store.spills_in_use)

    async def append(self, conversation: str, *entries: AnyEntry) -> None:
        """Adds to the record in one transaction. A message whose id was in flight is no longer in flight."""
        await self._run(Store.append, conversation, *entries)

    async def store_partial(self, conversation: str, partial: Message) -> None:
        """Keeps what has arrived of a reply. One per conversation: a later one replaces it."""
        await self._run(Store.store_partial, conversation, partial)

    async def recover_partials(self) -> int:
        """Turns every reply that a crash left in flight into an interrupted message. Returns how many."""
        return await self._run(Store.recover_partials)

    async def set_archived(self, conversation: str, archived: Sequence[str], restored: Sequence[str]) -> None:
        """Marks which messages are archived, for search results."""
        await self._run(Store.set_archived, conversation, tuple(archived), tuple(restored))

    async def memories(self, with_deleted: bool = False) -> tuple[Memory, ...]:
        """What is remembered of the user, oldest first, without what was deleted unless that is asked for, too."""
        return await self._run(Store.memories, with_deleted)

    async def store_memories(self, *kept: Memory, replaced: Mapping[str, str] | None = None) -> None:
        """Stores memories that are new or changed, in one transaction: the id says which.

        replaced: ids of memories that are deleted since another one, whose id stands behind them, takes their place.
        """
        await self._run(Store.store_memories, *kept, replaced=replaced)

    async def undo_memories(self, ids: Sequence[str], at: float) -> None:
        """Deletes those memories, and restores what they had replaced. Repeating it changes nothing."""
        await self._run(Store.undo_memories, tuple(ids), at)

    async def redo_memories(self, ids: Sequence[str], at: float) -> None:
        """Restores memories that were taken back, and deletes again what they replaced."""
        await self._run(Store.redo_memories, tuple(ids), at)

    async def search(self, query: str, conversation: str | None = None, limit: int = 50) -> tuple[SearchResult, ...]:
        """Messages found by their words, best first, archived ones too."""
        return await self._run(Store.search, query, conversation, limit)

    async def outline(self, conversation: str) -> Outline:
        """The conversation from afar, for recall. Raises ArchiveError, as the following do."""
        return await self._run(Store.outline, conversation)

    async def postings(
        self, conversation: str, terms: Sequence[str], most: int = HELD_MOST
    ) -> dict[str, tuple[int, ...]]:
        """The indexes of the messages that hold each term, ascending, the first `most`; no term that none holds."""
        return await self._run(Store.postings, conversation, tuple(terms), most)

    async def messages_at(self, conversation: str, indexes: Sequence[int]) -> dict[int, Message]:
        """The messages at those indexes, without those that are not there or cannot be read."""
        return await self._run(Store.messages_at, conversation, tuple(indexes))

    async def archived_indexes(self, conversation: str) -> frozenset[int]:
        """The indexes of the messages that a compaction took out of the view."""
        return await self._run(Store.archived_indexes, conversation)

    async def _run(self, method: Callable[Concatenate[Store, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, lambda: method(self._store, *args, **kwargs)
        )
