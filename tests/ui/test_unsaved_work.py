"""Nothing that was written is thrown away without a word: by Escape, by Cancel, or by choosing something else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from plan_scenes import PLAN
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from settings_scenes import open_settings
from test_plan_dialog import UNWRITTEN, WRITTEN
from ui_scenes import opened_sheet, play_scene, press, send, until

from desktop_app.conversation.setup import ConversationSetup, Persona, Project
from desktop_app.engine.protocol import CheckSummary, PlanOptimize, SetupRead
from desktop_app.settings import Settings
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.policy.policy_sheet import PolicySheet
from desktop_app.ui.projects.project_sheet import ProjectSheet
from desktop_app.ui.settings.setup_sheet import SetupSheet
from desktop_app.ui.sidebar.choice_palettes import DeletedPalette
from desktop_app.ui.widgets.sheet import Sheet
from texts import NO_TITLE_MATCHES

READ = SetupRead(ConversationSetup(), "Be helpful.", ("temperature", "top_p"), ("bash", "read"))
SHEETS: dict[str, tuple[Callable[[QWidget], Sheet], Callable[[Sheet], object]]] = {
    "a new project": (
        lambda window: ProjectSheet(Project("", ""), (), (), (), window),
        lambda sheet: sheet.name.edit.setText("Lisbon"),
    ),
    "a project": (
        lambda window: ProjectSheet(Project("p", "Work"), (), (), (), window),
        lambda sheet: sheet.instructions.area.setPlainText("Be brief."),
    ),
    "a setup": (
        lambda window: SetupSheet(READ, Persona("Trip"), [("Balanced", "balanced")], (), "large", window),
        lambda sheet: sheet.prompt.area.setPlainText("Answer in verse."),
    ),
    "a setup with a mistake": (
        lambda window: SetupSheet(READ, Persona("Trip"), [("Balanced", "balanced")], (), "large", window),
        lambda sheet: sheet.temperature.edit.setText("warm"),
    ),
    "a policy": (
        lambda window: PolicySheet(Settings(), "balanced", "Trip", {}, window),
        lambda sheet: sheet.set_field("compact_at", 0.7),
    ),
    "the settings": (open_settings, lambda sheet: sheet.entries["system_prompt"].area.setPlainText("Be kind.")),
    "an edited summary": (
        lambda window: PlanDialog(PLAN, "c", window),
        lambda sheet: sheet.summary.area.setPlainText("My own words."),
    ),
    "a paid summary": (lambda window: PlanDialog(UNWRITTEN, "c", window), lambda sheet: sheet.set_plan(WRITTEN)),
    "what a summary is to focus on": (
        lambda window: PlanDialog(UNWRITTEN, "c", window),
        lambda sheet: sheet.strategy.instructions.setPlainText("Keep the dates."),
    ),
}


def escape(sheet: Sheet) -> None:
    QTest.keyClick(sheet, Qt.Key.Key_Escape)


@pytest.mark.row("U9", "what was written is not discarded without a question")
@pytest.mark.parametrize("kind", SHEETS)
def test_escape_asks_before_it_discards_what_was_written(window, kind: str):
    make, write = SHEETS[kind]
    sheet = make(window)
    sheet.open()
    write(sheet)
    question = sheet.question
    escape(sheet)
    assert sheet.isVisible()
    assert question.isVisible()
    assert question.keep.hasFocus(), "so that Enter loses nothing"
    escape(sheet)
    assert sheet.isVisible()
    assert not question.isVisible(), "asked again, it goes on"
    sheet.cancel.click() if hasattr(sheet, "cancel") else sheet.close_button.click()
    assert question.isVisible()
    press(question.keep)
    assert sheet.isVisible()
    assert not question.isVisible()
    escape(sheet)
    press(question.discard)
    assert not sheet.isVisible()


@pytest.mark.parametrize("kind", SHEETS)
def test_a_sheet_in_which_nothing_was_written_closes_at_once(window, kind: str):
    sheet = SHEETS[kind][0](window)
    sheet.open()
    escape(sheet)
    assert not sheet.isVisible()


def test_what_is_typed_after_the_question_goes_on_where_it_was(window):
    sheet = SHEETS["a new project"][0](window)
    sheet.open()
    QTest.keyClicks(sheet.name.edit, "Lis")
    QTest.keyClick(sheet.name.edit, Qt.Key.Key_Escape)
    QTest.keyClick(sheet.question.keep, Qt.Key.Key_Return)
    QTest.keyClicks(sheet.focusWidget(), "bon")
    assert sheet.name.text() == "Lisbon"


@pytest.fixture
def plan(window) -> PlanDialog:
    made = PlanDialog(UNWRITTEN, "c", window)
    made.open()
    made.set_plan(WRITTEN)
    return made


def asked(plan: PlanDialog, qtbot, strategy: str) -> object:
    """Choose an author, and return what the engine is asked."""
    with qtbot.waitSignal(plan.plan_requested) as requested:
        press(plan.strategy.choices.button(strategy))
    return requested.args[0]


def test_a_paid_and_edited_summary_comes_back_with_its_author(plan, qtbot):
    plan.summary.area.setPlainText("My own words.")
    assert asked(plan, qtbot, "extractive") == PlanOptimize("c", None, "extractive")
    plan.set_plan(PLAN)
    plan.summary.area.setPlainText("By rules, and mine.")
    assert asked(plan, qtbot, "llm") == CheckSummary("c", WRITTEN.id, "My own words.")
    plan.set_plan(replace(WRITTEN, id="plan7", summary="My own words."))
    assert plan.summary.text() == "My own words."
    assert plan.apply.isEnabled()
    assert asked(plan, qtbot, "extractive") == CheckSummary("c", PLAN.id, "By rules, and mine.")


@pytest.mark.long
def test_a_paid_summary_comes_back_with_its_tail(plan, qtbot):
    tails = []
    for tokens in (plan.tail.minimum(), PLAN.tail_tokens):
        with qtbot.waitSignal(plan.plan_requested) as requested:
            plan.tail.setValue(tokens)
        tails.append(requested.args[0])
        plan.set_plan(replace(UNWRITTEN, tail_tokens=tokens))
    assert tails == [PlanOptimize("c", PLAN.min_tail, ""), CheckSummary("c", WRITTEN.id, WRITTEN.summary)]


@pytest.mark.long
@play_scene()
async def test_escape_keeps_an_edited_message_and_says_so(window, bridge):
    await send(window, bridge, "Hello")
    window.recovery.edit_message()
    editor = window.ui.transcript.editor
    QTest.keyClick(editor.field, Qt.Key.Key_Escape)
    assert not window.ui.toast.isVisible(), "nothing was changed"
    window.recovery.edit_message()
    QTest.keyClicks(editor.field, " and more")
    QTest.keyClick(editor.field, Qt.Key.Key_Escape)
    assert not editor.isVisible()
    assert "kept" in window.ui.toast.label.text()
    press(window.ui.toast.action)
    assert editor.field.written() == "Hello and more"
    press(editor.cancel)
    window.recovery.edit_message()
    assert editor.field.written() == "Hello", "Cancel gives it up"


@pytest.mark.row("U2", "deleted ones are restored from a list")
@pytest.mark.long
@play_scene()
async def test_a_deleted_conversation_is_restored_from_a_list(window, bridge):
    window.ui.sidebar.list.delete_requested.emit(("c2",))
    await until(lambda: window.ui.sidebar.list.conversations.row_of("c2") < 0)
    window.ui.toast.hide()
    window.ui.sidebar.deleted_requested.emit()
    palette = await opened_sheet(window, DeletedPalette)
    assert [row.title for row in palette.list.rows.rows] == ["Trip to Lisbon"]
    QTest.keyClicks(palette.field, "billing")
    assert palette.note.text() == NO_TITLE_MATCHES
    palette.field.setText("lisb")
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    await until(lambda: window.ui.sidebar.list.conversations.row_of("c2") >= 0)
    await until(lambda: window.chat.conversation == "c2")
