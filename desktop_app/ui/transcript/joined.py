"""Replies that were stopped to make room, and went on: each is one message for the eye. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from desktop_app.conversation.events import MessageRow
from desktop_app.conversation.message import Message, Part, Text


def joined(rows: Sequence[MessageRow]) -> tuple[list[MessageRow], dict[str, str]]:
    """The rows with each chain of continued replies as one, in its first one's place and under its id.

    With it, the id of the first for each message that was taken into another. One whose beginning is not here stays.
    """
    shown: list[MessageRow] = []
    places: dict[str, int] = {}
    roots: dict[str, str] = {}
    for row in rows:
        place = places.get(row.message.continues) if row.message.continues else None
        if place is None:
            places[row.message.id] = len(shown)
            shown.append(row)
        else:
            places[row.message.id] = place
            roots[row.message.id] = shown[place].message.id
            shown[place] = _one(shown[place], row)
    return shown, roots


def _one(first: MessageRow, second: MessageRow) -> MessageRow:
    head, tail = first.message, second.message
    message = replace(
        head,
        parts=_joined_parts(head, tail),
        is_interrupted=tail.is_interrupted,
        usage=tail.usage,
        seconds=head.seconds + tail.seconds,
    )
    is_pinned = first.is_pinned or second.is_pinned
    return replace(first, message=message, tokens=first.tokens + second.tokens, state=second.state, is_pinned=is_pinned)


def _joined_parts(head: Message, tail: Message) -> tuple[Part, ...]:
    """Both texts as one, without a gap: the second begins in the middle of what the first was saying."""
    before, after = list(head.parts), list(tail.parts)
    last = next((n for n in reversed(range(len(before))) if isinstance(before[n], Text)), None)
    first = next((n for n, part in enumerate(after) if isinstance(part, Text)), None)
    if last is not None and first is not None:
        one, other = before[last], after.pop(first)
        assert isinstance(one, Text)
        assert isinstance(other, Text)
        before[last] = Text(one.text + other.text)
    return (*before, *after)
