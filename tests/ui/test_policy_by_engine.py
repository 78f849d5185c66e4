"""The page of policies with the window and the real engine: tried, used in one conversation and in all, stored."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from ui_scenes import in_window, opened_sheet, send, until

from desktop_app.conversation.setup import OwnPolicy
from desktop_app.engine import protocol as p
from desktop_app.paths import settings_file
from desktop_app.settings import Server, Settings, read_settings, write_settings
from desktop_app.ui.app import make_application, watch_settings
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.engine_process import engine_command
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.policy.policy_sheet import PolicySheet
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.widgets.look import CONTROL_HEIGHT, scale
from provider import Reply, ScriptedProvider

pytestmark = pytest.mark.wire
WORDS = "The parser reads tokens one by one and keeps a stack of open brackets for errors. " * 18
LEFT = Qt.MouseButton.LeftButton


async def open_sheet(window: MainWindow) -> PolicySheet:
    QTest.keyClick(window, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    await until(lambda: any(sheet.is_complete for sheet in window.findChildren(PolicySheet)))
    return next(sheet for sheet in window.findChildren(PolicySheet) if sheet.is_complete)


def type_share(sheet: PolicySheet, field: str, text: str) -> None:
    edit = next(group.rows[field].edit for group in sheet.groups if field in group.rows)
    edit.clear()
    QTest.keyClicks(edit, text)
    QTest.keyClick(edit, Qt.Key.Key_Return)


@pytest.mark.row("W8", "tried, used here and everywhere, stored")
def test_a_policy_is_tried_used_here_then_everywhere_and_is_kept(run, qapp, data_folder: Path) -> None:
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        for number in range(4):
            await send(window, bridge, f"Turn {number}. {WORDS}")
        sheet = await open_sheet(window)
        await until(lambda: "4 requests" in sheet.effect.past.text())
        before = sheet.effect.table.cells[1][2].text()
        type_share(sheet, "background_at", "30 %")
        type_share(sheet, "compact_at", "40 %")
        await until(lambda: "instead of" in sheet.effect.past.text())
        assert sheet.effect.table.cells[1][2].text() != before
        await until(lambda: "message" in sheet.effect.now.text())  # it would archive some now; asked for on its own
        assert window.ui.gauge.gauge.thresholds[2] == 0.9, "nothing is changed by trying"
        QTest.mouseClick(sheet.use_here, LEFT)
        await until(lambda: window.ui.gauge.gauge.thresholds[2] == 0.4)
        settings = read_settings(settings_file(data_folder))
        assert settings.policies == (OwnPolicy("Mine", "balanced", {"background_at": 0.3, "compact_at": 0.4}),)
        assert settings.policy == "balanced"
        sheet = await open_sheet(window)
        assert sheet.name.text() == "Mine", "the conversation's own is shown"
        type_share(sheet, "compact_at", "50 %")
        QTest.mouseClick(sheet.use_everywhere, LEFT)
        await until(lambda: window.ui.gauge.gauge.thresholds[2] == 0.5)
        await until(lambda: read_settings(settings_file(data_folder)).policy == "Mine")
        sheet = await open_sheet(window)
        QTest.mouseClick(sheet.remove, LEFT)
        await until(lambda: window.ui.gauge.gauge.thresholds[2] == 0.9)
        assert read_settings(settings_file(data_folder)).policies == ()

    with ScriptedProvider([Reply(WORDS, usage=None) for _ in range(4)]) as provider:
        server = Server("scripted", provider.base_url, ("scripted",), window=6_000, max_output=1_000)
        settings = Settings(
            chat_model="scripted/scripted", servers=(server,), summaries="extractive", is_memory_on=False
        )
        write_settings(settings_file(data_folder), settings)
        bridge = Bridge(engine_command(data_folder), data_folder / "engine.log")
        window = MainWindow(bridge, settings, data_folder / "window.json")
        run(in_window(window, bridge, lambda: scene(window, bridge), lambda: window.chat.conversation))


def test_what_the_page_has_begun_ends_when_it_is_closed(run, qapp, data_folder: Path, monkeypatch) -> None:
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        posted: list[object] = []
        monkeypatch.setattr(bridge, "post", posted.append)
        sheet = await open_sheet(window)
        await until(lambda: sheet.effect.past.text())
        assert not posted
        QTest.keyClick(sheet, Qt.Key.Key_Escape)
        await until(lambda: not window.findChildren(PolicySheet))
        assert p.CancelComputation(p.Computation.REPLAY, window.chat.conversation) in posted

    write_settings(settings_file(data_folder), Settings(is_memory_on=False))
    bridge = Bridge(engine_command(data_folder), data_folder / "engine.log")
    window = MainWindow(bridge, read_settings(settings_file(data_folder)), data_folder / "window.json")
    run(in_window(window, bridge, lambda: scene(window, bridge), lambda: window.chat.conversation))


def test_what_another_process_stores_is_used_and_kept_by_the_windows_next_save(run, qapp, data_folder: Path) -> None:
    def store(*change: str) -> None:
        command = [sys.executable, "-m", "desktop_app", "policy", *change, "--data-dir", str(data_folder)]
        subprocess.run(command, check=True, capture_output=True)

    async def scene(window: MainWindow, bridge: Bridge) -> None:
        await bridge.ask(p.CreateConversation())
        window.settings.open()
        await until(lambda: any(dialog.isVisible() for dialog in window.findChildren(SettingsDialog)))
        (dialog,) = window.findChildren(SettingsDialog)
        await until(lambda: dialog.is_complete)
        await asyncio.to_thread(store, "balanced", "--set", "compact_at=85%", "--as", "late", "--use")
        await until(lambda: window.ui.toast.isVisible())
        read = await bridge.ask(p.ReadSettings())
        assert read.settings.policy == "late", "the engine uses it"
        dialog.save_requested.emit(replace(dialog.settings(), theme="dark"), {})
        await until(lambda: read_settings(settings_file(data_folder)).theme == "dark")
        stored = read_settings(settings_file(data_folder))
        assert stored.policy == "late", "the open dialog had read the settings before"
        assert stored.policies == (OwnPolicy("late", "balanced", {"compact_at": 0.85}),)
        dialog.close()

    write_settings(settings_file(data_folder), Settings(theme="light", is_memory_on=False))
    bridge = Bridge(engine_command(data_folder), data_folder / "engine.log")
    window = MainWindow(bridge, read_settings(settings_file(data_folder)), data_folder / "window.json")
    watch_settings(window, data_folder)
    run(in_window(window, bridge, lambda: scene(window, bridge), lambda: bridge.engine_pid))


def x_of_mark(window: MainWindow, mark: int) -> float:
    """Where the gauge says that a mark stands, in pixels."""
    bar = window.ui.gauge.bar
    found = [x for x in range(bar.width()) if bar.mark_at(x) == mark]
    return sum(found) / len(found)


@pytest.mark.usefixtures("language_is_restored")
def test_in_german_at_200_percent_a_number_of_the_policy_moves_the_gauges_mark(run, qapp, data_folder: Path) -> None:
    path = settings_file(data_folder)

    def window_of(settings: Settings) -> tuple[MainWindow, Bridge]:
        make_application(settings)
        bridge = Bridge(engine_command(data_folder), data_folder / "engine.log")
        return MainWindow(bridge, settings, data_folder / "window.json"), bridge

    async def choose_the_look(window: MainWindow) -> None:
        window.settings.open()
        dialog = await opened_sheet(window, SettingsDialog)
        dialog.show_section("look")
        QTest.keyClick(dialog.entries["font_scale"].slider, Qt.Key.Key_End)
        await until(lambda: qapp.font().pixelSize() == 28)
        assert dialog.save.height() == scale(CONTROL_HEIGHT) == 72, "it is seen before it is saved"
        QTest.keyClick(dialog.entries["language"].select, Qt.Key.Key_End)
        QTest.mouseClick(dialog.save, LEFT)
        await until(lambda: read_settings(path).language == "de" and read_settings(path).font_scale == 2.0)
        await until(lambda: not window.findChildren(SettingsDialog))

    async def turn_a_number(window: MainWindow) -> None:
        await until(lambda: window.ui.gauge.gauge and window.ui.gauge.gauge.is_window_known)
        assert window.ui.composer.field.font().pixelSize() >= 28
        before = x_of_mark(window, 2)
        sheet = await open_sheet(window)
        assert sheet.windowTitle() == "Platz schaffen"
        type_share(sheet, "compact_at", "82,5 %")
        await until(lambda: "früher" in sheet.effect.now.text())
        assert x_of_mark(window, 2) == before, "nothing is changed by trying"
        QTest.mouseClick(sheet.use_everywhere, LEFT)
        await until(lambda: window.ui.gauge.gauge.thresholds[2] == 0.825)
        assert x_of_mark(window, 2) < before
        assert "82 %" in window.ui.gauge.bar.hint_of_mark(2)
        assert read_settings(path).policies == (OwnPolicy("Meine", "balanced", {"compact_at": 0.825}),)

    with ScriptedProvider([]) as provider:
        server = Server("scripted", provider.base_url, ("scripted",), window=6_000, max_output=1_000)
        write_settings(path, Settings(chat_model="scripted/scripted", servers=(server,), is_memory_on=False))
        for scene in (choose_the_look, turn_a_number):  # the language is that of the next start
            window, bridge = window_of(read_settings(path))
            run(in_window(window, bridge, lambda: scene(window), lambda: window.chat.conversation))  # noqa: B023
