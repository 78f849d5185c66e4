"""Branches with the window and the real engine: edit, turn to the other version, find what is in it, fork."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from ui_scenes import Run, in_window, is_idle, point_of, texts

from desktop_app.paths import settings_file
from desktop_app.settings import Server, Settings, write_settings
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.driver import Driver
from desktop_app.ui.engine_process import engine_command
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.transcript.row_painter import Action
from provider import Reply, ScriptedProvider

pytestmark = pytest.mark.wire
SYSTEM = 1  # rows before the first message


def id_of(window: MainWindow, text: str) -> str:
    return next(row.message.id for row in window.ui.transcript_model.rows if row.message.text == text)


async def press(window: MainWindow, driver: Driver, text: str, action: Action) -> None:
    """Click on what a message offers."""
    view = window.ui.transcript
    view.show_message(id_of(window, text))
    await driver.until(lambda: view.is_settled, 10, "a view at rest")
    await driver.click(view.viewport(), point_of(view, id_of(window, text), action).toTuple())


async def shows(window: MainWindow, driver: Driver, *said: str) -> None:
    """Wait until exactly this is shown, and nothing is under way."""
    await driver.until(lambda: tuple(texts(window)[SYSTEM:]) == said and is_idle(window), 40, " | ".join(said))


@pytest.mark.row("U1", "edit and resend, regenerate")
@pytest.mark.row("B1", "edited, turned back, regenerated, found, forked")
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_a_message_is_edited_and_both_versions_go_on(run: Run, qapp: QApplication, data_folder: Path) -> None:
    steps = [Reply("Red."), Reply("Tall."), Reply("Blue."), Reply("Green."), Reply("Deep.")]

    async def scene(window: MainWindow, driver: Driver) -> None:
        window.chat.send("Which colour?")
        await shows(window, driver, "Which colour?", "Red.")
        window.chat.send("How tall?")
        await shows(window, driver, "Which colour?", "Red.", "How tall?", "Tall.")
        await press(window, driver, "Which colour?", Action.EDIT_MESSAGE)
        await driver.type(" At sea.")
        QTest.keyClick(window.ui.transcript.editor.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        edited = "Which colour? At sea."
        await shows(window, driver, edited, "Blue.")
        assert window.ui.composer.field.hasFocus()
        await press(window, driver, edited, Action.EARLIER)
        await shows(window, driver, "Which colour?", "Red.", "How tall?", "Tall.")
        # an older reply, anew
        await press(window, driver, "Red.", Action.REGENERATE)
        await shows(window, driver, "Which colour?", "Green.")
        # what is in another version is found, and shown
        window.listing.open_search()
        palette = window.listing._palette
        assert palette is not None
        palette.field.setText("tall")
        found = palette.list.rows
        await driver.until(lambda: found.rows and all("all" in row.words for row in found.rows), 20, "the results")
        await driver.enter()
        await shows(window, driver, "Which colour?", "Red.", "How tall?", "Tall.")
        await driver.until(window.ui.toast.action.isVisible, 20, "the way back")
        await driver.click(window.ui.toast.action)
        await shows(window, driver, "Which colour?", "Green.")
        # a copy goes on by itself
        first = window.chat.conversation
        await press(window, driver, "Green.", Action.MORE)
        menu = window.ui.transcript.findChildren(QMenu)[-1]
        next(action for action in menu.actions() if action.text() == Action.FORK.value).trigger()
        menu.close()
        await driver.until(lambda: window.chat.conversation != first, 20, "the copy")
        await driver.until(lambda: "Green." in texts(window), 20, "its messages")
        assert "How tall?" not in texts(window)

    with ScriptedProvider(steps) as provider:
        server = Server("scripted", provider.base_url, ("scripted",), window=32_000, max_output=1_000)
        settings = Settings(
            chat_model="scripted/scripted", servers=(server,), summaries="extractive"
        )  # no titles are asked for
        write_settings(settings_file(data_folder), settings)
        bridge = Bridge(engine_command(data_folder), data_folder / "engine.log")
        window = MainWindow(bridge, settings, data_folder / "window.json")
        driver = Driver(window, bridge)
        run(in_window(window, bridge, lambda: scene(window, driver), lambda: window.chat.conversation))
        assert [m["content"] for m in provider.requests[2].messages][-1] == "Which colour? At sea."
