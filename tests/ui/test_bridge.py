"""The seam between the window and its engine."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from ui_scenes import run_in_loop, signalled, until

from desktop_app import process_secrets
from desktop_app.conversation.events import MessageRecorded, TextDelta, TurnEvent, TurnFinished, TurnStarted
from desktop_app.engine import protocol as p
from desktop_app.settings import Server, Settings
from desktop_app.ui.bridge import ENGINE_DIED, Bridge, EngineFailure
from desktop_app.ui.engine_process import EngineProcess, engine_command
from provider import ScriptedProvider
from texts import EXIT_CODE


@pytest.fixture
def far_bridge(
    engine_folder: Callable[..., Settings], data_folder: Path, provider: ScriptedProvider
) -> Iterator[Bridge]:
    """A bridge to an engine that is a process of its own."""
    with provider:
        engine_folder(address=provider.base_url, window=200_000)
        yield Bridge(engine_command(data_folder), data_folder / "engine.log")


@run_in_loop
async def test_an_answer_comes_back_and_waits_for_an_engine_that_is_starting(bridge: Bridge) -> None:
    asked_early = asyncio.ensure_future(bridge.ask(p.ListConversations()))
    await asyncio.sleep(0)
    bridge.start_engine()
    listed = await asked_early
    assert [info.id for info in listed.conversations] == ["c1", "c2"]
    with pytest.raises(EngineFailure) as told:
        await bridge.ask(p.OpenConversation("missing"))
    assert told.value.failure.kind == "not_found"
    await bridge.close()


@run_in_loop
async def test_an_answer_is_seen_before_the_events_that_follow_it() -> None:
    answer = p.encode_line(p.ResponseLine(1, p.Done())) + p.encode_line(p.EventLine(TurnStarted("c1")))
    lines = [p.encode_line(p.ResponseLine(0, p.Welcome(p.VERSION))), answer]
    script = f"import sys, os\nfor line in {lines!r}: sys.stdin.readline(); os.write(1, line)\nsys.stdin.read()"
    bridge = Bridge([sys.executable, "-c", script])
    seen: list[TurnEvent] = []
    bridge.happened.connect(seen.append)
    bridge.start_engine()
    await bridge.ask(p.Stop("c1"))
    assert seen == []
    await until(lambda: seen)
    assert seen == [TurnStarted("c1")]
    await bridge.close()


def test_a_listener_gets_the_events_of_its_kinds_in_the_order_of_listening(bridge: Bridge) -> None:
    seen: list[str] = []
    bridge.listen(lambda event: seen.append(f"all {type(event).__name__}"))
    bridge.listen(lambda event: seen.append(f"ends {event.reason}"), TurnFinished)
    delta = TextDelta("c1", "r", "Hi")
    bridge.happened.emit(delta)
    bridge.listen(lambda event: seen.append("late"), TextDelta, TurnFinished)
    bridge.happened.emit(TurnFinished("c1", "stopped"))
    bridge.happened.emit(delta)
    assert seen == ["all TextDelta", "all TurnFinished", "ends stopped", "late", "all TextDelta", "late"]


@pytest.mark.wire
@run_in_loop
async def test_a_killed_engine_fails_what_was_asked_and_comes_back_with_its_record(far_bridge: Bridge) -> None:
    bridge = far_bridge
    bridge.start_engine()
    await bridge.ask(p.Hello(p.VERSION))
    stored = signalled(bridge.happened, lambda e: isinstance(e, MessageRecorded))
    await bridge.ask(p.Send("c1", "!wait"))
    row = (await stored).row
    died, is_asked = signalled(bridge.engine_died), asyncio.Event()
    with socket.create_server(("127.0.0.1", 0)) as silent:  # so that the engine has no answer before it dies
        server = Server("silent", f"http://127.0.0.1:{silent.getsockname()[1]}/v1", ())

        async def ask() -> None:
            is_asked.set()
            await bridge.ask(p.ListServerModels(server))

        pending = asyncio.ensure_future(ask())
        await is_asked.wait()
        os.kill(bridge.engine_pid, signal.SIGKILL)
        await died
        with pytest.raises(EngineFailure) as told:
            await pending
    assert told.value.failure.kind == "engine"
    assert "SIGKILL" in bridge.with_last_end(ENGINE_DIED).detail
    opened = await bridge.ask(p.OpenConversation("c1"))
    assert row in opened.rows
    await bridge.close()


@pytest.mark.wire
@run_in_loop
async def test_an_engine_that_never_stays_up_is_given_up_and_can_be_restarted(tmp_path: Path) -> None:
    log_file = tmp_path / "engine.log"
    bridge = Bridge([sys.executable, "-c", "import sys; sys.exit('broken install')"], log_file, first_backoff=0.01)
    deaths: list[None] = []
    bridge.engine_died.connect(lambda: deaths.append(None))
    bridge.start_engine()
    failure = await signalled(bridge.engine_gave_up)
    assert failure.kind == "engine"
    assert EXIT_CODE.format(code=1) in failure.detail
    assert len(deaths) == 5
    assert "broken install" in log_file.read_text()
    with pytest.raises(EngineFailure):
        await bridge.ask(p.ListModels())
    bridge.start_engine()
    await signalled(bridge.engine_died)
    await bridge.close()


@pytest.mark.long
@run_in_loop
async def test_a_missing_program_is_told_too(tmp_path: Path) -> None:
    bridge = Bridge([str(tmp_path / "no-such-program")], first_backoff=0.01)
    bridge.start_engine()
    assert "could not be started" in (await signalled(bridge.engine_gave_up)).detail
    await bridge.close()


@run_in_loop
async def test_an_engine_of_another_version_is_refused_with_the_reason(tmp_path: Path) -> None:
    line = p.encode_line(p.ResponseLine(0, p.Welcome(p.VERSION + 1))).decode().strip()
    bridge = Bridge([sys.executable, "-c", f"import sys; print({line!r}, flush=True); sys.stdin.read()"])
    bridge.start_engine()
    failure = await signalled(bridge.engine_gave_up)
    assert "version" in failure.title
    await bridge.close()


@run_in_loop
async def test_a_line_that_is_not_of_the_protocol_is_told_once_and_survived() -> None:
    welcome = p.encode_line(p.ResponseLine(0, p.Welcome(p.VERSION))).decode().strip()
    script = f"import sys; print('garbage'); print('garbage'); print({welcome!r}, flush=True); sys.stdin.read()"
    bridge = Bridge([sys.executable, "-c", script])
    told: list[str] = []
    bridge.crashed.connect(told.append)
    bridge.start_engine()
    await signalled(bridge.became_ready)
    assert len(told) == 1
    await bridge.close()


@run_in_loop
async def test_failures_and_bugs_of_started_coroutines_become_signals(bridge: Bridge) -> None:
    async def buggy() -> None:
        raise ZeroDivisionError("division")

    async def failing() -> None:
        await bridge.ask(p.OpenConversation("missing"))

    bridge.start_engine()
    crashed = signalled(bridge.crashed)
    await asyncio.sleep(0)
    bridge.start(buggy())
    assert "division" in await crashed
    failed = signalled(bridge.failed)
    await asyncio.sleep(0)
    bridge.start(failing())
    assert (await failed).kind == "not_found"
    await bridge.close()


@run_in_loop
async def test_closing_ends_the_engine_and_cancels_what_still_runs(bridge: Bridge) -> None:
    ends: list[str] = []

    async def endless() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ends.append("cancelled")

    bridge.start_engine()
    await bridge.ask(p.ListModels())
    bridge.start(endless())
    await asyncio.sleep(0)
    await bridge.close()
    assert ends == ["cancelled"]
    assert bridge.engine_pid == 0


@pytest.mark.wire
@run_in_loop
async def test_an_engine_that_does_not_end_is_ended() -> None:
    welcome = p.encode_line(p.ResponseLine(0, p.Welcome(p.VERSION))).decode().strip()
    deaf = f"import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print({welcome!r}, flush=True)"
    bridge = Bridge([sys.executable, "-c", deaf + "; time.sleep(60)"])
    bridge.start_engine()
    await signalled(bridge.became_ready)
    await bridge.close()
    assert bridge.engine_pid == 0


@pytest.mark.wire
@run_in_loop
async def test_a_flood_of_lines_leaves_the_event_loop_its_turns(far_bridge: Bridge) -> None:
    bridge = far_bridge
    deltas: list[str] = []
    bridge.happened.connect(lambda e: deltas.append(e.text) if isinstance(e, TextDelta) else None)
    bridge.start_engine()
    await bridge.ask(p.ListModels())
    finished = signalled(bridge.happened, lambda e: isinstance(e, TurnFinished))
    await bridge.ask(p.Send("c1", "!flood 12000"))
    turns = 0
    while not finished.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert "".join(deltas) == "".join(f"word{n} " for n in range(12000))
    assert turns > 3
    await bridge.close()


@run_in_loop
async def test_the_engine_gets_the_keys_each_time_it_starts(qapp, monkeypatch: pytest.MonkeyPatch) -> None:
    """They wait in a socket that the engine inherits, and stay in it for the next one."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    reading, writing = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    writing.send(b'{"OPENAI_API_KEY": "sk-taken"}')
    monkeypatch.setattr(process_secrets, "_waiting", [reading])
    lines: list[bytes] = []
    script = "from desktop_app.process_secrets import *; seal_process(); print(variable('OPENAI_API_KEY')); exit(1)"
    command = [sys.executable, "-c", script]
    parent = QObject()
    engine = EngineProcess(command, Path(os.devnull), 0.01, lambda line: lines.append(line) or False, parent)
    engine.start()
    await until(lambda: len(lines) >= 2)
    await engine.end(b"")
    reading.close()
    writing.close()
    assert set(lines) == {b"sk-taken"}
    assert "OPENAI_API_KEY" not in os.environ


@run_in_loop
async def test_a_line_with_a_key_is_overwritten_once_it_was_answered(far_bridge: Bridge, monkeypatch) -> None:
    sent: list[bytes] = []
    write = far_bridge._engine.write
    monkeypatch.setattr(far_bridge._engine, "write", lambda line: (sent.append(line), write(line)))
    far_bridge.start_engine()
    read = await far_bridge.ask(p.ReadSettings())
    stored = await far_bridge.ask(p.WriteSettings(read.settings, {"a": "sk-TYPED-999888777666"}, read.settings))
    assert stored.settings == read.settings
    *_, line, over = sent
    assert set(line) == {0}, "what was sent"
    assert (over.strip(), len(over)) == (b"", len(line)), "it lies over the line in the buffer of the pipe"
    assert (await far_bridge.ask(p.ReadSettings())).servers_with_key == ("a",), "the engine passes over it"
    assert set(sent[-1]) != {0}, "other lines are left alone"
    await far_bridge.close()
