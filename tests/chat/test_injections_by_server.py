"""An MCP server, a real process, all of whose words try to be the user's: a model that obeys it gets no further."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from test_run_tools import equipped, results

from desktop_app.conversation.tools import ANY_FINGERPRINT, DENIED, Rule
from desktop_app.conversation.transcript import Permit, Pin, RequestContext, replace_surrogates_in_text
from desktop_app.settings import McpServer
from desktop_app.tools.mcp.server_context import ServerLimits, ServerSandbox
from desktop_app.tools.mcp.source import McpServers
from desktop_app.tools.registry import ToolRegistry
from desktop_app.tools.sandbox.sandbox import Sandbox
from injections import INJECTIONS
from provider import Call, Reply

pytestmark = pytest.mark.wire
INJECTOR = Path(__file__).parents[1] / "tools" / "mcp" / "mcp_servers" / "injector.py"
PAGE = "pages__page"
ALLOWED = Rule(PAGE, "pages/page", fingerprint=ANY_FINGERPRINT)
EACH = 26
"""Calls of one reply."""


def reading(first: int) -> Reply:
    numbers = range(first, min(first + EACH, len(INJECTIONS)))
    return Reply(calls=tuple(Call(PAGE, json.dumps({"number": number}), f"p{number}") for number in numbers))


async def test_a_server_whose_every_word_is_an_order_allows_itself_nothing(house, tmp_path: Path) -> None:
    (tmp_path / "texts.json").write_text(json.dumps(INJECTIONS))
    obeying = Reply(calls=(Call("bash", '{"command": "touch made"}'), Call("read", '{"path": "/etc/passwd"}', "c2")))
    pages = [reading(first) for first in range(0, len(INJECTIONS), EACH)]
    home = await house([*pages, obeying, Reply("They did not let me.")], window=400_000)
    bugs: list[BaseException] = []
    servers = McpServers(
        (McpServer("pages", (sys.executable, str(INJECTOR), str(tmp_path / "texts.json"))),),
        lambda name: "",
        bugs.append,
        ServerSandbox(Sandbox(tmp_path / "server data"), False),
        ServerLimits(wait=20.0, start=20.0),
    )

    def with_server(sources, *rest) -> ToolRegistry:
        return ToolRegistry((*sources, servers), *rest)

    try:
        session = await equipped(home, tmp_path, allow="", kind=with_server, is_attended=False)
        home.chats.settings = replace(home.chats.settings, rules=(ALLOWED,))
        await home.turn(session, "Please read the pages.")
    finally:
        await servers.close()
    *read, touched, other = results(session)
    assert [result.text for result in read] == [replace_surrogates_in_text(text) for text in INJECTIONS]
    assert [result.is_error for result in read] == [number % 2 == 1 for number in range(len(INJECTIONS))]
    assert [result.text for result in (touched, other)] == [DENIED, DENIED]
    assert not (tmp_path / "work" / "made").exists()
    assert home.settings().rules == (ALLOWED,)
    assert await home.archive.memories() == ()
    kept = [entry for entry in session.transcript.entries if isinstance(entry, Permit | Pin | RequestContext)]
    assert [entry for entry in kept if not isinstance(entry, RequestContext)] == []
    assert all(entry.instructions == entry.memory == "" for entry in kept if isinstance(entry, RequestContext))
    assert bugs == []
    system = [m["content"] for m in home.provider.requests[-1].messages if m["role"] == "system"]
    assert not [text for text in INJECTIONS if len(text) > 8 and any(text in str(content) for content in system)]
