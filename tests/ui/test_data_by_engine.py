"""The section "Data" with the real engine: backed up, restored, removed, exported and imported, by clicks and keys."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from person import PATIENCE, Person, long_talk, store_talk
from ui_scenes import texts

from desktop_app.archive.backups import list_backups
from desktop_app.conversation.message import user_message
from desktop_app.paths import backups_folder, database_file
from desktop_app.ui.importing.import_sheet import ImportSheet
from desktop_app.ui.settings.backup_part import TaskBlock
from desktop_app.ui.settings.data_section import DataSection
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from provider import Reply
from texts import BACKUPS_UNCHANGED

pytestmark = [
    pytest.mark.wire,
    pytest.mark.timeout(240),
    pytest.mark.qt_log_ignore("This plugin does not support", extend=True),
]


async def opened(person: Person) -> DataSection:
    """Open the section by the palette, and wait for its content."""
    await person.press_command("Data and backups")
    dialog = await person.sheet(SettingsDialog, PATIENCE, "the settings")
    await person.sees(lambda: dialog.data.isVisible() and dialog.data.stored, "what is stored")
    return dialog.data


async def click_there(person: Person, section: DataSection, widget) -> None:
    """Scroll to something in the section, and click on it."""
    dialog = section.window().findChildren(SettingsDialog)[0]
    await asyncio.sleep(0.05)  # what was shown just now is laid out
    dialog.area.ensureWidgetVisible(widget)
    await person.sees(widget.isEnabled, "something to click on")
    await person.click(widget)


async def done(person: Person, task: TaskBlock, words: str) -> None:
    await person.sees(lambda: task.told.isVisible() and words in task.told.text(), f"“{words}”")


def titles(person: Person) -> set[str]:
    return {info.title for info in person.window.ui.sidebar.list.conversations.conversations if info.messages}


def tick(section: DataSection, key: str) -> tuple[int, int]:
    rows = section.space.list
    number = next(n for n, row in enumerate(rows.rows.rows) if row.key == key)
    rows.scrollTo(rows.rows.index(number))
    return rows.visualRect(rows.rows.index(number)).center().toTuple()


def test_a_backup_is_made_and_restored_and_the_window_shows_what_was(play_by_engine, data_folder: Path) -> None:
    asyncio.run(store_talk(data_folder, [user_message("What is tea?")], "tea", "Tea"))

    async def scene(person: Person) -> None:
        window = person.window
        section = await opened(person)
        assert section.path.text() == str(person.data)
        assert section.backups.empty.isVisible()
        await click_there(person, section, section.backups.make)
        await done(person, section.backups.task, "Backed up and checked: 1 conversation")
        await person.sees(lambda: section.backups.list.rows.rowCount() == 1, "the backup in the list")
        await person.escape()
        await person.wait_until_closed(SettingsDialog)
        await person.press_command("Delete conversation")
        await person.sees(lambda: not titles(person), "an empty list")
        engine = person.bridge.engine_pid
        section = await opened(person)
        await click_there(person, section, section.backups.restore)
        await person.sees(section.backups.task.question.isVisible, "the question")
        assert "kept as a copy" in section.backups.task.asked.text()
        assert section.backups.task.keep.hasFocus(), "Enter answers no"
        await click_there(person, section, section.backups.task.go)
        await done(person, section.backups.task, "Restored.")
        assert person.bridge.engine_pid not in (0, engine)
        rows = section.backups.list.rows
        assert rows.rowCount() == 2, "the copy is in the list when it is said to be"
        assert "from before a restore" in rows.rows[1].words
        await person.sees(lambda: titles(person) == {"Tea"}, "the conversations of the backup")
        assert not window.ui.failure.isVisible()
        await person.escape()
        await person.wait_until_closed(SettingsDialog)
        window.ui.sidebar.list.conversation_chosen.emit("tea")
        await person.sees(lambda: texts(window) == ["What is tea?"], "what was said in it")
        await person.say("And now?")
        await person.until(lambda: texts(window)[-1:] == ["Still here."], 150, "the answer of the new engine")

    play_by_engine(scene, [Reply("Still here.")])


def test_a_deleted_conversation_is_removed_for_good(play_by_engine, data_folder: Path) -> None:
    asyncio.run(store_talk(data_folder, [user_message("What is tea?")], "tea", "Tea"))
    asyncio.run(store_talk(data_folder, long_talk(60, "xylophone"), "gone", "Old plans"))
    (data_folder / "palimpsest.log.1").write_text("x" * 100)

    async def scene(person: Person) -> None:
        window = person.window
        window.ui.sidebar.list.conversation_chosen.emit("gone")
        await person.sees(lambda: len(texts(window)) > 50, "the long one")
        await person.press_command("Delete conversation")
        await person.sees(lambda: titles(person) == {"Tea"}, "one less")
        section = await opened(person)
        space = section.space
        assert not space.remove.isEnabled(), "nothing is chosen by itself"
        rows = {row.key: row.words for row in space.list.rows.rows}
        assert "Old plans · 121 messages" in rows["conversation:gone"]
        assert "conversation:tea" not in rows
        await click_there(person, section, section.backups.make)
        await done(person, section.backups.task, "Backed up")
        await person.sees(lambda: any(row.key == "backup" for row in space.list.rows.rows), "the backup")
        section.window().findChildren(SettingsDialog)[0].area.ensureWidgetVisible(space.list)
        await person.click(space.list.viewport(), tick(section, "conversation"))
        assert space.chosen == {"conversation:gone"}, "a kind stands for all of its items"
        await click_there(person, section, space.remove)
        asked = space.task.asked.text()
        assert "1 deleted conversation with 121 messages is erased for good" in asked
        assert "1 of them is still in backups or copies" in asked
        await click_there(person, section, space.task.keep)
        assert not space.task.question.isVisible()
        await click_there(person, section, space.remove)
        await click_there(person, section, space.task.go)
        await done(person, space.task, "1 item removed")
        await person.sees(lambda: "conversation:gone" not in {row.key for row in space.list.rows.rows}, "it gone")
        assert {"backup", "log"} <= {row.key for row in space.list.rows.rows}, "what was not chosen stays"
        assert titles(person) == {"Tea"}
        assert b"xylophone" not in database_file(person.data).read_bytes()

    play_by_engine(scene, [])


def test_everything_becomes_a_file_and_is_imported_again(play_by_engine, data_folder: Path, tmp_path: Path) -> None:
    asyncio.run(store_talk(data_folder, [user_message("What is tea?")], "tea", "Tea"))
    file = tmp_path / "all.zip"

    async def scene(person: Person) -> None:
        section = await opened(person)
        await click_there(person, section, section.export)
        await person.choose_file(file)
        await done(person, section.whole, "Exported to all.zip: 1 conversation")
        await click_there(person, section, section.export)
        await person.choose_file(file)
        await person.sees(lambda: "A file all.zip already exists" in section.whole.asked.text(), "the question")
        written = file.stat().st_mtime_ns
        await click_there(person, section, section.whole.go)
        await done(person, section.whole, "Exported to all.zip")
        assert file.stat().st_mtime_ns > written
        await click_there(person, section, section.copy)
        assert person.copied() == str(person.data)
        await click_there(person, section, section.bring)
        sheet = await person.sheet(ImportSheet, PATIENCE, "the sheet of the import")
        await person.click(sheet.files)
        await person.choose_file(file)
        await person.sees(lambda: [each.new for each in sheet.list.found.found] == [0], "that it is here already")

    play_by_engine(scene, [])


def test_what_does_not_work_is_said_where_it_was_asked_for(play_by_engine, data_folder: Path) -> None:
    async def scene(person: Person) -> None:
        (person.data / "backups").write_text("No folder.")
        section = await opened(person)
        await click_there(person, section, section.backups.make)
        await done(person, section.backups.task, "could not be made")
        assert BACKUPS_UNCHANGED in section.backups.task.told.text()
        (person.data / "backups").unlink()
        await click_there(person, section, section.backups.make)
        await done(person, section.backups.task, "Backed up")
        await person.sees(section.backups.restore.isEnabled, "a backup that can be restored")
        (damaged,) = (person.data / "backups").iterdir()
        with damaged.open("r+b") as opened_file:
            opened_file.seek(100)
            opened_file.write(b"\xa5" * 8_000)
        await click_there(person, section, section.backups.restore)
        await click_there(person, section, section.backups.task.go)
        await done(person, section.backups.task, "cannot be restored")
        assert "Nothing was changed." in section.backups.task.told.text()
        assert section.backups.make.isEnabled()

    play_by_engine(scene, [])


def test_one_is_made_from_the_palette(play_by_engine) -> None:
    async def scene(person: Person) -> None:
        await person.press_command("Back up now")
        await person.sees(lambda: "Backed up and checked" in person.window.ui.toast.label.text(), "the notice")
        (made,) = list_backups(backups_folder(person.data))
        assert made.at <= time.time() + 1

    play_by_engine(scene, [])
