"""The sheet of keyboard shortcuts, by topic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.words import translatable
from desktop_app.ui.actions import WindowAction, keys_text
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import Button
from desktop_app.ui.widgets.layouts import horizontal, vertical
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.sheet import Sheet
from desktop_app.ui.widgets.text_label import TextLabel

WIDTH = 560
Shortcut = tuple[str, str]  # the effect of the keys, and the keys

LOCAL_KEYS: dict[str, tuple[Shortcut, ...]] = {
    translatable("Message"): (
        (translatable("Send the message"), "Return"),
        (translatable("New line"), "Shift+Return"),
    ),
    translatable("List of conversations"): (
        (translatable("Open"), "Return"),
        (translatable("Rename"), "F2"),
        (translatable("Delete"), "Del"),
        (translatable("More actions"), "Menu"),
    ),
    translatable("Messages"): (
        (translatable("Previous or next message"), "Up"),
        (translatable("What can be done with a message"), "Return"),
        (translatable("First or newest message"), "Home"),
        (translatable("Scroll a wide table or code sideways"), "Shift+Right"),
        (translatable("Copy the selection"), "Ctrl+C"),
    ),
}
"""Keys that work only in the focused part of the window, by that part."""


def shortcuts_by_group(actions: Iterable[WindowAction]) -> dict[str, tuple[Shortcut, ...]]:
    """Return the actions with shortcuts, by group."""
    groups: dict[str, tuple[Shortcut, ...]] = {}
    for action in actions:
        if action.keys:
            group = tr(action.group)
            groups[group] = (*groups.get(group, ()), (tr(action.name), keys_text(action.keys)))
    return groups


class ShortcutSheet(Sheet):
    """A list of shortcuts, built group by group, so that the window stays responsive."""

    def __init__(self, actions: Sequence[WindowAction], parent: QWidget | None = None) -> None:
        super().__init__(parent, width=WIDTH, closes_outside=True, title=tr("Keyboard shortcuts"))
        self.area = ScrollColumn(spacing=18)
        self.close_button = Button(tr("Done"))
        self.close_button.clicked.connect(self.accept)
        self.lay_out(self.area, self.close_button)
        self.set_first(self.close_button)
        local = {
            tr(where): tuple((tr(what), keys_text((keys,))) for what, keys in rows)
            for where, rows in LOCAL_KEYS.items()
        }
        self.groups = {**shortcuts_by_group(actions), **local}
        self.steps = self._fill()

    def _fill(self) -> Iterator[QWidget]:
        for title, rows in self.groups.items():
            group = QWidget()
            lines = [horizontal((TextLabel(what, size=13), 1), _keys_label(what, keys)) for what, keys in rows]
            vertical(TextLabel(title, size=12, weight=BOLD, tint="ink_faint"), *lines, holder=group, spacing=7)
            self.area.add(group)
            yield group


def _keys_label(what: str, keys: str) -> TextLabel:
    label = TextLabel(keys, size=12, tint="ink_soft", is_mono=True)
    label.setAccessibleName(f"{what}: {keys}")
    label.setAlignment(Qt.AlignmentFlag.AlignRight)
    return label
