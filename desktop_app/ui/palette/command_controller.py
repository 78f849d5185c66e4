"""The controller of the window's actions: shortcuts, the command palette, the menu and the sheet of shortcuts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.ui.actions import WindowAction, keys_text
from desktop_app.ui.bridge import Bridge, in_task
from desktop_app.ui.controller import open_folder_of
from desktop_app.ui.header import Header
from desktop_app.ui.panes import Pages
from desktop_app.ui.toast import Toast
from desktop_app.ui.translation import tr
from desktop_app.ui.window_memory import WindowMemory

if TYPE_CHECKING:
    from .command_palette import CommandPalette
    from .shortcut_sheet import ShortcutSheet


MAX_RECENT = 8
RECENT_KEY = "recent_commands"
MENU_PARTS = (1, 2, 3, 4)
"""Parts of a conversation's menu: its place in the list, its settings, what can be made from it, how to end it."""


class CommandController(QObject):
    """Runs actions by their names, and remembers which were used last."""

    def __init__(
        self, bridge: Bridge, memory: WindowMemory, window: QWidget, header: Header, pages: Pages, toast: Toast
    ) -> None:
        super().__init__()
        self._bridge, self._memory = bridge, memory
        self._window, self._header, self._pages, self._toast = window, header, pages, toast
        self.actions: tuple[WindowAction, ...] = ()
        self._palette: CommandPalette | None = None
        self._sheet: ShortcutSheet | None = None
        header.menu.clicked.connect(self.open_menu)

    def use_actions(self, actions: Sequence[WindowAction]) -> None:
        """Set the actions, and connect their shortcuts."""
        self.actions = tuple(actions)
        for action in actions:
            for keys in action.keys if action.is_everywhere else ():
                QShortcut(QKeySequence(keys), self._window, action.run_if_available)

    def recent(self) -> tuple[str, ...]:
        """Return the names of the actions that the palette ran last, the newest first."""
        return tuple(filter(None, self._memory.text(RECENT_KEY).split("\n")))

    def run(self, name: str) -> None:
        """Run an action that was chosen in the palette."""
        names = (name, *(other for other in self.recent() if other != name))
        self._memory.set(RECENT_KEY, "\n".join(names[:MAX_RECENT]))
        next(action for action in self.actions if action.name == name).run_if_available()

    def open_palette(self) -> None:
        """Offer the actions that are available now."""
        from .command_palette import CommandPalette

        if self._palette is None:
            self._palette = CommandPalette(self._window)
            self._palette.action_chosen.connect(self.run)
        offered = [a for a in self.actions if a.is_available() and a.run != self.open_palette]
        self._palette.show_actions(offered, self.recent())
        self._palette.open()

    def open_menu(self) -> None:
        """Open the open conversation's menu below the header's button, with separators between its parts."""
        button = self._header.menu
        menu = QMenu(button)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        without_button = [a for a in self.actions if a.button is not None and a.button.isHidden()]
        parts = [[a for a in self.actions if a.menu_part == part] for part in MENU_PARTS]
        for actions in filter(None, [without_button, *parts]):
            if not menu.isEmpty():
                menu.addSeparator()
            for action in actions:
                name = tr(action.name) if action.label is None else action.label()
                keys = f"\t{keys_text(action.keys[:1])}" if action.keys else ""
                entry = menu.addAction(f"{name}{keys}", action.run_if_available)
                entry.setEnabled(bool(action.is_available()))
        corner = button.mapToGlobal(QPoint(button.width(), button.height() + 4))
        menu.popup(corner - QPoint(menu.sizeHint().width(), 0))

    @in_task
    async def open_shortcuts(self) -> None:
        from .shortcut_sheet import ShortcutSheet

        if self._sheet is None:
            sheet = self._sheet = ShortcutSheet(self.actions, self._window)
            sheet.finished.connect(self._forget_sheet)
            await sheet.open_gradually()

    def show_log(self) -> None:
        """Show the path of the log, and offer to open its folder."""
        self._pages.show_chat()
        path = self._bridge.log_file
        if path is None:
            self._toast.show_message(tr("There is no log: the data folder cannot be written."))
            return
        self._toast.show_message(str(path), tr("Open folder"), partial(open_folder_of, path))

    def _forget_sheet(self) -> None:
        if self._sheet is not None:
            self._sheet.deleteLater()
        self._sheet = None
