"""The errors of real providers, read from tests/models/errors/vectors (its README says where they come from)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

FOLDER = Path(__file__).parents[1] / "models" / "errors" / "vectors"


class Vector(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An error as it was seen, and what it is.

    status: 0 for one inside a stream, whose `body` is the event's object. limit, observed: tokens that the words name.
    """

    name: str
    kind: str
    status: int
    body: Any
    source: str
    headers: dict[str, str] = {}
    retry_after: float | None = None
    limit: int = 0
    observed: int = 0
    in_stream: bool = False
    provider: str = ""

    @property
    def text(self) -> str:
        """The body as it is sent."""
        return self.body if isinstance(self.body, str) else json.dumps(self.body)

    def __str__(self) -> str:
        return f"{self.provider}: {self.name}"


def vectors() -> list[Vector]:
    """All of them."""
    found: list[Vector] = []
    for path in sorted(FOLDER.glob("*.json")):
        entries = msgspec.json.decode(path.read_bytes(), type=list[Vector])
        found += [msgspec.structs.replace(entry, provider=entry.provider or path.stem) for entry in entries]
    return found
