"""Whatever can be operated, on every screen, has a name and a role for screen readers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from accessible_tree import Node, Role, act, read
from import_scenes import empty_import, preview_of_import
from plan_scenes import AFTER, BEFORE, PLAN
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QWidget
from settings_scenes import open_settings
from ui_scenes import play_scene, until

from desktop_app.conversation.events import QuestionAsked
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import RequiredPermission
from desktop_app.settings import Settings
from desktop_app.ui.composer.question_card import QuestionCard
from desktop_app.ui.context_panel.context_gauge import ContextGauge
from desktop_app.ui.context_panel.panel_breakdown import BreakdownTable, lines_of
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.policy.policy_sheet import PolicySheet
from desktop_app.ui.widgets.accessibility import use_roles
from desktop_app.ui.widgets.sheet import Sheet

OPERATED = {
    Role.Button, Role.CheckBox, Role.RadioButton, Role.ComboBox, Role.EditableText, Role.Link, Role.Slider,
    Role.SpinBox, Role.MenuItem, Role.ListItem, Role.TreeItem, Role.PageTab, Role.List, Role.Tree, Role.Table,
    Role.ProgressBar, Role.Graphic, Role.Chart, Role.Switch,
}  # fmt: skip
NO_ROLES = {Role.NoRole, Role.Client, Role.Pane, Role.Border}
IN_OTHERS = ("qt_spinbox_lineedit",)  # parts of Qt's own widgets, which speak for them


@pytest.fixture
def listening():
    use_roles()
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


def faults(tree: Node) -> Iterator[str]:
    """Yield what a screen reader could not say of what is visible."""
    for node in tree.all():
        place = node.object if isinstance(node.object, QWidget) else None
        if node.is_invisible or (place is not None and place.objectName() in IN_OTHERS):
            continue
        holder = type(place.parent()).__name__ if place is not None else ""
        what = f"{type(place).__name__} in {holder}, {node.role.name}"
        if node.role in OPERATED and not node.name.strip():
            yield f"no name: {what}"
        if node.is_focusable and node.role in NO_ROLES and (place is None or not place.isWindow()):
            yield f"no role: {what} “{node.name}”"


def read_all(window: MainWindow) -> list[Node]:
    window.ui.transcript.accessible_rows.show_rows()
    tops = [window, *(top for top in QApplication.topLevelWidgets() if top.isVisible() and top is not window)]
    return [read(top) for top in tops]


def heard(trees: list[Node]) -> set[str]:
    return {node.name for tree in trees for node in tree.all() if not node.is_invisible}


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0.02)


LEFT_OUT = {
    "Choose a working folder…", "Import conversations…", "Attach files…",  # dialogs of the system
    "Sort conversations…",  # a menu
    "Delete conversation", "Show the log…", "Archive or unarchive",
}  # fmt: skip


@pytest.mark.wire
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@play_scene()
async def test_every_screen_can_be_heard(window, bridge, listening):
    """Each action is carried out, and what it has opened is read."""
    await until(lambda: window.ui.transcript.is_settled)
    found: dict[str, list[str]] = {}
    before = heard(read_all(window))
    assert len(before) > 40
    changed = 0
    for action in window.commands.actions:
        if action.name in LEFT_OUT or not action.is_available():
            continue
        action.run_if_available()
        await settled()
        trees = read_all(window)
        changed += heard(trees) != before
        found[action.name] = sorted({fault for tree in trees for fault in faults(tree)})
        for sheet in window.findChildren(Sheet):
            sheet.close()
        await settled()
        before = heard(read_all(window))
    assert changed > 15, "most of them show something"
    assert {name: some for name, some in found.items() if some} == {}


@pytest.mark.wire
def test_sheets_with_much_in_them_can_be_heard(window, qtbot, listening):
    openers = (
        lambda: PolicySheet(Settings(), "balanced", "Billing", {}, window),
        lambda: PlanDialog(PLAN, "c", window),
        lambda: open_settings(window),
        lambda: empty_import(window),
        lambda: preview_of_import(window),
    )
    for make in openers:
        sheet = make()
        sheet.open()
        for group in getattr(sheet, "groups", ()):
            group.unfold()
        qtbot.wait(200)
        tree = read(sheet)
        assert len(heard([tree])) > 10
        assert sorted(set(faults(tree))) == []
        sheet.close()


def test_a_question_is_an_alert_whose_answers_are_buttons(qtbot, listening):
    card = QuestionCard()
    qtbot.addWidget(card)
    needs = (RequiredPermission("bash", "run", "git push", "git push *"),)
    card.show_question(QuestionAsked("v", "q1", "permission", ToolCall("c", "bash", '{"command": "git push"}'), needs))
    assert card.isVisible()
    tree = read(card)
    assert tree.role is Role.AlertMessage
    assert tree.name
    assert sorted(set(faults(tree))) == []
    assert tree.find(Role.Button, card.once.text()).actions


def test_the_gauge_has_its_value_its_segments_and_an_action(qtbot, listening):
    gauge = ContextGauge()
    qtbot.addWidget(gauge)
    gauge.resize(700, 80)
    gauge.show()
    gauge.set_gauge(BEFORE)
    tree = read(gauge.bar)
    assert tree.role is Role.Button
    assert f"4,310 of {BEFORE.usable:,}" in tree.name
    value = QAccessible.queryAccessibleInterface(tree.find(Role.ProgressBar).object).valueInterface()
    assert (value.currentValue(), value.maximumValue()) == (4_310, 8_192)
    assert len([node for node in tree.all() if node.role is Role.StaticText]) == len(BEFORE.segments)
    with qtbot.waitSignal(gauge.bar.breakdown_requested):
        act(gauge.bar)


def test_a_line_of_the_breakdown_is_pressed(qtbot, listening):
    table = BreakdownTable()
    qtbot.addWidget(table)
    table.set_lines(lines_of(BEFORE))
    table.show()
    button = read(table).find(Role.Button, "Assistant").object
    with qtbot.waitSignal(table.segment_chosen) as chosen:
        act(button)
    assert chosen.args == [Segment.ASSISTANT]
    table.set_lines(lines_of(AFTER))
    left = {node.name for node in read(table).all() if not node.is_invisible}
    assert not [name for name in left if name.startswith("Assistant")]
