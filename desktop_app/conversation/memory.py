"""What is remembered of the user from conversation to conversation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

MemoryScope = Literal["user", "project", "folder", "conversation"]
"""Where a memory is sent: in every conversation of the user, in those of one project, of one working folder, or in one
alone."""


class Memory(msgspec.Struct, frozen=True):
    """Something worth knowing later, in the words in which it is sent. Times are seconds since 1970, UTC."""

    id: str
    text: str
    at: float
    changed_at: float
    conversation: str = ""
    """Where it was said; "" if the user wrote it."""
    author: str = "user"
    """"model", "rule" or "user"."""
    is_on: bool = True
    """Whether it is sent."""
    is_deleted: bool = False
    """Whether it is hidden, too; it can be restored."""
    scope: MemoryScope = "user"
    folder: str = ""
    """The working folder of the conversation where it was said; "" if it had none."""
    project: str = ""
    """The id of the project of that conversation, as it was then; "" if it was in none."""


def is_valid_in(memory: Memory, conversation: str, folder: str, project: str) -> bool:
    """Return whether a memory may be sent in that conversation, which has that folder and project; "" for none."""
    match memory.scope:
        case "user":
            return True
        case "project":
            return bool(project) and memory.project == project
        case "folder":
            return bool(folder) and memory.folder == folder
        case "conversation":
            return bool(conversation) and memory.conversation == conversation


def memories_in(memories: Iterable[Memory], conversation: str, folder: str, project: str) -> tuple[Memory, ...]:
    """Return the memories that may be sent in that conversation."""
    return tuple(memory for memory in memories if is_valid_in(memory, conversation, folder, project))


def default_scope(folder: str, project: str) -> MemoryScope:
    """Return the scope of a new memory: it stays with the work in which it was said, until the user widens it."""
    if project:
        return "project"
    return "folder" if folder else "conversation"
