"""Replies that were stopped to make room and then continued: each is shown as one message. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.events import MessageRow
from desktop_app.conversation.message import Message, Part, Reasoning, Text
from desktop_app.ui.live_turns import LiveReply


class ReplyItem(msgspec.Struct, frozen=True):
    """A reply that is being written. continues: the key of the message that it continues, whose text it includes."""

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
    """Return the rows with each chain of continued replies as one, under the id of its first.

    The second value maps the id of each message that was joined to that of the first. A reply whose beginning is not
    loaded stays as it is.
    """
    shown: list[MessageRow] = []
    indices: dict[str, int] = {}
    roots: dict[str, str] = {}
    for row in rows:
        index = indices.get(row.message.continues) if row.message.continues else None
        if index is None:
            indices[row.message.id] = len(shown)
            shown.append(row)
        else:
            indices[row.message.id] = index
            roots[row.message.id] = shown[index].message.id
            shown[index] = _one(shown[index], row)
    return shown, roots


def _one(first: MessageRow, second: MessageRow) -> MessageRow:
    head, tail = first.message, second.message
    message = replace(
        head,
        parts=_join_parts(head, tail),
        is_interrupted=tail.is_interrupted,
        usage=tail.usage,
        seconds=head.seconds + tail.seconds,
    )
    is_pinned = first.is_pinned or second.is_pinned
    return replace(first, message=message, tokens=first.tokens + second.tokens, state=second.state, is_pinned=is_pinned)


def _join_parts(head: Message, tail: Message) -> tuple[Part, ...]:
    """Return the parts of both with the texts joined without a gap: the second continues the first."""
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
    """Return what has arrived of a reply; None if it is stored already."""
    if any(row.message.id == reply.reply_id for row in rows):
        return None
    begun = begin_reply(rows, reply.reply_id, reply.model, reply.continues)
    return replace(begun, text=begun.text + reply.text, reasoning=begun.reasoning + reply.reasoning)


def begin_reply(rows: Sequence[MessageRow], reply_id: str, model: str, continues: str) -> ReplyItem:
    """Return a reply without content of its own, which begins with the text that it continues."""
    row = _row_of_continued(rows, continues)
    if row is None:
        return ReplyItem(reply_id, model)
    reasoning = "\n\n".join(part.text for part in row.message.parts if isinstance(part, Reasoning))
    return ReplyItem(reply_id, model, row.message.text, reasoning, row.message.id)


def _row_of_continued(rows: Sequence[MessageRow], continues: str) -> MessageRow | None:
    """Return the joined row of the message that is continued."""
    shown, roots = join_continued(rows) if continues else ([], {})
    root = roots.get(continues, continues)
    return next((row for row in reversed(shown) if row.message.id == root), None)
