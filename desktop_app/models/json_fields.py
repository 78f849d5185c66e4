"""Convert values of a provider's JSON to the expected types. Pure.

Providers, and servers that imitate them, send numbers as text, content as a list, and calls without names. A value
that can be interpreted is converted, such as "12" to 12; anything else becomes "", None or is left out.
"""

from __future__ import annotations

import json
from typing import Any, cast

from desktop_app.conversation.openai_chat import Json

MAX_TOKENS = 10**9
"""A larger number is not a count of tokens."""
MAX_DOLLARS = 1e6
MAX_DIGITS = 32
"""Characters of a number as text: parsing a longer one would take quadratic time."""


class MalformedChunk(Exception):
    """A provider sent something that is not a chunk of a chat reply."""


def field_of(value: Any, name: str) -> Any:
    """Return the field of an object or a dictionary; None if it has none."""
    return cast("Json", value).get(name) if isinstance(value, dict) else getattr(value, name, None)


def is_object(value: Any) -> bool:
    """Return whether the value can have named fields."""
    return value is not None and not isinstance(value, bool | int | float | str | bytes | list | tuple)


def list_of(value: Any) -> list[Any]:
    """Return the value if it is a list, otherwise []."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def text_of(value: Any) -> str:
    """Return a text, a number as text, or the joined texts of a list of content parts."""
    parts = cast("list[Any]", value) if isinstance(value, list) else [value]
    return "".join(word_of(field_of(part, "text") if is_object(part) else part) for part in parts)


def word_of(value: Any) -> str:
    """Return a text, or a number as text; "" for everything else."""
    if isinstance(value, str):
        return value
    return str(value) if _is_number(value) else ""


def json_of(value: Any) -> str:
    """Return JSON text unchanged, and any other value as JSON: some servers send arguments as an object."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return ""


def count_of(value: Any) -> int | None:
    """Return the value as a count of tokens; None if it is not one."""
    number = _number_of(value)
    return None if number is None or not 0 <= number <= MAX_TOKENS else round(number)


def dollars_of(value: Any) -> float | None:
    """Return the value as a sum of money; None if it is not one."""
    number = _number_of(value)
    return None if number is None or not 0 <= number <= MAX_DOLLARS else float(number)


def index_of(value: Any) -> int | None:
    """Return the value as the index of a call in its reply; None if it is not one."""
    number = _number_of(value)
    return round(number) if number is not None and number == round(number) else None


def _number_of(value: Any) -> int | float | None:
    if isinstance(value, str) and len(value) <= MAX_DIGITS:
        try:
            value = float(value)
        except ValueError:
            return None
    return cast("int | float", value) if _is_number(value) else None


def _is_number(value: Any) -> bool:
    """Return whether it is a finite number that fits into 64 bits."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -(2**63) <= value < 2**63
