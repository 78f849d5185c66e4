"""The memories of the user, whoever changes them, and who is told of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from desktop_app.conversation.memory import Memory

from .memory_flusher import MemoryStore


class FollowedMemories:
    """A `MemoryStore` that calls `changed` after each change."""

    def __init__(self, store: MemoryStore, changed: Callable[[], None]) -> None:
        self._store, self._changed = store, changed

    async def memories(self, with_deleted: bool = False) -> tuple[Memory, ...]:
        return await self._store.memories(with_deleted)

    async def store_memories(self, *kept: Memory, replaced: Mapping[str, str] | None = None) -> None:
        await self._store.store_memories(*kept, replaced=replaced)
        self._changed()

    async def undo_memories(self, ids: Sequence[str], at: float) -> None:
        await self._store.undo_memories(ids, at)
        self._changed()

    async def redo_memories(self, ids: Sequence[str], at: float) -> None:
        await self._store.redo_memories(ids, at)
        self._changed()
