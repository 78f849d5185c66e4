"""Notifications of the desktop while the window is not in front: when, of what, and what a click does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QSystemTrayIcon, QWidget
from ui_scenes import play_scene, until

from desktop_app.conversation.events import QuestionAsked, TurnFinished, TurnStarted
from desktop_app.conversation.message import ToolCall
from desktop_app.settings import Settings
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.composer.question_text import MAX_NAME, pending_question_text
from desktop_app.ui.desktop_notifications import MAX_TEXT, MAX_TITLE, DesktopNotifier
from desktop_app.ui.main_window import MainWindow

DOUBLE = Path(__file__).with_name("portal_double.py")
ASKED = QuestionAsked("c2", "q", "permission", ToolCall("c", "bash", '{"command": "ls"}'))


def shown(window: MainWindow, monkeypatch) -> list[tuple[str, ...]]:
    """What is asked of the desktop from now on."""
    calls: list[tuple[str, ...]] = []
    notifier = window.away.notifier
    monkeypatch.setattr(notifier, "notify", lambda *told: calls.append(told))
    monkeypatch.setattr(notifier, "withdraw", lambda key: calls.append(("gone", key)))
    return calls


def turn_away(window: MainWindow) -> QWidget:
    """Another window is in front."""
    other = QWidget()
    other.show()
    other.activateWindow()
    return other


@play_scene()
async def test_a_long_reply_and_a_question_are_told_while_nobody_looks(
    window: MainWindow, bridge: Bridge, monkeypatch
) -> None:
    calls = shown(window, monkeypatch)
    window.away.long = 0.0
    for event in (TurnStarted("c2"), TurnFinished("c2", "finished")):
        bridge.happened.emit(event)
    assert calls == [], "the window is in front"
    other = turn_away(window)
    await until(lambda: not window.isActiveWindow())
    bridge.happened.emit(TurnStarted("c2"))
    bridge.happened.emit(TurnFinished("c2", "stopped"))
    assert calls == [], "the user stopped it"
    bridge.happened.emit(TurnStarted("c2"))
    bridge.happened.emit(ASKED)
    bridge.happened.emit(TurnFinished("c2", "finished"))
    assert [call[0] for call in calls] == ["c2", "c2"]
    assert len({call[2] for call in calls}) == 2
    window.away.long = 60.0
    bridge.happened.emit(TurnStarted("c2"))
    bridge.happened.emit(TurnFinished("c2", "finished"))
    assert len(calls) == 2, "a short reply"
    other.close()
    window.activateWindow()
    await until(window.isActiveWindow)
    assert calls[2:] == [("gone", "c2")]


@pytest.mark.qt_log_ignore("does not support raise", extend=True)
@play_scene()
async def test_a_click_opens_the_conversation_in_front(window: MainWindow, bridge: Bridge) -> None:
    other = turn_away(window)
    await until(lambda: not window.isActiveWindow())
    window.away.notifier.opened.emit("c2")
    await until(lambda: window.chat.conversation == "c2")
    await until(window.isActiveWindow)
    other.close()


@play_scene()
async def test_it_can_be_switched_off(window: MainWindow, bridge: Bridge, monkeypatch) -> None:
    calls = shown(window, monkeypatch)
    other = turn_away(window)
    await until(lambda: not window.isActiveWindow())
    window.away.use(replace(Settings(), is_notifying=False))
    bridge.happened.emit(ASKED)
    assert calls == []
    other.close()


def test_a_notification_has_the_beginning_of_long_texts(qtbot, monkeypatch) -> None:
    told = list[tuple[str, ...]]()
    parent = QObject()
    notifier = DesktopNotifier(parent)
    monkeypatch.setattr(notifier, "_find_bus", lambda: SimpleNamespace(notify=lambda *words: told.append(words)))
    notifier.notify("c", "a\n" * 2_500_000, "\x1b" * 5_000_000)
    ((key, title, text),) = told
    assert (key, title) == ("c", "a‹U+000A›" * ((MAX_TITLE - 1) // 2) + "a…")
    assert text == "‹U+001B›" * (MAX_TEXT - 1) + "…"


def test_a_question_elsewhere_names_the_beginning_of_long_names() -> None:
    asked = QuestionAsked("v", "q", "permission", ToolCall("c", "n" * 5_000_000, "{}"))
    text = pending_question_text(asked, "\x1b" * 5_000_000)
    assert len(text) < 10 * MAX_NAME
    assert "n" * (MAX_NAME - 1) + "…" in text


def test_a_notification_has_no_markup_and_reads_as_it_is_spelled(qtbot, monkeypatch) -> None:
    parent, told = QObject(), []
    notifier = DesktopNotifier(parent)
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    monkeypatch.setattr(notifier, "_find_bus", lambda: None)
    tray = SimpleNamespace(show=lambda: None, showMessage=lambda title, text: told.append((title, text)))
    monkeypatch.setattr(notifier, "_make_tray", lambda: tray)
    notifier.notify("c", '<img src="http://e.org/p">\u202etxt', "<a href='file:///x'>ready</a>\x1b[2J")
    assert told == [('‹img src="http://e.org/p">‹U+202E›txt', "‹a href='file:///x'>ready‹/a>‹U+001B›[2J")]


TRY = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget
from desktop_app.ui.desktop_notifications import DesktopNotifier
application, window = QApplication([]), QWidget()
notifier = DesktopNotifier(window)
def opened(key):
    print("opened", key, flush=True)
    notifier.withdraw(key)
    QTimer.singleShot(100, application.quit)
notifier.opened.connect(opened)
notifier.notify("c1", "Billing", "The reply is ready & waits.")
QTimer.singleShot(20_000, lambda: application.exit(1))
sys.exit(application.exec())
"""


