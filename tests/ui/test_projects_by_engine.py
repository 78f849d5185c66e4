"""Projects with the real engine: what is written in the sheet reaches the provider, and moving changes what is sent."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from person import Person, long_talk, store_talk
from PySide6.QtCore import Qt
from ui_scenes import texts

from desktop_app.ui.projects.project_sheet import ProjectSheet
from desktop_app.ui.settings.setup_sheet import SetupSheet
from desktop_app.ui.sidebar.choice_palettes import ProjectPalette
from desktop_app.ui.sidebar.conversation_delegate import HeadingButton, buttons_of
from provider import Reply

pytestmark = [pytest.mark.wire, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
RULE = "Amounts are integers in cents."


async def press_button(person: Person, key: str, button: HeadingButton) -> None:
    """Click on a button of a heading."""
    listed = person.window.ui.sidebar.list
    await person.sees(lambda: listed.conversations.row_of(key) >= 0, "the heading")
    index = listed.conversations.index_of(key)
    box = buttons_of(index.data(Qt.ItemDataRole.UserRole), listed.visualRect(index).toRectF())[button]
    await person.click(listed.viewport(), box.center().toPoint().toTuple())


async def make(person: Person, name: str, instructions: str) -> str:
    """Make a project, and return its id."""
    await press_button(person, "group Projects", HeadingButton.NEW)
    sheet = await person.sheet(ProjectSheet, 30, "the sheet")
    await person.type(name)
    await person.click(sheet.instructions.area.viewport())
    await person.type(instructions)
    await person.sees(lambda: sheet.tokens.text()[:1].isdigit(), "the tokens of the instructions")
    await person.click(sheet.save)
    await person.wait_until_closed(ProjectSheet)
    page = person.window.ui.chat_pane.project
    await person.sees(lambda: page.isVisible() and page.title.text() == name, "the project's page")
    listed = person.window.ui.sidebar.list.conversations
    return next(project.id for project in listed.projects if project.name == name)


def sent(person: Person) -> str:
    return json.dumps(person.provider.requests[-1].body, ensure_ascii=False)


@pytest.mark.row("J1", "made by its sheet; its instructions are sent, and not outside of it")
def test_a_project_is_made_and_its_instructions_are_sent(play_by_engine, data_folder: Path) -> None:
    async def scene(person: Person) -> None:
        window, listed = person.window, person.window.ui.sidebar.list.conversations
        project = await make(person, "Billing", RULE)
        await person.ask("What is 12.50?", "1250")
        assert RULE in sent(person)
        conversation = window.chat.conversation
        assert listed.project_of(conversation).id == project
        # out of it: nothing of the project is sent any more
        await person.press_keys(Qt.Key.Key_S, CTRL, SHIFT)
        palette = await person.sheet(ProjectPalette, 30, "the projects")
        palette.list.setCurrentIndex(palette.list.rows.index(palette.list.rows.rowCount() - 1))
        await person.enter()
        await person.sees(lambda: listed.project_of(conversation) is None, "the conversation outside")
        await person.ask("And 3.20?", "320")
        assert RULE not in sent(person)
        await person.press_toast("is in no project now")
        await person.sees(lambda: listed.project_of(conversation) is not None, "the conversation in the project again")
        await person.ask("And 1.00?", "100")
        assert RULE in sent(person)

    play_by_engine(scene, [Reply("1250"), Reply("320"), Reply("100")])


@pytest.mark.row("J1", "deleted, its conversations stay, and come back with it")
def test_a_project_is_deleted_and_comes_back_with_its_conversations(play_by_engine, data_folder: Path) -> None:
    asyncio.run(store_talk(data_folder, long_talk(3), "c1", "First"))

    async def scene(person: Person) -> None:
        window, listed = person.window, person.window.ui.sidebar.list.conversations
        project = await make(person, "Billing", RULE)
        window.ui.sidebar.list.move_requested.emit(("c1",), project)  # as a drag ends
        await person.sees(lambda: listed.project_of("c1") is not None, "the conversation in the project")
        await press_button(person, project, HeadingButton.MENU)
        await person.choose_from_menu("Delete")
        await person.sees(lambda: listed.project(project) is None, "a list without the project")
        assert listed.row_of("c1") >= 0
        await person.press_toast("deleted")
        await person.sees(lambda: listed.project_of("c1") is not None, "the project again")
        # another one of that name is refused, in its sheet
        await press_button(person, "group Projects", HeadingButton.NEW)
        sheet = await person.sheet(ProjectSheet, 30, "the sheet")
        await person.type("billing")
        await person.click(sheet.save)
        assert "Another project" in sheet.name.error()
        await person.escape()

    play_by_engine(scene, [])


@pytest.mark.row("J1", "what it gives is seen, and a conversation's own comes first")
def test_what_the_project_gives_is_seen_and_can_be_overruled(play_by_engine, data_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    folder.mkdir()

    async def scene(person: Person) -> None:
        window, listed = person.window, person.window.ui.sidebar.list.conversations
        project = await make(person, "Billing", RULE)
        await press_button(person, project, HeadingButton.MENU)
        await person.choose_from_menu("Settings")
        sheet = await person.sheet(ProjectSheet, 30, "the sheet")
        sheet.folder.edit.setText(str(folder))  # as the dialog ends
        await person.click(sheet.recall.choices.button("project"))
        await person.click(sheet.save)
        await person.wait_until_closed(ProjectSheet)
        await person.sees(lambda: window.ui.header.folder.text() == "ledger", "the folder of the project")
        await person.press_keys(Qt.Key.Key_I, CTRL, SHIFT)
        setup = await person.sheet(SetupSheet, 30, "the conversation's sheet")
        assert "This project" in setup.recall.select.currentText()
        setup.recall.select.choose("conversation")
        await person.click(setup.save)
        await person.wait_until_closed(SetupSheet)
        await person.press_keys(Qt.Key.Key_I, CTRL, SHIFT)
        again = await person.sheet(SetupSheet, 30, "the conversation's sheet")
        assert again.recall.chosen() == "conversation"
        assert listed.project(project).recall_in == "project"
        await person.escape()
        await person.ask("Hello", "Yes")
        assert "Yes" in texts(window)

    play_by_engine(scene, [Reply("Yes")])
