"""An import that is cancelled ends at once, however much of what it reads is there already."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from desktop_app.chat.importing import import_conversations
from desktop_app.conversation.foreign import (
    ForeignConversation,
    ForeignMessage,
    ImportReply,
    ImportRequest,
    ReadConversation,
)
from desktop_app.conversation.message import user_message

MANY = 1_000


class BufferedFiles:
    """Files whose conversations are all there: to read one never waits."""

    async def read(self, request: ImportRequest) -> AsyncGenerator[ImportReply, None]:
        for number in range(MANY):
            said = ForeignMessage("m", "", user_message(f"What is {number}?"))
            yield ReadConversation("all.json", ForeignConversation("ChatGPT", str(number), "Talk", (said,)))


class SlowArchive:
    """Counts what is stored."""

    def __init__(self) -> None:
        self.stored = 0

    async def known_messages(self, ids: Sequence[str]) -> int:
        return 0

    async def import_conversation(self, foreign: ForeignConversation, file: str) -> int:
        await asyncio.sleep(0)
        self.stored += 1
        return 1


async def test_a_cancel_ends_it_after_the_conversation_that_is_being_stored() -> None:
    archive, told = SlowArchive(), list[int]()
    work = import_conversations(
        BufferedFiles(), archive, ("all.json",), frozenset(), lambda _, imported: told.append(imported)
    )
    task = asyncio.ensure_future(work)
    while archive.stored < 10:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert archive.stored <= 11
    assert told[-1] == archive.stored, "what is stored was told"
