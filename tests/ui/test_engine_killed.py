"""The engine is killed in a turn: what had arrived stays, a card says why it ended, and it can be asked again."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from ui_scenes import Run, in_window, texts, until

from desktop_app.paths import settings_file
from desktop_app.settings import Server, Settings, write_settings
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.engine_process import engine_command
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.transcript.display_list import Action
from desktop_app.ui.transcript.items import FailureItem
from provider import Hang, Reply, ScriptedProvider

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("first", [Hang("Half a sen"), Hang()], ids=["in the stream", "before the first token"])
def test_a_card_says_that_the_reply_broke_off(run: Run, qapp: QApplication, data_folder: Path, first: Hang) -> None:
    with ScriptedProvider([first, Reply("Whole.")]) as provider:
        server = Server("scripted", provider.base_url, ("scripted",), 8_192, 1_000)
        settings = Settings(chat_model="scripted/scripted", servers=(server,))
        write_settings(settings_file(data_folder), settings)
        bridge = Bridge(engine_command(data_folder), data_folder / "engine.log")
        window = MainWindow(bridge, settings, data_folder / "window.ini")

        async def scene() -> None:
            window.chat.send("A story, please")
            await until(lambda: provider.requests and window.transcript_model.streaming_text == first.text)
            await asyncio.sleep(0.6)  # a partial reply is kept every half second
            os.kill(bridge.engine_pid, signal.SIGKILL)
            await until(lambda: texts(window)[-1] == "FailureItem")
            kept = ["Half a sen"] if first.text else []
            assert texts(window)[-2 - len(kept) :] == ["A story, please", *kept, "FailureItem"]
            card = window.transcript_model.item(window.transcript_model.rowCount() - 1)
            assert isinstance(card, FailureItem)
            assert "interrupted" in card.failure.title
            window.chat_pane.transcript.perform(Action.TRY_AGAIN, "")
            await until(lambda: texts(window)[-1] == "Whole.")

        run(in_window(window, bridge, scene, lambda: window.chat.conversation))
