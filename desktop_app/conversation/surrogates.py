"""Replaces lone surrogates by U+FFFD: no UTF-8 can carry them, to the archive or to a provider."""

from __future__ import annotations

import json
from typing import Any

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
    return json.loads(replace_surrogates_in_text(json.dumps(msgspec.to_builtins(value), ensure_ascii=False)))


def replace_surrogates_in_text(text: str) -> str:
    """Return the text without lone surrogates."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
