"""Removal of stored data that no conversation on the list needs: only ticked items are removed."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.installation import RemovableItem
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import Button
from desktop_app.ui.widgets.layouts import STRETCH, horizontal, vertical
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.number_formats import format_bytes
from desktop_app.ui.widgets.row_list import CheckList
from desktop_app.ui.widgets.text_label import TextLabel

from .backup_part import TaskBlock, removal_question, size_of, space_rows, toggle_choice

ROWS = 10
ABOUT = translatable(
    "No conversation on the list needs any of these. Only what you tick is removed. Deleted conversations stay stored"
    " until you remove them here."
)


class SpacePart(QWidget):
    """A list of removable items. Signal: removal_requested(tuple of keys), once the user has confirmed."""

    removal_requested = Signal(tuple)

    def __init__(self) -> None:
        super().__init__()
        self._items: tuple[RemovableItem, ...] = ()
        self._is_enabled = True
        self.chosen: frozenset[str] = frozenset()
        self.list = CheckList(ROWS)
        self.list.setAccessibleName(tr("What can be removed"))
        self.empty = TextLabel(tr("There is nothing that could be removed."), size=13, tint="ink_soft", wraps=True)
        self.remove = Button(tr("Remove…"))
        self.task = TaskBlock(self.list)
        title = TextLabel(tr("What can be removed"), size=13, weight=MEDIUM)
        about = TextLabel(tr(ABOUT), size=12, tint="ink_faint", wraps=True)
        buttons = horizontal(self.remove, STRETCH, spacing=8)
        vertical(title, about, self.list, self.empty, buttons, self.task, holder=self, spacing=8)
        self.list.hide()
        self.empty.hide()
        self.list.toggled.connect(self._toggle)
        self.remove.clicked.connect(self._ask)
        self._sum_up()

    def show_items(self, items: tuple[RemovableItem, ...]) -> None:
        """Show these items; those that are ticked stay ticked."""
        self._items, at = items, self.list.current_key()
        self.chosen &= {item.key for item in items}
        self.list.show_rows(space_rows(items, self.chosen), at)
        self.list.setVisible(bool(items))
        self.empty.setVisible(not items)
        self._sum_up()

    def set_enabled(self, is_enabled: bool) -> None:
        """Enable or disable the choice, which is disabled while a task is running."""
        self._is_enabled = is_enabled
        self.list.setEnabled(is_enabled)
        self._sum_up()

    def _toggle(self, key: str) -> None:
        self.task.withdraw()
        self.chosen = toggle_choice(self._items, self.chosen, key)
        for row in space_rows(self._items, self.chosen):
            self.list.set_checked(row.key, row.is_checked)
        self._sum_up()

    def _sum_up(self) -> None:
        size = format_bytes(size_of(self._items, self.chosen))
        self.remove.setText(tr("Remove {size}…").format(size=size) if self.chosen else tr("Remove…"))
        self.remove.setEnabled(self._is_enabled and bool(self.chosen))
        self.remove.setVisible(bool(self._items))

    def _ask(self) -> None:
        keys = tuple(item.key for item in self._items if item.key in self.chosen)
        question = removal_question(self._items, self.chosen)
        self.task.ask(question, tr("Remove for good"), lambda: self.removal_requested.emit(keys))
