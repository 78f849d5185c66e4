"""The tokens of the draft: they go with it, however late a count comes."""

from __future__ import annotations

import asyncio

import pytest
from ui_scenes import is_idle, play_scene, until

from desktop_app.conversation.message import MessageDraft
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge

TYPED = "words that take long to be counted " * 3


@pytest.mark.long
@play_scene()
async def test_a_count_that_comes_behind_the_sending_adds_nothing_to_the_gauge(window, bridge, monkeypatch):
    waiting, counted = asyncio.Event(), asyncio.Event()
    ask = Bridge.ask

    async def late(bridge: Bridge, wish: p.AnyRequest) -> p.EngineResponse:
        if isinstance(wish, p.CountDraft):
            waiting.set()
            await counted.wait()
        return await ask(bridge, wish)

    monkeypatch.setattr(Bridge, "ask", late)
    window.ui.composer.set_text(TYPED)
    await waiting.wait()
    told = list[int]()
    monkeypatch.setattr(window.ui.gauge, "set_draft_tokens", told.append)
    window.chat.send(window.ui.composer.draft().text)
    await until(lambda: window.ui.composer.draft().text == "")
    assert set(told) == {0}, "at once, and not behind the count that is under way"
    counted.set()
    await until(lambda: is_idle(window))
    assert set(told) == {0}


@pytest.mark.long
@play_scene()
async def test_what_is_typed_next_is_counted_although_an_older_count_came_late(window, bridge, monkeypatch):
    first, counted = asyncio.Event(), asyncio.Event()
    ask = Bridge.ask

    async def late(bridge: Bridge, wish: p.AnyRequest) -> p.EngineResponse:
        if isinstance(wish, p.CountDraft) and wish.text == TYPED:
            first.set()
            await counted.wait()
        return await ask(bridge, wish)

    monkeypatch.setattr(Bridge, "ask", late)
    window.ui.composer.set_text(TYPED)
    await first.wait()
    told = list[int]()
    monkeypatch.setattr(window.ui.gauge, "set_draft_tokens", told.append)
    window.ui.composer.set_text("")
    window.ui.composer.set_text("four letters each")
    tokens = (await bridge.ask(p.CountDraft("c1", "four letters each"))).tokens
    counted.set()
    await until(lambda: told and told[-1] == tokens)


@play_scene()
async def test_what_is_sent_before_an_older_draft_is_back_does_not_stay_behind_it(window, bridge):
    window.chat.drafts.forget()
    window.ui.composer.set_draft(MessageDraft("Hello"))
    window.chat.drafts.show("c1", MessageDraft("An older one"))
    assert window.ui.composer.text() == "An older one\n\nHello"
    window.chat.drafts.note_sent("c1", MessageDraft("Hello"))
    assert window.ui.composer.text() == "An older one"
