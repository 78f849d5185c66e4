"""A server while it is being set up, asked through the engine: whose key it gets, and how a test ends early."""

from __future__ import annotations

import asyncio

import pytest
from desk import Desk

from desktop_app.chat.ports import WorldError
from desktop_app.engine import protocol as p
from desktop_app.settings import ModelLimits, Server, Settings
from provider import Hang, Reply, ScriptedProvider

pytestmark = pytest.mark.wire
KEY = "sk-SECRET-1"


async def test_the_entered_key_goes_before_the_stored_one(desk: Desk) -> None:
    with ScriptedProvider(key=KEY) as provider:
        server = Server("mine", provider.base_url, ())
        await desk.ask(p.WriteSettings(Settings(servers=(server,)), {"mine": KEY}))
        for key, stored, count in (("", "", 0), ("", "mine", 1), (KEY, "", 1), ("wrong", "mine", 0)):
            listed = await desk.ask(p.ListServerModels(server, key, stored))
            assert len(listed.offers) == count
            assert KEY not in repr(listed)


async def test_a_test_can_be_stopped(desk: Desk) -> None:
    with ScriptedProvider([Hang(), Reply("one two", size=1)]) as provider:
        server = Server("mine", provider.base_url, (), window=8_000)
        test = asyncio.ensure_future(desk.ask(p.CheckServer(server, "scripted", "reply")))
        async with asyncio.timeout(60):
            while not provider.requests:
                await asyncio.sleep(0.01)
        await desk.ask(p.StopCheck())
        with pytest.raises(WorldError):
            await test
        again = await desk.ask(p.CheckServer(server, "scripted", "reply"))
    assert again.results[-1].kind == "streamed"


async def test_a_window_of_one_model_is_used_for_it_alone(desk: Desk) -> None:
    limits = {"a": ModelLimits(9_000, 700)}
    server = Server("mine", "http://127.0.0.1:9/v1", ("a", "b"), window=8_000, limits=limits)
    await desk.ask(p.WriteSettings(Settings(servers=(server,))))
    listed = await desk.ask(p.ListModels())
    assert [(m.window, m.window_source) for m in listed.models[1:]] == [(9_000, "settings"), (8_000, "settings")]
    assert listed.models[1].max_output == 700
    assert listed.local == ("builtin",), "what is behind an address here may cost something"
