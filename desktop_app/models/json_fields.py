"""Values of a provider's JSON, each validated into the type that the program gives it. Pure.

Providers, and the servers that imitate them, were seen to send numbers as text, content as a list, calls without
names. What has a sensible reading is taken, such as "12" for 12; what has none becomes "", None or nothing at all.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, cast

from desktop_app.conversation.openai_chat import Json

MAX_TOKENS = 10**9
"""No request has more: what is reported above that is no count of tokens."""
MAX_DOLLARS = 1e6
MAX_DIGITS = 32
"""Characters of a number that comes as text; to read a longer one would take time that grows with its square."""


USAGES = ("usage", "usageMetadata")
"""The fields in which a chunk, or the message in it, reports its tokens, in all shapes but Ollama's."""
_COUNT = re.compile(r"_tokens|TokenCount|_count$")


class NoChunk(Exception):
    """A provider sent something that is no piece of a chat reply."""


def field_of(value: Any, name: str) -> Any:
    """Return the field of an object, be it a dictionary or not; None if it has none."""
    return cast("Json", value).get(name) if isinstance(value, dict) else getattr(value, name, None)


def is_object(value: Any) -> bool:
    """Return whether it can have named fields: None, numbers, texts and lists cannot."""
    return value is not None and not isinstance(value, bool | int | float | str | bytes | list | tuple)


def list_of(value: Any) -> list[Any]:
    """Return the elements of a list; none of what is no list."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def text_of(value: Any) -> str:
    """Return a text, a number as text, or the texts of a list of content parts."""
    if isinstance(value, list):
        return "".join(_text_of_part(part) for part in cast("list[Any]", value))
    return _text_of_part(value)


def _text_of_part(part: Any) -> str:
    return word_of(field_of(part, "text") if is_object(part) else part)


def word_of(value: Any) -> str:
    """Return a text, or a number as text; "" for everything else."""
    if isinstance(value, str):
        return value
    return str(value) if _is_number(value) else ""


def json_of(value: Any) -> str:
    """Return JSON text as it is, and another value as JSON: some servers give arguments as an object."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return ""


def count_of(value: Any) -> int | None:
    """Return a count of tokens; None if it is none."""
    number = _number_of(value)
    return None if number is None or not 0 <= number <= MAX_TOKENS else round(number)


def with_counts(chunk: Json) -> Json:
    """Return the chunk with its counts of tokens as numbers, for a reader that refuses all of it otherwise."""
    checked = {name: _counts(value) if name in USAGES else value for name, value in _counted(chunk).items()}
    message = chunk.get("message")
    if isinstance(message, dict) and "usage" in message:  # as Anthropic begins
        checked["message"] = {**cast("Json", message), "usage": _counts(cast("Json", message)["usage"])}
    return checked


def _counts(usage: Any) -> Json:
    return _counted(cast("Json", usage)) if isinstance(usage, dict) else {}


def _counted(fields: Json) -> Json:
    """The fields without what should be a count and is none."""
    counted = {name: count_of(value) if _COUNT.search(name) else value for name, value in fields.items()}
    return {name: value for name, value in counted.items() if value is not None or fields[name] is None}


def dollars_of(value: Any) -> float | None:
    """Return a sum of money; None if it is none."""
    number = _number_of(value)
    return None if number is None or not 0 <= number <= MAX_DOLLARS else float(number)


def index_of(value: Any) -> int | None:
    """Return the index of a call among the calls of its reply; None if it is none."""
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
    """Return whether it is a number that JSON can hold, and int64 too."""
    return isinstance(value, int | float) and not isinstance(value, bool) and _is_small(value)


def _is_small(value: int | float) -> bool:
    return math.isfinite(value) and abs(value) < 2**63 if isinstance(value, float) else -(2**63) <= value < 2**63
