"""The section "Data" by itself: what is asked, and what holds while something is done."""

from __future__ import annotations

from desktop_app.ui.settings.data_section import DataSection


def test_a_question_is_taken_back_when_something_else_begins(qtbot) -> None:
    section = DataSection()
    qtbot.addWidget(section)
    done: list[str] = []
    section.backups.task.ask("Restore?", "Restore", lambda: done.append("restored"))
    section.set_busy(True)
    section.space.task.begin("Removing…")
    assert not section.backups.task.question.isVisibleTo(section)
    section.backups.task.go.click()
    assert not done
    assert section.space.task.is_working
