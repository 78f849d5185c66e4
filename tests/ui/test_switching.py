"""Two conversations at once: each goes on while the other one is shown, and is shown again as it stands."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from ui_scenes import is_idle, play_scene, signalled, texts, until

from desktop_app.conversation.events import FiguresCounted, RetryScheduled, TextDelta
from desktop_app.conversation.message import Totals, Usage
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import ENGINE_GAVE_UP
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.panes import ChatPane
from desktop_app.ui.transcript.transcript_items import FailureItem


async def go_to(window: MainWindow, conversation: str) -> None:
    window.chat.open(conversation)
    await until(lambda: window.chat.conversation == conversation)


def spoken_line(window: MainWindow, conversation: str) -> str:
    """What a screen reader says of its line in the sidebar."""
    listed = window.ui.sidebar.list.conversations
    return str(listed.data(listed.index(listed.row_of(conversation)), Qt.ItemDataRole.AccessibleTextRole))


@pytest.mark.long
@play_scene()
async def test_a_reply_that_went_on_while_one_looked_elsewhere_is_shown_from_its_beginning(window, bridge):
    window.chat.send("!wait")
    await until(lambda: window.ui.transcript_model.streaming_text.count("word") > 3)
    seen = window.ui.transcript_model.streaming_text
    await go_to(window, "c2")
    assert "Working" in spoken_line(window, "c1")
    assert "Working" not in spoken_line(window, "c2")
    await asyncio.sleep(0.1)
    await go_to(window, "c1")
    await until(lambda: window.ui.transcript_model.streaming_text)
    shown = window.ui.transcript_model.streaming_text
    assert shown.startswith(seen)
    window.chat.stop()
    await until(lambda: is_idle(window))
    assert texts(window)[-1].startswith(shown)
    assert "Working" not in spoken_line(window, "c1")


@pytest.mark.long
@play_scene()
async def test_a_turn_that_failed_elsewhere_is_marked_and_its_card_waits_there(window, bridge):
    bridge.post(p.Send("c2", "!fail"))
    await until(lambda: "Stopped with an error" in spoken_line(window, "c2"))
    for _ in range(2):
        await go_to(window, "c2")
        assert texts(window)[-1] == "FailureItem"
        await go_to(window, "c1")
    assert "FailureItem" not in texts(window)


@pytest.mark.long
@play_scene(tools_off=(), max_rounds=1)
async def test_a_question_elsewhere_is_marked_until_it_is_answered(window, bridge):
    bridge.post(p.Send("c2", "!look"))
    await until(lambda: "Waiting for your answer" in spoken_line(window, "c2"))
    assert "Trip to Lisbon" in window.ui.toast.label.text()
    assert not window.ui.question.isVisible()
    window.ui.toast.action.click()
    await until(lambda: window.chat.conversation == "c2")
    assert window.ui.question.isVisible()
    assert not window.ui.toast.isVisible(), "what it told of is in sight"
    await go_to(window, "c1")
    assert not window.ui.question.isVisible()
    await go_to(window, "c2")
    await until(lambda: window.ui.question.is_listening)
    window.ui.question.once.click()
    assert "Waiting" not in spoken_line(window, "c2")
    await until(lambda: is_idle(window))


@pytest.mark.wire
@play_scene(tools_off=(), max_rounds=1)
async def test_an_engine_that_is_given_up_leaves_no_question_and_no_countdown(window, bridge):
    window.chat.send("!look")
    await until(window.ui.question.isVisible)
    bridge.happened.emit(RetryScheduled("c1", "rate limit", 20.0, 1))
    assert "Retrying" in window.ui.toast.label.text()
    bridge.engine_gave_up.emit(ENGINE_GAVE_UP)
    assert not window.ui.question.isVisible()
    await asyncio.sleep(0.7)  # longer than the countdown's beat
    assert not window.ui.toast.isVisible()
    assert spoken_line(window, "c1").count("\n") == 1


@pytest.mark.long
@play_scene()
async def test_a_draft_that_was_sent_does_not_come_back(window, bridge):
    window.ui.composer.set_text("Sent, and left at once")
    window.chat.send("Sent, and left at once")
    window.chat.open("c2")
    await until(lambda: window.chat.conversation == "c2")
    assert window.ui.composer.text() == ""
    await go_to(window, "c1")
    await until(lambda: "Sent, and left at once" in texts(window) and is_idle(window))
    assert window.ui.composer.text() == ""


@pytest.mark.wire
@play_scene(fixture="play_with_process")
async def test_a_reply_that_broke_off_elsewhere_says_so_when_it_is_opened(window, bridge):
    streams = signalled(bridge.happened, lambda event: isinstance(event, TextDelta))
    bridge.post(p.Send("c2", "!wait"))
    await streams
    back = signalled(bridge.became_ready)
    os.kill(bridge.engine_pid, signal.SIGKILL)
    await back
    await go_to(window, "c2")
    last = window.ui.transcript_model.item(window.ui.transcript_model.rowCount() - 1)
    assert isinstance(last, FailureItem)
    assert "interrupted" in last.failure.title


@play_scene()
async def test_a_conversation_that_has_messages_never_shows_the_welcome(window, bridge, monkeypatch):
    shown: list[QWidget | None] = []
    choose = ChatPane.setCurrentWidget
    monkeypatch.setattr(ChatPane, "setCurrentWidget", lambda stage, page: (shown.append(page), choose(stage, page))[1])
    stage = window.ui.chat_pane
    shown.clear()  # before the first conversation is known the scripted one is none yet
    window.chat._shown = ""  # as at the start: nothing is shown yet
    asked = bridge.ask

    async def ask_slowly(request):
        await asyncio.sleep(0.05)
        assert stage.currentWidget() is stage.skeleton
        assert window.ui.header.label.text() == "Trip to Lisbon"
        return await asked(request)

    monkeypatch.setattr(bridge, "ask", ask_slowly)
    window.chat.open("c2")
    await until(lambda: stage.currentWidget() is stage.transcript)
    monkeypatch.setattr(bridge, "ask", asked)
    assert stage.welcome not in shown


@pytest.mark.long
@play_scene()
async def test_the_gauge_counts_until_the_figures_of_a_long_conversation_come(window, bridge, monkeypatch):
    asked, sent = bridge.ask, asyncio.Event()

    async def see_first(request):
        if isinstance(request, p.Send):
            await sent.wait()  # as in the engine: it waits until the record is read
        response = await asked(request)
        return replace(response, gauge=None, totals=Totals()) if isinstance(request, p.OpenConversation) else response

    monkeypatch.setattr(bridge, "ask", see_first)
    gauge = window.ui.gauge.gauge
    await go_to(window, "c2")
    assert texts(window)
    assert window.ui.gauge.gauge is None
    assert not window.ui.gauge.optimize.isEnabled()
    assert window.ui.panel.breakdown.totals.isHidden()
    window.ui.composer.take_focus()
    QTest.keyClicks(window.ui.composer.focusWidget(), "Sent while it counts")
    QTest.keyClick(window.ui.composer.focusWidget(), Qt.Key.Key_Return)
    await until(window.ui.toast.isVisible)
    assert window.ui.composer.text() == "Sent while it counts"
    spent = Totals(Usage(1_000, 20))
    bridge.happened.emit(FiguresCounted("c2", gauge, spent))
    assert window.ui.gauge.gauge == gauge
    assert not window.ui.panel.breakdown.totals.isHidden()
    sent.set()
    await until(lambda: "Sent while it counts" in texts(window) and is_idle(window))
    await until(lambda: window.ui.composer.text() == "")


@play_scene()
async def test_what_was_shown_comes_back_when_a_conversation_does_not_open(window, bridge):
    before = window.ui.header.label.text()
    window.ui.chat_pane.await_conversation()
    window.ui.header.preview_title("Trip to Lisbon")
    assert window.ui.chat_pane.currentWidget() is window.ui.chat_pane.skeleton
    assert window.ui.chat_pane.skeleton.is_drawn
    window.ui.chat_pane.skeleton.grab()
    window.chat.open("missing")
    await until(lambda: window.ui.chat_pane.currentWidget() is window.ui.chat_pane.transcript)
    assert window.ui.header.label.text() == before
