"""An import that is cancelled, or during which the engine is killed, with the real engine: what is stored is told."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from person import Person
from PySide6.QtCore import Qt
from test_import_by_engine import drop_on, previewed

from desktop_app.ui.importing.import_sheet import ImportSheet, Step

pytestmark = [pytest.mark.wire, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]
MANY = 600


def many_chats(folder: Path) -> Path:
    """Write so many conversations, in one file that takes a while."""
    lines = [
        json.dumps({"title": f"Talk {n}", "messages": [{"role": "user", "content": f"{n} " + "word " * 400}]})
        for n in range(MANY)
    ]
    (folder / "many.jsonl").write_text("\n".join(lines))
    return folder / "many.jsonl"


def stored(person: Person) -> int:
    conversations = person.window.ui.sidebar.list.conversations.conversations
    return sum(info.title.startswith("Talk ") for info in conversations)


async def begin(person: Person, file: Path) -> ImportSheet:
    """Import the file, and come back when some of it is stored."""
    drop_on(person, person.window.ui.sidebar.list, file)
    sheet = await previewed(person)
    await person.click(sheet.start)
    await person.sees(lambda: "imported" in sheet.progress.text(), "that some are stored")
    assert sheet.step is Step.IMPORT
    return sheet


async def import_one(person: Person, sheet: ImportSheet) -> None:
    """Import the first conversation that is not here yet, by the keyboard."""
    number = next(n for n, each in enumerate(sheet.list.found.rows) if each.new)
    await person.click(sheet.none)
    sheet.list.setCurrentIndex(sheet.list.found.index(number))
    sheet.list.setFocus()
    await person.press(Qt.Key.Key_Space)
    await person.enter()
    await person.wait_until_closed(ImportSheet)


def test_a_cancel_says_how_many_are_stored_and_the_next_import_goes_on(play_by_engine, tmp_path: Path) -> None:
    file = many_chats(tmp_path)

    async def scene(person: Person) -> None:
        window = person.window
        sheet = await begin(person, file)
        await person.click(sheet.cancel)
        await person.wait_until_closed(ImportSheet)
        await person.sees(lambda: window.ui.toast.label.text().startswith("Import cancelled."), "what came of it")
        count = int(window.ui.toast.label.text().split()[2])
        assert 0 < count < MANY
        await person.sees(lambda: stored(person) == count, "that many in the list")
        drop_on(person, window.ui.sidebar.list, file)
        sheet = await previewed(person)
        assert len(sheet.chosen()) == MANY - count
        await import_one(person, sheet)
        await person.sees(lambda: stored(person) == count + 1, "one more")
        assert not window.ui.failure.isVisible()

    play_by_engine(scene, [])


def test_when_the_engine_is_killed_the_sheet_shows_what_is_left_to_import(play_by_engine, tmp_path: Path) -> None:
    file = many_chats(tmp_path)

    async def scene(person: Person) -> None:
        sheet = await begin(person, file)
        os.kill(person.bridge.engine_pid, signal.SIGKILL)
        await person.sees(lambda: "marked below" in sheet.problem.text() and sheet.step is Step.PREVIEW, "what is left")
        left = len(sheet.chosen())
        assert 0 < left < MANY
        await import_one(person, sheet)
        await person.sees(lambda: stored(person) == MANY - left + 1, "one more than the engine had stored")

    play_by_engine(scene, [])
