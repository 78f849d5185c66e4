"""Entries that have happened: they get their ids and times here."""

from __future__ import annotations

import time
import uuid
from typing import TypeVar

from msgspec.structs import replace

from desktop_app.conversation.message import Entry

E = TypeVar("E", bound=Entry)


def stamp(entry: E) -> E:
    """Return the entry with an id and the time, unless it has them."""
    return replace(entry, id=entry.id or uuid.uuid4().hex, at=entry.at or time.time())
