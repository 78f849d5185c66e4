"""A reply that arrives, as a row: one that continues another has all that the other said. Pure, no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from desktop_app.conversation.events import MessageRow
from desktop_app.conversation.message import Reasoning
from desktop_app.ui.live_turns import LiveReply

from .items import ReplyItem
from .joined import joined


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
    shown, roots = joined(rows) if continues else ([], {})
    root = roots.get(continues, continues)
    return next((row for row in reversed(shown) if row.message.id == root), None)
