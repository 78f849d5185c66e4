"""Optimize conversation by a model, with the whole window, the real engine and a scripted provider."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from ui_scenes import Run, in_window

from builders import model
from desktop_app.archive.archive import Archive
from desktop_app.conversation.events import RoomProgressed
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, user_message
from desktop_app.paths import database_file, settings_file
from desktop_app.settings import Server, Settings, write_settings
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.driver import Driver
from desktop_app.ui.engine_process import engine_command
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from provider import AnyStep, Hang, Reply, ScriptedProvider

pytestmark = pytest.mark.slow
RULE = "Never restart the server on Fridays."
PAGE = f"## Primary intent\nQuestions about topics, and answers with details.\n\n## Rules and constraints\n- {RULE}"
WRITTEN = Reply(json.dumps({"summary": PAGE, "turn": "", "keep": []}), size=12, pause=0.02, usage=(4_000, 80, 0))
Scene = Callable[[MainWindow, Driver, ScriptedProvider], Coroutine[Any, Any, None]]


def messages(turns: int) -> list[Message]:
    said = [user_message(f"{RULE} Let us begin.")]
    for n in range(turns):
        said.append(model(f"Answer {n}. " + f"detail{n} said " * 15))
        said.append(user_message(f"Go on with {n}, " + f"about topic{n} " * 15))
    return said


async def fill(data: Path, turns: int) -> None:
    """One conversation, as the archive would have it from earlier days."""
    archive = await Archive.open(database_file(data))
    stamped = [Message(id=f"m{n}", at=time.time(), role=m.role, parts=m.parts) for n, m in enumerate(messages(turns))]
    now = time.time()
    await archive.create(ConversationInfo("c1", "Long", now, now, len(stamped), "scripted/scripted"), stamped)
    await archive.close()


@pytest.fixture
def play(run: Run, qapp: QApplication, data_folder: Path) -> Callable[..., ScriptedProvider]:
    """Opens the window on a long conversation with a scripted model, plays a scene, closes in order."""

    def play_scene(scene: Scene, steps: list[AnyStep], turns: int = 45) -> ScriptedProvider:
        with ScriptedProvider(steps) as provider:
            server = Server("scripted", provider.base_url, ("scripted",), window=8_192, max_output=1_000)
            settings = Settings(chat_model="scripted/scripted", servers=(server,), is_memory_on=False)
            write_settings(settings_file(data_folder), settings)
            asyncio.run(fill(data_folder, turns))
            bridge = Bridge(engine_command(data_folder), data_folder / "engine.log")
            window = MainWindow(bridge, settings, data_folder / "window.json")
            window.resize(1_280, 800)
            driver = Driver(window, bridge)
            run(in_window(window, bridge, lambda: scene(window, driver, provider), window.ui.transcript_model.rowCount))
            return provider

    return play_scene


async def plan_of(window: MainWindow, driver: Driver) -> PlanDialog:
    await driver.click(window.ui.gauge.optimize)
    return await driver.sheet(PlanDialog, 30, "the plan")


def operations(window: MainWindow) -> list:
    return list(window.ui.panel.history._rows.values())


@pytest.mark.row("W2", "a summary by a model: asked for, progress, edited")
def test_a_summary_is_written_edited_and_applied(play) -> None:
    async def scene(window: MainWindow, driver: Driver, provider: ScriptedProvider) -> None:
        dialog = await plan_of(window, driver)
        assert dialog.strategy.choices.value() == "llm"
        assert not dialog.apply.isEnabled()
        await driver.click(dialog.strategy.instructions)
        await driver.type("Name tickets.")
        await driver.click(dialog.summary.unwritten.write)
        await driver.until(lambda: "of at most" in dialog.summary.unwritten.progress.text(), 30, "progress")
        await driver.until(lambda: dialog.summary.text().startswith(PAGE), 30, "the summary")
        dialog.summary.area.appendPlainText("- And mine.")
        await driver.until(dialog.apply.isEnabled, 30, "the check")
        await driver.click(dialog.apply)
        await driver.wait_until_closed(PlanDialog)
        await driver.until(lambda: operations(window), 30, "the end")
        (row,) = operations(window)
        assert row.summary.endswith("- And mine.")
        assert row.usage.prompt_tokens == 4_000

    provider = play(scene, [WRITTEN])
    (request,) = provider.requests
    assert "Name tickets." in request.messages[0]["content"]


@pytest.mark.row("W2", "another strategy")
def test_another_strategy_is_chosen_and_nothing_is_sent(play) -> None:
    async def scene(window: MainWindow, driver: Driver, provider: ScriptedProvider) -> None:
        dialog = await plan_of(window, driver)
        for strategy in ("last_messages", "extractive", "llm", "last_messages"):
            await driver.click(dialog.strategy.choices.button(strategy))
            await driver.until(lambda strategy=strategy: dialog._plan.strategy == strategy, 10, strategy)
        await driver.click(dialog.apply)
        await driver.until(lambda: operations(window), 30, "the end")
        assert operations(window)[0].strategies.keys() == {"last_messages"}

    assert play(scene, []).requests == []


def test_writing_is_stopped_by_its_link_and_by_closing(play) -> None:
    async def scene(window: MainWindow, driver: Driver, provider: ScriptedProvider) -> None:
        failures: list[object] = []
        driver.bridge.failed.connect(failures.append)
        dialog = await plan_of(window, driver)
        await driver.click(dialog.summary.unwritten.write)
        await driver.until(lambda: provider.requests, 30, "the request")
        await driver.click(dialog.summary.unwritten.cancel)
        await driver.until(lambda: dialog.summary.unwritten.write.isVisible(), 5, "write again")
        await driver.until(provider.client_left.is_set, 5, "the end of the connection")
        provider.client_left.clear()
        await driver.click(dialog.summary.unwritten.write)
        await driver.until(lambda: len(provider.requests) == 2, 30, "the second request")
        await driver.leave(PlanDialog, dialog.cancel)
        await driver.until(provider.client_left.is_set, 5, "the end of the connection")
        assert failures == [], "it was the user's wish"
        assert operations(window) == []

    play(scene, [Hang('{"summary": "It'), Hang('{"summary": "It')])


def test_room_that_a_turn_waits_for_tells_how_far_it_is_and_can_be_stopped(play) -> None:
    async def scene(window: MainWindow, driver: Driver, provider: ScriptedProvider) -> None:
        told: list[RoomProgressed] = []
        driver.bridge.happened.connect(lambda e: told.append(e) if isinstance(e, RoomProgressed) else None)
        window.ui.composer.set_text("Where are we?")
        window.chat.send("Where are we?")
        await driver.until(lambda: told and window.ui.toast.action.text() == "Stop", 40, "progress")
        await driver.click(window.ui.toast.action)
        await driver.until(lambda: not window.ui.transcript_model.is_running, 20, "the end of the turn")
        assert operations(window) == []
        assert not window.ui.toast.isVisible()

    play(scene, [Hang('{"summary": "It was about topics and about the'), Hang()], turns=64)
