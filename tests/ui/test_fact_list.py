"""The facts of a fidelity report, listed on a click."""

from __future__ import annotations

from PySide6.QtCore import Qt

from desktop_app.conversation.memory import Fidelity
from desktop_app.ui.widgets.fidelity import FactList, fact_runs

REPORT = Fidelity(
    3, 1, 1, 1, ("/gone",), verbatim_facts=("a.py", "b.py"), summary_facts=("port 8080",), recallable_facts=("T-12",)
)


def test_facts_are_listed_by_where_they_are_found_the_worst_first():
    text = "".join(run.text for run in fact_runs(REPORT))
    places = [text.index(fact) for fact in ("/gone", "T-12", "port 8080", "a.py", "b.py")]
    assert places == sorted(places)
    assert "1 more" in text, "there is no room to name the third"
    assert fact_runs(Fidelity(3)) == []


def test_a_click_lists_them_and_another_hides_them(qtbot):
    made = FactList()
    qtbot.addWidget(made)
    made.show_fidelity(REPORT)
    made.show()
    assert made.facts.isHidden()
    assert made.link.toolTip()
    qtbot.mouseClick(made.link, Qt.MouseButton.LeftButton)
    assert "T-12" in made.facts.text()
    assert made.facts.isVisible()
    qtbot.mouseClick(made.link, Qt.MouseButton.LeftButton)
    assert not made.facts.isVisible()
    made.show_fidelity(Fidelity(3))
    assert not made.isVisible()
