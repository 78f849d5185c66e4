"""`save_memory` and `recall`: facts about the user for later, and earlier messages of the conversation (S7 to S9)."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Annotated

from msgspec.structs import replace

from desktop_app.chat.memory.memory_flusher import MemoryStore
from desktop_app.chat.memory.recall import RecallArchive, as_text, recall
from desktop_app.chat.ports import ArchiveError, WorldError
from desktop_app.context.memory.flush import SAVE_MEMORY
from desktop_app.context.memory.memories import Note, changes_of
from desktop_app.context.recall.recollection import Recollected, page_of, recollected_of
from desktop_app.conversation.tools import ToolContext

from .tool import Arguments, Tool, ToolFailed, field

NEIGHBOURS = 4
"""Messages on each side of one that is asked for by its number."""
CHARACTERS_PER_TOKEN = 4
"""Approximately, for a message that alone is too long: the text is halved from there until it fits."""

Room = Callable[[str], Awaitable[tuple[int, Callable[[str], int]]]]
"""Returns, for a conversation, the tokens that recalled text may take in it, and a function that counts them."""


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
            changes = changes_of(
                existing, [note], time.time(), context.conversation, "", "model", folder=context.folder
            )
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
        old = "".join(f" It replaces “{texts[one]}”" for one in changes.replaced)
        hint = "The user can make it valid everywhere in the Memory tab."
        return f"Saved for {scope}: “{changes.saved[0].text}”{old} {hint}"


class RecallArguments(Arguments, frozen=True):
    """The arguments of `recall`."""

    query: Annotated[str, field("What to look for, in words that were probably used: names, dates, topics")] = ""
    message: Annotated[int, field("Or the number of a message, as in #12, to read it and those around it")] = -1


class RecallTool(Tool[RecallArguments]):
    """Finds messages by their content, or reads around one of them."""

    name = "recall"
    description = (
        "Looks up earlier messages of this conversation, also those that were archived and are only summarised for you."
        " Gives them with their numbers."
    )
    arguments = RecallArguments

    def __init__(self, archive: RecallArchive, room: Room) -> None:
        self._archive, self._room = archive, room

    async def answer(self, arguments: RecallArguments, context: ToolContext) -> str:
        try:
            if arguments.message >= 0:
                return await self._read_around(arguments.message, context.conversation)
            if not arguments.query.strip():
                raise ToolFailed("Say what to look for in `query`, or give the number of a message.")
            max_tokens, count = await self._room(context.conversation)
            found = await recall(self._archive, context.conversation, arguments.query, max_tokens, count)
        except ArchiveError as error:
            raise ToolFailed(f"The archive could not be searched: {error}.") from error
        return as_text(found) or "Nothing was found. Try other words, or fewer."

    async def _read_around(self, index: int, conversation: str) -> str:
        outline = await self._archive.outline(conversation)
        total = len(outline.speakers)
        if index >= total:
            raise ToolFailed(f"There is no message #{index}: this conversation has #0 to #{total - 1}.")
        wanted = range(max(index - NEIGHBOURS, 0), min(index + NEIGHBOURS + 1, total))
        passages: dict[int, Recollected] = {}
        for at, message in (await self._archive.messages_at(conversation, wanted)).items():
            passages[at] = recollected_of(message, at, outline)
        if index not in passages:
            raise ToolFailed(f"Message #{index} cannot be read.")
        max_tokens, count = await self._room(conversation)
        return page_of(_fit(passages, index, max_tokens, count))


def _fit(
    passages: dict[int, Recollected], index: int, max_tokens: int, count: Callable[[str], int]
) -> list[Recollected]:
    """Return that message, shortened if it is too long, and its neighbours from near to far as long as they fit."""
    asked = passages[index]
    length = len(asked.text)
    while length > 1 and count(page_of([asked])) > max_tokens:
        length = min(length // 2, max_tokens * CHARACTERS_PER_TOKEN)
        asked = replace(asked, text=asked.text[:length])
    chosen = [asked]
    for at in sorted(passages.keys() - {index}, key=lambda at: (abs(at - index), at)):
        wider = sorted([*chosen, passages[at]], key=lambda passage: passage.index)
        if passages[at].text and count(page_of(wider)) <= max_tokens:
            chosen = wider
    return chosen
