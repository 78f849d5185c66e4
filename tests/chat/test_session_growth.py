"""Recording a message in an open conversation costs the work of one message, however long the conversation is."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from conversations_made_up import Letters, long_conversation
from desktop_app.chat.session import Session
from desktop_app.context.policy import BALANCED
from desktop_app.conversation.listing import ConversationInfo, ModelInfo, SearchResult
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import AnyEntry

pytestmark = pytest.mark.slow

SHORT, LONG = 1_000, 100_000
RATIO_MOST = 3.0
APPENDED, BATCHES = 100, 5


class ArchiveInMemory:
    """The `Archive` port over dictionaries."""

    def __init__(self) -> None:
        self.infos: dict[str, ConversationInfo] = {}
        self.records: dict[str, list[AnyEntry]] = {}
        self.partials: dict[str, Message] = {}

    async def conversations(self) -> tuple[ConversationInfo, ...]:
        return tuple(self.infos.values())

    async def conversation(self, conversation: str) -> ConversationInfo:
        return self.infos[conversation]

    async def create(self, info: ConversationInfo, entries: Sequence[AnyEntry] = ()) -> None:
        self.infos[info.id], self.records[info.id] = info, list(entries)

    async def change(
        self, conversation: str, *, title: str | None = None, model: str | None = None, is_deleted: bool | None = None
    ) -> None: ...

    async def store_gauge(self, conversation: str, share: float, status: str, uncounted: int = 0) -> None: ...

    async def entries(self, conversation: str) -> tuple[AnyEntry, ...]:
        return tuple(self.records[conversation])

    async def append(self, conversation: str, *entries: AnyEntry) -> None:
        self.records[conversation].extend(entries)

    async def store_partial(self, conversation: str, partial: Message) -> None:
        self.partials[conversation] = partial

    async def recover_partials(self) -> int:
        return len(self.partials)

    async def set_archived(self, conversation: str, archived: Sequence[str], restored: Sequence[str]) -> None: ...

    async def search(self, query: str, conversation: str | None, limit: int) -> tuple[SearchResult, ...]:
        return ()


class Counted:
    """As much of a model as a session needs to count."""

    info = ModelInfo("server/m", "M", 10_000_000, 1_000)
    tokenizer = Letters()


async def opened(length: int) -> tuple[Session, list[Message]]:
    messages = long_conversation(length + APPENDED * BATCHES)
    archive, info = ArchiveInMemory(), ConversationInfo("c", "C", 0.0, 0.0)
    await archive.create(info, messages[:length])
    session = Session(info, await archive.entries("c"), Counted(), BALANCED, archive)
    session.gauge()
    return session, messages[length:]


async def seconds_a_message(length: int) -> float:
    """Of CPU time, with the gauge that follows each message; the best of several batches."""
    session, coming = await opened(length)
    best = float("inf")
    for batch in range(BATCHES):
        started = time.process_time()
        for message in coming[batch * APPENDED : (batch + 1) * APPENDED]:
            await session.record_message(message)
            session.gauge()
        best = min(best, (time.process_time() - started) / APPENDED)
    return best


async def test_recording_in_a_long_conversation_costs_what_it_costs_in_a_short_one() -> None:
    short, long = await seconds_a_message(SHORT), await seconds_a_message(LONG)
    assert long < RATIO_MOST * short, f"{long * 1e6:.0f} µs a message, and {short * 1e6:.0f} µs in a short one"
