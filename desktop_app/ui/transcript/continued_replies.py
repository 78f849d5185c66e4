"""Replies that were stopped to make room and then continued: each is shown as one message. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.events import MessageRow
from desktop_app.conversation.message import Message, Part, Reasoning, Text
from desktop_app.ui.live_turns import LiveReply


class ReplyItem(msgspec.Struct, frozen=True):
    """A reply that is being written. continues: the key of the message that it goes on with, whose text it has too."""

    reply_id: str
    model: str
    text: str = ""
    reasoning: str = ""
    continues: str = ""

    @property
    def key(self) -> str:
        """The key that the stored message will have, too."""
        return self.continues or self.reply_id


def join_continued(rows: Sequence[MessageRow]) -> tuple[list[MessageRow], dict[str, str]]:
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


def arriving_reply(rows: Sequence[MessageRow], reply: LiveReply) -> ReplyItem | None:
    """Return what has arrived of a reply; None when it is among the stored messages already."""
    if any(row.message.id == reply.reply_id for row in rows):
        return None
    begun = begun_reply(rows, reply.reply_id, reply.model, reply.continues)
    return replace(begun, text=begun.text + reply.text, reasoning=begun.reasoning + reply.reasoning)


def begun_reply(rows: Sequence[MessageRow], reply_id: str, model: str, continues: str) -> ReplyItem:
    """Return a reply of which nothing has arrived; one that continues another begins with all that the other said."""
    row = _row_of_continued(rows, continues)
    if row is None:
        return ReplyItem(reply_id, model)
    reasoning = "\n\n".join(part.text for part in row.message.parts if isinstance(part, Reasoning))
    return ReplyItem(reply_id, model, row.message.text, reasoning, row.message.id)


def _row_of_continued(rows: Sequence[MessageRow], continues: str) -> MessageRow | None:
    """The reply, with all that was joined to it already, that a message of that id is part of."""
    shown, roots = join_continued(rows) if continues else ([], {})
    root = roots.get(continues, continues)
    return next((row for row in reversed(shown) if row.message.id == root), None)
