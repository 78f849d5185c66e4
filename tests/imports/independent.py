"""What a file holds, read without the importer: every text of it must be in the conversations, or in what is kept.

Not compared are names of fields, times, the words with which a program tells kinds of things apart, and ids and places.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from desktop_app.conversation.foreign import ForeignConversation
from desktop_app.imports.format import seconds_of

KINDS = {"type", "role", "status", "state", "sender", "recipient", "content_type", "object", "record_type", "format"}
ENDINGS = {"stopReason", "finish_reason", "error.name"}
"""Why a reply ended; one that was cut off is marked so."""
NAMES = {
    "id",
    "_id",
    "uuid",
    "file_uuid",
    "parent",
    "parentMessageId",
    "parent_message_uuid",
    "stepIdentifier",
    "turn_id",
    "assetId",
    "apiCallId",
}
PLACES = {"asset_pointer", "storageKey", "files.url", "metadata.url", "matched_text", "__exported_items"}
"""Where something lies that is not in the file."""
NOT_COMPARED = frozenset(KINDS | ENDINGS | NAMES | PLACES)
WRITTEN_ANEW = re.compile("<details|:::thinking|\ue200")
"""Thoughts, calls and citations in the text of a message become such."""
_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s+")


def texts_of(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each text of a file of JSON or JSON Lines with the names on the way to it."""
    content = path.read_bytes()
    try:
        values = [json.loads(content)]
    except RecursionError:  # as deep as a tree of LibreChat's may be
        return
    except ValueError:
        values = [json.loads(line) for line in content.splitlines() if line.strip()]
    for value in values:
        yield from ((way, leaf) for way, leaf in _leaves(value) if isinstance(leaf, str) and leaf.strip())


def lost_texts(path: Path, found: Iterable[ForeignConversation]) -> list[tuple[str, str]]:
    """Return the texts of the file that are nowhere in what was found, each with the names on the way to it."""
    kept = list(_kept(found))
    whole = _SPACE.sub("", "\0".join(kept))
    return [
        (way, text)
        for way, text in texts_of(path)
        if not _is_known(way) and not WRITTEN_ANEW.search(text) and not _is_time(text) and not _is_in(text, whole)
    ]


def _kept(found: Iterable[ForeignConversation]) -> Iterator[str]:
    for conversation in found:
        yield from (leaf for _, leaf in _leaves(msgspec.to_builtins(conversation)) if isinstance(leaf, str))
        rest = json.loads(conversation.rest or "{}")
        yield from (part for way, leaf in _leaves(rest) for part in (*way.split("."), str(leaf)))


def _is_known(way: str) -> bool:
    *_, holder, name = ("", *way.split("."))
    if way.startswith("$set."):  # Gemini's, for the model: the same messages, shortened
        return True
    return not {name, f"{holder}.{name}"}.isdisjoint(NOT_COMPARED)


def _is_in(text: str, whole: str) -> bool:
    bare = _SPACE.sub("", text)
    if bare in whole or json.dumps(bare, ensure_ascii=False)[1:-1] in whole:
        return True
    if all(word in whole for word in _WORD.findall(text)):  # of parts that stand apart, joined
        return True
    try:
        inner = json.loads(text)  # arguments may stand as JSON in a text, and are written anew
    except ValueError:
        return False
    return isinstance(inner, dict | list) and all(
        _SPACE.sub("", leaf) in whole for _, leaf in _leaves(inner) if isinstance(leaf, str)
    )


def _is_time(text: str) -> bool:
    return text[:4].isdigit() and bool(seconds_of(text))


def _leaves(value: Any, way: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, f"{way}.{name}" if way else str(name))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner, way)
    else:
        yield way, value
