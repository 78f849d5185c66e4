"""A restart of the engine forgets no window, and a key that was lost with it is asked for.

`tests/engine/test_known_windows.py` has the same for each kind of server, in one process.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop_app.conversation.events import GaugeChanged, TurnFailed, TurnFinished, ViewChanged
from desktop_app.conversation.gauge import Status
from desktop_app.engine import protocol as p
from desktop_app.paths import last_known_file
from desktop_app.settings import Server, Settings, write_settings
from engine_client import EngineClient
from provider import Reply, ScriptedProvider

WINDOW = 65_536
KEY = "sk-SECRET-0123456789abcdef"
LONG = "The depot at pier nine keeps forty crates of lamp oil. " * 900
"""More than the built-in model's window."""


@contextmanager
def served(data: Path) -> Iterator[None]:
    """A server that wants a key, and is the engine's only one."""
    step, window = Reply("Noted."), WINDOW
    with ScriptedProvider(
        [step], flavour="vllm", models=("big",), key=KEY, window=window, repeat_last=True
    ) as provider:
        server = Server("home", provider.base_url, ("big",), kind="vllm")
        write_settings(data / "settings.json", Settings(chat_model="home/big", servers=(server,)))
        yield


async def check_turn(engine: EngineClient, conversation: str) -> None:
    """A message is answered, in the window as it is, and nothing leaves the view for it."""
    events = await engine.turn(conversation, "And now?")
    assert not [event for event in events if isinstance(event, ViewChanged | TurnFailed)], events
    assert [event.reason for event in events if isinstance(event, TurnFinished)] == ["finished"]
    assert {event.gauge.window for event in events if isinstance(event, GaugeChanged)} == {WINDOW}


async def test_the_window_outlives_the_engine(engines, data: Path, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "keys.json").write_text(json.dumps({"home": KEY}))
    (tmp_path / "keys.json").chmod(0o600)
    monkeypatch.setenv("PALIMPSEST_KEYS_FILE", str(tmp_path / "keys.json"))
    with served(data):
        engine = await engines()
        opened = await engine.ask(p.CreateConversation())
        conversation = opened.conversation.id
        assert (opened.gauge.window, opened.gauge.status) == (0, Status.UNKNOWN), "nobody was asked yet"
        await engine.turn(conversation, LONG)
        for number in range(3):
            await engine.close()
            if number == 2:
                last_known_file(data).unlink()
            engine = await engines()
            gauge = (await engine.ask(p.OpenConversation(conversation))).gauge
            known = (0, Status.UNKNOWN) if number == 2 else (WINDOW, Status.SAFE)
            assert (gauge.window, gauge.status) == known, number
            if number:
                await engine.ask(p.ListConversations())  # as the window does: the servers are asked meanwhile
            await check_turn(engine, conversation)
        assert (await engine.ask(p.OpenConversation(conversation))).operations == ()


async def test_a_key_that_was_lost_with_the_engine_is_asked_for(engines, data: Path) -> None:
    with served(data):
        engine = await engines()
        read = await engine.ask(p.ReadSettings())
        await engine.ask(p.WriteSettings(read.settings, {"home": KEY}))
        conversation = (await engine.ask(p.CreateConversation())).conversation.id
        await engine.turn(conversation, LONG)
        await engine.close()
        engine = await engines()
        if "home" in (await engine.ask(p.ReadSettings())).servers_with_key:
            pytest.skip("this machine has a keyring")
        events = await engine.turn(conversation, "And now?")
        (failed,) = [event.failure for event in events if isinstance(event, TurnFailed)]
        assert (failed.kind, failed.setting) == ("auth", "servers/home/key")
        assert not [event for event in events if isinstance(event, ViewChanged)]
        await engine.ask(p.WriteSettings(read.settings, {"home": KEY}))
        await check_turn(engine, conversation)
