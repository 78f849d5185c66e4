"""Tools, questions and recovery in the whole window, against an engine that follows a script."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from ui_scenes import is_idle, play_scene, texts, until

from desktop_app.ui.composer import question_card
from desktop_app.ui.theme import theme
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.transcript_items import ToolItem

pytestmark = pytest.mark.wire


@play_scene()
async def test_a_tool_is_seen_while_it_runs_and_can_be_stopped_alone(window, bridge):
    model = window.ui.transcript_model
    for text, end in (("!slow 300", "300 lines"), ("!slow 20000", "Stopped.")):
        window.chat.send(text)
        await until(lambda: isinstance(item := model.item(model.rowCount() - 1), ToolItem) and item.run)
        row = model.rowCount() - 1
        await until(lambda: model.item(row).run.lines > 0)  # noqa: B023
        if end == "Stopped.":
            window.ui.transcript.perform(Action.STOP, model.item(row).key)
        await until(lambda: is_idle(window))
        assert texts(window)[row:] == [end, "Built."]


@play_scene()
async def test_a_setting_that_is_not_of_the_looks_styles_nothing_anew(window, bridge):
    version = theme.version
    await window.settings.change(lambda settings: replace(settings, max_rounds=9))
    assert theme.version == version
    await window.settings.change(lambda settings: replace(settings, theme="dark"))
    assert theme.version > version
    await window.settings.change(lambda settings: replace(settings, theme="system"))  # as the next tests expect it


@play_scene()
async def test_two_questions_wait_in_a_row_and_their_answers_arrive(window, bridge, monkeypatch):
    monkeypatch.setattr(question_card, "DEAF_FOR", 0.0)
    window.chat.send("!ask")
    await until(lambda: window.ui.question.isVisible())
    assert window.ui.question.targets.text.toPlainText() == "rm -rf build"
    window.ui.question.always.click()
    await until(lambda: window.ui.question.isVisible() and "example.org" in window.ui.question.targets.words())
    window.ui.question.deny.click()
    await until(lambda: is_idle(window))
    assert not window.ui.question.isVisible()
    assert texts(window)[-3:] == ["True always rm *", "False once ", "Both answered."]


@play_scene()
async def test_escape_in_the_composer_denies_what_is_asked_as_the_card_says(window, bridge, monkeypatch):
    monkeypatch.setattr(question_card, "DEAF_FOR", 0.0)
    window.chat.send("!ask")
    for target in ("rm -rf build", "example.org"):
        await until(
            lambda target=target: window.ui.question.isVisible() and target in window.ui.question.targets.words()
        )
        window.ui.composer.take_focus()
        QTest.keyClick(window.ui.composer.field, Qt.Key.Key_Escape)
    await until(lambda: is_idle(window))
    assert texts(window)[-3:] == ["False once ", "False once ", "Both answered."]
