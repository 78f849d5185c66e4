"""`save_memory`: the model keeps a fact about the user for later conversations (S7, S8)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated

from desktop_app.chat.memory.memory_flusher import MemoryStore
from desktop_app.chat.ports import WorldError
from desktop_app.context.memory.flush import SAVE_MEMORY
from desktop_app.context.memory.memories import Note, changes_of
from desktop_app.conversation.tools import ToolContext, ToolSpec

from .tool import Arguments, Tool, ToolFailed, about
from .toolbox import OwnTools

EVERYWHERE = "The user can make it valid everywhere in the Memory tab."


class SaveMemoryArguments(Arguments, frozen=True):
    """What is to be remembered."""

    text: Annotated[str, about("The fact, understandable alone")]
    replaces: Annotated[str, about("The remembered sentence that this one corrects, if any")] = ""


class SaveMemoryTool(Tool[SaveMemoryArguments]):
    """Keeps a memory, or says that it is known. It asks for nothing: the user sees and deletes what is remembered."""

    name = SAVE_MEMORY.name
    description = SAVE_MEMORY.description
    arguments = SaveMemoryArguments

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    async def answer(self, arguments: SaveMemoryArguments, place: ToolContext) -> str:
        """What was saved, or that it was known already. Raises ToolFailed."""
        note = Note(arguments.text, arguments.replaces)
        try:
            existing = await self._store.memories(with_deleted=True)
            changes = changes_of(existing, [note], time.time(), place.conversation, "", "model", folder=place.folder)
            await self._store.store_memories(*changes.kept, replaced=changes.replaced)
        except WorldError as error:
            raise ToolFailed(f"It could not be saved: {error}.") from error
        if changes.refused:
            raise ToolFailed(f"It was not saved, since {changes.refused[0][1].value}.")
        if not changes.saved:
            known = next(memory for memory in existing if memory.id == changes.known[0])
            return f"This was known already: “{known.text}”"
        texts = {memory.id: memory.text for memory in existing}
        where = f"the folder {place.folder}" if place.folder else "this conversation"
        old = "".join(f" It takes the place of: “{texts[one]}”" for one in changes.replaced)
        return f"Saved for {where}: “{changes.saved[0].text}”{old} {EVERYWHERE}"


class MemoryTools(OwnTools):
    """A source with `save_memory`. is_on: whether anything is to be remembered; if not, there is no such tool."""

    def __init__(self, store: MemoryStore, is_on: Callable[[], bool]) -> None:
        super().__init__((SaveMemoryTool(store),))
        self._is_on = is_on

    async def specs(self, place: ToolContext) -> tuple[ToolSpec, ...]:
        """The tool, while it is wanted."""
        return await super().specs(place) if self._is_on() else ()
