"""Replaces lone surrogates by U+FFFD: no UTF-8 can carry them, to the archive or to a provider."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from .transcript import AnyEntry

_encoder = msgspec.json.Encoder()


def replace_surrogates(entry: AnyEntry) -> AnyEntry:
    """Return the entry as it can be stored and sent; itself if it holds no lone surrogate.

    The pair of a character becomes the character.
    """
    try:
        _encoder.encode(entry)
    except UnicodeEncodeError:
        return msgspec.convert(replace_surrogates_in_builtins(entry), type=AnyEntry)
    return entry


def replace_surrogates_in_builtins(value: object) -> Any:
    """Return any value in the same way, as the objects that its JSON is made of."""
    return _replace(msgspec.to_builtins(value))


def replace_surrogates_in_text(text: str) -> str:
    """Return the text without lone surrogates."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _replace(value: Any) -> Any:
    match value:
        case str():
            return replace_surrogates_in_text(value)
        case list() | tuple():
            return [_replace(element) for element in cast("list[Any]", value)]
        case dict():
            fields = cast("dict[Any, Any]", value)
            return {_replace(key): _replace(element) for key, element in fields.items()}
        case _:
            return value
