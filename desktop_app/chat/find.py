"""Search the messages of one conversation for a text."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from desktop_app.conversation.message import Message, Role

from .session import Session

MAX_FOUND = 2_000


class FoundMessage(NamedTuple):
    """A matching message: its index in the branch, and how often it contains the text."""

    number: int
    places: int


async def find_in(session: Session, text: str) -> tuple[tuple[str, ...], tuple[FoundMessage, ...]]:
    """Return the ids of the matching messages of the current branch, and the matches: see `find_text`."""
    messages = tuple(session.recorded.branch)
    found = await asyncio.to_thread(find_text, messages, text)
    return tuple(messages[one.number].id for one in found), tuple(found)


def find_text(messages: Sequence[Message], text: str, limit: int = MAX_FOUND) -> list[FoundMessage]:
    """Return the newest `limit` messages that contain the text, oldest first. The case of letters is ignored.

    The arguments of tool calls are also searched, but not system prompts, which the window shows folded.
    """
    wanted = text.casefold()
    found: list[FoundMessage] = []
    for index in range(len(messages) - 1 if wanted else -1, -1, -1):
        message = messages[index]
        if message.role is Role.SYSTEM:
            continue
        texts = (message.text, *(call.arguments for call in message.tool_calls))
        if places := sum(one.casefold().count(wanted) for one in texts):
            found.append(FoundMessage(index, places))
            if len(found) == limit:
                break
    return found[::-1]
