"""Importing with the real engine: chosen by clicks and keys, previewed, imported, again, cancelled, dropped."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from person import PATIENCE, Person
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from ui_scenes import texts

from desktop_app.ui.importing.import_sheet import ImportSheet, Step
from desktop_app.ui.settings.sections import OriginSection
from desktop_app.ui.settings.setup_sheet import SetupSheet
from desktop_app.ui.single_window import Opening
from desktop_app.ui.widgets.long_text import TextReader

pytestmark = [pytest.mark.wire, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]


def chat_file(path: Path, *said: str) -> Path:
    """Write a conversation as JSON Lines of OpenAI messages."""
    roles = ("user", "assistant")
    lines = [json.dumps({"role": roles[n % 2], "content": text}) for n, text in enumerate(said)]
    path.write_text("\n".join(lines))
    return path


def titles(person: Person) -> set[str]:
    return {info.title for info in person.window.ui.sidebar.list.conversations.conversations if info.messages}


def drop_on(person: Person, widget: QWidget, *files: Path) -> None:
    """Drop files on a place of the window, as from a file manager."""
    drop(person.window, QPointF(widget.mapTo(person.window, widget.rect().center())), *files)


def drop(taker: QWidget, where: QPointF, *files: Path) -> None:
    """Drop files on a widget that takes them."""
    content = QMimeData()
    content.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    held = Qt.DropAction.CopyAction, content, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(taker, QDragEnterEvent(where.toPoint(), *held))
    QApplication.sendEvent(taker, QDropEvent(where, *held))


async def previewed(person: Person) -> ImportSheet:
    sheet = await person.sheet(ImportSheet, PATIENCE, "the sheet of the import")
    await person.sees(lambda: sheet.step is Step.PREVIEW, "what was found")
    return sheet


async def click_row(person: Person, sheet: ImportSheet, title: str) -> None:
    number = next(n for n, each in enumerate(sheet.list.found.rows) if each.title == title)
    place = sheet.list.visualRect(sheet.list.found.index(number)).center()
    await person.click(sheet.list.viewport(), place.toTuple())


def tags(sheet: ImportSheet) -> dict[str, str]:
    """What is said of each conversation, as a screen reader reads it."""
    role = Qt.ItemDataRole.AccessibleTextRole
    found = sheet.list.found
    return {each.title: found.data(found.index(n), role).splitlines()[0] for n, each in enumerate(found.rows)}


def test_what_is_ticked_is_imported_and_known_the_next_time(play_by_engine, tmp_path: Path) -> None:
    talk = ["What is tea?", "A drink.", "Hot?", "Mostly."]
    tea = chat_file(tmp_path / "tea.jsonl", *talk)
    chat_file(tmp_path / "ink.jsonl", "What is ink?", "A liquid.", "Thanks!")

    async def scene(person: Person) -> None:
        window, before = person.window, titles(person)
        await person.click(window.ui.sidebar.importing)
        sheet = await person.sheet(ImportSheet, PATIENCE, "the sheet of the import")
        await person.click(sheet.folder)
        await person.choose_file(tmp_path)
        await person.sees(lambda: sheet.step is Step.PREVIEW, "what was found")
        assert sheet.start.text() == "Import 2 conversations, 7 messages"
        await click_row(person, sheet, "What is ink?")
        assert sheet.start.text() == "Import 1 conversation, 4 messages"
        assert titles(person) == before, "nothing is stored before"
        await person.click(sheet.start)
        await person.wait_until_closed(ImportSheet)
        await person.sees(lambda: window.ui.toast.label.text() == "1 conversation imported", "what came of it")
        await person.sees(lambda: titles(person) == {*before, "What is tea?"}, "it in the list")
        await person.press_toast("1 conversation imported")
        await person.sees(lambda: texts(window) == talk, "its messages")
        # again, when the file has more; by the keyboard
        chat_file(tea, *talk, "And cold?")
        await person.press_command("Import conversations")
        sheet = await person.sheet(ImportSheet, PATIENCE, "the sheet again")
        await person.enter()
        await person.choose_file(tea)
        await person.sees(lambda: sheet.step is Step.PREVIEW, "what was found")
        assert "1 new message" in tags(sheet)["What is tea?"]
        await person.press(Qt.Key.Key_Space)
        assert not sheet.start.isEnabled(), "the only one was ticked, and is not any more"
        await person.press(Qt.Key.Key_Space)
        await person.enter()
        await person.wait_until_closed(ImportSheet)
        await person.sees(lambda: texts(window)[-1:] == ["And cold?"], "the message that the file has more")
        # what is here already is not ticked
        drop_on(person, window.ui.sidebar.list, tmp_path)
        sheet = await previewed(person)
        assert "already here" in tags(sheet)["What is tea?"]
        assert {each.title for each in sheet.list.found.chosen_found()} == {"What is ink?"}
        await person.press(Qt.Key.Key_Escape)
        await person.wait_until_closed(ImportSheet)
        assert titles(person) == {*before, "What is tea?"}

    play_by_engine(scene, [])


def test_where_nothing_is_found_it_says_why_and_what_could_be(play_by_engine, tmp_path: Path) -> None:
    (tmp_path / "picture.bin").write_bytes(bytes(range(256)))

    async def scene(person: Person) -> None:
        drop_on(person, person.window.ui.sidebar.list, tmp_path / "picture.bin")
        sheet = await person.sheet(ImportSheet, PATIENCE, "the sheet of the import")
        await person.sees(lambda: sheet.unread.list.isVisible(), "why it was not read")
        assert sheet.step is Step.CHOOSE
        await person.sees(lambda: sheet.kinds.body.isVisible(), "the known kinds")
        assert "ChatGPT" in [kind.program for kind in sheet.kinds.kinds]
        assert [row.title for row in sheet.unread.list.rows.rows] == ["picture.bin"]
        assert sheet.files.hasFocus(), "another file can be chosen"

    play_by_engine(scene, [])


def test_looking_through_is_cancelled_and_nothing_is_left_of_it(play_by_engine, tmp_path: Path) -> None:
    large = chat_file(tmp_path / "large.jsonl", *["word " * 1_000] * 2_000)

    async def scene(person: Person) -> None:
        window, before = person.window, titles(person)
        drop_on(person, window.ui.sidebar.list, large)
        sheet = await person.sheet(ImportSheet, PATIENCE, "the sheet of the import")
        await person.sees(lambda: sheet.step is Step.LOOK, "the progress")
        await person.click(sheet.cancel)
        await person.wait_until_closed(ImportSheet)
        small = chat_file(tmp_path / "small.jsonl", "What is tea?", "A drink.")
        drop_on(person, window.ui.sidebar.list, small)
        sheet = await previewed(person)
        assert [each.title for each in sheet.list.found.rows] == ["What is tea?"]
        assert not window.ui.failure.isVisible()
        assert titles(person) == before

    play_by_engine(scene, [])


def test_files_dropped_on_the_conversation_are_still_attached(play_by_engine, tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    file.write_text("The lighthouse blinks.")

    async def scene(person: Person) -> None:
        drop_on(person, person.window.ui.chat_pane, file)
        await person.sees(lambda: person.window.ui.composer.draft().attachments, "the attachment")
        assert not [one for one in person.window.findChildren(ImportSheet) if one.isVisible()]

    play_by_engine(scene, [])


def test_a_zip_is_imported_wherever_it_is_dropped_and_a_folder_on_the_sheet(play_by_engine, tmp_path: Path) -> None:
    tea = chat_file(tmp_path / "tea.jsonl", "What is tea?", "A drink.")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as zipped:
        zipped.write(tea, "tea.jsonl")
    (tmp_path / "folder").mkdir()
    chat_file(tmp_path / "folder" / "ink.jsonl", "What is ink?", "A liquid.")

    async def scene(person: Person) -> None:
        drop_on(person, person.window.ui.chat_pane, tmp_path / "all.zip")
        sheet = await previewed(person)
        assert [each.title for each in sheet.list.found.rows] == ["What is tea?"]
        drop(sheet, QPointF(sheet.rect().center()), tmp_path / "folder")
        await person.sees(lambda: "What is ink?" in [each.title for each in sheet.list.found.rows], "the other one")
        await person.click(sheet.start)
        await person.wait_until_closed(ImportSheet)
        await person.sees(lambda: "What is ink?" in titles(person), "it in the list")
        await person.press_toast("imported")
        await person.sees(lambda: texts(person.window) == ["What is ink?", "A liquid."], "its messages")
        conversations = person.window.ui.sidebar.list.conversations
        await person.sees(lambda: all(info.messages for info in conversations.conversations), "no empty one left")

    play_by_engine(scene, [])


def test_where_it_came_from_and_what_has_no_place_here_can_be_read(play_by_engine, tmp_path: Path) -> None:
    file = tmp_path / "calm.jsonl"
    file.write_text(json.dumps({"role": "user", "content": "What is tea?", "mood": "calm"}))

    async def scene(person: Person) -> None:
        window = person.window
        drop_on(person, window.ui.sidebar.list, file)
        sheet = await previewed(person)
        await person.click(sheet.start)
        await person.wait_until_closed(ImportSheet)
        await person.press_toast("imported")
        await person.sees(lambda: texts(window) == ["What is tea?"], "the message")
        await person.press_command("Conversation settings")
        setup = await person.sheet(SetupSheet, PATIENCE, "the sheet of the conversation")
        await person.sees(lambda: setup.is_complete, "all of it")
        origin = setup.findChild(OriginSection)
        assert origin.told.text() == "From OpenAI JSON, calm.jsonl"
        setup.area.ensureWidgetVisible(origin)
        await person.click(origin.rest)
        await person.sees(lambda: window.findChildren(TextReader), "the reader")
        reader = window.findChildren(TextReader)[0]
        assert "calm" in reader.text.toPlainText()
        reader.close()

    play_by_engine(scene, [])


def test_what_is_opened_from_outside_is_previewed_unless_an_import_is_under_way(play_by_engine, tmp_path: Path) -> None:
    tea = chat_file(tmp_path / "tea.jsonl", "What is tea?", "A drink.")
    ink = chat_file(tmp_path / "ink.jsonl", "What is ink?", "A liquid.")

    async def scene(person: Person) -> None:
        window = person.window
        window.showMinimized()
        window.show_handed_over(Opening((str(tea),)))
        sheet = await previewed(person)
        assert not window.isMinimized()
        assert [each.title for each in sheet.list.found.rows] == ["What is tea?"]
        window.show_handed_over(Opening((str(ink),)))
        await person.sees(lambda: list(tags(sheet)) == ["What is ink?"], "the other file in its place")
        sheet.show_importing()
        window.show_handed_over(Opening((str(tea),)))
        assert "under way" in window.ui.toast.label.text()
        assert sheet.step is Step.IMPORT
        sheet.reject()
        await person.wait_until_closed(ImportSheet)
        window.show_handed_over(Opening((str(tmp_path / "gone.json"),)))
        sheet = await person.sheet(ImportSheet, PATIENCE, "the sheet of the import")
        await person.sees(
            lambda: any("gone.json" in row.title for row in sheet.unread.list.rows.rows), "that it is gone"
        )
        sheet.reject()
        await person.wait_until_closed(ImportSheet)
        window.show_handed_over(Opening(action="import"))
        sheet = await person.sheet(ImportSheet, PATIENCE, "the sheet of the import")
        assert sheet.step is Step.CHOOSE

    play_by_engine(scene, [])
