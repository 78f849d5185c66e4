"""Which tools are on, the folder in which they work, whole outputs, and drafts that are commands."""

from __future__ import annotations

import errno
from hashlib import sha256

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QFileDialog
from ui_scenes import is_idle, play_scene, texts, until

from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import MessageDraft
from desktop_app.conversation.tools import ToolSpec
from desktop_app.engine.protocol import ReadSettings, Send, SpillRead, StartResearch, ToolOffer, ToolsListed
from desktop_app.paths import spills_folder
from desktop_app.tools.spill import SpillFolder
from desktop_app.ui.composer.composer import hint_of, refusal_of, request_of
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.tools.tools_sheet import LINE, PAGE, SpillViewer, ToolsSheet
from desktop_app.ui.widgets.text_label import TextLabel
from texts import TOOLS_ON

OFFERS = (
    ToolOffer(ToolSpec("bash", "Run a command"), 120),
    ToolOffer(ToolSpec("read", "Read a file"), 80, is_on=False),
    ToolOffer(ToolSpec("find_issue", "Find an issue", source="tracker"), 300),
)
BROKEN = Failure("provider", "The server “calendar” does not answer", "exit 1")


def labels(sheet) -> list[str]:
    return [label.text() for label in sheet.findChildren(TextLabel) if label.isVisible()]


@pytest.fixture
def sheet(window) -> ToolsSheet:
    made = ToolsSheet(ToolsListed(OFFERS, 420, "/home/ana/billing", (BROKEN,)), True, window)
    made.open()
    return made


def test_each_tool_has_its_tokens_its_server_and_a_switch(sheet):
    assert sheet.total.text() == TOOLS_ON.format(tokens=420, on=2, tools=3)
    assert {"Built in", "tracker", "120 tokens", BROKEN.title, "Working folder: /home/ana/billing"} <= set(
        labels(sheet)
    )
    assert [row.switch.isChecked() for row in sheet.rows.values()] == [True, False, True]
    assert not sheet.warning.isVisible()


def test_a_switch_is_told_and_the_rows_stay(sheet, qtbot):
    rows = dict(sheet.rows)
    with qtbot.waitSignal(sheet.switched) as told:
        sheet.rows["bash"].switch.click()
    assert told.args == ["bash", False]
    sheet.show_tools(ToolsListed((replace(OFFERS[0], is_on=False), *OFFERS[1:]), 300))
    assert sheet.rows == rows
    assert sheet.total.text() == TOOLS_ON.format(tokens=300, on=1, tools=3)


def test_without_tools_or_for_a_model_that_cannot_call_any_it_says_so(window):
    made = ToolsSheet(ToolsListed(()), False, window)
    made.open()
    assert "No tools are available." in labels(made)
    assert made.warning.isVisible()


async def open_sheet(window: MainWindow) -> ToolsSheet:
    await until(lambda: any(sheet.is_complete for sheet in window.findChildren(ToolsSheet)))
    return window.findChildren(ToolsSheet)[0]


@pytest.mark.wire
@play_scene(tools_off=())
async def test_switching_in_the_window_is_stored(window, bridge):
    window.ui.composer.tools.click()
    sheet = await open_sheet(window)
    assert all(row.isVisible() for row in sheet.rows.values())
    sheet.rows["bash"].switch.click()
    sheet.rows["read"].switch.click()
    await until(lambda: f"{len(sheet.rows) - 2} of {len(sheet.rows)} tools on" in sheet.total.text())
    assert (await bridge.ask(ReadSettings())).settings.tools_off == ("bash", "read")
    assert not sheet.rows["bash"].switch.isChecked()
    sheet.close_button.click()


@pytest.mark.wire
@play_scene(tools_off=())
async def test_a_folder_is_chosen_and_shown(window, bridge, tmp_path):
    assert window.ui.header.folder.text() == "No folder"
    window.ui.header.folder.click()
    dialog = window.findChildren(QFileDialog)[0]
    (tmp_path / "billing").mkdir()
    dialog.fileSelected.emit(str(tmp_path / "billing"))
    dialog.close()
    await until(lambda: window.ui.header.folder.text() == "billing")
    assert window.ui.header.folder.accessibleName() == f"Working folder: {tmp_path / 'billing'}"
    window.tools.use_folder("")
    await until(lambda: window.ui.header.folder.text() == "No folder")


# Whole outputs


@pytest.fixture
def viewer(qtbot) -> SpillViewer:
    made = SpillViewer("bash make all")
    qtbot.addWidget(made)
    made.show()
    return made


def page(first: int, count: int, total: int, words: str = "line") -> SpillRead:
    return SpillRead(tuple((n, f"{words} {n}") for n in range(first, first + count)), total, 54_321)


