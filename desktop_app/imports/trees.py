"""Message trees, replies with tools, and images, which the files of several programs contain."""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Mapping
from itertools import groupby
from typing import TypeVar
from urllib.parse import unquote_to_bytes

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignEntry, ForeignMessage
from desktop_app.conversation.message import Attachment, Message, Part, Role, Text, ToolResult

from .sources import MAX_IMAGE, BadFile, Sources


def in_turns(name: str, parent: str, message: Message, taken: set[str]) -> list[ForeignMessage]:
    """Return the messages that `message` becomes, linked in sequence, and add their names to `taken`.

    The first one has the name `name`, with "'" appended as often as needed to make all names unused.
    """
    turns = turns_of_reply(message)
    while not taken.isdisjoint(names := [name, *(f"{name}/{number}" for number in range(1, len(turns)))]):
        name += "'"
    taken.update(names)
    return list(map(ForeignMessage, names, [parent, *names], turns))


def turns_of_reply(message: Message) -> list[Message]:
    """Split a reply at its tool results: a message for each run of the model's parts and for each result.

    Images after a result belong to it. The last message of the model has the usage, the seconds and whether the reply
    was interrupted. Returns [] for a message without parts.
    """
    turns: list[Message] = []
    for is_result, group in groupby(_runs(message.parts), key=lambda run: isinstance(run[0], ToolResult)):
        if is_result:
            turns += [Message(role=Role.TOOL, parts=tuple(run), at=message.at) for run in group]
        else:
            parts = tuple(part for run in group for part in run)
            turns.append(replace(message, parts=parts, usage=None, seconds=0.0, is_interrupted=False))
    last = max((position for position, turn in enumerate(turns) if turn.role is not Role.TOOL), default=None)
    if last is not None:
        turns[last] = replace(message, parts=turns[last].parts)
    return turns


def _runs(parts: tuple[Part, ...]) -> list[list[Part]]:
    """Return each part alone, except that a result is together with the images after it."""
    runs: list[list[Part]] = []
    for part in parts:
        if isinstance(part, Attachment) and runs and isinstance(runs[-1][0], ToolResult):
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


AnyForeign = TypeVar("AnyForeign", bound=ForeignEntry)
SYSTEM_PROMPT = "system prompt"
"""The name of the message with a conversation's system prompt."""


class Tree:
    """A tree of messages from a program whose replies contain tool results, which become separate messages.

    system_prompt: the prompt, if the program stores it apart from the messages; it becomes the first message.
    """

    def __init__(self, system_prompt: str = "") -> None:
        self._messages: dict[str, ForeignMessage] = {}
        self._parents: dict[str, str] = {}
        self._ends: dict[str, str] = {}
        self._root = ""
        if system_prompt:
            self._root = self.add(SYSTEM_PROMPT, "", Message(role=Role.SYSTEM, parts=(Text(system_prompt),)))

    def add(self, name: str, parent: str, message: Message) -> str:
        """Add a message, possibly without parts, and return its name, which is a new one if `name` is in use."""
        if not name or name in self._ends:
            name = f"{name}#{len(self._ends)}"
        end, before = name, parent
        for number, turn in enumerate(turns_of_reply(message)):
            end = f"{name}/{number}" if number else name
            self._messages[end] = ForeignMessage(end, "", turn)
            if number:
                self._parents[end] = before
            before = end
        self._parents[name] = parent
        self._ends[name] = end
        return name

    def end_of(self, name: str) -> str:
        """Return the name of the last message that the message `name` became; "" if it is unknown."""
        return self._ends.get(name, "")

    def in_order(self) -> tuple[ForeignMessage, ...]:
        """Return the messages, each after its parent."""
        linked = {
            name: self._ends.get(parent, self._root if name != self._root else "") if name in self._ends else parent
            for name, parent in self._parents.items()
        }
        return in_order(self._messages, linked)


