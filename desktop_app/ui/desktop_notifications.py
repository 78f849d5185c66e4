"""Desktop notifications: through the portal on Linux, otherwise next to an icon in the system tray."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSystemTrayIcon

from .widgets.number_formats import escape_name, shorten

if TYPE_CHECKING:
    from .desktop_portal import Portal


MAX_TITLE, MAX_TEXT = 100, 500  # characters: desktops show no more


class DesktopNotifier(QObject):
    """Shows the newest notification for each key. Signal: opened(key), when the user clicks on one."""

    opened = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._portal: Portal | None = None
        self._tray: QSystemTrayIcon | None = None
        self._key = ""

    def notify(self, key: str, title: str, text: str) -> None:
        """Show a notification, in place of the one with that key.

        Some desktops interpret markup in it, such as links and pictures: "<" is replaced, so that there is none.
        """
        title, text = (
            escape_name(shorten(words, most)).replace("<", "‹")
            for words, most in ((title, MAX_TITLE), (text, MAX_TEXT))
        )
        if self._find_portal() and self._portal is not None:
            self._portal.notify(key, title, text)
        elif QSystemTrayIcon.isSystemTrayAvailable():
            self._key = key
            self._tray = self._tray or self._make_tray()
            self._tray.show()
            self._tray.showMessage(title, text)

    def withdraw(self, key: str) -> None:
        """Remove the notification with that key."""
        if self._portal is not None:
            self._portal.withdraw(key)
        if self._tray is not None and key == self._key:
            self._tray.hide()

    def _find_portal(self) -> bool:
        """Return whether there is a portal. QtDBus is imported with the first notification, as there may be none."""
        if self._portal is None and sys.platform.startswith("linux"):
            from .desktop_portal import Portal

            portal = Portal(self)
            if portal.is_there:
                self._portal = portal
                portal.opened.connect(self.opened)
        return self._portal is not None

    def _make_tray(self) -> QSystemTrayIcon:
        tray = QSystemTrayIcon(QGuiApplication.windowIcon(), self)
        tray.messageClicked.connect(lambda: self.opened.emit(self._key))
        tray.activated.connect(lambda _: self.opened.emit(self._key))
        return tray
