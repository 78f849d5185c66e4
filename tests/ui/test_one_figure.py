"""One figure for one thing: every place of the window that shows a number of the request has the same one.

The window, the real engine and a scripted provider whose reports differ from what is counted here, so that figures
which were not scaled to them show.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from ui_scenes import Run, in_window, is_idle, texts

from desktop_app.conversation.gauge import PartKind, Segment, SentPart
from desktop_app.conversation.memory import Memory
from desktop_app.engine import protocol as p
from desktop_app.paths import settings_file
from desktop_app.settings import Server, Settings, write_settings
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.driver import Driver
from desktop_app.ui.engine_process import engine_command
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.model_picker import ModelPicker
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.tools.tools_sheet import ToolsSheet
from desktop_app.ui.transcript.transcript_items import MessageItem
from provider import AnyStep, Call, Reply, ScriptedProvider

pytestmark = pytest.mark.wire
Scene = Callable[[MainWindow, Driver, Bridge], Coroutine[Any, Any, None]]
READ = Reply("", calls=(Call("read", '{"path": "notes.txt"}'),), finish="tool_calls", usage=(1_400, 20, 0))


def first_number(text: str) -> int:
    return int(re.sub(r"[^\d]", "", re.search(r"\d[\d,]*", text)[0]))  # type: ignore[index]


@pytest.fixture
def play(run: Run, qapp: QApplication, data_folder: Path, tmp_path: Path) -> Callable[..., ScriptedProvider]:
    def play_scene(scene: Scene, steps: list[AnyStep]) -> ScriptedProvider:
        (tmp_path / "work").mkdir()
        (tmp_path / "work" / "notes.txt").write_text("The tide turns at four.\n" * 60)
        with ScriptedProvider(steps) as provider:
            server = Server("scripted", provider.base_url, ("scripted",), window=32_000, max_output=1_000)
            settings = Settings(chat_model="scripted/scripted", servers=(server,), folder=str(tmp_path / "work"))
            write_settings(settings_file(data_folder), settings)
            bridge = Bridge(engine_command(data_folder), data_folder / "engine.log")
            window = MainWindow(bridge, settings, data_folder / "window.json")
            driver = Driver(window, bridge)
            run(in_window(window, bridge, lambda: scene(window, driver, bridge), lambda: window.chat.conversation))
            return provider

    return play_scene


def tokens_of_rows(window: MainWindow) -> dict[str, int]:
    """Return the tokens that the transcript shows for each message."""
    model, cache = window.ui.transcript_model, window.ui.transcript.cache
    items = [model.item(n) for n in range(model.rowCount())]
    return {i.row.message.id: int(i.row.tokens * cache.token_scale) for i in items if isinstance(i, MessageItem)}


async def request_of(window: MainWindow, bridge: Bridge) -> tuple[SentPart, ...]:
    return (await bridge.ask(p.ReadRequest(window.chat.conversation))).request.parts


def test_every_place_has_the_figures_of_the_request(play) -> None:
    async def scene(window: MainWindow, driver: Driver, bridge: Bridge) -> None:
        chat, gauge = window.chat, window.ui.gauge
        await bridge.ask(p.WriteMemory(Memory("", "Lives in Lisbon.", 0.0, 0.0), chat.conversation))
        chat.send("What do the notes say?")
        await driver.until(lambda: texts(window)[-1] == "At four." and is_idle(window), 60, "the end of the turn")
        shown = gauge.gauge
        assert shown is not None
        assert shown.scale != 1.0
        parts = await request_of(window, bridge)

        assert sum(part.tokens for part in parts) == shown.total == sum(shown.segments.values())
        rows = tokens_of_rows(window)
        assert {part.message_id: part.tokens for part in parts if part.message_id} == rows
        (tools,) = [part.tokens for part in parts if part.kind is PartKind.TOOLS]
        assert shown.segments[Segment.SCHEMAS] == tools

        window.tools.open()
        await driver.until(lambda: any(s.is_complete for s in window.findChildren(ToolsSheet)), 20, "the tools")
        sheet = window.findChildren(ToolsSheet)[-1]
        assert first_number(sheet.total.text()) == tools
        sheet.accept()

        window.ui.panel.show_tab("memory")
        (memory,) = [part.tokens for part in parts if part.kind is PartKind.MEMORY]
        await driver.until(lambda: first_number(window.ui.panel.memories.total.text()) == memory, 20, "the memories")
        assert shown.segments[Segment.MEMORY] == memory

        QTest.keyClicks(window.ui.composer.field, "And when does it turn back again?")
        await driver.until(lambda: gauge.draft_tokens > 0, 20, "the count of the draft")
        total = shown.total + gauge.draft_tokens
        assert first_number(gauge.numbers.text()) == total
        lines = {line.name: line for line in window.ui.panel.breakdown.table.lines}
        assert lines["In the request"].tokens == total
        assert lines["In the request"].share_words in gauge.share.text()
        conversations = window.ui.sidebar.list.conversations
        assert conversations.fill_of(conversations.info_of(chat.conversation)) == gauge.fill

        window.models.offer()
        await driver.until(lambda: any(s.isVisible() for s in window.findChildren(ModelPicker)), 20, "the picker")
        picker = window.findChildren(ModelPicker)[-1]
        await driver.until(lambda: picker._previews.get("scripted/scripted"), 20, "what the model would mean")
        assert picker._previews["scripted/scripted"].total == total
        picker.reject()

        window.context.optimize()
        await driver.until(lambda: any(s.isVisible() for s in window.findChildren(PlanDialog)), 20, "the plan")
        dialog = window.findChildren(PlanDialog)[-1]
        assert first_number(dialog.comparison.figures[0].text()) == total
        assert dialog.comparison.figures[1].text() == "Nothing would change"
        QTest.keyClick(dialog, Qt.Key.Key_Escape)

    provider = play(scene, [READ, Reply("At four.", usage=(2_100, 4, 0))])
    answered = [request for request in provider.requests if request.body.get("tools")]
    assert "Lives in Lisbon." in str(answered[-1].body), "what the window counts as memory is what was sent"
