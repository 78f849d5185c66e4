"""Damaged variants of a file, the same each time. A reader makes conversations of them, or a clear refusal."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from independent import lost_texts

from desktop_app.conversation.foreign import ForeignConversation, ForeignMessage, UnreadFile
from desktop_app.conversation.message import Message
from desktop_app.imports.formats import read_all
from desktop_app.imports.sources import sources_in

WRONG: tuple[object, ...] = (None, 7, -1e300, True, "x", "", [], {}, [[]], ["\ud83d"], {"a": {"b": None}})


def variants(content: bytes, count: int = 100, seed: int = 0) -> Iterator[bytes]:
    """Yield so many damaged copies: cut, with bytes changed, and with JSON of other types in its places."""
    chance = random.Random(seed)
    for number in range(count):
        kind = number % 4
        if kind == 0:
            yield content[: chance.randrange(len(content))]
        elif kind == 1:
            place = chance.randrange(len(content))
            yield content[:place] + bytes([chance.randrange(256)]) + content[place + 1 :]
        else:
            yield _with_wrong_values(content, chance)


def _with_wrong_values(content: bytes, chance: random.Random) -> bytes:
    try:
        return json.dumps(_changed(json.loads(content), chance)).encode()
    except ValueError:  # a value a line
        lines = content.splitlines()
        place = chance.randrange(len(lines))
        lines[place] = json.dumps(_changed(json.loads(lines[place]), chance)).encode()
        return b"\n".join(lines)


def _changed(whole: Any, chance: random.Random) -> Any:
    """Return the value with some of its inner values replaced by others, or left out."""
    places = list(_places(whole))
    for holder, key in chance.sample(places, min(len(places), chance.randint(1, 3))):
        if isinstance(holder, dict) and chance.random() < 0.3:
            holder.pop(key, None)
        else:
            holder[key] = chance.choice(WRONG)
    return whole


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def read_file(path: Path) -> list[ForeignConversation | UnreadFile]:
    """What is found in a file, a folder or a zip; of a file without a fault, nothing may be lost."""
    found = _read(path)
    whole = [each for each in found if isinstance(each, ForeignConversation) and not each.unread]
    if whole and len(whole) == len(found) and path.suffix in (".json", ".jsonl") and path.is_file():
        assert lost_texts(path, whole) == []
    return found


def only_conversation(found: list[ForeignConversation | UnreadFile]) -> ForeignConversation:
    """Return the only thing that was found, which is a sound conversation."""
    (only,) = found
    assert isinstance(only, ForeignConversation)
    check_tree(only)
    return only


def only_unread(found: list[ForeignConversation | UnreadFile]) -> UnreadFile:
    """Return the only thing that was found, which could not be read."""
    (only,) = found
    assert isinstance(only, UnreadFile)
    return only


def entries_in(found: ForeignConversation) -> list[ForeignMessage]:
    return [entry for entry in found.entries if isinstance(entry, ForeignMessage)]


def messages_in(found: ForeignConversation) -> list[Message]:
    return [entry.message for entry in entries_in(found)]


def _read(path: Path) -> list[ForeignConversation | UnreadFile]:
    return [found for _, found in read_all(sources_in(path))]


def check_damaged(path: Path, content: bytes, count: int = 100) -> int:
    """Read so many damaged copies, written to that path; return how many were refused, wholly or in part.

    Nothing but UnreadFile and conversations may come of them: with unique ids, and parents before what follows them.
    """
    refused = 0
    for damaged in variants(content, count):
        path.write_bytes(damaged)
        found = _read(path)
        refused += any(isinstance(each, UnreadFile) for each in found)
        for each in found:
            if isinstance(each, UnreadFile):
                assert each.reason, damaged
            else:
                check_tree(each)
    return refused


def check_tree(conversation: ForeignConversation) -> None:
    """Check what a record relies on."""
    seen: set[str] = set()
    for entry in conversation.entries:
        assert entry.id
        assert entry.id not in seen, "ids are unique"
        assert not entry.parent or entry.parent in seen, "a parent stands before what follows it"
        seen.add(entry.id)
        if isinstance(entry, ForeignMessage):
            assert entry.message.at >= 0
