"""The changes that a tool call makes in a file, as lines of a diff. Uses no Qt."""

from __future__ import annotations

import json
from difflib import unified_diff
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from desktop_app.conversation.message import ToolCall

OLD = ("old_text", "old_string", "old_str", "oldText", "old")
NEW = ("new_text", "new_string", "new_str", "newText", "new")
WHOLE = ("content", "contents", "file_text")
"""Argument names of tools that edit and write files, our own first."""
TEXTS = frozenset((*OLD, *NEW, *WHOLE))

CONTEXT = 2  # unchanged lines around a difference
MAX_KNOWN = 8  # calls in the cache: a card asks several times, and their arguments may be megabytes
MAX_COMPARED = 400  # lines; longer texts are shown as all lines removed and all lines added
MAX_BEGUN, MAX_CHARACTERS = 1_000, 500_000  # lines that are returned, and characters they are taken from


class ChangedLines(NamedTuple):
    """The changes of a call.

    begun: the first lines of the diff, removed ones with "-", added ones with "+", and some context. lines, added,
    removed: the total numbers of lines.
    """

    begun: tuple[str, ...]
    lines: int
    added: int
    removed: int

    @property
    def size(self) -> str:
        """The numbers of lines that are added and removed: "+2 −1"."""
        counted = (("+", self.added), ("−", self.removed))
        return " ".join(f"{sign}{count}" for sign, count in counted if count)


@lru_cache(MAX_KNOWN)
def changes_in_call(call: ToolCall) -> ChangedLines | None:
    """Return the changes that a call makes in a file; None if it is no such call, or changes nothing."""
    arguments = arguments_of(call)
    if arguments is None:
        return None
    old, new = _text_of(arguments, OLD), _text_of(arguments, NEW)
    if old is not None and new is not None:
        changes = _differences(old, new)
    else:
        content = _text_of(arguments, WHOLE) if "write" in call.name or "create" in call.name else None
        changes = _replacement("", content or "")
    return changes if changes.lines else None


@lru_cache(MAX_KNOWN)
def arguments_of(call: ToolCall) -> dict[str, object] | None:
    """Return the arguments by name; None if they are not a JSON object."""
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None


def _text_of(arguments: dict[str, object], names: tuple[str, ...]) -> str | None:
    return next((value for name in names if isinstance(value := arguments.get(name), str)), None)


def _differences(old: str, new: str) -> ChangedLines:
    if max(_line_count(old), _line_count(new)) > MAX_COMPARED:
        return _replacement(old, new)
    compared = unified_diff(old.splitlines(), new.splitlines(), n=CONTEXT, lineterm="")
    found = islice(compared, 3, None)  # without the file names and the first hunk's header
    lines = tuple(" …" if line.startswith("@@") else line for line in found)
    added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    return ChangedLines(lines[:MAX_BEGUN], len(lines), added, removed)


def _replacement(old: str, new: str) -> ChangedLines:
    removed, added = _line_count(old), _line_count(new)
    lines = (f"{sign}{line}" for sign, text in (("-", old), ("+", new)) for line in _first_lines(text))
    return ChangedLines(tuple(islice(lines, MAX_BEGUN)), removed + added, added, removed)


def _line_count(text: str) -> int:
    """Return the number of lines that end with LF, CR LF or CR."""
    returns = text.count("\r")
    ends = text.count("\n") + (returns and returns - text.count("\r\n"))
    return ends + (text[-1:] not in ("", "\n", "\r"))


def _first_lines(text: str) -> list[str]:
    return text[:MAX_CHARACTERS].splitlines()[:MAX_BEGUN]
