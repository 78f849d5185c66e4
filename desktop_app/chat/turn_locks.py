"""The locks that let one turn of a conversation begin after the other."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from .locks import NamedLocks


class TurnLocks(NamedLocks):
    """A lock of each conversation, held while a turn is about to begin there, or while none may begin."""

    def __init__(self) -> None:
        super().__init__()
        self._resting: set[str] = set()

    def is_beginning(self, conversation: str) -> bool:
        """Return whether a turn is about to begin, behind which a message that is sent now is queued."""
        return self.is_locked(conversation) and conversation not in self._resting

    @asynccontextmanager
    async def when_free(
        self, conversation: str, is_taken: Callable[[], bool], settle: Callable[[str], Awaitable[None]]
    ) -> AsyncGenerator[None, None]:
        """Hold the lock once no turn runs. is_taken: whether one does. settle: waits for its end."""
        while True:
            await settle(conversation)
            async with self.of(conversation):
                if not is_taken():
                    yield
                    return

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
