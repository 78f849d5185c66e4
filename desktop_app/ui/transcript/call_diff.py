"""What a call changes in a file, as lines of a diff. No Qt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import unified_diff
from functools import lru_cache
from itertools import chain, islice

from desktop_app.conversation.message import ToolCall

OLD = ("old_text", "old_string", "old_str", "oldText", "old")
NEW = ("new_text", "new_string", "new_str", "newText", "new")
WHOLE = ("content", "contents", "file_text")
"""How tools that edit and write files name their arguments, ours first."""
TEXTS = frozenset((*OLD, *NEW, *WHOLE))

CONTEXT = 2  # unchanged lines around what differs
MAX_KNOWN = 8  # calls that are not read again: a card asks several times, and their arguments may be megabytes
MAX_COMPARED = 400  # lines; of longer texts all lines are shown as removed and added


@lru_cache(MAX_KNOWN)
def changes_in_call(call: ToolCall) -> str | None:
    """Return the lines that a call removes ("-") and adds ("+"), with some around them; None if it is no such call."""
    arguments = arguments_of(call)
    if arguments is None:
        return None
    old, new = _text_of(arguments, OLD), _text_of(arguments, NEW)
    if old is not None and new is not None:
        return "\n".join(_differences(old.splitlines(), new.splitlines()))
    whole = _text_of(arguments, WHOLE) if "write" in call.name or "create" in call.name else None
    return None if whole is None else "\n".join(f"+{line}" for line in whole.splitlines())


def size_of_changes(changes: str) -> str:
    """Return how many lines are added and removed: "+2 −1"."""
    counted = [
        (shown, changes.count(f"\n{sign}") + changes.startswith(sign)) for shown, sign in (("+", "+"), ("−", "-"))
    ]
    return " ".join(f"{sign}{count}" for sign, count in counted if count)


@lru_cache(MAX_KNOWN)
def arguments_of(call: ToolCall) -> dict[str, object] | None:
    """Return the arguments by their names; None for what is not a JSON object."""
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None


def _text_of(arguments: dict[str, object], names: tuple[str, ...]) -> str | None:
    return next((value for name in names if isinstance(value := arguments.get(name), str)), None)


def _differences(old: list[str], new: list[str]) -> Iterator[str]:
    if max(len(old), len(new)) > MAX_COMPARED:
        return chain((f"-{line}" for line in old), (f"+{line}" for line in new))
    lines = islice(unified_diff(old, new, n=CONTEXT, lineterm=""), 3, None)  # after the names and the first place
    return (" …" if line.startswith("@@") else line for line in lines)
