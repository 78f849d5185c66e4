"""One window's server: what it refuses, what it says unasked, and its end, which is bounded whatever hangs."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from desktop_app.engine import protocol as p
from desktop_app.engine import serve
from desktop_app.engine.compose import compose_engine
from desktop_app.engine.engine import log_bug
from desktop_app.engine.event_coalescer import EventCoalescer
from desktop_app.engine.serve import END_SECONDS, ENDING_SIGNALS, EngineServer
from desktop_app.paths import database_file, log_file, settings_file
from desktop_app.settings import Server, Settings, write_settings
from engine_client import EngineClient
from slowness import slowness
from texts import ENGINE_BUG, ENGINE_ENDS

ENDLESS_IMPORT = """
import builtins, pathlib, time

class Client:
    def __del__(self):
        import litellm.late  # as litellm's own HTTP clients do

builtins.client = Client()
pathlib.Path(__file__).with_name("begun").touch()
time.sleep(3600)
"""


async def seconds_to_end(engine: EngineClient, ask_for_it: bool) -> float:
    start = time.monotonic()
    if ask_for_it:
        await engine.ask(p.Shutdown())
    assert await engine.close() == 0
    return time.monotonic() - start


@pytest.mark.wire
async def test_an_engine_ends_while_litellm_is_imported_for_who_begins_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fake" / "litellm").mkdir(parents=True)
    (tmp_path / "fake" / "litellm" / "__init__.py").write_text(ENDLESS_IMPORT)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "fake"))
    begun = tmp_path / "fake" / "litellm" / "begun"
    server = Server("s", "http://127.0.0.1:9", ("m",), kind="ollama", window=8_192)
    write_settings(settings_file(tmp_path / "data"), Settings(chat_model="s/m", servers=(server,)))
    engine = await EngineClient(tmp_path / "data", is_forked=False).start()
    await engine.ask(p.ListConversations())
    opened = await engine.ask(p.CreateConversation("One"))
    assert not begun.exists(), "nobody has begun to type"
    await engine.ask(p.CountDraft(opened.conversation.id, "Hello"))
    async with asyncio.timeout(60):
        while not begun.exists():
            await asyncio.sleep(0.05)
    assert await seconds_to_end(engine, ask_for_it=True) < END_SECONDS * slowness()


@pytest.mark.wire
@pytest.mark.parametrize("stuck", ["time.sleep(60)", "asyncio.run(asyncio.sleep(60))"])
def test_whatever_hangs_at_the_end_is_given_up(stuck: str) -> None:
    code = f"import asyncio, time\nfrom desktop_app.engine.serve import limit_end\nlimit_end(0.5)\n{stuck}"
    start = time.monotonic()
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 1
    assert "most recent call first" in ended.stderr, "the log says where it hung"
    assert time.monotonic() - start < 5 * slowness()


@pytest.mark.wire
@pytest.mark.parametrize("number", ENDING_SIGNALS)
async def test_a_signal_ends_the_engine_in_order_and_the_log_names_it(tmp_path: Path, number: signal.Signals) -> None:
    engine = await EngineClient(tmp_path / "data").start()
    opened = await engine.ask(p.CreateConversation())
    os.kill(holder_of(tmp_path / "data"), number)
    assert await engine.process.wait() == 0
    await engine.close()
    assert f"the engine ends: by {number.name}" in log_file(tmp_path / "data").read_text()
    again = await EngineClient(tmp_path / "data").start()
    assert (await again.ask(p.ListConversations())).conversations[0].id == opened.conversation.id
    assert await again.close() == 0
    assert ENGINE_ENDS in log_file(tmp_path / "data").read_text()


@pytest.mark.wire
@pytest.mark.parametrize(("number", "words"), [(signal.SIGSEGV, "Segmentation fault"), (signal.SIGBUS, "Bus error")])
async def test_a_crash_below_python_leaves_where_it_was(tmp_path: Path, number: signal.Signals, words: str) -> None:
    engine = await EngineClient(tmp_path / "data").start()
    await engine.ask(p.ListConversations())
    os.kill(holder_of(tmp_path / "data"), number)
    assert await engine.close() == -number
    said = (tmp_path / "engine.log").read_text()
    assert words in said
    assert "most recent call first" in said


async def test_a_bug_that_ends_the_engine_is_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        async def run(self, reader: object) -> str:
            raise ZeroDivisionError("seven")

        async def close(self) -> None: ...

    monkeypatch.setattr(serve, "limit_end", lambda: None)
    assert await serve._run(Broken(), asyncio.StreamReader()) == 1  # type: ignore[arg-type]
    assert ENGINE_BUG in caplog.text
    assert "ZeroDivisionError: seven" in caplog.text


def holder_of(data: Path) -> int:
    """The engine that holds that data folder."""
    return int(database_file(data).with_suffix(".lock").read_text())


@pytest.mark.long
def test_a_thread_that_hangs_does_not_keep_the_process() -> None:
    code = (
        "import threading, time\nfrom desktop_app.engine.serve import end_process\n"
        "threading.Thread(target=time.sleep, args=(60,)).start()\nend_process(3)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=30, check=False).returncode == 3


@pytest.mark.slow
@pytest.mark.parametrize("number", range(20))
async def test_an_engine_that_is_closed_at_any_moment_ends(tmp_path: Path, number: int) -> None:
    moments = random.Random(number)
    engine = await EngineClient(tmp_path / "data", is_forked=False).start()
    await engine.ask(p.ListConversations())
    if number % 2:
        opened = await engine.ask(p.CreateConversation("One"))
        await engine.ask(p.CountDraft(opened.conversation.id, "Hello"))  # starts the built-in model's server
    await asyncio.sleep(moments.uniform(0, 6))
    assert await seconds_to_end(engine, ask_for_it=number % 4 > 1) < END_SECONDS + 1


async def test_a_list_that_changes_while_it_is_read_is_told_again(tmp_path: Path) -> None:
    lines: list[bytes] = []

    def lists() -> list[list[str]]:
        told = [line for line in map(p.decode_engine_line, lines) if isinstance(line, p.ConversationsChanged)]
        return [[info.id for info in changed.conversations] for changed in told]

    server = EngineServer(EventCoalescer(lines.append))
    server.engine = await compose_engine(tmp_path, server.coalescer, server.tell_list_changed, log_bug)
    until = time.monotonic() + 0.1
    while time.monotonic() < until:
        server.tell_list_changed()
        await asyncio.sleep(0)
    created = await server.engine.conversations.create("The last one")
    async with asyncio.timeout(60):
        while [created.id] not in lists():
            await asyncio.sleep(0.01)
    await server.close()
    assert len(lists()) > 1
    assert lists()[-1] == [created.id]


async def test_a_line_of_another_version_is_refused_by_its_number() -> None:
    lines: list[bytes] = []
    server = EngineServer(EventCoalescer(lines.append))
    server.take(b'{"type":"request","number":41,"request":{"type":"Dance","conversation":"c"}}\n')
    server.take(b"nonsense\n")
    [line] = map(p.decode_engine_line, lines)
    assert isinstance(line, p.ResponseLine)
    assert (line.number, line.response) == (41, None)
    assert line.failure is not None
    assert line.failure.kind == "engine"