def test_it_reads_the_first_page_and_the_next_when_the_end_is_near(viewer):
    asked = QSignalSpy(viewer.page_requested)
    viewer.search()
    viewer.show_page("", 0, page(1, PAGE, 5_000))
    assert viewer.note.text() == "5,000 lines · 53 KB"
    bar = viewer.text.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert [list(asked.at(n)) for n in range(asked.count())] == [["", 0, PAGE], ["", PAGE, PAGE]]
    viewer.show_page("", PAGE, page(1_001, PAGE, 5_000))
    assert "line 2000" in viewer.text.toPlainText()


def test_a_search_replaces_what_is_shown_and_late_pages_are_passed_over(viewer, qtbot):
    viewer.search()
    viewer.show_page("", 0, page(1, 10, 10))
    with qtbot.waitSignal(viewer.page_requested) as told:
        viewer.field.setText("error")
    assert told.args == ["error", 0, PAGE]
    viewer.show_page("", 0, page(1, 10, 10, "late"))
    viewer.show_page("error", 0, page(7, 1, 1, "error"))
    assert viewer.text.toPlainText().split() == ["7", "error", "7"]
    assert viewer.note.text() == "1 line with “error”"


def test_a_search_without_a_result_says_so(viewer):
    viewer.field.setText("nothing")
    viewer.search()
    viewer.show_page("nothing", 0, SpillRead((), 0, 54_321))
    assert viewer.note.text() == "No matching lines."


def test_a_line_of_a_megabyte_is_shortened(viewer):
    viewer.search()
    viewer.show_page("", 0, SpillRead(((1, "x" * 1_000_000),), 1, 1_000_000))
    assert len(viewer.text.toPlainText()) < LINE + 100
    assert "998,000 more characters" in viewer.text.toPlainText()


def test_ctrl_f_goes_to_the_search(viewer, qtbot):
    viewer.activateWindow()
    qtbot.waitActive(viewer)
    viewer.text.setFocus()
    qtbot.keyClick(viewer.text, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert viewer.field.hasFocus()


# Commands in the composer


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("/research What is new in SQLite?", StartResearch("v", "What is new in SQLite?")),
        ("  /research two\nlines ", StartResearch("v", "two\nlines")),
        ("/researching is fun", Send("v", "/researching is fun")),
        ("/usr/bin/env is a path", Send("v", "/usr/bin/env is a path")),
        ("see /research X", Send("v", "see /research X")),
    ],
)
def test_only_a_command_is_more_than_a_message(text, wish):
    assert request_of("v", text) == wish


@pytest.mark.parametrize(("text", "has_hint"), [("/", True), ("/res", True), ("/research", True), ("/usr", False)])
def test_a_beginning_of_a_command_is_explained(text, has_hint):
    assert bool(hint_of(text)) is has_hint
    assert not hint_of("/research why")


def test_a_command_without_its_question_is_not_sent():
    assert refusal_of(MessageDraft("/research  "))
    assert not refusal_of(MessageDraft("/research why"))


@pytest.mark.wire
@play_scene(tools_off=())
async def test_research_starts_a_turn(window, bridge):
    window.ui.composer.set_text("/research")
    assert "searches the web" in window.ui.composer.note.text()
    window.ui.composer.button.click()
    assert "Type a question" in window.ui.composer.note.text()
    window.ui.composer.set_text("/research Why is the sky blue?")
    window.ui.composer.button.click()
    await until(lambda: "Why is the sky blue?" in " ".join(texts(window)))
    await until(lambda: is_idle(window) and not window.ui.composer.text())


@pytest.mark.wire
@play_scene(tools_off=())
async def test_an_output_that_is_gone_says_so_and_can_be_asked_for_again(window, bridge, data_folder):
    output = "\n".join(f"line {n} of the output" for n in range(1, 5_001))
    window.tools.open_whole(sha256(output.encode()).hexdigest(), "bash make all")
    viewer = window.findChildren(SpillViewer)[0]
    await until(lambda: viewer.note.text() == "This output is no longer available")
    assert not window.ui.failure.isVisible()
    await SpillFolder(spills_folder(data_folder)).keep(output)
    viewer.field.setText("line")
    await until(lambda: viewer.note.text().startswith("5,000 lines"))
    viewer.close()


def fill_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.wire
@play_scene(tools_off=())
async def test_a_switch_that_cannot_be_stored_goes_back(window, bridge, monkeypatch):
    window.tools.open()
    switch = (await open_sheet(window)).rows["bash"].switch
    monkeypatch.setattr("desktop_app.engine.services.update_settings", fill_disk)
    switch.click()
    await until(lambda: window.ui.failure.isVisible() and switch.isChecked())
