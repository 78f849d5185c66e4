"""Tools, questions and recovery in the whole window, against an engine that follows a script."""

from __future__ import annotations

import time

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from ui_scenes import is_idle, texts, until

from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.questions import question_card
from desktop_app.ui.theme import theme
from desktop_app.ui.transcript.display_list import Action
from desktop_app.ui.transcript.items import ToolItem
from slowness import slowness

pytestmark = pytest.mark.wire


def test_a_tool_is_seen_while_it_runs_and_its_card_becomes_the_result(play):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        window.chat.send("!slow 300")
        await until(lambda: "ToolItem" in texts(window))
        model = window.transcript_model
        row = texts(window).index("ToolItem")

        def lines() -> int:
            item = model.item(row)
            return item.lines if isinstance(item, ToolItem) else 0

        await until(lambda: lines() > 0)
        await until(lambda: is_idle(window))
        assert texts(window)[row:] == ["300 lines", "Built."]

    play(scene)


def test_one_tool_is_stopped_and_the_turn_goes_on(play):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        window.chat.send("!slow 20000")
        await until(lambda: "ToolItem" in texts(window))
        row = texts(window).index("ToolItem")
        await until(
            lambda: any(hot.action is Action.STOP for hot in window.chat_pane.transcript.layout_of(row).hit_regions)
        )
        window.chat_pane.transcript.perform(Action.STOP, window.transcript_model.item(row).key)
        await until(lambda: is_idle(window))
        assert texts(window)[row:] == ["Stopped.", "Built."]

    play(scene)


def test_a_setting_that_is_not_of_the_looks_styles_nothing_anew(play):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        version = theme.version
        await window.settings.change(lambda settings: replace(settings, max_rounds=9))
        assert theme.version == version
        await window.settings.change(lambda settings: replace(settings, theme="dark"))
        assert theme.version > version
        await window.settings.change(lambda settings: replace(settings, theme="system"))  # as the next tests expect it

    play(scene)


def test_two_questions_wait_in_a_row_and_their_answers_arrive(play, monkeypatch):
    monkeypatch.setattr(question_card, "DEAF_FOR", 0.0)

    async def scene(window: MainWindow, bridge: Bridge) -> None:
        window.chat.send("!ask")
        await until(lambda: window.question.isVisible())
        assert window.question.targets.text.toPlainText() == "rm -rf build"
        window.question.always.click()
        await until(lambda: window.question.isVisible() and "example.org" in window.question.targets.words())
        window.question.deny.click()
        await until(lambda: is_idle(window))
        assert not window.question.isVisible()
        assert texts(window)[-3:] == ["True always rm *", "False once ", "Both answered."]

    play(scene)


def test_escape_in_the_composer_denies_what_is_asked_as_the_card_says(play, monkeypatch):
    monkeypatch.setattr(question_card, "DEAF_FOR", 0.0)

    async def scene(window: MainWindow, bridge: Bridge) -> None:
        window.chat.send("!ask")
        for target in ("rm -rf build", "example.org"):
            await until(lambda target=target: window.question.isVisible() and target in window.question.targets.words())
            window.composer.take_focus()
            QTest.keyClick(window.composer.field, Qt.Key.Key_Escape)
        await until(lambda: is_idle(window))
        assert texts(window)[-3:] == ["False once ", "False once ", "Both answered."]

    play(scene)


def test_a_question_that_comes_while_another_conversation_is_open_is_in_a_toast(play):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        bridge.start(_send(bridge, "c2", "!rounds"))
        await until(lambda: window.toast.isVisible())
        assert "Trip to Lisbon" in window.toast.label.text()
        assert not window.question.isVisible()
        window.toast.action.click()
        await until(lambda: window.question.isVisible())
        assert window.chat.conversation == "c2"

    play(scene)


async def _send(bridge: Bridge, conversation: str, text: str) -> None:
    await bridge.ask(p.Send(conversation, text))


class BusyBeat:
    """The longest time that the window's own thread worked between two beats of 10 ms: what else the machine does is
    left aside."""

    def __init__(self, window: MainWindow) -> None:
        self._timer = QTimer(window, interval=10)
        self._timer.timeout.connect(self._beat)
        self._last, self.longest = time.thread_time(), 0.0
        self._timer.start()

    def _beat(self) -> None:
        now = time.thread_time()
        self.longest = max(self.longest, now - self._last)
        self._last = now


@pytest.mark.wire
def test_a_thousand_lines_a_second_do_not_stop_the_window(play_with_process):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        window.chat.send("!slow 1500")
        await until(lambda: "ToolItem" in texts(window))
        beat = BusyBeat(window)
        before, began = time.process_time(), time.monotonic()
        await until(lambda: "Built." in texts(window))
        share = (time.process_time() - before) / (time.monotonic() - began)
        print(f"longest work between two beats {beat.longest * 1_000:.0f} ms, {share:.0%} of a core")
        assert beat.longest < 0.05 * slowness()
        assert share < 0.7 * slowness()

    play_with_process(scene)
