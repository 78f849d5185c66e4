"""A conversation from afar: who speaks in each message, how long it is, in which session and on which day."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from .dates import day_at, day_told

PAUSE = 6 * 3_600.0
"""Seconds without a message after which a new session begins."""


class Head(msgspec.Struct, frozen=True, gc=False):
    """What is known of a message from afar.

    speaker: its name, or the role of who has none. length: in characters. stamp: the date with which its text begins,
    such as "8 May, 2023", or "". at: seconds since 1970, UTC.
    """

    speaker: str
    is_named: bool
    length: int
    stamp: str
    at: float


class Outline(msgspec.Struct, frozen=True):
    """All messages of a conversation, by their indexes.

    speakers, lengths: as in `Head`. sessions: the number of the session each stands in, from 0. days: of each
    session, as it is told, such as "8 May, 2023" or "2026-11-22". named: those who have a name.
    average: of the lengths, at least 1.
    """

    speakers: tuple[str, ...] = ()
    lengths: tuple[int, ...] = ()
    sessions: tuple[int, ...] = ()
    days: tuple[str, ...] = ()
    named: frozenset[str] = frozenset()
    average: float = 1.0

    def day_of(self, index: int) -> str:
        """The day of that message."""
        return self.days[self.sessions[index]]


def outline_of(heads: Iterable[Head]) -> Outline:
    """The outline of those messages. A session begins with a stamp, or after a pause."""
    kept = tuple(heads)
    sessions: list[int] = []
    days: list[str] = []
    before = 0.0
    for head in kept:
        if not days or head.stamp or head.at - before >= PAUSE:
            days.append(head.stamp or day_told(day_at(head.at)))
        sessions.append(len(days) - 1)
        before = head.at
    return Outline(
        tuple([head.speaker for head in kept]),
        tuple([head.length for head in kept]),
        tuple(sessions),
        tuple(days),
        frozenset([head.speaker for head in kept if head.is_named]),
        max(sum([head.length for head in kept]) / max(len(kept), 1), 1.0),
    )
