"""Exporting from the window, and the menu of the open conversation."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QFileDialog
from ui_scenes import opened_sheet, play_scene, until

from desktop_app.engine.protocol import CancelComputation, Computation, ExportConversation
from desktop_app.ui.importing.export_sheet import ExportSheet
from desktop_app.ui.importing.import_controller import file_name_of
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.transcript.row_painter import Action


def choose(window: MainWindow, sheet: ExportSheet, name: str) -> None:
    """Press the button and choose a file in the dialog."""
    sheet.choose.click()
    dialog = next(dialog for dialog in window.findChildren(QFileDialog) if dialog.isVisible())
    dialog.fileSelected.emit(name)
    dialog.close()


@pytest.mark.parametrize(
    ("kind", "suffix", "beginning"),
    [("markdown", "md", "# Migrating"), ("html", "html", "<!doctype html>"), ("json", "jsonl", '{"role": "user"')],
)
@pytest.mark.long
@play_scene()
async def test_an_export_is_written_where_the_user_says(window, bridge, tmp_path, kind, suffix, beginning):
    window.recovery.perform(Action.EXPORT)
    sheet = await opened_sheet(window, ExportSheet)
    sheet.format.button(kind).click()
    assert "several versions" in sheet.scope_about.text()
    sheet.scope.button("view").click()
    assert "summary" in sheet.scope_about.text()
    sheet.choose.click()
    dialog = window.findChildren(QFileDialog)[0]
    assert dialog.selectedFiles()[0].endswith(f"Migrating the billing service.{suffix}")
    dialog.fileSelected.emit(str(tmp_path / "chat"))
    dialog.close()
    await until(lambda: window.ui.toast.isVisible())
    assert (tmp_path / "chat").read_text().startswith(beginning)
    assert window.ui.toast.action.isVisible(), "which opens the folder"
    await until(lambda: not window.findChildren(ExportSheet))


@pytest.mark.long
@play_scene()
async def test_a_file_that_is_there_is_replaced_only_by_a_second_press(window, bridge, tmp_path):
    file = tmp_path / "mine.md"
    file.write_text("mine")
    window.export.open()
    sheet = await opened_sheet(window, ExportSheet)
    assert not sheet.replace.isVisible()
    choose(window, sheet, str(file))
    await until(sheet.problem.isVisible)
    assert file.read_text() == "mine"
    sheet.replace.click()
    await until(lambda: not window.findChildren(ExportSheet))
    assert file.read_text().startswith("# Migrating the billing service")


@play_scene()
async def test_cancelling_the_sheet_cancels_the_export(window, bridge, monkeypatch):
    posted: list[object] = []
    monkeypatch.setattr(bridge, "post", posted.append)
    window.export.open()
    (await opened_sheet(window, ExportSheet)).cancel.click()
    await until(lambda: not window.findChildren(ExportSheet))
    assert CancelComputation(Computation.EXPORT, window.chat.conversation) in posted


@pytest.mark.row("U8", "before compaction")
@pytest.mark.long
@play_scene()
async def test_it_can_be_exported_before_it_is_compacted(window, bridge, tmp_path):
    window.context.optimize()
    await until(lambda: any(plan.isVisible() for plan in window.findChildren(PlanDialog)))
    plan = window.findChild(PlanDialog)
    plan.export.click()
    sheet = await opened_sheet(window, ExportSheet)
    choose(window, sheet, str(tmp_path / "before.md"))
    await until(lambda: not window.findChildren(ExportSheet))
    assert (tmp_path / "before.md").exists()
    assert plan.isVisible()
    assert plan.isAncestorOf(window.focusWidget())
    plan.reject()


@pytest.mark.parametrize("way", [Action.EXPORT_FROM, Action.EXPORT_TO])
@pytest.mark.long
@play_scene()
async def test_a_part_of_it_is_exported_from_the_menu_of_a_message(window, bridge, tmp_path, way, monkeypatch):
    asked, message = [], window.ui.transcript_model.rows[3].message.id
    ask = bridge.ask
    monkeypatch.setattr(bridge, "ask", lambda request: (asked.append(request), ask(request))[1])
    window.ui.transcript.perform(way, message)
    sheet = await opened_sheet(window, ExportSheet)
    assert sheet.part.isVisible()
    assert not sheet.scope.isVisible()
    choose(window, sheet, str(tmp_path / "part.md"))
    await until(lambda: not window.findChildren(ExportSheet))
    (wanted,) = [request for request in asked if isinstance(request, ExportConversation)]
    assert (wanted.first, wanted.last) == ((message, "") if way is Action.EXPORT_FROM else ("", message))


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("We're moving invoices.balance, now…", "We're moving invoices.balance, now"),
        ("a/b: what? <c>", "a b what c"),
        ("..", "Conversation"),
        ("日本語 & more", "日本語 & more"),
    ],
)
def test_a_title_stays_itself_as_the_name_of_a_file(qapp, title, name):
    assert file_name_of(title) == name
