"""The sheet of a project: what is written is saved, what is wrong is said, and its memories are changed at once."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import Qt
from settings_scenes import write

from desktop_app.conversation.listing import CacheReset
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.setup import Project
from desktop_app.ui.projects.project_sheet import ProjectSheet
from texts import OF_EACH_REQUEST, ONLY_IN_PROJECT

NOW = time.time()
MODELS = [("large", "home/large"), ("small", "home/small")]
POLICIES = [("Balanced", "balanced"), ("Relaxed", "relaxed")]
OTHERS = (Project("o", "Other  things"),)


def open_sheet(window, project: Project) -> ProjectSheet:
    sheet = ProjectSheet(project, OTHERS, MODELS, POLICIES, window)
    sheet.open()
    return sheet


def save(sheet: ProjectSheet, qtbot) -> Project:
    with qtbot.waitSignal(sheet.save_requested) as saved:
        qtbot.mouseClick(sheet.save, Qt.MouseButton.LeftButton)
    return saved.args[0]


def test_what_is_not_touched_stays_as_it_was(window, qtbot, tmp_path):
    project = Project("p", "Work", str(tmp_path), "Be brief.", "relaxed", "home/small", "project", NOW)
    assert save(open_sheet(window, project), qtbot) == project


def test_what_is_written_is_saved(window, qtbot, tmp_path):
    sheet = open_sheet(window, Project("", ""))
    qtbot.keyClicks(sheet.name.edit, " A  new one ")
    sheet.instructions.area.setPlainText("Answer in verse.\n")
    sheet.folder.edit.setText(str(tmp_path))
    sheet.model.select.choose("home/large")
    sheet.policy.select.choose("balanced")
    qtbot.mouseClick(sheet.recall.choices.button("everything"), Qt.MouseButton.LeftButton)
    assert "other projects" in sheet.recall.message.text()
    written = Project("", "A new one", str(tmp_path), "Answer in verse.", "balanced", "home/large", "everything")
    assert save(sheet, qtbot) == written
    assert sheet.isVisible(), "until it is stored"


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [("name", "", "Enter a name"), ("name", "other THINGS", "Another project"), ("folder", "src", "full path")],
)
def test_what_is_wrong_is_said_beside_its_field(window, qtbot, field, text, said):
    sheet = open_sheet(window, Project("p", "Work"))
    write(qtbot, getattr(sheet, field), text)
    with qtbot.assertNotEmitted(sheet.save_requested):
        qtbot.mouseClick(sheet.save, Qt.MouseButton.LeftButton)
    assert said in getattr(sheet, field).error()
    assert getattr(sheet, field).edit.hasFocus()


def test_a_folder_that_is_gone_is_said_and_can_be_saved(window, qtbot, tmp_path):
    project = Project("p", "Work", str(tmp_path / "gone"))
    sheet = open_sheet(window, project)
    assert "does not exist" in sheet.folder.message.text()
    assert save(sheet, qtbot) == project
    sheet.folder.edit.setText(str(tmp_path))
    assert not sheet.folder.message.text()


@pytest.mark.long
def test_the_instructions_are_counted_and_a_change_is_explained(window, qtbot):
    sheet = open_sheet(window, Project("p", "Work", instructions="Be brief."))
    assert sheet.reread.isHidden()
    with qtbot.waitSignal(sheet.count_requested) as counted:
        sheet.instructions.area.setPlainText("Be very brief.")
    assert counted.args == ["Be very brief."]
    assert not sheet.reread.isHidden()
    sheet.show_tokens("Be very brief.", 4)
    assert sheet.tokens.text().startswith(OF_EACH_REQUEST.format(tokens=4))
    sheet.show_tokens("Be brief.", 3)
    assert sheet.tokens.text().startswith("4 tokens"), "an answer to what is written no more"


def test_a_refusal_keeps_what_was_written(window, qtbot):
    sheet = open_sheet(window, Project("p", "Work"))
    save(sheet, qtbot)
    assert not sheet.save.isEnabled()
    sheet.refuse("There is no such policy any more.")
    assert sheet.save.isEnabled()
    assert sheet.name.message.text() == "There is no such policy any more."


@pytest.mark.row("J1", "its memories are switched and moved")
def test_the_memories_of_the_project_are_switched_and_moved(window, qtbot):
    sheet = open_sheet(window, Project("p", "Work"))
    known = [
        Memory(f"m{n}", f"Fact {n}", NOW - n, NOW, "c1", scope=scope, project=project)
        for n, (scope, project) in enumerate(
            [("project", "p"), ("user", ""), ("project", "o"), ("project", "p"), ("conversation", "p")]
        )
    ]
    sheet.memories.show_memories(known, {"c1": "Trip"})
    cards = sheet.memories.cards
    assert [card.memory.id for card in cards] == ["m0", "m3"]
    assert all(card.is_sent for card in cards)
    assert ONLY_IN_PROJECT.format(project="Work") in cards[0].scope.text()
    with qtbot.waitSignal(sheet.memories.requests.write_requested) as written:
        cards[0].switch.click()
    assert (written.args[0].id, written.args[0].is_on) == ("m0", False)
    with qtbot.waitSignal(sheet.memories.requests.write_requested) as written:
        qtbot.mouseClick(cards[1].widen, Qt.MouseButton.LeftButton)
    assert (written.args[0].id, written.args[0].scope) == ("m3", "user")
    sheet.memories.show_memories([], {})
    assert sheet.memories.cards == []
    assert sheet.memories.empty.isVisibleTo(sheet)


def test_a_new_project_has_no_memories_and_nothing_to_delete(window):
    sheet = open_sheet(window, Project("", ""))
    assert not sheet.memories.isVisible()
    assert not sheet.delete.isVisible()
    assert sheet.save.text() == "Create"


def test_other_instructions_show_what_they_cost_the_open_conversation(window, qtbot):
    project, reset = Project("p", "Work", instructions="Be brief."), CacheReset(113_301, 0.0, 0.034, 0.42)
    sheet = ProjectSheet(project, OTHERS, MODELS, POLICIES, window, reset=reset)
    sheet.open()
    assert sheet.notice.isHidden(), "nothing is changed yet"
    sheet.instructions.area.setPlainText("Be very brief.")
    assert "113,301 tokens" in sheet.notice.label.text()
    assert "$0.42 instead of $0.03" in sheet.notice.label.text()
    assert (sheet.notice.isHidden(), sheet.reread.isHidden()) == (False, True)
    sheet.instructions.area.setPlainText("Be brief.")
    assert (sheet.notice.isHidden(), sheet.reread.isHidden()) == (True, True)
    sheet.instructions.area.setPlainText("Be very brief.")
    with qtbot.waitSignal(sheet.notice.silenced):
        sheet.notice.silence.click()
    assert (sheet.notice.isHidden(), sheet.reread.isHidden()) == (True, False), "the note without a price stays"
