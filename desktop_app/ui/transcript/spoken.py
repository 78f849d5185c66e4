"""Rows in words, for a screen reader and for copying what is no message."""

from __future__ import annotations

from desktop_app.conversation.events import OperationRow
from desktop_app.ui.widgets.formats import pluralize, readable_text, speaker_of

from .answers import EarlierItem
from .head_line import arguments_in_words
from .items import FailureItem, Item, MarkItem, MessageItem, ReplyItem, ToolItem
from .pages import GapItem


def spoken(item: Item) -> str:
    """The row in words."""
    match item:
        case MessageItem(row):
            return f"{speaker_of(row.message)}: {readable_text(row.message)}"
        case GapItem(count=count):
            return f"{pluralize(count, 'message')} not loaded yet"
        case EarlierItem():
            return f"Earlier answer: {item.text(-1)}"
        case ReplyItem():
            return f"{item.model or 'Assistant'} is writing: {item.text}"
        case ToolItem(call=call, seconds=seconds):
            return f"{call.name} {'waits' if seconds is None else 'is running'}: {arguments_in_words(call)}"
        case MarkItem(operation):
            return mark_words(operation)
        case FailureItem(failure):
            return ". ".join(filter(None, (failure.title, failure.detail, failure.kept, failure.advice)))


def mark_words(operation: OperationRow) -> str:
    """What an operation did: "42 messages archived"."""
    match operation.kind:
        case "compaction":
            return pluralize(operation.messages, "message") + " archived"
        case "flush":
            return pluralize(operation.messages, "memory", "memories") + " saved"
        case "link":
            verb = "Continues" if "from" in operation.strategies else "Continued in"
            return f"{verb} “{operation.note or 'another conversation'}”"
        case _:
            return pluralize(operation.messages, "tool result") + " pruned"
