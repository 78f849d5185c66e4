"""The tools of one server as they are offered to models, in an order that changes as little as it can."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from desktop_app.conversation.events import Failure
from desktop_app.conversation.tools import ToolSpec

from .names import JOINT, tails
from .schema import SchemaRefused, cleaned_text, schema_text
from .words import refusal_of

MOST_TOOLS = 128
"""Of one server: OpenAI takes no more in a request."""
MOST_LISTED = 2 * MOST_TOOLS
"""Of a server's list that are looked at, since some may not be fit to be offered."""
FAILURES_SHOWN = 5
"""Of tools that are not offered; a broken server can have hundreds."""


class Tool(msgspec.Struct, frozen=True):
    """A tool as its server describes it."""

    name: str
    description: str
    schema: dict[str, Any]


class Offer(msgspec.Struct, frozen=True):
    """A tool as it is offered. tool: its server's own name for it. tail: the last part of the offered name; it holds no
    "/", so that "server/tail" cannot be taken for another server's."""

    spec: ToolSpec
    tool: str
    tail: str


class Offers:
    """What a server offers, from one reading of its list to the next."""

    def __init__(self, server: str, prefix: str) -> None:
        self._server = server
        self._prefix = prefix
        self._order: dict[str, int] = {}
        self.all: tuple[Offer, ...] = ()
        self.failures: tuple[Failure, ...] = ()

    async def learn(self, tools: Sequence[Tool]) -> None:
        """Takes a list: known tools keep their places, new ones come last. Lets others run between two tools."""
        named = {tool.name: tool for tool in reversed(tools)}  # of two with one name the first counts
        order = list(dict.fromkeys(tool.name for tool in tools))
        order.sort(key=lambda name: self._order.get(name, len(self._order)))
        del order[MOST_LISTED:]
        given = tails(order, self._prefix)
        offers: list[Offer] = []
        refused: list[Failure] = []
        for name in order:
            try:
                offers.append(self._offer(named[name], given[name], is_full=len(offers) >= MOST_TOOLS))
            except SchemaRefused as error:
                refused.append(refusal_of(self._server, name, str(error)))
            await asyncio.sleep(0)
        self._order = {name: place for place, name in enumerate(order)}
        self.all, self.failures = tuple(offers), tuple(refused[:FAILURES_SHOWN])

    def clear(self) -> None:
        """Nothing is offered; the order is kept."""
        self.all, self.failures = (), ()

    def _offer(self, tool: Tool, tail: str, is_full: bool) -> Offer:
        if is_full:
            raise SchemaRefused(f"the server has more than {MOST_TOOLS} tools, and providers take no more")
        schema = schema_text(tool.schema)
        spec = ToolSpec(self._prefix + JOINT + tail, cleaned_text(tool.description), schema, self._server)
        return Offer(spec, tool.name, tail)