def try_with(tmp_path: Path, *names: str) -> tuple[str, list[list[Any]]]:
    """Try a notification on a bus with these services: what the attempt printed, and the calls that they got."""
    log, attempt = tmp_path / "calls", tmp_path / "attempt.py"
    attempt.write_text(TRY)
    python = sys.executable
    begin = f'"{python}" "{DOUBLE}" {" ".join(names)} > "{log}" & until grep -q ready "{log}"; do sleep 0.05; done'
    script = f'{begin}; "{python}" "{attempt}"; code=$?; kill $!; exit $code'
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(Path(__file__).parents[2])}
    ran = subprocess.run(
        ["dbus-run-session", "--", "sh", "-c", script], capture_output=True, text=True, env=environment, timeout=100
    )
    return ran.stdout.strip() or ran.stderr, [json.loads(line) for line in log.read_text().splitlines()[1:]]


needs_bus = pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("dbus-run-session") is None, reason="there is no D-Bus here"
)


@pytest.mark.wire
@needs_bus
def test_the_desktops_portal_gets_it_and_its_click_comes_back(tmp_path: Path) -> None:
    printed, (added, removed) = try_with(tmp_path, "portal", "daemon")
    assert printed == "opened c1"
    assert (added[:2], removed) == (["AddNotification", "c1"], ["RemoveNotification", "c1"])
    assert added[2]["title"][1] == "Billing"
    assert added[2]["body"][1] == "The reply is ready & waits."


@pytest.mark.wire
@pytest.mark.parametrize("services", [["daemon"], ["refusing-portal", "daemon"]])
@needs_bus
def test_without_a_portal_that_takes_it_the_daemon_gets_it(tmp_path: Path, services: list[str]) -> None:
    """As on sway with dunst, or where the portal has no backend for notifications."""
    printed, calls = try_with(tmp_path, *services)
    assert printed == "opened c1"
    *_, capabilities, notified, closed = calls
    assert (capabilities[0], notified[0], closed) == ("GetCapabilities", "Notify", ["CloseNotification", 7])
    assert notified[4:7] == ["Billing", "The reply is ready &amp; waits.", ["default", "Open"]]
