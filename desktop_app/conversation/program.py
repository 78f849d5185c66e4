"""What the program is made of: versions, and the licences of all parts."""

from __future__ import annotations

import msgspec


class ProgramPart(msgspec.Struct, frozen=True):
    """A library, or something else that the program is made of."""

    name: str
    version: str
    licence: str
    """As its makers name it, such as "MIT"; "" where they say nothing."""
    family: str
    """Which licences it belongs with, such as "BSD"."""


class ProgramInfo(msgspec.Struct, frozen=True):
    """What is told of the program."""

    version: str
    versions: tuple[tuple[str, str], ...]
    """Of what matters for a report of a bug, each with its name."""
    data: str
    log: str
    parts: tuple[ProgramPart, ...]
    """By family and name."""


def report_of(info: ProgramInfo) -> str:
    """Return the versions and folders as lines for a report of a bug, in English."""
    lines = [("Palimpsest", info.version), *info.versions, ("Data", info.data), ("Log", info.log)]
    return "\n".join(f"{name}: {value}" for name, value in lines)
