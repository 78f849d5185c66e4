"""`save_memory`: facts about the user for later (S7)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated

from desktop_app.chat.memory.memory_flusher import MemoryStore
from desktop_app.chat.ports import WorldError
from desktop_app.context.memory.flush import SAVE_MEMORY
from desktop_app.context.memory.memories import Note, changes_of
from desktop_app.conversation.tools import ToolContext

from .tool import Arguments, Tool, ToolFailed, field


class SaveMemoryArguments(Arguments, frozen=True):
    """The arguments of `save_memory`."""

    text: Annotated[str, field("The fact, understandable alone")]
    replaces: Annotated[str, field("The remembered sentence that this one corrects, if any")] = ""


class SaveMemoryTool(Tool[SaveMemoryArguments]):
    """Stores a memory, or says that it is known. It requires no permission: the user sees and deletes memories.

    is_on: whether memories are kept, which the user may change at any time.
    """

    name = SAVE_MEMORY.name
    description = SAVE_MEMORY.description
    arguments = SaveMemoryArguments

    def __init__(self, store: MemoryStore, is_on: Callable[[], bool]) -> None:
        self._store = store
        self._is_on = is_on

    @property
    def is_available(self) -> bool:
        return self._is_on()

    async def answer(self, arguments: SaveMemoryArguments, context: ToolContext) -> str:
        note = Note(arguments.text, arguments.replaces)
        try:
            existing = await self._store.memories(with_deleted=True)
            said = time.time(), context.conversation, "", "model"
            changes = changes_of(existing, [note], *said, folder=context.folder, project=context.project)
            await self._store.store_memories(*changes.kept, replaced=changes.replaced)
        except WorldError as error:
            raise ToolFailed(f"It could not be saved: {error}.") from error
        if changes.refused:
            raise ToolFailed(f"It was not saved, since {changes.refused[0][1].value}.")
        if not changes.saved:
            known = next(memory for memory in existing if memory.id == changes.known[0])
            return f"This was known already: “{known.text}”"
        texts = {memory.id: memory.text for memory in existing}
        scope = f"the folder {context.folder}" if context.folder else "this conversation"
        scope = "all conversations of this project" if context.project else scope
        old = "".join(f" It replaces “{texts[one]}”" for one in changes.replaced)
        hint = "The user can make it valid everywhere in the Memory tab."
        return f"Saved for {scope}: “{changes.saved[0].text}”{old} {hint}"
