"""Whoever hears that a turn has finished finds that it has."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from desktop_app.conversation.events import TurnEvent, TurnFinished
from desktop_app.engine.compose import compose_services
from desktop_app.settings import Server, Settings
from provider import Reply, ScriptedProvider, Status


@pytest.mark.wire
@pytest.mark.parametrize("step", [Reply("Hello."), Status(401)], ids=["finished", "failed"])
async def test_no_turn_runs_once_it_was_told_that_it_has_finished(tmp_path: Path, step) -> None:
    loop, ended, still_running, bugs = asyncio.get_running_loop(), asyncio.Event(), [], []

    def hear(event: TurnEvent) -> None:
        if isinstance(event, TurnFinished):
            loop.call_soon(lambda: still_running.append(turns.is_running(event.conversation)))
            loop.call_soon(ended.set)

    with ScriptedProvider([step, Reply("Once more.")], repeat_last=True) as provider:
        settings = Settings(chat_model="s/scripted", servers=(Server("s", provider.base_url, ("scripted",), 8_192),))
        services = await compose_services(tmp_path, hear, lambda: None, bugs.append, lambda _: settings)
        turns = services.conversations.turns
        session = await services.conversations.create()
        await turns.send(session, "Hello")
        await ended.wait()
        ended.clear()
        await turns.regenerate(session)  # at once: it is not refused
        await ended.wait()
        await services.close()
    assert (still_running, bugs) == ([False, False], [])
