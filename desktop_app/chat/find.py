"""Find a text in a conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from desktop_app.conversation.message import Message, Role

from .session import Session

MAX_FOUND = 2_000


async def find_in(session: Session, text: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the ids and indexes of the messages of the current branch with that text, the newest MAX_FOUND."""
    messages = tuple(session.recorded.branch)
    indexes = await asyncio.to_thread(find_messages, messages, text)
    return tuple(messages[index].id for index in indexes), tuple(indexes)


def find_messages(messages: Sequence[Message], text: str, most: int = MAX_FOUND) -> list[int]:
    """Return the indexes of the messages that contain the text, in their order; letters of either case.

    most: the newest so many are returned. Arguments of calls are looked through, too; system prompts, which are folded,
    are not.
    """
    wanted = text.casefold()
    found: list[int] = []
    for index in range(len(messages) - 1 if wanted else -1, -1, -1):
        message = messages[index]
        if message.role is Role.SYSTEM:
            continue
        if wanted in message.text.casefold() or any(wanted in c.arguments.casefold() for c in message.tool_calls):
            found.append(index)
            if len(found) == most:
                break
    return found[::-1]
