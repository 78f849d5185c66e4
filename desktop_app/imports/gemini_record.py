"""What happened in a session of Gemini CLI, line by line: what was said, taken back, and summarized."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from .gemini_parts import fields_of

Json = dict[str, Any]
SNAPSHOT = "<state_snapshot>"
"""With which Gemini CLI marks the summary that it puts in the place of older messages."""


class Node(msgspec.Struct):
    """A message of the session, or a summary that replaced those before it."""

    parent: str
    value: Json
    summary: str = ""


class SessionRecord:
    """Follows the lines of a session. The older shape is one object, as if it were a single line.

    What was taken back stays as a branch. Where the program writes all its messages anew, those that it has shortened
    stay as they were, and those that it replaced by a summary stay before it.
    """

    def __init__(self) -> None:
        self.about: Json = {}
        self.nodes: dict[str, Node] = {}
        self.order: list[str] = []
        """A parent stands before what follows it."""
        self.unknown: list[Json] = []
        self._path: list[str] = []
        self._open: set[str] = set()
        self._summarized: set[str] = set()

    @property
    def current(self) -> str:
        """The message with which the open branch ends."""
        return self._path[-1] if self._path else ""

    def add(self, line: Json) -> None:
        """Follow one line."""
        change = line.get("$set")
        if isinstance(line.get("$rewindTo"), str):
            self._rewind(line["$rewindTo"])
        elif isinstance(change, dict):
            if (messages := self._describe(cast("Json", change))) is not None:
                self._replace(messages)
        elif isinstance(line.get("id"), str):
            self._say(line)
        elif "sessionId" in line:
            for message in self._describe(line) or ():
                self._say(message)
        else:
            self.unknown.append(line)

    def _describe(self, change: Json) -> list[Json] | None:
        """Take over what a line says about the session; return its messages, if it has any list of them."""
        messages = change.get("messages")
        if not isinstance(messages, list):
            self.about |= change
            return None
        self.about |= {name: value for name, value in change.items() if name != "messages"}
        found = [cast("Json", each) for each in cast("list[object]", messages) if isinstance(each, dict)]
        self.unknown += [{"message": each} for each in cast("list[object]", messages) if not isinstance(each, dict)]
        return found

    def _id(self, message: Json) -> str:
        found = message.get("id")
        return found if isinstance(found, str) and found else f"#{len(self.order)}"

    def _say(self, message: Json) -> None:
        """Add a message, or take over its newer version: one is written again with its calls and tokens."""
        name = self._id(message)
        if name in self.nodes:
            self.nodes[name].value = message
        else:
            self._insert(name, Node(self.current, message), self.current)

    def _insert(self, name: str, node: Node, previous: str) -> None:
        """Put it behind that message of the open branch, and before what followed that."""
        place = self._path.index(previous) + 1 if previous else 0
        if place < len(self._path):
            follower = self._path[place]
            self.nodes[follower].parent = name
            self.order.insert(self.order.index(follower), name)
        else:
            self.order.append(name)
        self._path.insert(place, name)
        self._open.add(name)
        self.nodes[name] = node

    def _rewind(self, name: str) -> None:
        """Take back a message and all after it; all of them, as the program does, if it is not there."""
        place = self._path.index(name) if name in self._open else 0
        self._path = self._path[:place]
        self._open = set(self._path)

    def _replace(self, messages: list[Json]) -> None:
        """Follow the program where it writes its messages anew: it has summarized, shortened or added some."""
        named = [(self._id(each), each) for each in messages]
        named = [(name, each) for name, each in named if name not in self._summarized]
        first_kept = next((n for n, (name, _) in enumerate(named) if name in self._open), len(named))
        snapshot = next((n for n in range(first_kept) if SNAPSHOT in _text(named[n][1])), -1)
        previous = ""
        if snapshot >= 0 and self._path:
            kept = named[first_kept][0] if first_kept < len(named) else ""
            previous = self._summarize(named[: snapshot + 1], kept)
            named = named[snapshot + 1 :]
        elif first_kept == len(named):
            self._rewind("")
        for name, message in named:
            if name not in self.nodes:
                self._insert(name, Node(previous, message), previous)
            if name in self._open:
                previous = name

    def _summarize(self, replacement: list[tuple[str, Json]], kept: str) -> str:
        """Put a summary before the first message that was kept; return its id."""
        name, message = replacement[-1]
        replaced = self._path[: self._path.index(kept)] if kept else self._path
        previous = replaced[-1] if replaced else ""
        self._summarized.update(each for each, _ in replacement[:-1])
        if name not in self.nodes:
            text = "\n\n".join(_text(each) for _, each in replacement)
            self._insert(name, Node(previous, message, text), previous)
        return name


def _text(message: Json) -> str:
    return "\n\n".join(text for part in fields_of(message.get("content")) if (text := part.text("text")))
