"""The model looks in other conversations, in the window: asked, allowed, shown where it is from, opened there."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from ui_scenes import Run, in_window, is_idle, texts

from builders import user
from desktop_app.context.recall.recollection import sources_in
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.paths import database_file, settings_file
from desktop_app.settings import Server, Settings, write_settings
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.driver import Driver
from desktop_app.ui.engine_process import engine_command
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.transcript_items import MessageItem
from provider import Call, Reply, ScriptedProvider
from stores import Store

pytestmark = pytest.mark.wire
TRIP = "0123456789abcdef0123456789abcdef"
FERRY = "The ferry to Gotland leaves at nine, from the northern pier."
LOOK = Reply("", calls=(Call("recall", '{"query": "ferry to Gotland", "where": "everything"}'),), finish="tool_calls")


def test_what_another_conversation_holds_is_asked_for_and_opened(run: Run, qapp: QApplication, data_folder: Path):
    store = Store(database_file(data_folder))
    said = [user(f"Filler {n}.", id=f"t{n}", at=1.7e9) for n in range(30)]
    said[12] = user(FERRY, id="t12", at=1.7e9)
    store.create(ConversationInfo(TRIP, "The trip", 1.0, 1.0), said)
    store.create(ConversationInfo("here", "Here", 2e9, 2e9), [])
    store.close()

    with ScriptedProvider([LOOK, Reply("At nine.")]) as provider:
        server = Server("scripted", provider.base_url, ("scripted",), window=32_000, max_output=1_000)
        settings = Settings(chat_model="scripted/scripted", servers=(server,))
        write_settings(settings_file(data_folder), settings)
        bridge = Bridge(engine_command(data_folder), data_folder / "engine.log")
        window = MainWindow(bridge, settings, data_folder / "window.json")
        driver = Driver(window, bridge)

        async def scene() -> None:
            window.chat.send("When does the boat leave?")
            await driver.until(window.ui.question.isVisible, 60, "the question")
            assert window.ui.question.targets.text.toPlainText() == "All your conversations (2)"
            await driver.until(lambda: window.ui.question.is_listening, 5, "a question that takes answers")
            await driver.click(window.ui.question.once)
            await driver.until(lambda: texts(window)[-1] == "At nine." and is_idle(window), 60, "the end of the turn")
            assert FERRY in provider.requests[-1].text
            items = [window.ui.transcript_model.item(n) for n in range(window.ui.transcript_model.rowCount())]
            results = [item.row.message.tool_result for item in items if isinstance(item, MessageItem)]
            (page,) = [result.text for result in results if result is not None]
            assert TRIP[:12] in {source.conversation for source in sources_in(page)}
            window.ui.transcript.perform(Action.SHOW_RECALLED, f"{TRIP[:12]}#12")
            await driver.until(lambda: window.chat.conversation == TRIP, 40, "the other conversation")
            await driver.until(lambda: FERRY in texts(window), 20, "its messages")

        run(in_window(window, bridge, scene, lambda: window.chat.conversation))
