"""A message that is larger than the window, with the window and the real engine: the first button sends it."""

from __future__ import annotations

from pathlib import Path

import pytest
from ui_scenes import in_window, is_idle, texts, until

from desktop_app.paths import settings_file
from desktop_app.settings import Server, Settings, write_settings
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.engine_process import engine_command
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.transcript_items import FailureItem
from provider import Reply, ScriptedProvider

pytestmark = pytest.mark.wire
LINES = "".join(f"{n} a line of the pasted log\n" for n in range(4_000))


@pytest.mark.row("U9", "too large a message: the first button sends it")
@pytest.mark.parametrize(("tools_off", "first"), [((), Action.SEND_AS_FILE), (("read",), Action.SEND_CUT)])
def test_a_message_that_is_too_large_is_sent_by_the_first_button(
    run, qapp, data_folder: Path, tools_off: tuple[str, ...], first: Action
) -> None:
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        window.ui.composer.set_text(LINES)
        window.chat.send(LINES)
        model, transcript = window.ui.transcript_model, window.ui.transcript
        await until(lambda: "FailureItem" in texts(window) and is_idle(window))
        row = next(n for n in range(model.rowCount()) if isinstance(model.item(n), FailureItem))
        button = next(one for one in transcript.layout_of(row).hit_regions if one.words)
        assert button.action is first
        transcript.perform(button.action, button.argument)
        await until(lambda: "I have read it." in texts(window)[-1] and is_idle(window))
        (sent,) = provider.requests
        assert "0 a line of the pasted log" in sent.text
        assert ("kept as" in sent.text) is (first is Action.SEND_AS_FILE)
        assert "FailureItem" not in texts(window)

    with ScriptedProvider([Reply("I have read it.", usage=None)]) as provider:
        server = Server("scripted", provider.base_url, ("scripted",), window=12_000, max_output=1_000)
        settings = Settings(
            chat_model="scripted/scripted", servers=(server,), summaries="extractive", is_memory_on=False,
            tools_off=tools_off, folder=str(data_folder),
        )  # fmt: skip
        write_settings(settings_file(data_folder), settings)
        bridge = Bridge(engine_command(data_folder), data_folder / "engine.log")
        window = MainWindow(bridge, settings, data_folder / "window.json")
        run(in_window(window, bridge, lambda: scene(window, bridge), lambda: window.chat.conversation))
