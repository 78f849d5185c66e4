"""A tool call with the window, the real engine and a scripted provider: asked, allowed, run, cut, opened whole."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from ui_scenes import Run, in_window, is_idle, texts

from desktop_app.paths import log_file, settings_file
from desktop_app.settings import Server, Settings, write_settings
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.driver import Driver
from desktop_app.ui.engine_process import engine_command
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.tools.tools_sheet import SpillViewer, ToolsSheet
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.transcript_items import MessageItem, ToolItem
from provider import AnyStep, Call, Reply, ScriptedProvider

pytestmark = pytest.mark.wire
Scene = Callable[[MainWindow, Driver], Coroutine[Any, Any, None]]
COUNT = Reply("I will count.", calls=(Call("bash", '{"command": "seq 1 60000"}'),), finish="tool_calls")

SECONDS = f"{os.getpid()}98"
SLEEP = Reply(
    "I will sleep.", calls=(Call("bash", f'{{"command": "echo begun; sleep {SECONDS}"}}'),), finish="tool_calls"
)


@pytest.fixture
def play(run: Run, qapp: QApplication, data_folder: Path, tmp_path: Path) -> Callable[..., ScriptedProvider]:
    """Opens the window on an empty record with a scripted model, plays a scene, closes in order."""

    def play_scene(scene: Scene, steps: list[AnyStep]) -> ScriptedProvider:
        with ScriptedProvider(steps) as provider:
            server = Server("scripted", provider.base_url, ("scripted",), window=32_000, max_output=1_000)
            work = tmp_path / "work"
            work.mkdir()
            settings = Settings(chat_model="scripted/scripted", servers=(server,), folder=str(work))
            write_settings(settings_file(data_folder), settings)
            bridge = Bridge(engine_command(data_folder), data_folder / "engine.log")
            window = MainWindow(bridge, settings, data_folder / "window.json")
            driver = Driver(window, bridge)
            run(in_window(window, bridge, lambda: scene(window, driver), lambda: window.chat.conversation))
            return provider

    return play_scene


@pytest.mark.row("U4", "asked, allowed, run, opened whole")
def test_a_command_is_asked_for_allowed_run_and_opened_whole(play) -> None:
    async def scene(window: MainWindow, driver: Driver) -> None:
        assert window.ui.header.folder.text() == "work"
        window.chat.send("Count to sixty thousand.")
        await driver.until(window.ui.question.isVisible, 40, "the question")
        assert window.ui.question.targets.text.toPlainText() == "seq 1 60000"
        assert window.ui.question.pattern.text() == "seq *"
        await driver.until(lambda: window.ui.question.is_listening, 5, "a question that takes answers")
        await driver.click(window.ui.question.always)
        await driver.until(lambda: texts(window)[-1] == "Counted." and is_idle(window), 40, "the end of the turn")
        items = [window.ui.transcript_model.item(n) for n in range(window.ui.transcript_model.rowCount())]
        result = next(i.row.message.tool_result for i in items if isinstance(i, MessageItem) and i.call is not None)
        assert result is not None
        assert result.spill
        window.tools.open_whole(result.spill, "bash seq")
        viewer = window.findChildren(SpillViewer)[0]
        await driver.until(lambda: viewer.note.text().startswith("60,00"), 20, "the whole output")
        viewer.field.setText("59999")
        await driver.until(lambda: viewer.note.text() == "1 line with “59999”", 20, "what was searched for")
        viewer.close()

    play(scene, [COUNT, Reply("Counted.")])


@pytest.mark.row("W7", "figures of a real turn")
def test_the_insights_of_a_real_turn_are_those_of_its_record_and_the_log_has_its_truncation(play, data_folder) -> None:
    async def scene(window: MainWindow, driver: Driver) -> None:
        window.chat.send("Count to sixty thousand.")
        await driver.until(lambda: window.ui.question.is_listening, 40, "a question that takes answers")
        await driver.click(window.ui.question.once)
        await driver.until(lambda: texts(window)[-1] == "Counted." and is_idle(window), 40, "the end of the turn")
        window.insights.toggle()
        page = window.insights.page
        assert page is not None
        await driver.until(page.chart.isVisible, 20, "the chart")
        assert [point.is_measured for point in page.chart.points] == [True, True]
        assert "1 result truncated" in page.cards[0].detail.text()
        (row,) = [row for row in page.models.table.rows if row.note == "chat"]
        assert row.cells[0] == "2"
        await driver.escape()
        assert window.ui.chat_page.isVisible()

    play(scene, [COUNT, Reply("Counted.")])
    log = log_file(data_folder).read_text()
    assert "Truncated bash output" in log
    assert "sixty thousand" not in log


async def run_a_command(window: MainWindow, driver: Driver) -> str:
    """Lets the model run its command; the key of its card, which has put something out."""
    window.chat.send("Sleep.")
    await driver.until(lambda: window.ui.question.is_listening, 40, "a question that takes answers")
    await driver.click(window.ui.question.once)
    model = window.ui.transcript_model

    def card() -> ToolItem | None:
        item = model.item(model.rowCount() - 1)
        return item if isinstance(item, ToolItem) and item.run and "begun" in item.run.tail else None

    await driver.until(card, 20, "the card of the command that runs")
    return model.item(model.rowCount() - 1).key


@pytest.mark.row("U4", "stopped on its card")
def test_a_command_is_stopped_on_its_card_and_the_turn_goes_on(play) -> None:
    async def scene(window: MainWindow, driver: Driver) -> None:
        key = await run_a_command(window, driver)
        window.ui.chat_pane.transcript.perform(Action.STOP, key)
        await driver.until(lambda: texts(window)[-1] == "Never mind." and is_idle(window), 40, "the end of the turn")
        assert texts(window)[-2].startswith("begun\n")
        assert "Stopped by the user" in texts(window)[-2]

    play(scene, [SLEEP, Reply("Never mind.")])


def test_a_window_that_is_closed_while_a_command_runs_leaves_nothing_running(play) -> None:
    async def scene(window: MainWindow, driver: Driver) -> None:
        await run_a_command(window, driver)
        assert commands_running() != []

    play(scene, [SLEEP])
    deadline = time.monotonic() + 5
    while commands_running() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert commands_running() == []


def commands_running() -> list[bytes]:
    """The command lines of this machine that sleep as long as SLEEP does."""
    lines: list[bytes] = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended meanwhile
            lines.append(file.read_bytes())
    return [line for line in lines if line.startswith(b"sleep\0") and SECONDS.encode() in line]


def test_the_tools_that_are_on_offer_are_listed_and_switched(play) -> None:
    async def scene(window: MainWindow, driver: Driver) -> None:
        window.ui.composer.tools.click()
        sheet = await driver.sheet(ToolsSheet, 20, "the tools")
        assert "bash" in sheet.rows
        before = sheet.total.text()
        await driver.click(sheet.rows["bash"].switch, at=(10, 10))
        await driver.until(lambda: sheet.total.text() != before, 20, "fewer tokens")
        assert not sheet.rows["bash"].switch.isChecked()
        await driver.click(sheet.close_button)

    play(scene, [])
