"""What comes before the first request of a turn: the tools on offer, what is remembered and recalled, the message."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from desktop_app.chat.session import Session, stamped
from desktop_app.conversation.events import TurnEvent
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Recalled

from .request_context import MemoryText, equipped, is_unequipped
from .tool_runtime import ToolRuntime

Recall = Callable[[Session, Message], Awaitable[Recalled | None]]
"""What the archive holds about that message and the view has no more; None if there is nothing worth bringing back."""

Describe = Callable[[Session, Message], AsyncGenerator[TurnEvent, None]]
"""Records what is in the images of that message, for a model that cannot see them, and tells of it."""


PROMPT_SECONDS = 0.5
"""How long the message waits for its server to tell the window, before it is stored without what is recalled for it."""


async def nothing_remembered(session: Session) -> str:
    """Where there is no memory."""
    return ""


class TurnSetup:
    """How turns begin. bench: None where there are no tools. recall: None where the archive is not searched.
    describe: None where nobody describes images."""

    def __init__(
        self,
        bench: ToolRuntime | None = None,
        memory_text: MemoryText = nothing_remembered,
        recall: Recall | None = None,
        describe: Describe | None = None,
    ) -> None:
        self._bench = bench
        self._memory_text = memory_text
        self._recall = recall
        self._describe = describe

    async def equipped(self, session: Session) -> bool:
        """Record what the first request will carry beside its messages, so that it is counted before it is sent.
        Return whether that was due. Raises ArchiveError."""
        bench = self._bench if is_unequipped(session) else None
        at = session.transcript.entries[-1].at if session.transcript.entries else 0.0
        return bench is not None and await equipped(session, bench, self._memory_text, at)

    async def made(self, session: Session, prompt: Message | None) -> AsyncGenerator[TurnEvent, None]:
        """Records what is due, then the message, which is told once it is stored. Raises ArchiveError."""
        message = session.message(session.view.last_user_id) if prompt is None else stamped(prompt)
        before: tuple[Recalled, ...] = ()
        asking = asyncio.ensure_future(session.find_model())  # before anything is counted
        try:
            await asyncio.wait({asking}, timeout=PROMPT_SECONDS)
            if not asking.done() and prompt is not None and message is not None:
                yield await session.record_message(message)  # it is not to be lost while a slow server is waited for
                prompt = None
            for event in await asking:
                yield event
            if self._bench is not None:
                await equipped(session, self._bench, self._memory_text)
            if prompt is not None and message is not None and self._recall is not None:
                recalled = await self._recall(session, message)
                before = () if recalled is None else (stamped(recalled),)
        finally:  # whoever stops now, or whatever goes wrong: what the user has said is not lost
            asking.cancel()
            if prompt is not None and message is not None:
                yield await session.record_message(message, *before)
        yield session.gauge_changed()
        # The message is safe, and seen: describing takes its time, and may be stopped.
        if self._describe is not None and message is not None:
            async with aclosing(self._describe(session, message)) as events:
                async for event in events:
                    yield event
