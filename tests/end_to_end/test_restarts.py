"""A restart of the engine forgets no window, and nothing is compacted for want of knowing it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from desktop_app.conversation.events import GaugeChanged, TurnFailed, TurnFinished, ViewChanged
from desktop_app.conversation.gauge import Status
from desktop_app.engine import protocol as p
from desktop_app.paths import last_known_file
from desktop_app.settings import Server, ServerKind, Settings, write_settings
from engine_client import EngineClient
from examples import SHARE
from provider import Reply, ScriptedProvider

WINDOW = 65_536
KEY = "sk-SECRET-0123456789abcdef"
LONG = "The depot at pier nine keeps forty crates of lamp oil. " * 900
"""More than the window of the model that used to stand in could hold."""
FLAVOURS: dict[ServerKind, tuple[str, str]] = {
    "vllm": ("vllm", "/v1"),
    "openai_compatible": ("groq", "/v1"),
    "lm_studio": ("lmstudio", "/v1"),
    "llama_cpp": ("llama.cpp", "/v1"),
    "ollama": ("ollama", ""),
}
CASES = [(kind, key) for kind in FLAVOURS for key in ("", KEY)]
RESTARTS = 20 if SHARE > 1 else 3

Start = Callable[[], Awaitable[EngineClient]]


@pytest_asyncio.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """`await start()`: another engine on the same data, once the one before has ended."""
    engines: list[EngineClient] = []

    async def another() -> EngineClient:
        if engines:
            await engines[-1].close()
        engines.append(await EngineClient(tmp_path / "data").start())
        return engines[-1]

    yield another
    await engines[-1].close()


def provider_of(kind: ServerKind, key: str) -> ScriptedProvider:
    return ScriptedProvider(
        [Reply("Noted.")], flavour=FLAVOURS[kind][0], models=("big",), key=key, window=WINDOW, repeat_last=True
    )


def set_up(data: Path, kind: ServerKind, provider: ScriptedProvider) -> None:
    server = Server("home", provider.root_url + FLAVOURS[kind][1], ("big",), kind=kind)
    write_settings(data / "settings.json", Settings(chat_model="home/big", servers=(server,)))


def keep_key(tmp_path: Path, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "keys.json"
    file.write_text(json.dumps({"home": key} if key else {}))
    file.chmod(0o600)
    monkeypatch.setenv("PALIMPSEST_KEYS_FILE", str(file))


async def check_turn(engine: EngineClient, conversation: str) -> None:
    """A message is answered, in the window as it is, and nothing leaves the view for it."""
    events = await engine.turn(conversation, "And now?")
    assert not [event for event in events if isinstance(event, ViewChanged | TurnFailed)], events
    assert [event.reason for event in events if isinstance(event, TurnFinished)] == ["finished"]
    gauges = [event.gauge for event in events if isinstance(event, GaugeChanged)]
    assert {gauge.window for gauge in gauges} == {WINDOW}, "no figure of any other window is ever shown"


async def check_restarts(start: Start, data: Path, kind: ServerKind, key: str, restarts: int) -> None:
    with provider_of(kind, key) as provider:
        set_up(data, kind, provider)
        engine = await start()
        opened = await engine.ask(p.CreateConversation())
        conversation = opened.conversation.id
        assert (opened.gauge.window, opened.gauge.status) == (0, Status.UNKNOWN), "nobody was asked yet"
        await engine.turn(conversation, LONG)
        for number in range(restarts):
            if number % 3 == 2:
                last_known_file(data).unlink()
            engine = await start()
            opened = await engine.ask(p.OpenConversation(conversation))
            if number % 3 == 2:
                assert (opened.gauge.window, opened.gauge.status) == (0, Status.UNKNOWN), number
            else:
                assert (opened.gauge.window, opened.gauge.status) == (WINDOW, Status.SAFE), number
            if number % 2:
                await engine.ask(p.ListConversations())  # as the window does: the servers are asked meanwhile
            await check_turn(engine, conversation)
        opened = await engine.ask(p.OpenConversation(conversation))
        assert opened.operations == ()


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("kind", "key"), CASES, ids=[f"{kind}{' with a key' if key else ''}" for kind, key in CASES])
async def test_the_window_outlives_the_engine(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: ServerKind, key: str
) -> None:
    keep_key(tmp_path, key, monkeypatch)
    await check_restarts(start, tmp_path / "data", kind, key, RESTARTS)


async def test_a_server_that_is_away_is_named_and_try_again_works_once_it_is_back(start: Start, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with provider_of("vllm", "") as provider:
        set_up(data, "vllm", provider)
        port = int(provider.root_url.rpartition(":")[2])
        engine = await start()
        conversation = (await engine.ask(p.CreateConversation())).conversation.id
        await engine.turn(conversation, LONG)
    last_known_file(data).unlink()
    engine = await start()
    events = await engine.turn(conversation, "Are you there?")
    (failed,) = [event.failure for event in events if isinstance(event, TurnFailed)]
    assert failed.kind == "connection"
    assert "home" in failed.title
    assert not [event for event in events if isinstance(event, ViewChanged)]
    assert {event.gauge.status for event in events if isinstance(event, GaugeChanged)} == {Status.UNKNOWN}
    provider = provider_of("vllm", "").start(port)
    try:
        count = len(engine.events)
        await engine.ask(p.GoOn(conversation))
        await engine.until(lambda events: any(isinstance(e, TurnFinished) for e in events[count:]))
        (finished,) = [event for event in engine.events[count:] if isinstance(event, TurnFinished)]
        assert finished.reason == "finished"
    finally:
        provider.stop()


@pytest.mark.parametrize("kind", ["vllm", "ollama"])
async def test_a_key_that_was_lost_with_the_engine_is_asked_for(start: Start, tmp_path: Path, kind: ServerKind) -> None:
    data = tmp_path / "data"
    with provider_of(kind, KEY) as provider:
        set_up(data, kind, provider)
        engine = await start()
        read = await engine.ask(p.ReadSettings())
        await engine.ask(p.WriteSettings(read.settings, {"home": KEY}))
        conversation = (await engine.ask(p.CreateConversation())).conversation.id
        await engine.turn(conversation, LONG)
        engine = await start()
        if "home" in (await engine.ask(p.ReadSettings())).servers_with_key:
            pytest.skip("this machine has a keyring")
        events = await engine.turn(conversation, "And now?")
        (failed,) = [event.failure for event in events if isinstance(event, TurnFailed)]
        assert (failed.kind, failed.setting) == ("auth", "servers/home/key")
        assert "needs a key" in failed.title
        assert not [event for event in events if isinstance(event, ViewChanged)]
        await engine.ask(p.WriteSettings(read.settings, {"home": KEY}))
        await check_turn(engine, conversation)
