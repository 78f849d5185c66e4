"""An MCP server that is killed in a call, or ends slowly: the call has a result, nothing is left, and it goes on."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import psutil
import pytest
from killed import MARK, PATIENCE, check_data, check_processes, children_of, engine_pid, settings_of
from killed_servers import servers_in
from msgspec.structs import replace
from scenes import SERVERS, Scenes

from desktop_app.conversation.events import MessageRecorded, TurnFailed, TurnFinished
from desktop_app.conversation.message import Role
from desktop_app.engine import protocol as p
from desktop_app.paths import settings_file
from desktop_app.settings import write_settings
from engine_client import EngineClient
from provider import ScriptedProvider
from sandbox_here import why_not
from texts import CALL_NOT_FINISHED


def programs_in(family: list[psutil.Process]) -> list[psutil.Process]:
    """The programs of servers, not the sandboxes around them."""
    return [one for one in family if "server_with_children.py" in (line := line_of(one)) and "--unshare" not in line]


def is_guard(process: psutil.Process) -> bool:
    """Whether it watches the servers: it lives as long as the engine."""
    return "while read -r verb name" in line_of(process)


def line_of(process: psutil.Process) -> str:
    """Its command line; "" of one that has ended."""
    with contextlib.suppress(psutil.Error):
        return " ".join(process.cmdline())
    return ""


async def until_called(file: Path) -> None:
    """Wait for a call that a server is busy with."""
    async with asyncio.timeout(PATIENCE):
        while not file.exists():
            await asyncio.sleep(0.02)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("is_sandboxed", [False, pytest.param(True, marks=pytest.mark.slow)])
async def test_a_server_that_is_killed_in_a_call_or_ends_slowly(tmp_path: Path, is_sandboxed: bool) -> None:
    if is_sandboxed and (reason := why_not()):
        pytest.skip(reason)
    data, work = tmp_path / "data", tmp_path / "work"
    work.mkdir()
    script = Scenes("killed servers")
    async with ScriptedProvider(script) as provider:
        settings = settings_of(provider.base_url, work)
        servers = servers_in(work)
        write_settings(settings_file(data), replace(settings, mcp_servers=servers, is_sandboxed=is_sandboxed))
        engine = await EngineClient(data, environment={MARK: str(tmp_path)}).start()
        conversation = (await engine.ask(p.CreateConversation())).conversation.id
        await engine.ask(p.Send(conversation, "Please go on. [k1 while servers work]"))
        await until_called(work / "calls")  # of the first one; the other is called after that
        family = children_of(engine_pid(data))
        killed = programs_in(family)
        assert len(killed) >= len(SERVERS)
        assert any("--unshare" in line_of(one) for one in family) == is_sandboxed
        for program in killed:
            program.kill()
        await engine.until(lambda events: any(isinstance(e, TurnFinished) for e in events))
        results = [e.row.message for e in engine.events if isinstance(e, MessageRecorded)]
        texts = [message.text for message in results if message.role is Role.TOOL]
        assert CALL_NOT_FINISHED in texts[0]
        assert "SIGKILL" in texts[0]
        assert "may have had effects" in texts[0]
        assert texts[1:] == ["worked for k1"], "it was idle when it was killed, and is started again"
        await check_processes(tmp_path / "nowhere", [one for one in family if not is_guard(one)])
        again = await engine.turn(conversation, "Please go on. [k2 between calls of servers]")
        assert not [event for event in again if isinstance(event, TurnFailed)]
        worked = [e.row.message.text for e in again if isinstance(e, MessageRecorded)]
        assert worked.count("worked for k2") == len(SERVERS), worked
        family = children_of(engine_pid(data))
        assert await engine.close() == 0  # the servers read no end, and ignore signals
        await check_processes(tmp_path, family)
    assert script.malformed == []
    check_data(data)
    assert "Traceback" not in (tmp_path / "engine.log").read_text()
