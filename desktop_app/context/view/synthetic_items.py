"""Items that stand for no message of the record: the summary, recalled text, memories, the request to go on."""

from __future__ import annotations

from desktop_app.conversation.message import Message, Role, Text
from desktop_app.conversation.transcript import Compaction, Recalled, RequestContext

from .continuing import continuation_prompt
from .items import Item, ItemKind

SUMMARY_HEADING = "[Summary of the earlier conversation. The messages themselves are archived.]"


def summary_message(compaction: Compaction) -> Message:
    """Return the summary as a user message, so that every provider accepts it as the first one."""
    text = f"{SUMMARY_HEADING}\n\n{compaction.summary}"
    return Message(id=compaction.id, at=compaction.at, role=Role.USER, parts=(Text(text),))


def recalled_item(recalled: Recalled) -> Item:
    """Return what was recalled as a user message, before the one that it is for."""
    message = Message(id=recalled.id, at=recalled.at, role=Role.USER, parts=(Text(recalled.text),))
    return Item(message, ItemKind.RECALLED)


def memory_item(context: RequestContext) -> Item:
    """Return what is remembered of the user as a part of the system prompt."""
    message = Message(id=context.id, at=context.at, role=Role.SYSTEM, parts=(Text(context.memory),))
    return Item(message, ItemKind.MEMORY)


def continuation_item(reply_id: str, so_far: str, lost_call: str = "") -> Item:
    """Return the request to go on with the reply of that id, of which `so_far` is there."""
    line = continuation_prompt(so_far, lost_call)
    return Item(Message(id=f"{reply_id}/go on", role=Role.USER, parts=(Text(line),)), ItemKind.SYNTHETIC)
