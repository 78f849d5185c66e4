"""The tools that one server offers to models: named `server__tool`, valid for all providers, in a stable order."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from desktop_app.conversation.events import Failure
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.words import translatable

from .mcp_failures import refusal_of
from .schema import SchemaRefused, clean_text, schema_text

if TYPE_CHECKING:
    from mcp.types import Tool  # the package is imported late

MAX_NAME = 64
"""Characters. OpenAI and Anthropic accept [a-zA-Z0-9_-]{1,64}."""
MAX_PREFIX = 24
MAX_ABOUT = 8_000
"""Characters of a tool's description. Providers that accept fewer get fewer."""
SEPARATOR = "__"
MAX_TOOLS = 128
"""Tools of one server; OpenAI accepts no more in a request."""
MAX_LISTED = 2 * MAX_TOOLS
"""Tools of a server's list that are read, because some may have to be left out."""
MAX_FAILURES = 5
"""Reported tools that are not offered; a broken server can have hundreds."""


def prefixes_of(servers: Iterable[str]) -> dict[str, str]:
    """Return the prefix of each server's tools. servers: all in the settings, on or off, in their order.

    No prefix contains the separator or ends in a part of it. The first separator in a name therefore splits it, and no
    server's tool can have the name of another server's tool.
    """
    prefixes: dict[str, str] = {}
    for server in servers:
        valid = re.sub("_+", "_", _valid(server)).strip("_") or "server"
        prefixes[server] = _unique(_shorten(valid, server, MAX_PREFIX), set(prefixes.values()), MAX_PREFIX)
    return prefixes


def suffixes_of(tools: Iterable[str], prefix: str) -> dict[str, str]:
    """Return the last part of the name of each tool of a server. Of equal ones, the first stays unchanged."""
    length = MAX_NAME - len(prefix) - len(SEPARATOR)
    suffixes: dict[str, str] = {}
    for tool in tools:
        suffixes[tool] = _unique(_shorten(_valid(tool) or "tool", tool, length), set(suffixes.values()), length)
    return suffixes


def _valid(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)


def _shorten(valid: str, name: str, length: int) -> str:
    """Shorten a name that is too long, with a digest of the full name, so that the result is the same each time."""
    if len(valid) <= length:
        return valid
    return valid[: length - 7] + "-" + hashlib.sha256(name.encode(errors="replace")).hexdigest()[:6]


def _unique(name: str, taken: set[str], length: int) -> str:
    count, unique = 1, name
    while unique in taken:
        count += 1
        unique = f"{name[: length - len(str(count)) - 1]}-{count}"
    return unique


class OfferedTool(msgspec.Struct, frozen=True):
    """A tool that is offered to models."""

    spec: ToolSpec
    name: str
    """The server's name for the tool."""
    fingerprint: str
    """A hash of the name, the description and the parameters; a tool with another fingerprint is another tool."""
    only_reads: bool = False
    is_destructive: bool = False
    """What the server says of it, if it does: without a word of it, neither is true."""


def _fingerprint(name: str, spec: ToolSpec) -> str:
    content = msgspec.json.encode([repr(name), spec.description, spec.parameters])
    return hashlib.sha256(content).hexdigest()


class ServerTools:
    """The tools of one server, according to the last reading of its list."""

    def __init__(self, server: str, prefix: str) -> None:
        self._server = server
        self._prefix = prefix
        self._order: dict[str, int] = {}
        self.offered: tuple[OfferedTool, ...] = ()
        self.failures: tuple[Failure, ...] = ()

    async def read(self, session: Any) -> None:
        """Request the list from a session, and apply it. Raises MCPError and ValidationError."""
        changes = session.changes
        await self.update(await session.list_tools())
        session.note_listed(changes)

    async def update(self, tools: Sequence[Tool]) -> None:
        """Apply a list: known tools keep their order, new ones come last, by name. Other tasks can run between tools.

        Some servers list their tools in another order at each start, and only equal requests are found in a cache.
        """
        by_name = {tool.name: tool for tool in reversed(tools)}  # of two tools with the same name, the first counts
        order = sorted(by_name, key=lambda name: (self._order.get(name, len(self._order)), name))
        del order[MAX_LISTED:]
        suffixes = suffixes_of(order, self._prefix)
        offered: list[OfferedTool] = []
        refused: list[Failure] = []
        for name in order:
            try:
                if len(offered) >= MAX_TOOLS:
                    raise SchemaRefused(
                        translatable("the server has more than {most} tools, and providers accept no more").format(
                            most=MAX_TOOLS
                        )
                    )
                spec = self._spec_of(by_name[name], suffixes[name])
                hints = by_name[name].annotations
                only_reads = hints is not None and hints.read_only_hint is True
                is_destructive = hints is not None and hints.destructive_hint is True and not only_reads
                offered.append(OfferedTool(spec, name, _fingerprint(name, spec), only_reads, is_destructive))
            except SchemaRefused as error:
                refused.append(refusal_of(self._server, name, str(error)))
            await asyncio.sleep(0)
        self._order = {name: index for index, name in enumerate(order)}
        self.offered, self.failures = tuple(offered), tuple(refused[:MAX_FAILURES])

    def clear(self) -> None:
        """Offer no tools; the order is remembered."""
        self.offered, self.failures = (), ()

    def _spec_of(self, tool: Tool, suffix: str) -> ToolSpec:
        name = self._prefix + SEPARATOR + suffix
        description = clean_text(tool.description or tool.title or "", MAX_ABOUT)
        return ToolSpec(name, description, schema_text(tool.input_schema), self._server)
