"""Queued messages above the composer, and drafts that are stored as they are written."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from ui_scenes import is_idle, play_scene, until

from desktop_app.conversation.events import QueueChanged, TurnStarted
from desktop_app.conversation.message import Attachment, MessageDraft
from desktop_app.conversation.unsent import QueuedMessage
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge

IMAGE = Attachment("a.png", "image/png", "data:image/png;base64,AA==")
QUEUE = (QueuedMessage("1", MessageDraft("one\n  two")), QueuedMessage("2", MessageDraft("", (IMAGE,))))
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the window asks the engine for; a queued message that is taken back is "one"."""
    requests: list[Any] = []
    ask = Bridge.ask

    async def note(bridge: Bridge, request: Any) -> Any:
        requests.append(request)
        if isinstance(request, p.TakeBackQueued):
            return p.DraftRead(MessageDraft("one"))
        return await ask(bridge, request)

    monkeypatch.setattr(Bridge, "ask", note)
    return requests


@play_scene()
async def test_each_message_can_be_edited_sent_or_removed(window, bridge, asked):
    assert not window.ui.queue.isVisible()
    bridge.happened.emit(QueueChanged("c1", QUEUE))
    first, second = window.ui.queue.rows
    assert window.ui.queue.isVisible()
    assert (first.text.text(), "1 attachment" in second.text.text()) == ("one two", True)
    paused = first.state.text()
    bridge.happened.emit(TurnStarted("c1"))
    assert first.state.text() != paused, "a running turn is followed by them"
    QTest.mouseClick(first.send, LEFT)
    QTest.mouseClick(second.remove, LEFT)
    QTest.mouseClick(first.edit, LEFT)
    await until(lambda: window.ui.composer.text() == "one")
    for request in (
        p.SendQueued("c1", "1"), p.RemoveQueued("c1", "2"), p.TakeBackQueued("c1", "1", MessageDraft())
    ):  # fmt: skip
        assert request in asked
    bridge.happened.emit(QueueChanged("c1", QUEUE[:1]))
    assert window.ui.queue.rows == (first,)
    bridge.happened.emit(QueueChanged("c1"))
    assert not window.ui.queue.isVisible()


@play_scene()
async def test_up_in_an_empty_composer_edits_the_last_one(window, bridge, asked):
    bridge.happened.emit(QueueChanged("c1", QUEUE))
    bridge.happened.emit(QueueChanged("c2", QUEUE[:1]))
    QTest.keyClick(window.ui.composer.field, Qt.Key.Key_Up)
    await until(lambda: window.ui.composer.text() == "one")
    assert p.TakeBackQueued("c1", "2", MessageDraft()) in asked


@pytest.mark.row("U5", "drafts are stored")
@pytest.mark.long
@play_scene()
async def test_a_draft_is_stored_soon_and_at_once_when_it_is_left(window, bridge, asked):
    QTest.keyClicks(window.ui.composer.field, "half a thought")
    await until(lambda: p.KeepDraft("c1", "half a thought") in asked)
    window.ui.composer.set_draft(MessageDraft("and a picture", (IMAGE,)))
    window.chat.open("c2")
    await until(lambda: window.chat.conversation == "c2")
    await until(lambda: p.KeepDraft("c1", "and a picture", (IMAGE,)) in asked)


@pytest.mark.long
@play_scene()
async def test_a_message_whose_draft_is_stored_behind_it_does_not_come_back_as_a_draft(window, bridge, monkeypatch):
    """It was sent while its conversation was being opened, which stores what was written meanwhile."""
    ask, kept = Bridge.ask, []

    async def note(bridge: Bridge, request: Any) -> Any:
        if isinstance(request, p.Send):
            window.chat.drafts.keep()
        if isinstance(request, p.KeepDraft):
            kept.append(request.text)
        return await ask(bridge, request)

    monkeypatch.setattr(Bridge, "ask", note)
    window.ui.composer.set_text("sent at once")
    window.chat.send("sent at once")
    await until(lambda: is_idle(window) and not window.ui.composer.text())
    await bridge.ask(p.ListModels())  # what was asked before is answered
    assert kept in ([], ["sent at once", ""])


@play_scene()
async def test_a_stored_draft_is_shown_before_what_was_typed_meanwhile(window, bridge):
    drafts, composer = window.chat.drafts, window.ui.composer
    composer.set_text("typed")
    drafts.show("c3", MessageDraft("stored", (IMAGE,)))
    assert composer.draft() == MessageDraft("stored", (IMAGE,))
    drafts.show("c1", MessageDraft("an older one"))
    assert composer.text() == "typed", "this window knows better"


@pytest.mark.long
@play_scene()
async def test_what_is_typed_while_a_deleted_conversation_is_left_is_for_the_next_one(window, bridge, monkeypatch):
    deleted, ask, is_typed = window.chat.conversation, Bridge.ask, asyncio.Event()

    async def wait(bridge: Bridge, request: Any) -> Any:
        if isinstance(request, p.ListConversations):
            await is_typed.wait()
        return await ask(bridge, request)

    monkeypatch.setattr(Bridge, "ask", wait)
    QTest.keyClicks(window.ui.composer.field, "of the deleted one")
    window.ui.sidebar.list.setFocus()
    QTest.keyClick(window.ui.sidebar.list, Qt.Key.Key_Delete)
    await until(lambda: not window.chat.conversation)
    QTest.keyClicks(window.ui.composer.field, "of the next one")
    is_typed.set()
    await until(lambda: window.chat.conversation not in ("", deleted))
    assert window.ui.composer.text() == "of the next one"
    QTest.mouseClick(window.ui.toast.action, LEFT)
    await until(lambda: window.chat.conversation == deleted)
    assert window.ui.composer.text() == "of the deleted one"
