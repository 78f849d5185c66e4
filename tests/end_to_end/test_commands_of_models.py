"""What a model's own command gets to see of the engine's keys: nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from desktop_app.conversation.message import Role
from desktop_app.conversation.tools import Rule
from desktop_app.engine import protocol as p
from provider import Call, Reply, ScriptedProvider

KEY, OTHER = "sk-of-the-scripted-server", "sk-ant-of-another-provider"


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
    replies = [Reply("I try.", calls=calls, finish="tool_calls"), Reply("I see.")]
    with ScriptedProvider(replies, key=KEY) as provider:
        # Without the sandbox, in which no other process is seen: most machines have none.
        use_provider(provider, 200_000, folder=str(tmp_path), rules=(Rule("*"),), is_sandboxed=False)
        engine = await engines(is_forked=False)
        opened = await engine.ask(p.CreateConversation())
        await engine.turn(opened.conversation.id, "Try")
        assert provider.requests[0].authorization == f"Bearer {KEY}", "it has its key all the same"
        again = await engine.ask(p.OpenConversation(opened.conversation.id))
    looked, own = (row.message.text for row in again.rows if row.message.role == Role.TOOL)
    assert looked.startswith(f"{engine.process.pid}\n"), "it was this process"
    assert "engine" in looked
    for secret in (KEY, OTHER):
        assert secret not in looked + own
        assert secret.encode() not in Path(f"/proc/{engine.process.pid}/environ").read_bytes()
