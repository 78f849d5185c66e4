"""Placeholders of results and arguments that were left out."""

from __future__ import annotations

from typing import Any

import msgspec

from desktop_app.context.ledger.error_lines import error_lines
from desktop_app.conversation.message import ToolResult

PREFIX = "[Old result"
"""The beginning of each placeholder. A result that a prune shortened to one is never shortened again."""
LONG = 200
"""Characters of an argument; what is not longer stays, since it says what the call was about."""
MAX_ERROR_LINE = 200


def placeholder(why: str, whole: ToolResult) -> str:
    """Return the line that replaces a result; a failed result keeps its first error line."""
    line = f"{PREFIX}: {why}]"
    return f"{line}\n{error_line(whole)}" if whole.is_error else line


def error_line(whole: ToolResult) -> str:
    """Return the first line that tells of an error, or else the first line of a failed result; or ""."""
    lines = error_lines(whole.text, 1, MAX_ERROR_LINE)
    return lines[0] if lines else first_line(whole.text, MAX_ERROR_LINE) if whole.is_error else ""


def first_line(text: str, most: int) -> str:
    """Return the first line that is not blank, clipped."""
    return clip(text.lstrip()[: most + 1].partition("\n")[0].rstrip(), most)


def clip(text: str, most: int) -> str:
    """Return the text, its end replaced by an ellipsis if it is longer than `most` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def shortened_arguments(fields: dict[str, Any] | None, arguments: str, why: str) -> str | None:
    """Return the arguments with a note for each long one, as JSON; None if there is no long one.

    What is not a JSON object becomes one: providers refuse anything else.
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
    """Return the characters of a text, or of a list or an object as JSON."""
    if isinstance(value, str):
        return len(value)
    return len(msgspec.json.encode(value)) if isinstance(value, list | dict) else 0


def _json(fields: dict[str, Any]) -> str:
    return msgspec.json.encode(fields).decode()
