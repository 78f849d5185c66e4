"""What the tests of `web_fetch` share: names on loopback, and calls."""

from __future__ import annotations

import json
from collections.abc import Callable
from ipaddress import ip_address

from tool_calls import outcome_of

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import ToolContext
from desktop_app.tools.registry import BuiltinTools
from desktop_app.tools.web_address import Address, NoSuchHost, Resolve
from desktop_app.tools.web_fetch import FetchTool

HERE = ip_address("127.0.0.1")
NAMES = {"site.test": [HERE], "www.site.test": [HERE], "other.test": [HERE], "inside.test": [ip_address("10.1.2.3")]}
NAMES["both.test"] = [HERE, ip_address("192.168.0.1")]
CONTEXT = ToolContext("one")


async def resolve_by_table(host: str, port: int) -> tuple[Address, ...]:
    if host in NAMES:
        return tuple(NAMES[host])
    try:
        return (ip_address(host if not host.isdigit() else int(host)),)
    except ValueError:
        raise NoSuchHost(f"There is no host {host}.") from None


def fetch_tools(
    resolve: Resolve = resolve_by_table, is_allowed: Callable[[Address], bool] = lambda address: address == HERE
) -> BuiltinTools:
    return BuiltinTools([FetchTool(resolve, is_allowed)])


FETCH = fetch_tools()


async def fetch(url: str, tools: BuiltinTools = FETCH) -> str:
    """Return the text of a page."""
    outcome = await outcome_of(tools, ToolCall("1", "web_fetch", json.dumps({"url": url})), CONTEXT)
    assert not outcome.is_error, outcome.text
    return outcome.text.split("\n\n", 1)[1]


async def failure(url: str, tools: BuiltinTools = FETCH) -> str:
    outcome = await outcome_of(tools, ToolCall("1", "web_fetch", json.dumps({"url": url})), CONTEXT)
    assert outcome.is_error, outcome.text
    return outcome.text
