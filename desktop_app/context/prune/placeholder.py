"""What stands for a result or an argument that was left out: short, and plain about what it was."""

from __future__ import annotations

from typing import Any

import msgspec

from desktop_app.context.ledger.error_lines import error_lines
from desktop_app.conversation.message import ToolResult

PREFIX = "[Old result"
"""How each placeholder begins. A result that a prune shortened to it is never shortened again."""
LONG = 200
"""Characters of an argument; what is not longer stays: it says what the call was about, and would free nothing."""
MAX_ERROR_LINE = 200


def placeholder(why: str, whole: ToolResult) -> str:
    """One line in a result's place; a failed result keeps its first error line."""
    line = f"{PREFIX}: {why}]"
    return f"{line}\n{error_line(whole)}" if whole.is_error else line


def error_line(whole: ToolResult) -> str:
    """The first line that tells of an error, or else, of a failed result, the first that is not blank; or ""."""
    lines = error_lines(whole.text, 1, MAX_ERROR_LINE)
    return lines[0] if lines else first_line(whole.text, MAX_ERROR_LINE) if whole.is_error else ""


def first_line(text: str, most: int) -> str:
    """The first line that is not blank, clipped."""
    return clip(text.lstrip()[: most + 1].partition("\n")[0].rstrip(), most)


def clip(text: str, most: int) -> str:
    """The beginning of a text, and a sign that there was more."""
    return text if len(text) <= most else text[: most - 1] + "…"


def shortened_arguments(fields: dict[str, Any] | None, arguments: str, why: str) -> str | None:
    """The same arguments with a note for each long one, as JSON; None if there is no long one.

    What is no JSON object becomes one: providers refuse anything else.
    """
    if fields is None:
        return _json({"left_out": _note(len(arguments), why)}) if len(arguments) > LONG else None
    if len(arguments) <= LONG:
        return None
    sizes = {key: _size(value) for key, value in fields.items()}
    if max(sizes.values(), default=0) <= LONG:
        return None
    return _json({key: _note(sizes[key], why) if sizes[key] > LONG else value for key, value in fields.items()})


def _note(size: int, why: str) -> str:
    return f"[{size:,} characters left out: {why}]"


def _size(value: object) -> int:
    """Characters of a text, or of a list or an object as JSON."""
    if isinstance(value, str):
        return len(value)
    return len(msgspec.json.encode(value)) if isinstance(value, list | dict) else 0


def _json(fields: dict[str, Any]) -> str:
    return msgspec.json.encode(fields).decode()
