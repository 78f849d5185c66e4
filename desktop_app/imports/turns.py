"""Replies in which tools ran, of programs that keep all of one reply in one message."""

from __future__ import annotations

from itertools import groupby

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignMessage
from desktop_app.conversation.message import Attachment, Message, Part, Role, ToolResult


def in_turns(name: str, parent: str, message: Message, taken: set[str]) -> list[ForeignMessage]:
    """Return the message as those that were exchanged. The first has the name, unless it is taken, and all names are
    taken then."""
    turns = turns_of_reply(message)
    while not taken.isdisjoint(names := [name, *(f"{name}/{number}" for number in range(1, len(turns)))]):
        name += "'"
    taken.update(names)
    return list(map(ForeignMessage, names, [parent, *names], turns))


def turns_of_reply(message: Message) -> list[Message]:
    """Return what the model said, a message for each result, and so on; nothing of a message without parts.

    The parts may hold results between them, each with its images behind it. Usage, seconds and whether it was
    interrupted belong to the last message of the model.
    """
    turns: list[Message] = []
    for is_result, group in groupby(_runs(message.parts), key=lambda run: isinstance(run[0], ToolResult)):
        if is_result:
            turns += [Message(role=Role.TOOL, parts=tuple(run), at=message.at) for run in group]
        else:
            said = tuple(part for run in group for part in run)
            turns.append(replace(message, parts=said, usage=None, seconds=0.0, is_interrupted=False))
    last = max((place for place, turn in enumerate(turns) if turn.role is not Role.TOOL), default=None)
    if last is not None:
        turns[last] = replace(message, parts=turns[last].parts)
    return turns


def _runs(parts: tuple[Part, ...]) -> list[list[Part]]:
    """Return each part alone, but a result with the images behind it."""
    runs: list[list[Part]] = []
    for part in parts:
        if isinstance(part, Attachment) and runs and isinstance(runs[-1][0], ToolResult):
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs
