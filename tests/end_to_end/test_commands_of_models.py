"""What a model's own command gets to see: of the engine's keys nothing, of its own output both ends."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from desktop_app.conversation.message import Role, ToolResult
from desktop_app.conversation.tools import Rule
from desktop_app.engine import protocol as p
from engine_client import EngineClient
from provider import Call, Reply, ScriptedProvider

KEY, OTHER = "sk-of-the-scripted-server", "sk-ant-of-another-provider"


async def results_of(engines, use_provider, folder: Path, *calls: Call) -> tuple[list[ToolResult], EngineClient]:
    """The results of calls that a model makes in one reply, of an engine whose key lies in its environment."""
    replies = [Reply("I try.", calls=calls, finish="tool_calls"), Reply("I see.")]
    with ScriptedProvider(replies, key=KEY) as provider:
        use_provider(provider, 200_000, folder=str(folder), rules=(Rule("*"),))
        engine = await engines()
        opened = await engine.ask(p.CreateConversation())
        await engine.turn(opened.conversation.id, "Try")
        assert provider.requests[0].authorization == f"Bearer {KEY}", "it has its key all the same"
        again = await engine.ask(p.OpenConversation(opened.conversation.id))
    messages = [row.message for row in again.rows if row.message.role == Role.TOOL]
    return [part for message in messages for part in message.parts if isinstance(part, ToolResult)], engine


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
async def test_no_command_reads_the_keys_of_the_engine(
    engines, use_provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also as root, who may read the environment of any process: nothing is left in it."""
    monkeypatch.setenv("PALIMPSEST_KEY_SCRIPTED", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", OTHER)
    look = (
        "echo $PPID; tr '\\0' '\\n' < /proc/$PPID/environ | grep -a 'PATH=\\|KEY'; tr '\\0' '\\n' < /proc/$PPID/cmdline"
    )
    calls = (Call("bash", json.dumps({"command": look})), Call("bash", json.dumps({"command": "env"})))
    (looked, own), engine = await results_of(engines, use_provider, tmp_path, *calls)
    assert looked.text.startswith(f"{engine.process.pid}\n"), "it was this process"
    assert "engine" in looked.text
    for secret in (KEY, OTHER):
        assert secret not in looked.text
        assert secret not in own.text
        assert secret.encode() not in Path(f"/proc/{engine.process.pid}/environ").read_bytes()


async def test_of_a_huge_output_the_model_gets_both_ends_and_reads_the_rest(
    engines, use_provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALIMPSEST_KEY_SCRIPTED", KEY)
    command = "seq 1 200000; echo the very end >&2; exit 3"
    [result], engine = await results_of(engines, use_provider, tmp_path, Call("bash", json.dumps({"command": command})))
    assert result.is_error
    assert result.text.startswith("1\n2\n3\n")
    assert "199999\n200000\nthe very end\n[exit code 3]\n[Truncated: " in result.text
    assert "lines left out here" in result.text
    assert len(result.text) < 60_000
    read = await engine.ask(p.ReadSpill(result.spill, offset=99_999, limit=1))
    assert read.bytes > 1_000_000
    assert read.lines == ((100_000, "100000"),)
