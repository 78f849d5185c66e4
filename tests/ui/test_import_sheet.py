"""The sheet of an import by itself, and the window with an engine that answers by script."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import Qt
from ui_scenes import opened_sheet, play_scene, until

from desktop_app.conversation.events import Failure, ImportProgressed
from desktop_app.conversation.foreign import FoundConversation, UnreadFile
from desktop_app.engine.protocol import CancelComputation, Computation, LookedThrough
from desktop_app.ui.importing.found_list import dates_of, row_of
from desktop_app.ui.importing.import_sheet import ImportSheet, Step

TIDES = FoundConversation("f1", "ChatGPT", "Tides", "conversations.json", 12, 1.6e9, 1.7e9, (), known=0)
LONGER = replace(TIDES, id="f2", title="Trip", program="Claude Code", messages=30, known=18)
HERE = replace(TIDES, id="f3", title="Ink", known=12)
UNREAD = UnreadFile("old/broken.json", "it ends in the middle", "A talk about ink")
LOOKED = LookedThrough((TIDES, LONGER, HERE), (UNREAD,))


def preview(window, looked: LookedThrough = LOOKED) -> ImportSheet:
    sheet = ImportSheet(window)
    sheet.open()
    sheet.show_looking(("/home/me/conversations.zip",))
    sheet.show_found(looked)
    return sheet


def test_a_row_says_what_is_new_and_when_it_was_said():
    assert [row_of(each, False).tag for each in LOOKED.found] == ["new", "12 new messages", "already here"]
    assert dates_of(TIDES).count("–") == 1
    assert dates_of(replace(TIDES, last_at=TIDES.first_at)).count("–") == 0
    assert dates_of(replace(TIDES, first_at=0.0, last_at=0.0)) == ""


def test_what_is_here_already_is_not_ticked_and_the_foot_sums_up_what_is_new(window, qtbot):
    sheet = preview(window)
    assert sheet.chosen() == {"f1", "f2"}
    assert sheet.start.text() == "Import 2 conversations, 24 messages"
    assert sheet.list.hasFocus()
    sheet.none.click()
    assert not sheet.chosen()
    assert not sheet.start.isEnabled()
    sheet.all.click()
    assert sheet.chosen() == {"f1", "f2", "f3"}


def test_select_none_is_about_what_the_filter_shows(window, qtbot):
    sheet = preview(window)
    qtbot.keyClicks(sheet.filter, "claude trip")
    assert [each.id for each in sheet.list.found.rows] == ["f2"]
    sheet.none.click()
    assert sheet.chosen() == {"f1"}, "what the filter leaves out keeps its tick"
    qtbot.keyClicks(sheet.filter, " nowhere")
    assert sheet.about.text() == "No conversation has these words."
    assert sheet.start.isEnabled()


def test_space_ticks_and_enter_imports(window, qtbot):
    sheet = preview(window)
    wishes: list[frozenset[str]] = []
    sheet.import_requested.connect(lambda: wishes.append(sheet.chosen()))
    qtbot.keyClick(sheet.list, Qt.Key.Key_Space)
    qtbot.keyClick(sheet.list, Qt.Key.Key_Down)
    qtbot.keyClick(sheet.list, Qt.Key.Key_Return)
    assert wishes == [{"f2"}]
    sheet.none.click()
    qtbot.keyClick(sheet.list, Qt.Key.Key_Return)
    assert len(wishes) == 1, "nothing is ticked"


def test_what_could_not_be_read_is_folded_and_says_why(window, qtbot):
    sheet = preview(window, LookedThrough((replace(TIDES, unread=("an image is missing",)),), (UNREAD,)))
    assert "2 could not be read" in sheet.unread.fold.text()
    assert not sheet.unread.list.isVisible()
    sheet.unread.fold.click()
    assert sheet.unread.list.isVisible()
    words = [row.words for row in sheet.unread.list.rows.rows]
    assert "it ends in the middle" in words[0]
    assert "an image is missing" in words[1]
    assert not preview(window, LookedThrough((TIDES,), ())).unread.isVisible()


def test_five_thousand_rows_are_made_when_they_are_seen(window, qtbot, monkeypatch):
    made: list[str] = []
    monkeypatch.setattr(
        "desktop_app.ui.importing.found_list.row_of", lambda found, on: made.append(found.id) or row_of(found, on)
    )
    many = tuple(replace(TIDES, id=f"f{n}", title=f"Talk {n}") for n in range(5_000))
    sheet = preview(window, LookedThrough(many, ()))
    qtbot.wait(50)
    sheet.list.scrollToBottom()
    qtbot.wait(50)
    assert "f4999" in made
    assert len(set(made)) < 100


@play_scene()
async def test_progress_is_shown_and_a_failed_import_can_be_tried_again(window, bridge, monkeypatch):
    posted: list[object] = []
    window.importing.open()
    sheet = await opened_sheet(window, ImportSheet)
    sheet.show_looking(("/x/conversations.zip",))
    bridge.happened.emit(ImportProgressed("", 1_048_576, 3 * 1_048_576))
    assert sheet.progress.text() == "2.0 MB of 3.0 MB left"
    sheet.show_found(LOOKED)
    sheet.show_importing()
    assert sheet.about.text().startswith("What is imported before you cancel stays")
    sheet.show_failure(Failure(kind="disk", title="The disk is full"))
    assert sheet.step is Step.PREVIEW
    assert sheet.problem.text() == "The disk is full"
    assert sheet.chosen() == {"f1", "f2"}
    monkeypatch.setattr(bridge, "post", posted.append)
    sheet.cancel.click()
    assert posted == [CancelComputation(Computation.IMPORT, "")]
    await until(lambda: not window.findChildren(ImportSheet))
