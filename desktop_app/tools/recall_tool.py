"""`recall`: the model looks up what was said earlier in its conversation, archived or not (S9)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from desktop_app.chat.memory.recall import RecallArchive, as_text, recalled
from desktop_app.chat.ports import ArchiveError
from desktop_app.context.recall.passages import text_of
from desktop_app.context.recall.recollection import Recollected, page_of
from desktop_app.conversation.tools import ToolContext

from .tool import Arguments, Tool, ToolFailed, about

AROUND = 4
"""Messages on each side of one that is asked for by its number."""
CHARACTERS_A_TOKEN = 4
"""About, and then halved until it fits: of a message that alone takes more than there is room."""

Room = Callable[[str], Awaitable[tuple[int, Callable[[str], int]]]]
"""Of a conversation: tokens that what is recalled may take in it, and what counts them."""


class RecallArguments(Arguments, frozen=True):
    """What is looked for."""

    query: Annotated[str, about("What to look for, in words that were probably used: names, dates, topics")] = ""
    message: Annotated[int, about("Or the number of a message, as in #12, to read it and those around it")] = -1


class RecallTool(Tool[RecallArguments]):
    """Finds messages by what they are about, or reads around one of them."""

    name = "recall"
    description = (
        "Looks up earlier messages of this conversation, also those that were archived and are only summarised for you."
        " Gives them with their numbers."
    )
    arguments = RecallArguments

    def __init__(self, archive: RecallArchive, room: Room) -> None:
        self._archive, self._room = archive, room

    async def answer(self, arguments: RecallArguments, place: ToolContext) -> str:
        """The messages, one a line. Raises ToolFailed."""
        try:
            if arguments.message >= 0:
                return await self._read_around(arguments.message, place.conversation)
            if not arguments.query.strip():
                raise ToolFailed("Say what to look for in `query`, or give the number of a message.")
            most, count = await self._room(place.conversation)
            found = await recalled(self._archive, place.conversation, arguments.query, most, count)
        except ArchiveError as error:
            raise ToolFailed(f"The archive could not be searched: {error}.") from error
        return as_text(found) or "Nothing was found. Try other words, or fewer."

    async def _read_around(self, index: int, conversation: str) -> str:
        outline = await self._archive.outline(conversation)
        total = len(outline.speakers)
        if index >= total:
            raise ToolFailed(f"There is no message #{index}: this conversation has #0 to #{total - 1}.")
        wanted = range(max(index - AROUND, 0), min(index + AROUND + 1, total))
        messages = await self._archive.messages_at(conversation, wanted)
        told = {
            place: Recollected(
                message.id,
                place,
                outline.speakers[place],
                outline.day_of(place),
                text_of(message),
                len(text_of(message)),
            )
            for place, message in messages.items()
        }
        if index not in told:
            raise ToolFailed(f"Message #{index} cannot be read.")
        most, count = await self._room(conversation)
        return page_of(_that_fit(told, index, most, count))


def _that_fit(told: dict[int, Recollected], index: int, most: int, count: Callable[[str], int]) -> list[Recollected]:
    """That message, its beginning if it is too long, and its neighbours from near to far as long as they fit."""
    asked = told[index]
    room = len(asked.text)
    while room > 1 and count(page_of([asked])) > most:
        room = min(room // 2, most * CHARACTERS_A_TOKEN)
        asked = Recollected(asked.id, asked.index, asked.speaker, asked.day, asked.text[:room], asked.whole)
    chosen = [asked]
    for place in sorted(told.keys() - {index}, key=lambda place: (abs(place - index), place)):
        wider = sorted([*chosen, told[place]], key=lambda message: message.index)
        if told[place].text and count(page_of(wider)) <= most:
            chosen = wider
    return chosen
