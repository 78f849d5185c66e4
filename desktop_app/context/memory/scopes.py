"""Where memories are sent. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from desktop_app.conversation.memory import Memory, MemoryScope


def is_valid_in(memory: Memory, conversation: str, folder: str) -> bool:
    """Return whether a memory may be sent in that conversation. folder: its working folder, "" for none."""
    match memory.scope:
        case "user":
            return True
        case "folder":
            return bool(folder) and memory.folder == folder
        case "conversation":
            return bool(conversation) and memory.conversation == conversation


def memories_in(memories: Iterable[Memory], conversation: str, folder: str) -> tuple[Memory, ...]:
    """Return the memories that may be sent in that conversation."""
    return tuple(memory for memory in memories if is_valid_in(memory, conversation, folder))


def found_scope(folder: str) -> MemoryScope:
    """Return where a memory is sent that nobody but the program or a model wanted: until the user makes it valid
    everywhere, it stays with the work in which it was said."""
    return "folder" if folder else "conversation"
