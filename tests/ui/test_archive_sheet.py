"""The sheet for an archive that cannot be opened: what it offers, and what is asked of the engine."""

from __future__ import annotations

import pytest
from ui_scenes import play_scene, until

from desktop_app.conversation.events import Failure
from desktop_app.conversation.installation import Backup
from desktop_app.ui.settings.archive_sheet import ArchiveSheet

FAILURE = Failure("damaged", "The archive a.sqlite3 is damaged", "malformed")
BACKUPS = (Backup("/new", 2e9, 10, 3, 30), Backup("/bad", 1.9e9, 10, is_damaged=True), Backup("/old", 1.8e9, 10, 2, 20))


@pytest.mark.parametrize(("backups", "offers"), [(BACKUPS, 2), ((), 0)])
def test_only_sound_backups_are_offered(qtbot, backups: tuple[Backup, ...], offers: int) -> None:
    sheet = ArchiveSheet(FAILURE, backups)
    qtbot.addWidget(sheet)
    assert sheet.list.rows.rowCount() == offers
    assert sheet.restore.isVisibleTo(sheet) is sheet.list.isVisibleTo(sheet) is bool(offers)
    assert "malformed" in sheet.why.text()


def test_what_is_chosen_is_asked_for_and_a_failure_is_shown(qtbot) -> None:
    sheet = ArchiveSheet(FAILURE, BACKUPS)
    qtbot.addWidget(sheet)
    sheet.list.setCurrentIndex(sheet.list.rows.index(1))
    with qtbot.waitSignal(sheet.restore_requested) as asked:
        sheet.restore.click()
    assert asked.args == ["/old"]
    with qtbot.waitSignal(sheet.empty_requested):
        sheet.empty.click()
    sheet.set_busy(True)
    assert not sheet.empty.isEnabled()
    sheet.show_failure(Failure("disk", "The disk is full"))
    assert "The disk is full" in sheet.problem.text()


@pytest.mark.long
@play_scene()
async def test_what_cannot_be_done_without_the_archive_leads_back_to_the_sheet(window, bridge) -> None:
    gauge, window_gauge = window.ui.gauge.gauge, window.ui.gauge
    for part in (window.ui.gauge, window.ui.panel):
        part.set_gauge(None)
    bridge.archive_refused.emit(FAILURE)
    assert window_gauge.share.text() == window.ui.panel.breakdown.note.text() == "Not counted", "nobody is counting"
    window_gauge.set_gauge(gauge)
    assert "estimated" in window_gauge.share.text()
    await until(lambda: window.archive.sheet is not None)
    window.archive.sheet.reject()
    await until(lambda: window.archive.sheet is None)
    window.ui.failure.dismiss.click()
    bridge.failed.emit(FAILURE)
    assert window.ui.failure.button.text() == "Choose what to do…"
