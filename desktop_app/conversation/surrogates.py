"""Lone surrogates: characters that no UTF-8 can carry, to the archive or to a provider. They become U+FFFD."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from .transcript import AnyEntry

_encoder = msgspec.json.Encoder()


def replace_surrogates(entry: AnyEntry) -> AnyEntry:
    """The entry as it can be stored and sent; itself if it holds no lone surrogate."""
    try:
        _encoder.encode(entry)
    except UnicodeEncodeError:
        return replace_all_surrogates(entry)
    return entry


def replace_all_surrogates(entry: AnyEntry) -> AnyEntry:
    """The same entry with each lone surrogate replaced by U+FFFD; the pair of a character becomes the character."""
    return msgspec.convert(replace_surrogates_in_builtins(entry), type=AnyEntry)


def replace_surrogates_in_builtins(value: object) -> Any:
    """Any value in the same way, as the objects that its JSON is made of."""
    return _mended(msgspec.to_builtins(value))


def replace_surrogates_in_text(text: str) -> str:
    """The text without lone surrogates."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _mended(value: Any) -> Any:
    match value:
        case str():
            return replace_surrogates_in_text(value)
        case list() | tuple():
            return [_mended(element) for element in cast("list[Any]", value)]
        case dict():
            fields = cast("dict[Any, Any]", value)
            return {_mended(key): _mended(element) for key, element in fields.items()}
        case _:
            return value
