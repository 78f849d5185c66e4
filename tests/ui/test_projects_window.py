"""Projects in the window: made, begun in, moved into, renamed, changed, deleted and restored."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from ui_scenes import opened_sheet, play_scene, press, send, until

from desktop_app.conversation.setup import NO_FOLDER, Project
from desktop_app.engine import protocol as p
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.projects.project_sheet import ProjectSheet
from desktop_app.ui.settings.setup_sheet import SetupSheet
from desktop_app.ui.sidebar.choice_palettes import ProjectPalette
from texts import AS_IN_PROJECT, MOVED_TO_PROJECT

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


async def make(window: MainWindow, name: str) -> Project:
    """Make a project by its sheet; its page is shown."""
    model = window.ui.sidebar.list.conversations
    window.ui.sidebar.list.new_project_requested.emit()
    sheet = await opened_sheet(window, ProjectSheet)
    QTest.keyClicks(sheet.name.edit, name)
    press(sheet.save)
    await until(lambda: name in [one.name for one in model.projects])
    project = next(one for one in model.projects if one.name == name)
    await until(lambda: model.project_of(window.chat.conversation) == project)
    return project


@pytest.mark.long
@play_scene()
async def test_a_new_project_shows_its_page_and_begins_with_what_is_written(window, bridge):
    project = await make(window, "Work")
    page = window.ui.chat_pane.project
    await until(page.isVisible)
    assert page.title.text() == "Work"
    assert window.ui.header.project.text() == "Work ›"
    conversation = window.chat.conversation
    await send(window, bridge, "A question")
    assert window.chat.conversation == conversation
    assert not page.isVisible()
    window.ui.sidebar.list.begin_requested.emit(project.id)
    await until(lambda: window.chat.conversation != conversation and page.isVisible())
    blank = window.chat.conversation
    window.chat.open_new()
    await until(lambda: window.chat.conversation != blank)
    assert not page.isVisible(), "a conversation of no project"
    assert window.ui.header.project.text() == ""
    window.projects.go_to(project.id)
    await until(lambda: window.chat.conversation == blank), "the one that is empty is used again"


@pytest.mark.row("J1", "moved by keys, and back by Undo")
@pytest.mark.long
@play_scene()
async def test_conversations_are_moved_by_keys_and_back_by_undo(window, bridge):
    model = window.ui.sidebar.list.conversations
    QTest.keyClick(window, Qt.Key.Key_S, CONTROL | SHIFT)
    palette = await opened_sheet(window, ProjectPalette)
    QTest.keyClicks(palette.field, "Work")
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    await until(lambda: model.project_of("c1") is not None)
    await until(lambda: window.ui.header.project.text() == "Work ›")
    await until(lambda: "moved to Work" in window.ui.toast.label.text())
    window.ui.sidebar.list.move_requested.emit(("c1", "c2"), model.project_of("c1").id)
    moved = MOVED_TO_PROJECT.format(count=2, project="Work")
    await until(lambda: model.project_of("c2") is not None and moved in window.ui.toast.label.text())
    window.ui.toast.action.click()
    await until(lambda: model.project_of("c2") is None)
    assert model.project_of("c1") is not None, "it was there before"
    window.projects.choose_for(("c1",))
    palette = await opened_sheet(window, ProjectPalette)
    keys = [row.key for row in palette.list.rows.rows]
    palette.list.row_chosen.emit(keys[-1])
    await until(lambda: model.project_of("c1") is None and window.ui.header.project.text() == "")


@pytest.mark.long
@play_scene()
async def test_a_project_is_renamed_deleted_and_restored(window, bridge):
    model = window.ui.sidebar.list.conversations
    project = await make(window, "Work")
    conversation = window.chat.conversation
    model.setData(model.index_of(project.id), "Paid work")
    await until(lambda: model.project(project.id).name == "Paid work")
    await until(lambda: window.ui.header.project.text() == "Paid work ›")
    window.ui.sidebar.list.project_delete_requested.emit(project.id)
    await until(lambda: model.project(project.id) is None and window.ui.header.project.text() == "")
    assert model.row_of(conversation) >= 0
    window.ui.toast.action.click()
    await until(lambda: model.project(project.id) is not None and model.project_of(conversation) is not None)
    assert model.project_of(conversation).name == "Paid work"


@pytest.mark.long
@play_scene()
async def test_what_a_project_gives_is_shown_with_its_source(window, bridge, tmp_path):
    project = await make(window, "Work")
    window.projects.open_settings()
    sheet = await opened_sheet(window, ProjectSheet)
    assert sheet.tokens.text()
    folder = tmp_path / "ledger"
    folder.mkdir()
    sheet.folder.edit.setText(str(folder))
    sheet.instructions.area.setPlainText("Be brief.")
    sheet.policy.select.choose("relaxed")
    press(sheet.recall.choices.button("everything"))
    press(sheet.save)
    await until(lambda: window.ui.header.folder.text() == "ledger")
    assert "from the project Work" in window.ui.header.folder.toolTip()
    stored = window.ui.sidebar.list.conversations.project(project.id)
    expected = (str(folder), "Be brief.", "relaxed", "everything")
    assert (stored.folder, stored.instructions, stored.policy, stored.recall_in) == expected
    await until(lambda: not window.findChildren(ProjectSheet))
    window.setup.open()
    setup = await opened_sheet(window, SetupSheet)
    assert AS_IN_PROJECT.format(choice="Relaxed") in setup.policy.select.currentText()
    assert AS_IN_PROJECT.format(choice="Everything") in setup.recall.select.currentText()
    assert str(folder) in setup.folder.message.text()
    assert "instructions of the project Work" in setup.prompt.message.text()
    assert not setup.no_folder.value()
    setup.no_folder.switch.setChecked(True)
    assert setup.written("").folder == NO_FOLDER
    assert not setup.folder.isEnabled()
    setup.no_folder.switch.setChecked(False)
    assert setup.written("").folder == ""
    setup.recall.select.choose("conversation")
    assert setup.written("").setup.recall_in == "conversation"
    setup.recall.select.choose("")
    assert setup.written("").setup.recall_in is None


@pytest.mark.long
@play_scene()
async def test_a_conversation_works_without_the_folder_of_its_project(window, bridge, tmp_path, monkeypatch):
    opened: list[QMenu] = []
    monkeypatch.setattr(QMenu, "popup", lambda menu, where: opened.append(menu))
    project = await make(window, "Work")
    folder = tmp_path / "ledger"
    folder.mkdir()
    await window.projects._save(replace(project, folder=str(folder)))
    await until(lambda: window.ui.header.folder.text() == "ledger")
    for choice, shown in (("Work without a folder", "No folder"), ("folder of the project", "ledger")):
        window.ui.header.folder.click()
        next(action for action in opened.pop().actions() if choice in action.text()).trigger()
        await until(lambda shown=shown: window.ui.header.folder.text() == shown)


@pytest.mark.long
@play_scene()
async def test_a_sheet_that_comes_late_is_not_shown_over_another_conversation(window, bridge, monkeypatch):
    late, ask, asked = asyncio.Event(), bridge.ask, list[object]()

    async def wait(request: object) -> object:
        answer = await ask(request)
        if isinstance(request, p.ReadSetup):
            await late.wait()
        asked.append(request)
        return answer

    await until(lambda: window.ui.sidebar.list.conversations.info_of(window.chat.conversation))
    before = window.chat.conversation
    monkeypatch.setattr(bridge, "ask", wait)
    window.setup.open()
    window.chat.open_with(p.CreateConversation())
    await until(lambda: window.chat.conversation != before)
    late.set()
    await until(lambda: any(isinstance(request, p.ReadSettings) for request in asked))
    await asyncio.sleep(0.05)
    assert not window.findChildren(SetupSheet)


@pytest.mark.long
@play_scene()
async def test_a_list_with_other_projects_changes_what_is_open(window, bridge):
    project = await make(window, "Work")
    bridge.projects_changed.emit((replace(project, name="Other"),))
    assert window.ui.header.project.text() == "Other ›"
    bridge.projects_changed.emit(())
    assert window.ui.header.project.text() == ""
