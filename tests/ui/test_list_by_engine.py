"""Conversations with the real engine: renamed, pinned, put into projects, duplicated, deleted, restored, searched."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from person import Person, long_talk, store_talk
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from ui_scenes import texts

from desktop_app.ui.importing.export_sheet import ExportSheet
from desktop_app.ui.importing.import_sheet import ImportSheet, Step
from desktop_app.ui.palette.search_palette import SearchPalette
from desktop_app.ui.sidebar.choice_palettes import ProjectPalette
from provider import Reply

pytestmark = [pytest.mark.wire, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


async def choose_line(person: Person, name: str) -> None:
    """Click on a conversation in the list, and wait until it is open."""
    listed = person.window.ui.sidebar.list
    row = listed.conversations.index(listed.conversations.row_of(name))
    await person.click(listed.viewport(), listed.visualRect(row).center().toTuple())
    await person.sees(lambda: person.window.chat.conversation == name, "the conversation")
    await person.sees(lambda: "Go on" in " ".join(texts(person.window)), "its messages")


@pytest.mark.row("U2", "renamed, pinned, moved to a project, duplicated, deleted, restored, searched, found")
def test_conversations_are_arranged_and_found_again(play_by_engine, data_folder: Path) -> None:
    asyncio.run(store_talk(data_folder, long_talk(30), "c1", "First"))
    asyncio.run(store_talk(data_folder, long_talk(3), "c2", "Second"))

    async def scene(person: Person) -> None:
        window, listed = person.window, person.window.ui.sidebar.list.conversations
        await choose_line(person, "c1")
        window.ui.sidebar.list.setFocus()
        await person.press_keys(Qt.Key.Key_F2)
        await person.sees(lambda: isinstance(QApplication.focusWidget(), QLineEdit), "an editor")
        await person.type("Harbour")
        await person.enter()
        await person.sees(lambda: window.ui.header.title == "Harbour", "the new title")
        await person.press_keys(Qt.Key.Key_D, CTRL)
        await person.sees(lambda: listed.info_of("c1").is_pinned, "the pin")
        await person.press_keys(Qt.Key.Key_S, CTRL, SHIFT)
        await person.sheet(ProjectPalette, 30, "the projects")
        await person.type("Travels")
        await person.enter()
        await person.sees(lambda: "Travels" in {project.name for project in listed.projects}, "the project")
        await person.press_keys(Qt.Key.Key_D, CTRL, SHIFT)
        await person.sees(lambda: window.chat.conversation not in ("c1", "c2"), "the copy")
        copy = window.chat.conversation
        assert len(window.ui.transcript_model.rows) > 3
        await person.sees(lambda: window.ui.sidebar.list.chosen() == (copy,), "the copy in the list")
        window.ui.sidebar.list.setFocus()
        await person.press(Qt.Key.Key_Delete)
        await person.sees(lambda: listed.row_of(copy) < 0, "a list without it")
        await person.sees(lambda: window.chat.conversation != copy, "another conversation")
        await person.press_toast("deleted")
        await person.sees(lambda: listed.row_of(copy) >= 0, "it in the list again")
        # far back in a conversation that is not open
        await choose_line(person, "c2")
        await person.press_keys(Qt.Key.Key_K, CTRL)
        palette = await person.sheet(SearchPalette, 30, "the search")
        await person.type("topic23")
        found = palette.list.rows
        await person.sees(lambda: found.rows and all("topic23" in row.words for row in found.rows), "the results")
        await person.enter()
        await person.sees(lambda: window.chat.conversation != "c2", "the conversation with it")
        await person.sees(lambda: any("topic23" in text for text in texts(window)), "the message")
        # and in the open one
        await person.press_keys(Qt.Key.Key_F, CTRL)
        await person.sees(window.ui.find_bar.isVisible, "the find bar")
        await person.type("topic4 ")
        await person.sees(lambda: window.ui.find_bar.count.text().startswith("1 of 1"), "the one message with it")

    play_by_engine(scene, [])


@pytest.mark.row("U8", "exported in each form, and read again")
@pytest.mark.parametrize(("kind", "suffix"), [("markdown", "md"), ("html", "html"), ("json", "jsonl")])
def test_it_is_exported_as_it_was_said_and_read_again(play_by_engine, tmp_path: Path, kind: str, suffix: str) -> None:
    file = tmp_path / f"talk.{suffix}"

    async def scene(person: Person) -> None:
        window = person.window
        await person.ask("How **deep** is <it>?", "Nine fathoms.")
        await person.click(window.ui.header.menu)
        await person.choose_from_menu("Export conversation")
        sheet = await person.sheet(ExportSheet, 30, "the export")
        await person.click(sheet.format.button(kind))
        await person.click(sheet.choose)
        await person.choose_file(file)
        await person.wait_until_closed(ExportSheet)
        text = file.read_text()
        assert "Nine fathoms." in text
        assert ("<it>" in text) == (kind != "html"), "what was said is no markup"
        if kind == "json":
            first = window.chat.conversation
            await person.press_command("import conversations")
            importing = await person.sheet(ImportSheet, 30, "the sheet of the import")
            await person.click(importing.files)
            await person.choose_file(file)
            await person.sees(lambda: importing.step is Step.PREVIEW, "what was found")
            await person.click(importing.start)
            await person.wait_until_closed(ImportSheet)
            await person.press_toast("imported")
            await person.sees(lambda: window.chat.conversation != first, "the imported conversation")
            await person.sees(lambda: "Nine fathoms." in texts(window), "what was said in it")
            assert "How **deep** is <it>?" in texts(window)

    play_by_engine(scene, [Reply("Nine fathoms.", usage=None)])
