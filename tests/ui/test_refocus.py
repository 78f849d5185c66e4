"""The keyboard stays in the panel when the cards of its tabs are made anew."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget
from ui_scenes import link, press

from builders import user
from desktop_app.conversation.events import MessageRow, MessageState, OperationRow
from desktop_app.conversation.memory import Memory
from desktop_app.ui.context_panel.context_panel import ContextPanel
from desktop_app.ui.context_panel.memory_card import MemorySize

FIRST = OperationRow("c1", "compaction", 2.0, None, {"extractive": 42}, 42, 61_204, 4_180, "m41")
SECOND = replace(FIRST, id="c2", at=3.0)


def focused(panel: ContextPanel) -> QWidget | None:
    return panel.window().focusWidget()


@pytest.mark.parametrize("operation", [FIRST, SECOND])
def test_redo_takes_the_keyboard_from_undo(panel, qtbot, operation):
    panel.show_tab("history")
    panel.history.set_operations((FIRST, SECOND))
    qtbot.waitUntil(lambda: panel.history.list.cards["c1"].y() > panel.history.list.cards["c2"].y())
    press(link(panel.history.list.cards[operation.id], "Undo"))
    panel.history.change_operations((replace(operation, is_undone=True),))
    qtbot.waitUntil(lambda: focused(panel) is link(panel.history.list.cards[operation.id], "Redo"))


def test_a_memory_that_is_switched_keeps_the_keyboard_on_its_switch(panel, qtbot):
    panel.show_tab("memory")
    memories = (Memory("k1", "One", 1.0, 1.0), Memory("k2", "Two", 2.0, 2.0))
    panel.memories.set_memories(memories, MemorySize(12, 1_000), {})
    panel.memories.cards[1].switch.setFocus()
    qtbot.keyClick(panel.memories.cards[1].switch, Qt.Key.Key_Space)
    panel.memories.set_memories((replace(memories[0], is_on=False), memories[1]), MemorySize(6, 1_000), {})
    qtbot.waitUntil(lambda: focused(panel) is panel.memories.cards[1].switch)


def test_the_last_pin_leaves_the_keyboard_in_the_list(panel, qtbot):
    panel.show_tab("pins")
    said = user("Hello", id="m1", at=1.0)
    panel.pins.set_pins((MessageRow(message=said, index=0, tokens=10, state=MessageState.IN_VIEW),))
    press(panel.pins.list.cards["m1"].unpin)
    panel.pins.set_pins(())
    qtbot.waitUntil(lambda: focused(panel) is panel.pins.list)


def test_a_new_memory_that_is_not_written_leaves_the_keyboard_here(panel, qtbot):
    panel.show_tab("memory")
    press(panel.memories.add)
    qtbot.keyClick(focused(panel), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: focused(panel) is panel.memories.add)


def test_what_is_rebuilt_elsewhere_takes_no_keyboard(panel, qtbot):
    panel.show_tab("history")
    panel.history.set_operations((FIRST,))
    field = panel.window().findChild(QLineEdit)
    field.setFocus()
    panel.history.change_operations((replace(FIRST, is_undone=True),))
    qtbot.wait(10)
    assert focused(panel) is field
