"""Questions of tools, and settings, in the whole window with the real engine."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from steered_model import AFTER_TOOLS
from ui_scenes import is_idle, play_scene, texts, until

from desktop_app.conversation.tools import Rule
from desktop_app.engine import protocol as p
from desktop_app.ui.composer import question_card
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.theme import theme

pytestmark = pytest.mark.wire


@play_scene()
async def test_a_setting_that_is_not_of_the_looks_styles_nothing_anew(window, bridge):
    version = theme.version
    await window.settings.change(lambda settings: replace(settings, max_rounds=9))
    assert theme.version == version
    await window.settings.change(lambda settings: replace(settings, theme="dark"))
    assert theme.version > version
    await window.settings.change(lambda settings: replace(settings, theme="system"))  # as the next tests expect it


def results(window: MainWindow) -> list[tuple[str, bool]]:
    """Return the tools that were called, and whether they failed."""
    found = [row.message.tool_result for row in window.ui.transcript_model.rows]
    return sorted((one.name, one.is_error) for one in found if one is not None)


@play_scene(tools_off=(), is_sandboxed=False)
async def test_two_questions_wait_in_a_row_and_their_answers_arrive(window, bridge, monkeypatch, tmp_path):
    monkeypatch.setattr(question_card, "DEAF_FOR", 0.0)
    (tmp_path / "build").mkdir()
    await bridge.ask(p.ChooseFolder("c1", str(tmp_path)))
    window.chat.send("!tools")
    asked: list[str] = []
    for _ in range(2):
        await until(lambda: window.ui.question.isVisible() and window.ui.question.targets.words() not in asked)
        asked.append(window.ui.question.targets.words())
        (window.ui.question.always if "rm -rf build" in asked[-1] else window.ui.question.deny).click()
    assert any("example.org" in target for target in asked)
    await until(lambda: is_idle(window))
    assert not window.ui.question.isVisible()
    assert results(window) == [("bash", False), ("web_fetch", True)]
    assert not (tmp_path / "build").exists()
    assert (await bridge.ask(p.ReadSettings())).settings.rules == (Rule("bash", "rm -rf build"),)
    assert texts(window)[-1] == AFTER_TOOLS


@play_scene(tools_off=(), is_sandboxed=False)
async def test_escape_in_the_composer_denies_what_is_asked_as_the_card_says(window, bridge, monkeypatch, tmp_path):
    monkeypatch.setattr(question_card, "DEAF_FOR", 0.0)
    await bridge.ask(p.ChooseFolder("c1", str(tmp_path)))
    window.chat.send("!tools")
    asked: list[str] = []
    for _ in range(2):
        await until(lambda: window.ui.question.isVisible() and window.ui.question.targets.words() not in asked)
        asked.append(window.ui.question.targets.words())
        window.ui.composer.take_focus()
        QTest.keyClick(window.ui.composer.field, Qt.Key.Key_Escape)
    await until(lambda: is_idle(window))
    assert results(window) == [("bash", True), ("web_fetch", True)]
    assert texts(window)[-1] == AFTER_TOOLS
