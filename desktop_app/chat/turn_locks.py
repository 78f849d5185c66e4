"""The locks that let one turn of a conversation begin after the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager


class TurnLocks:
    """A lock of each conversation, held while a turn is about to begin there, or while none may begin."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        self._resting: set[str] = set()

    def of(self, conversation: str) -> asyncio.Lock:
        return self._locks.setdefault(conversation, asyncio.Lock())

    def is_beginning(self, conversation: str) -> bool:
        """Return whether a turn is about to begin, behind which a message that is sent now is queued."""
        return self.of(conversation).locked() and conversation not in self._resting

    @asynccontextmanager
    async def resting(self, conversation: str, refuse: Callable[[], None]) -> AsyncGenerator[None, None]:
        """Let no turn begin meanwhile: a message that is sent now is sent behind it. refuse: raises if one runs."""
        refuse()
        async with self.of(conversation):
            refuse()  # one may have begun meanwhile
            self._resting.add(conversation)
            try:
                yield
            finally:
                self._resting.discard(conversation)
