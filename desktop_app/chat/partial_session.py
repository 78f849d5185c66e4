"""The part of a session that can be shown before its record is read: messages as they stand once it is folded.

Where a message stands depends on operations and branches alone, which the outline has, so that only the messages of a
page are read. None is returned where that is not so: the record is damaged, or a pin stands against a compaction that
did not know it, which keeps the neighbours of the pinned message, too.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Sequence

from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.view.view import view_of
from desktop_app.conversation.branches import Branches
from desktop_app.conversation.chain import Chain
from desktop_app.conversation.events import MessageRow, OperationRow
from desktop_app.conversation.listing import ConversationInfo, ModelInfo
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.outline import RecordOutline
from desktop_app.conversation.transcript import AnyEntry, Prune, Transcript

from .record_reader import RecordReader
from .rows import PAGE_CHARACTERS, message_rows, operation_rows

Numbered = list[tuple[int, Message]]

BATCH = 32
"""Messages that are read at a time to find the beginning of an exchange."""
UNBOUNDED = 10**12


class PartialSession:
    """What can be seen of one conversation without its record."""

    def __init__(
        self,
        archive: RecordReader,
        info: ConversationInfo,
        outline: RecordOutline,
        model: ModelInfo,
        counts: TokenCounts,
    ) -> None:
        self.info = info
        self.model_info = model
        self._archive = archive
        self._conversation = info.id
        self._outline = outline
        self._counts = counts
        self._branches = Branches(outline.entries)
        path = self._branches.path()
        self._done: list[AnyEntry] = [entry for entry in path if not isinstance(entry, Message)]
        numbers = (outline.numbers[entry.id] for entry in path if isinstance(entry, Message))
        self._parted = [number for number in numbers if number >= outline.shared]
        self._view = view_of(Transcript(Chain(self._done)))
        self._pruned = {i for entry in self._done if isinstance(entry, Prune) for i in entry.message_ids}

    @property
    def total(self) -> int:
        """The messages of the current branch."""
        return self._outline.shared + len(self._parted)

    @property
    def is_certain(self) -> bool:
        """Whether the messages stand as the outline says."""
        return not any(message_id in self._view.statuses for message_id in self._view.pins)

    def operations(self) -> tuple[OperationRow, ...]:
        return operation_rows(self._outline.entries, self._branches)

    def other_versions(self) -> tuple[str, ...]:
        """Return the ids of the messages that follow the newest one in other branches."""
        return self._branches.followers(self._branches.newest)

    async def page(self, before: int, limit: int, around: str = "") -> tuple[MessageRow, ...] | None:
        """Return the page of the current branch that `Session.page` returns; None if that takes the whole record."""
        said = await self._around(around, limit) if around else await self._read(before, limit, PAGE_CHARACTERS)
        if said is None:
            return None
        start = said[0] if said else None
        earlier: Numbered | None = []
        if start is not None and any(message.id in self._pruned for _, message in said):
            earlier = await self._exchange_before(start[0])
        if earlier is None:
            return None
        return await asyncio.to_thread(self._rows, said, earlier)

    async def pins(self) -> tuple[MessageRow, ...] | None:
        """Return the pinned messages of the view in their order; None if that takes the whole record."""
        if not self._view.pins:
            return ()
        found = [await self._index_of(message_id) for message_id in self._view.pins]
        indexes = sorted(index for index in found if index is not None)
        numbers = [self._number(index) for index in indexes]
        messages = await self._archive.messages(self._conversation, numbers, UNBOUNDED)
        if messages is None:
            return None
        pinned = list(zip(indexes, messages, strict=True))
        return await asyncio.to_thread(self._rows, pinned)

    async def _index_of(self, message_id: str) -> int | None:
        """Return the place of that message in the current branch; None if that does not have it."""
        number, shared = await self._archive.message_index(self._conversation, message_id), self._outline.shared
        if number is None or number < shared:
            return number
        place = bisect_left(self._parted, number)
        return shared + place if self._parted[place : place + 1] == [number] else None

    async def _around(self, message_id: str, limit: int) -> Numbered | None:
        index = await self._index_of(message_id)
        if index is None:
            return []
        said = await self._read(index + 1 + limit // 2, limit, PAGE_CHARACTERS)
        is_there = said is None or any(found == index for found, _ in said)
        return said if is_there else await self._read(index + 1, limit, PAGE_CHARACTERS)

    def _rows(self, said: Numbered, earlier: Sequence[tuple[int, Message]] = ()) -> tuple[MessageRow, ...]:
        """Return the messages as they stand behind those earlier ones. The fold has all that was done: for a thread."""
        messages = (message for _, message in (*earlier, *said))
        view = view_of(Transcript(Chain([*self._done, *messages])))
        return message_rows(said, view, self._counts.total, self._versions)

    async def _read(self, before: int, limit: int, characters: int) -> Numbered | None:
        """Return the newest messages of the current branch below that index, in their order."""
        end = max(min(before, self.total), 0)
        indexes = range(end - 1, max(end - limit, 0) - 1, -1)
        found = await self._archive.messages(self._conversation, [self._number(i) for i in indexes], characters)
        return None if found is None else list(zip(indexes, found, strict=False))[::-1]

    def _number(self, index: int) -> int:
        shared = self._outline.shared
        return index if index < shared else self._parted[index - shared]

    async def _exchange_before(self, index: int) -> Numbered | None:
        """Return what was said before that index, from a user's message on: a result is sent as its call asks for."""
        exchange: Numbered = []
        while index > 0:
            batch = await self._read(index, BATCH, UNBOUNDED)
            if batch is None:
                return None
            exchange[:0] = batch
            index = batch[0][0]
            if any(m.role is Role.USER and m.id not in self._view.statuses for _, m in batch):
                break
        return exchange

    def _versions(self, message_id: str) -> tuple[str, ...]:
        is_known = message_id in self._outline.numbers
        return self._branches.versions(message_id) if is_known else (message_id,)
