"""The figures of a plan: what fits and what does not, in words that are right, in places that stay."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from plan_scenes import AFTER, BEFORE, PLAN
from PySide6.QtCore import QCoreApplication, QPoint
from ui_scenes import press

from desktop_app.conversation.memory import Fidelity
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from texts import DO_NOT_FIT, WORD_FOR_WORD


@pytest.fixture
def dialog(window):
    made = PlanDialog(PLAN, "c", window)
    made.open()
    return made


RULES = tuple(f"Never do thing {number}, and never say why." for number in range(14))
TOO_LONG = replace(
    PLAN, id="plan9", pins=0, rules=2, fidelity=Fidelity(13, 3, 20, 0, (), RULES, ("src/a.py", "282"), 16, 2)
)


def test_rules_that_do_not_fit_are_told_and_can_be_read(dialog, qtbot):
    dialog.set_plan(TOO_LONG)
    texts = [fate.label.text() for fate in dialog.changes.changes]
    assert texts[-3:] == [
        WORD_FOR_WORD.format(facts="2 rules"),
        *(DO_NOT_FIT.format(facts=facts) for facts in ("14 rules", "6 other facts")),
    ]
    rules, others = dialog.changes.changes[-2:]
    press(rules.show_items)
    assert rules.list.toPlainText().splitlines() == [f"• {rule}" for rule in RULES]
    press(others.show_items)
    assert others.list.toPlainText().splitlines() == ["• src/a.py", "• 282", "… and 4 more"]
    dialog.set_plan(replace(TOO_LONG, id="plan10"))
    assert [fate.list is not None for fate in dialog.changes.changes[-2:]] == [True, True], "what was unfolded stays so"


def test_one_is_one(dialog):
    dialog.set_plan(replace(PLAN, kept=1, pins=1, rules=0, fidelity=Fidelity(1, 0, 1, 0, (), ("a",), (), 1, 0)))
    texts = [fate.label.text() for fate in dialog.changes.changes]
    assert texts[-3:] == ["1 message stays unchanged", "1 pin stays word for word", "1 rule does not fit"]
    assert dialog.checked.text().startswith("2 facts checked:")
    dialog.set_plan(replace(PLAN, fidelity=Fidelity(1, 0, 0, 0)))
    assert dialog.checked.text().startswith("1 fact checked: kept")


def test_all_messages_are_counted_though_only_some_are_listed(dialog, qtbot):
    dialog.set_plan(replace(PLAN, archived_total=9_992))
    archived = dialog.changes.changes[1]
    assert archived.label.text() == "9,992 messages summarized"
    press(archived.show_items)
    assert archived.list.rows.rowCount() == 32
    assert "9,961" in archived.list.rows.rows[-1].title


def test_nothing_moves_under_the_pointer(dialog, qtbot):
    def places():
        for _ in range(4):  # a scroll bar that comes or goes takes a second round
            QCoreApplication.processEvents()
        shown = (dialog, dialog.tail, dialog.tail_label, dialog.strategy.choices, dialog.summary.area, dialog.cancel)
        shown += (dialog.apply, *dialog.comparison.bars)
        return [(widget.mapTo(dialog.window(), QPoint(0, 0)), widget.size()) for widget in shown]

    before = places()
    few = replace(PLAN, id="few", pruned=(), pins=0, rules=0, fidelity=Fidelity(), tail_kept=90)
    useless = replace(PLAN, id="none", is_useful=False, note="All of it is needed.", archived=(), pruned=(), summary="")
    long = replace(TOO_LONG, id="long", fidelity=Fidelity(13, 3, 20, 9, RULES, RULES, ("src/a.py",), 16, 2))
    for plan in (TOO_LONG, few, long, useless, replace(PLAN, before=replace(BEFORE, total=123_456))):
        dialog.tail.setValue(dialog.tail.value() + 64)
        assert places() == before, "while it is measured"
        dialog.set_plan(plan)
        for fate in dialog.changes.changes:
            if fate.has_items:
                fate.toggle()
        assert places() == before, plan.id


def test_what_is_left_is_not_nothing(dialog):
    dialog.set_plan(replace(PLAN, before=replace(BEFORE, total=668_352), after=replace(AFTER, total=2_923)))
    assert dialog.comparison.figures[1].text() == "2,923 tokens · −99 %"


def test_the_slider_says_what_is_kept_of_it(dialog):
    dialog.set_plan(replace(PLAN, tail_kept=1_300))
    assert dialog.tail_label.text().endswith("2,048 tokens · 1,300 used")
    dialog.set_plan(replace(PLAN, tail_kept=2_048))
    assert dialog.tail_label.text().endswith("2,048 tokens")
    dialog.set_plan(replace(PLAN, before=replace(BEFORE, scale=1.25), tail_kept=1_300))
    assert dialog.tail_label.text().endswith("2,560 tokens · 1,625 used"), "as the request above it is counted"
