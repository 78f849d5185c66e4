"""Names that providers take for the tools of servers: `server__tool`, legal, unique, and the same each time."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

MOST_NAME = 64
"""Characters. OpenAI and Anthropic take [a-zA-Z0-9_-]{1,64}."""
MOST_PREFIX = 24
JOINT = "__"


def prefixes(servers: Iterable[str]) -> dict[str, str]:
    """What the names of each server's tools begin with, from all servers that are set up, on or off, in their order.

    None holds the joint or ends in a part of it: the first joint of a name parts the two, so that no server's tool
    can take the name of another's.
    """
    given: dict[str, str] = {}
    for server in servers:
        legal = re.sub("_+", "_", _legal(server)).strip("_") or "server"
        given[server] = _unique(_cut(legal, server, MOST_PREFIX), set(given.values()))
    return given


def tails(tools: Iterable[str], prefix: str) -> dict[str, str]:
    """What the names of a server's tools end with. The first of two that would be alike keeps it."""
    most = MOST_NAME - len(prefix) - len(JOINT)
    given: dict[str, str] = {}
    for tool in tools:
        given[tool] = _unique(_cut(_legal(tool) or "tool", tool, most), set(given.values()), most)
    return given


def _legal(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)


def _cut(legal: str, name: str, most: int) -> str:
    """As much of it as fits, with a digest of the whole name, so that the cut is the same each time."""
    if len(legal) <= most:
        return legal
    return legal[: most - 7] + "-" + hashlib.sha256(name.encode(errors="replace")).hexdigest()[:6]


def _unique(name: str, taken: set[str], most: int = MOST_PREFIX) -> str:
    count, found = 1, name
    while found in taken:
        count += 1
        found = f"{name[: most - len(str(count)) - 1]}-{count}"
    return found
