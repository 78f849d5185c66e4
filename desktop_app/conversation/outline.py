"""The outline of a record: what was done in it, without what was said. It is read in milliseconds."""

from __future__ import annotations

import msgspec

from .message import Message, Role
from .transcript import AnyEntry


class RecordOutline(msgspec.Struct, frozen=True):
    """Operations and branches in their order, with messages of which only the id is true."""

    entries: tuple[AnyEntry, ...]
    """Operations, pins, branches and links; of the messages those that not every branch has, and those before a link, a
    flush, or a compaction that archives nothing."""
    numbers: dict[str, int]
    """Of the messages among the entries: their places among all messages of the record."""
    shared: int
    """So many of the first messages are at the same places in every branch."""


def known_by_id(message_id: str) -> Message:
    """Return a message of which nothing else is known."""
    return Message(id=message_id, role=Role.USER)
