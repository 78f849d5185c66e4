"""A person at the window: clicks and keys only, with the real engine and a scripted provider behind it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMenu, QWidget
from ui_scenes import is_idle, point_of, texts

from builders import exchange
from desktop_app.archive.archive import Archive
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.conversation.message_rows import OperationRow
from desktop_app.paths import database_file
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.driver import LOOK_EVERY, Driver
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.palette.command_palette import CommandPalette
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.sheet import Sheet
from provider import ScriptedProvider

PATIENCE = 60
"""Seconds for what takes one on an idle machine."""


class Person(Driver):
    """Uses the window, and sees what has reached the provider. data: the folder of the record and the settings."""

    def __init__(self, window: MainWindow, bridge: Bridge, provider: ScriptedProvider, data: Path) -> None:
        super().__init__(window, bridge)
        self.provider = provider
        self.data = data

    async def sees(self, is_seen: Callable[[], object], what: str) -> None:
        await self.until(is_seen, PATIENCE, what)

    async def wait_until_closed(self, kind: type[Sheet]) -> None:
        await self.sees(lambda: not self._open(kind), f"the end of the {kind.__name__}")

    async def say(self, text: str) -> None:
        """Click into the composer, type, and press Enter."""
        await self.write(text)
        await self.enter()

    async def write(self, text: str) -> None:
        """Click into the composer and type; what has several lines is pasted, since Enter sends."""
        field = self.window.ui.composer.field
        await self.click(field.viewport(), (8, 8))
        if len(text) > 80 or "\n" in text:
            await self.paste(text)
        else:
            await self.type(text)

    async def sees_end(self, text: str) -> None:
        """Wait until the last message is that, and nothing is under way."""
        await self.sees(lambda: texts(self.window)[-1:] == [text] and is_idle(self.window), f"“{text[:40]}”, the end")

    async def ask(self, text: str, answer: str) -> None:
        """Say something, and wait for its answer."""
        await self.say(text)
        await self.sees_end(answer)

    def id_of(self, text: str) -> str:
        """Return the id of the message that begins so."""
        rows = self.window.ui.transcript_model.rows
        return next(row.message.id for row in rows if row.message.text.startswith(text))

    async def press_action(self, key: str, action: Action) -> None:
        """Click on what a row of the transcript offers, once the row is in sight."""
        view = self.window.ui.transcript
        view.show_message(key)
        await self.sees(lambda: view.is_settled, "a transcript at rest")
        view.setFocus()
        await self.click(view.viewport(), point_of(view, key, action).toTuple())

    async def choose_from_menu(self, entry: str) -> None:
        """Choose an entry of the menu that is open, by the arrow keys and Enter."""
        await self.sees(lambda: isinstance(QApplication.activePopupWidget(), QMenu), "a menu")
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        action = next(one for one in menu.actions() if one.text().replace("&", "").startswith(entry))
        for _ in menu.actions():
            if menu.activeAction() is action:
                break
            QTest.keyClick(menu, Qt.Key.Key_Down)
        assert menu.activeAction() is action
        QTest.keyClick(menu, Qt.Key.Key_Return)

    async def press_link(self, holder: QWidget, name: str) -> None:
        """Click on a link, by its name as an object or its text."""
        found = [link for link in holder.findChildren(LinkButton) if name in (link.objectName(), link.text())]
        await self.click(found[0] if found else None)

    async def press_toast(self, words: str) -> None:
        """Click on what the toast offers that says so: an earlier one may still be there."""
        toast = self.window.ui.toast
        await self.sees(lambda: words in toast.label.text() and toast.action.isVisible(), f"a toast with “{words}”")
        await self.click(toast.action)

    async def press_command(self, words: str) -> None:
        """Carry out the command that fits these words best, by the palette."""
        await self.press_keys(Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier)
        await self.sheet(CommandPalette, PATIENCE, "the commands")
        await self.type(words)
        await self.enter()

    async def press_keys(self, key: Qt.Key, *modifiers: Qt.KeyboardModifier) -> None:
        """Press a shortcut, wherever the keyboard is."""
        self.window.activateWindow()  # as a window manager does once a dialog is closed
        await asyncio.sleep(LOOK_EVERY)
        held = Qt.KeyboardModifier.NoModifier
        for modifier in modifiers:
            held |= modifier
        QTest.keyClick(self._focus(), key, held)
        await asyncio.sleep(LOOK_EVERY)

    async def choose_file(self, path: Path) -> None:
        """Type a path into the file dialog that is open, and press Enter."""

        def dialogs() -> list[QFileDialog]:
            return [one for one in self.window.findChildren(QFileDialog) if one.isVisible()]

        await self.sees(dialogs, "a file dialog")
        field = dialogs()[0].findChild(QLineEdit, "fileNameEdit")
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, str(path))
        QTest.keyClick(field, Qt.Key.Key_Return)

    async def replace_text(self, field: QWidget, text: str) -> None:
        """Click into a field, and write something else into it."""
        await self.click(field)
        QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        await self.type(text)

    async def shown_gauge(self) -> Gauge:
        """Return the figures of the gauge once the model's window is known."""
        await self.sees(lambda: self.window.ui.gauge.gauge and self.window.ui.gauge.gauge.is_window_known, "a gauge")
        gauge = self.window.ui.gauge.gauge
        assert gauge is not None
        return gauge

    @property
    def operations(self) -> list[OperationRow]:
        return list(self.window.ui.transcript_model.operations)


Scene = Callable[[Person], Coroutine[Any, Any, None]]


def long_talk(turns: int, opening: str = "Never restart the server on Fridays. Let us begin.") -> list[Message]:
    """A conversation of about 80 tokens a turn, in which each message can be told from each other."""
    said = [user_message(opening)]
    for n in range(turns):
        said.append(Message(role=Role.ASSISTANT, parts=(Text(f"Answer {n}. " + f"detail{n} said " * 15),)))
        said.append(user_message(f"Go on with {n}, " + f"about topic{n} " * 15))
    return said


def exchanges(name: str, messages: int) -> list[Message]:
    """Return that many short questions and answers, which can be told from each other."""
    return exchange((f"Answer {n}\n\n- one\n- two" if n % 2 else f"Question {n}" for n in range(messages)), f"{name}-")


async def store_talk(
    data: Path, messages: Sequence[Message], name: str = "c1", title: str = "Long", model: str = "scripted/scripted"
) -> None:
    """Put a conversation into the archive, as it would have it from earlier days."""
    archive = await Archive.open(database_file(data))
    stamped = [replace(one, id=one.id or f"{name}-m{n}", at=time.time()) for n, one in enumerate(messages)]
    now = time.time()
    await archive.create(ConversationInfo(name, title, now, now, len(stamped), model), stamped)
    await archive.close()
