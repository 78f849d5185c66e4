"""What a conversation has cost so far, as providers reported it."""

from __future__ import annotations

import msgspec

from .message import Usage

NO_USAGE = Usage(0, 0, requests=0)


def add_usage(one: Usage | None, other: Usage | None) -> Usage | None:
    """Return both together."""
    return one.plus(other) if one and other else one or other


class Totals(msgspec.Struct, frozen=True):
    """What a conversation has cost, and what was freed in it."""

    replies: Usage = NO_USAGE
    """For what was said."""
    auxiliary: Usage = NO_USAGE
    """For what Palimpsest asked of its own accord: summaries, memories, digests, titles, what is in images."""
    operations: int = 0
    tokens_freed: int = 0
    """By all operations that hold, of the request at that time."""
