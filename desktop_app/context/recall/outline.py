"""Outline a conversation: who wrote each message, how long it is, in which session and on which day."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from .passage_cuts import LENGTH

PAUSE = 6 * 3_600.0
"""Seconds without a message after which a new session begins."""


class Head(msgspec.Struct, frozen=True, gc=False):
    """The metadata of one message."""

    speaker: str
    """The speaker's name, or the role if there is none."""
    is_named: bool
    length: int
    """Characters."""
    stamp: str
    """The date with which the text begins, such as "8 May, 2023", or ""."""
    at: float
    """Seconds since 1970, UTC."""


class Outline(msgspec.Struct, frozen=True):
    """The metadata of all messages of a conversation, by index."""

    speakers: tuple[str, ...] = ()
    lengths: tuple[int, ...] = ()
    sessions: tuple[int, ...] = ()
    """The session number of each message, from 0."""
    days: tuple[str, ...] = ()
    """The date of each session, such as "8 May, 2023" or "2026-11-22"."""
    named: frozenset[str] = frozenset()
    """The speakers with a name."""
    passages: int = 0
    """About how many passages the messages have."""

    def day_of(self, index: int) -> str:
        return self.days[self.sessions[index]]


def outline_of(heads: Iterable[Head], date_at: Callable[[float], str]) -> Outline:
    """Return the outline of the messages. A session begins with a stamp or after a pause.

    date_at: returns the date of a timestamp, such as "2026-11-22".
    """
    kept = tuple(heads)
    sessions: list[int] = []
    days: list[str] = []
    before = 0.0
    for head in kept:
        if not days or head.stamp or head.at - before >= PAUSE:
            days.append(head.stamp or date_at(head.at))
        sessions.append(len(days) - 1)
        before = head.at
    return Outline(
        tuple([head.speaker for head in kept]),
        tuple([head.length for head in kept]),
        tuple(sessions),
        tuple(days),
        frozenset([head.speaker for head in kept if head.is_named]),
        sum([head.length // LENGTH + 1 for head in kept]),
    )
