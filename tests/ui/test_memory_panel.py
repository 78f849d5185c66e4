"""The panel's memories: seen, edited in place, switched off, deleted and brought back; and what a flush saved."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from ui_scenes import link, play_scene, press, until

from desktop_app.conversation.events import OperationRow
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.transcript import Trigger
from desktop_app.engine import protocol as p
from desktop_app.settings import Settings
from desktop_app.ui.context_panel.context_panel import ContextPanel
from desktop_app.ui.context_panel.memory_card import CurrentScope, MemoryCard, MemorySize
from desktop_app.ui.context_panel.operation_card import means_of
from desktop_app.ui.transcript.row_text import mark_text
from texts import MEMORIES, SAVED_IN

NOW = 1_760_000_000.0
CUT_OVER = Memory("k1", "Cut-over is on 3 March", NOW, NOW, "c1", "model")
SHORT = Memory("k2", "Prefers short answers", NOW + 1, NOW + 1, is_on=False)
SIZE = MemorySize(12, 1_000)
FLUSH = OperationRow(
    id="f1", kind="flush", at=NOW, trigger=Trigger.BEFORE_REQUEST, strategies={}, messages=2, tokens_before=0,
    tokens_after=0, after_message_id="m1", summary="Cut-over is on 3 March\nvendor/ is off limits",
)  # fmt: skip


@pytest.fixture
def panel(panel) -> ContextPanel:
    panel.show_tab("memory")
    panel.memories.set_memories((CUT_OVER, SHORT), SIZE, {"c1": "Billing"})
    return panel


def test_it_shows_the_words_the_origin_and_what_they_take(panel):
    assert panel.memories.total.text() == MEMORIES.format(tokens=12, most=1_000, memories="2 memories")
    assert [card.text.text() for card in panel.memories.cards] == ["Prefers short answers", "Cut-over is on 3 March"]
    assert SAVED_IN.format(conversation="Billing") in panel.memories.cards[1].origin.text()
    assert [card.switch.isChecked() for card in panel.memories.cards] == [False, True]


RULE = Memory("k4", "Never touch vendor/", NOW, NOW, "c1", "rule", scope="folder", folder="/work/billing")


def test_where_it_is_used_is_shown_and_one_click_makes_it_valid_everywhere(panel, told):
    panel.memories.set_memories((CUT_OVER, RULE), SIZE, {"c1": "Billing"}, CurrentScope("c1", "/work/billing"))
    used, everywhere = (next(c for c in panel.memories.cards if c.memory.id == name) for name in ("k4", "k1"))
    assert "billing" in used.scope.text()
    assert used.widen.isVisibleTo(used)
    assert not everywhere.widen.isVisibleTo(everywhere)
    press(used.widen)
    assert told[-1] == ("write", replace(RULE, scope="user"))


def test_what_is_used_elsewhere_comes_last_and_is_not_counted(panel):
    panel.memories.set_memories((CUT_OVER, RULE), SIZE, {"c1": "Billing"}, CurrentScope("c2", "/work/other"))
    assert [card.memory.id for card in panel.memories.cards] == ["k1", "k4"]
    assert [card.is_sent for card in panel.memories.cards] == [True, False]
    assert panel.memories.total.text() == MEMORIES.format(tokens=12, most=1_000, memories="1 of 2 memories")


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.parametrize(
    ("memory", "offered"),
    [
        (RULE, ["user", "folder", "conversation"]),
        (SHORT, ["user", "folder", "conversation"]),
        (replace(RULE, folder="", scope="conversation"), ["user", "conversation"]),
    ],
)
def test_the_menu_changes_where_it_is_used(panel, memory: Memory, offered: list[str], told):
    panel.memories.set_memories((memory,), SIZE, {"c1": "Billing"}, CurrentScope("c2", "/work/other"))
    (card,) = panel.memories.cards
    press(card.scope)
    (menu,) = card.scope.findChildren(QMenu)
    actions = {action.data(): action for action in menu.actions()}
    assert list(actions) == offered
    assert [scope for scope, action in actions.items() if action.isChecked()] == [memory.scope]
    wanted = "conversation" if memory.scope != "conversation" else "user"
    actions[wanted].trigger()
    menu.close()
    assert (told[-1][1].scope, told[-1][1].conversation) == (wanted, memory.conversation or "c2")


def test_without_memories_it_says_what_will_stand_here(panel):
    panel.memories.set_memories((), MemorySize(0, 1_000), {})
    assert panel.memories.list.empty.isVisible()
    assert panel.memories.total.text() == MEMORIES.format(tokens=0, most=1_000, memories="0 memories")


def test_a_switch_says_whether_it_is_sent(panel, told):
    panel.memories.cards[1].switch.click()
    assert (told[-1][1].id, told[-1][1].is_on) == ("k1", False)


def test_it_is_edited_in_place_and_kept_with_ctrl_enter(panel, qtbot, told):
    card: MemoryCard = panel.memories.cards[1]
    link(card, "Edit").click()
    field = card.editing.field
    assert field.hasFocus()
    field.setPlainText("Cut-over is on 4 March")
    qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert told[-1][1].text == "Cut-over is on 4 March"
    assert card.editing is None


def test_escape_ends_an_edit_only_where_nothing_would_be_lost(panel, qtbot):
    card = panel.memories.cards[0]
    card.begin_edit()
    qtbot.keyClick(card.editing.field, Qt.Key.Key_Escape)
    assert card.text.isVisible()
    card.begin_edit()
    card.editing.field.setPlainText("half writ")
    with qtbot.assertNotEmitted(panel.requests.write_requested):
        qtbot.keyClick(card.editing.field, Qt.Key.Key_Escape)
        qtbot.keyClick(card.editing.keep, Qt.Key.Key_Escape)
        assert card.editing.keep.hasFocus()
        assert card.editing.field.toPlainText() == "half writ"
        link(card, "Cancel").click()
    assert card.text.isVisible()


def test_news_of_other_memories_do_not_end_an_edit(panel):
    card = panel.memories.cards[1]
    card.begin_edit()
    card.editing.field.setPlainText("half writ")
    panel.memories.set_memories((CUT_OVER, SHORT, Memory("k3", "New", NOW + 9, NOW + 9)), MemorySize(14, 1_000), {})
    assert len(panel.memories.cards) == 3
    assert card in panel.memories.cards
    assert card.editing.field.toPlainText() == "half writ"


def test_a_new_one_is_written_by_the_user_or_leaves_nothing(panel, told):
    panel.memories.add.click()
    link(panel.memories.cards[0], "Cancel").click()
    assert len(panel.memories.cards) == 2
    panel.memories.add.click()
    card = panel.memories.cards[0]
    card.editing.field.setPlainText("Speaks Portuguese")
    link(card, "Save").click()
    assert (told[-1][1].text, told[-1][1].author) == ("Speaks Portuguese", "user")
    assert told[-1][1].id not in ("", "k1", "k2")


def test_a_flush_stands_in_the_history_with_what_it_saved_and_can_be_reverted(panel, told):
    panel.history.set_operations((FLUSH,))
    panel.show_tab("history")
    card = panel.history.list.cards["f1"]
    shown = " ".join(label.text() for label in card.findChildren(type(panel.memories.total)))
    assert "Memory saved" in shown
    assert "vendor/ is off limits" in shown
    link(card, "Revert").click()
    assert told[-1] == ("undo", "f1")
    link(card, "Show").click()
    assert ("memories",) in told
    assert mark_text(FLUSH) == "2 memories saved"


def test_the_cause_of_a_flush_is_said_where_it_is_known():
    words = {means_of(replace(FLUSH, trigger=trigger)) for trigger in (*Trigger, None)}
    assert len(words) == len(Trigger) + 1
    assert means_of(replace(FLUSH, trigger=None)) == ""


@play_scene(is_memory_on=True)
async def test_deleting_in_the_window_can_be_undone(window, bridge):
    memories = window.ui.panel.memories
    for text in ("Cut-over is on 3 March, 06:00 UTC", "Prefers short answers"):
        listed = await bridge.ask(p.WriteMemory(Memory("", text, 0.0, 0.0, "c1"), "c1"))
    window.ui.panel.show_tab("memory")
    await until(lambda: len(memories.cards) == 2)
    assert memories.total.text() == MEMORIES.format(tokens=listed.tokens, most=listed.most, memories="2 memories")
    assert "Migrating the billing service" in memories.cards[-1].origin.text() + memories.cards[0].origin.text()
    link(memories.cards[0], "Delete").click()
    await until(lambda: len(memories.cards) == 1)
    window.ui.toast.action.click()
    await until(lambda: len(memories.cards) == 2)
    window.settings.changed.emit(Settings(is_memory_on=False))
    assert memories.off.isVisible()
