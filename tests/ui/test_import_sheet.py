"""The sheet of an import by itself, and the window with an engine that answers by script."""

from __future__ import annotations

from import_scenes import LOOKED, OFFERS, TIDES, UNREAD, empty_import
from msgspec.structs import replace
from PySide6.QtCore import Qt
from ui_scenes import opened_sheet, play_scene, until

from desktop_app.conversation.events import Failure, ImportProgressed
from desktop_app.engine.protocol import CancelComputation, Computation, LookedThrough
from desktop_app.ui.importing.found_list import dates_of, row_of
from desktop_app.ui.importing.import_sheet import ImportSheet, Step, rows_of
from desktop_app.ui.translation import tr_engine, use_language
from texts import IMPORTED_STAYS, NO_MATCH, NOT_READ


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
    assert sheet.about.text() == NO_MATCH
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
    assert NOT_READ.format(count=2) in sheet.unread.link.text()
    assert not sheet.unread.list.isVisible()
    sheet.unread.link.click()
    assert sheet.unread.list.isVisible()
    words = [row.words for row in sheet.unread.list.rows.rows]
    assert "line 3 cannot be read" in words[0]
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
    bridge.happened.emit(ImportProgressed("", 1_048_576, 3 * 1_048_576, 4))
    assert sheet.progress.text() == "4 conversations imported · 2.0 MB of 3.0 MB left"
    sheet.show_found(LOOKED)
    sheet.show_importing()
    assert sheet.about.text().startswith(IMPORTED_STAYS)
    sheet.show_failure(Failure(kind="disk", title="The disk is full"))
    assert sheet.step is Step.PREVIEW
    assert sheet.problem.text() == "The disk is full"
    assert sheet.chosen() == {"f1", "f2"}
    monkeypatch.setattr(bridge, "post", posted.append)
    sheet.cancel.click()
    assert posted == [CancelComputation(Computation.IMPORT, "")]
    await until(lambda: not window.findChildren(ImportSheet))


def test_the_histories_of_this_computer_and_the_known_kinds_are_offered(window, qtbot):
    sheet = empty_import(window)
    sheet.open()
    given: list[tuple[str, ...]] = []
    sheet.histories.chosen.connect(given.append)
    for link in (sheet.histories.links[1], sheet.histories.all):
        qtbot.mouseClick(link, Qt.MouseButton.LeftButton)
    paths = tuple(history.path for history in OFFERS.histories)
    assert given == [paths[1:], paths]
    assert [kind.program for kind in sheet.kinds.kinds] == ["ChatGPT", "Codex CLI"]
    assert sheet.kinds.body.isVisible()


def test_reasons_and_kinds_are_in_the_language_of_the_window(qapp, language_is_restored):
    use_language(qapp, "de")
    assert rows_of((UNREAD,), ())[0].body[0].text == "Zeile 3 ist nicht lesbar: das ist kein JSON"
    told = "its format is not known: it seems to be JSON with the fields a, b"
    assert tr_engine(told) == "das Format ist unbekannt: es scheint JSON mit den Feldern a, b zu sein"
    assert tr_engine(OFFERS.known_kinds[0].what).startswith("das ZIP eines Datenexports")
