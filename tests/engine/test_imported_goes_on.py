"""An agent session of another program goes on here, in its folder, with any kind of server: what is sent is legal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from desk import Desk, open_desk
from msgspec.structs import replace

from desktop_app.conversation.events import TurnFailed
from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation, ForeignEntry, ForeignMessage
from desktop_app.conversation.foreign_record import conversation_id
from desktop_app.conversation.message import Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.tools import Rule
from desktop_app.engine import protocol as p
from desktop_app.settings import Server, Settings
from kinds_of_server import CODEX, KEY, OF_KIND, Kind
from provider import AnyStep, Call, Reply, Request
from provider_flavours import FLAVOURS

pytestmark = pytest.mark.wire

KINDS = [*(OF_KIND[name] for name in ("anthropic", "openai", "gemini", "ollama", "lm_studio")), CODEX]
SUMMARY = "The ledger was read, and is to be split."
USER, MODEL, TOOL = Role.USER, Role.ASSISTANT, Role.TOOL


def call(call_id: str, name: str = "Read", arguments: str = '{"file_path": "/srv/ledger.py"}') -> ToolCall:
    return ToolCall(call_id, name, arguments)


def result(call_id: str, text: str, name: str = "Read") -> ToolResult:
    return ToolResult(call_id, name, text)


OPENING: list[tuple[Role, Sequence[Part]]] = [
    (USER, [Text("Please split the ledger.")]),
    (MODEL, [Reasoning("First I read it."), Text("I read it."), call("toolu_1")]),
    (TOOL, [result("toolu_1", "class Ledger: of the head")]),
    (MODEL, [call("toolu_2"), call("toolu_archived")]),
]
"""Up to the compaction, which comes between a call and its result."""
GOING_ON: list[tuple[Role, Sequence[Part]]] = [
    (TOOL, [result("toolu_archived", "a result whose call was archived")]),
    (USER, [Text("Now the tests.")]),
    (MODEL, [call("toolu_1"), call("toolu_1", "Grep", '{"pattern": "def "}')]),
    (TOOL, [result("toolu_1", "an id that was used before")]),
    (TOOL, [result("toolu_1", "and twice in one message", "Grep")]),
    (MODEL, [Text("Both are read."), call("call:1/ä b", "mcp::files.read all", "no JSON")]),
    (TOOL, [result("call:1/ä b", "names that nobody accepts", "mcp::files.read all")]),
    (MODEL, [call("toolu_lost"), call("toolu_last", "Bash", '["a list"]')]),
    (TOOL, [result("toolu_last", "of two calls one has a result", "Bash")]),
    (TOOL, [result("toolu_unheard", "a result without any call")]),
    (USER, [Text("   ")]),
    (USER, [Text("Go on.")]),
    (MODEL, [Reasoning("Hm."), Text(""), call("", "Bash", "")]),
    (TOOL, [result("", "a call without an id", "Bash")]),
    (MODEL, [Text("One more."), call("toolu_killed", "Bash", '{"command": "pytest"}')]),
]
"""It ends with a call: the session was killed while its tool ran."""


def session(folder: Path) -> ForeignConversation:
    """A session of an agent as they lie about, with all that is wrong with some of them."""
    entries: list[ForeignEntry] = []
    for role, parts in OPENING:
        _add(entries, Message(role=role, parts=tuple(parts)))
    entries.append(ForeignCompaction("compact", entries[-1].id, SUMMARY))
    for role, parts in GOING_ON:
        _add(entries, Message(role=role, parts=tuple(parts)))
    return ForeignConversation(
        "Some Agent", "session-1", "Ledger", tuple(entries), model="some-agent-1", folder=str(folder)
    )


def _add(entries: list[ForeignEntry], message: Message) -> None:
    entries.append(ForeignMessage(f"e{len(entries)}", entries[-1].id if entries else "", message))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the session, with a file in it."""
    folder = tmp_path / "ledger"
    folder.mkdir()
    (folder / "accounts.py").write_text("ACCOUNTS = 7\n")
    return folder


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.flavour)
async def test_it_goes_on_with_tools_in_its_folder(
    kind: Kind, folder: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [Reply("I look.", calls=(Call("list", '{"path": "."}', "call_new"),)), Reply("There is one file.")]
    requests = await _turn(kind, folder, data_folder, monkeypatch, steps)
    assert len(requests) == 2
    assert requests[-1].role == "tool"
    assert "accounts.py" in requests[-1].text, "the tool worked in the session's folder"
    assert all(request.body["tools"] for request in requests)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.flavour)
async def test_it_goes_on_without_tools(
    kind: Kind, folder: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (request,) = await _turn(kind, folder, data_folder, monkeypatch, [Reply("It is done.")], has_tools=False)
    offered = json.dumps(request.body.get("tools") or [])
    assert "accounts" not in offered
    assert '"list"' not in offered


async def _turn(
    kind: Kind,
    folder: Path,
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
    steps: list[AnyStep],
    has_tools: bool = True,
) -> list[Request]:
    """Import the session, answer one message with that kind of server, and return its requests, each found legal."""
    monkeypatch.setenv("PALIMPSEST_KEY_TEST", KEY)
    with kind.provider(*steps, window=32_000) as provider:
        server = Server("test", provider.root_url + kind.path, (kind.model,), 32_000, 2_000, kind=kind.kind)
        settings = Settings(chat_model=f"test/{kind.model}", servers=(server,), rules=(Rule("*"),), is_memory_on=False)
        desk = await open_desk(data, settings)
        try:
            await _answer(desk, session(folder), has_tools)
        finally:
            await desk.close()
    for request in provider.requests:
        _check(kind, request)
    return provider.requests


async def _answer(desk: Desk, foreign: ForeignConversation, has_tools: bool) -> None:
    await desk.engine.services.archive.import_conversation(foreign, "session.jsonl")
    desk.conversation = conversation_id(foreign)
    opened = await desk.opened()
    assert opened.conversation.folder == foreign.folder
    if not has_tools:
        names = tuple(offer.spec.name for offer in (await desk.ask(p.ListTools(desk.conversation))).tools)
        await desk.ask(p.WriteSettings(replace(desk.engine.services.settings, tools_off=names)))
    await desk.ask(p.Send(desk.conversation, "Are you still there?"))
    await desk.engine.conversations.turns.wait_until_idle(desk.conversation)
    failed = [event for event in desk.events() if isinstance(event, TurnFailed)]
    assert not failed, failed


def _check(kind: Kind, request: Request) -> None:
    assert FLAVOURS[kind.flavour].malformed(request.body) == ""
    said = json.dumps(request.body, ensure_ascii=False)
    assert SUMMARY in said
    assert "of the head" not in said
    for _, parts in GOING_ON:
        assert all(part.text in said for part in parts if isinstance(part, ToolResult)), parts
    assert request.turns[-1][0] in ("user", "tool")