def in_order(messages: Mapping[str, AnyForeign], parents: Mapping[str, str]) -> tuple[AnyForeign, ...]:
    """Return the entries, which may include compactions, linked and ordered: parents first, otherwise by time.

    parents: the parents of all nodes. Nodes without a message are skipped. A message whose parent is missing, or that
    closes a cycle of parents, becomes a first one.
    """
    linked = {name: replace(message, parent=_parent(name, messages, parents)) for name, message in messages.items()}
    ordered: dict[str, AnyForeign] = {}
    numbers = {name: number for number, name in enumerate(linked)}
    for name in sorted(linked, key=lambda name: (time_of(linked[name]), numbers[name])):
        _add_with_parents(name, linked, ordered)
    return tuple(ordered.values())


def time_of(entry: ForeignEntry) -> float:
    """Return when an entry was made, in seconds since 1970; 0.0 if its program did not say it."""
    return entry.message.at if isinstance(entry, ForeignMessage) else entry.at


def _parent(name: str, messages: Mapping[str, ForeignEntry], parents: Mapping[str, str]) -> str:
    """Return the nearest ancestor of a node that is a message; "" if there is none."""
    seen = {name}
    while (name := parents.get(name, "")) and name not in seen:
        if name in messages:
            return name
        seen.add(name)
    return ""


def _add_with_parents(name: str, linked: dict[str, AnyForeign], ordered: dict[str, AnyForeign]) -> None:
    """Add a message after its ancestors. A cycle is broken where it is first closed."""
    path = {name: None}  # a dictionary for fast lookup, as it may be long
    while (parent := linked[name].parent) and parent not in ordered:
        if parent in path:
            linked[name] = replace(linked[name], parent="")
            break
        path[parent] = None
        name = parent
    for each in reversed(path):
        ordered.setdefault(each, linked[each])


NOT_IN_EXPORT, NOT_READABLE = "not in the export", "not readable"
LARGER_THAN_20_MB = "larger than 20 MB"
_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}


def image_of(folder: Sources, name: str) -> Attachment:
    """Return the image whose file name begins with `name`; only its name if the file is missing or too large."""
    source = folder.beginning_with(name)
    if source is None:
        return Attachment(name, "application/octet-stream", "", about=NOT_IN_EXPORT)
    file_name = source.name.rpartition("/")[2]
    try:
        content = source.read(MAX_IMAGE)
    except BadFile as error:
        return Attachment(file_name, "application/octet-stream", "", about=error.reason)
    return attachment_of(file_name, content)


def attachment_of(name: str, content: bytes) -> Attachment:
    """Return a file as an attachment: an image, a text, or otherwise only its name."""
    kind = next((kind for beginning, kind in _SIGNATURES.items() if content.startswith(beginning)), "")
    if kind and (kind != "image/webp" or content[8:12] == b"WEBP"):
        return Attachment(name, kind, f"data:{kind};base64,{base64.b64encode(content).decode()}")
    try:
        return Attachment(name, mimetypes.guess_type(name)[0] or "text/plain", content.decode())
    except UnicodeDecodeError:
        return Attachment(name, "application/octet-stream", "", about="not readable as text")


def attachment_at(url: str, name: str = "image") -> Attachment:
    """Return the image or the file at a URL: with its content for a data URL, with the address for a web address."""
    if url.startswith("data:"):
        return _attachment_in(url, name)
    if url.startswith(("https://", "http://")):
        return Attachment(name, "image/*", url)
    return Attachment(name, mimetypes.guess_type(name)[0] or "application/octet-stream", "", about=NOT_IN_EXPORT)


def _attachment_in(url: str, name: str) -> Attachment:
    """Return the content of a data URL. Images are recognized by content, as providers reject wrong media types."""
    head, _, encoded = url.partition(",")
    kind = head.removeprefix("data:").partition(";")[0] or "application/octet-stream"
    if not kind.startswith("image/"):
        return Attachment(name, kind, url)
    try:
        content = base64.b64decode(encoded, validate=True) if head.endswith(";base64") else unquote_to_bytes(encoded)
    except ValueError:
        content = b""
    found = attachment_of(name, content)
    if found.is_image and len(content) <= MAX_IMAGE:
        return found
    about = LARGER_THAN_20_MB if found.is_image else NOT_READABLE
    return Attachment(name, "application/octet-stream", "", about=about)
