"""The port through which a part of a record is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from desktop_app.conversation.message import Message
from desktop_app.conversation.outline import RecordOutline


class RecordReader(Protocol):
    """Reads parts of records. Every method raises only ArchiveError."""

    async def record_outline(self, conversation: str) -> RecordOutline | None:
        """Return the outline of its record; None if that is damaged."""
        ...

    async def messages(self, conversation: str, indexes: Sequence[int], characters: int) -> tuple[Message, ...] | None:
        """Return its messages at those indexes, in that order, until they have so many characters of text together.

        None if one of them is damaged.
        """
        ...

    async def message_index(self, conversation: str, message_id: str) -> int | None:
        """Return the place of that message among all of its messages; None if it has no such message."""
        ...
