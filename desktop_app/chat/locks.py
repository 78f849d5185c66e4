"""A lock for each conversation, or for whatever else has a name."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary


class NamedLocks:
    """The locks by their names. One that is neither held nor waited for is forgotten."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def __len__(self) -> int:
        return len(self._locks)

    def of(self, name: str) -> asyncio.Lock:
        """Return that lock, the same one as long as anybody refers to it: by `async with`, say, or waiting for it."""
        return self._locks.setdefault(name, asyncio.Lock())

    def is_locked(self, name: str) -> bool:
        lock = self._locks.get(name)
        return lock is not None and lock.locked()
