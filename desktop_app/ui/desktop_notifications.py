"""Desktop notifications: over D-Bus on Linux, otherwise next to an icon in the system tray."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSystemTrayIcon

from .widgets.number_formats import escape_name, shorten

if TYPE_CHECKING:
    from .notification_bus import NotificationBus


MAX_TITLE, MAX_TEXT = 100, 500  # characters: desktops show no more


class DesktopNotifier(QObject):
    """Shows the newest notification for each key. Signal: opened(key), when the user clicks on one."""

    opened = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._bus: NotificationBus | None = None
        self._has_bus = sys.platform.startswith("linux")
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
        if bus := self._find_bus():
            bus.notify(key, title, text)
        else:
            self._show_in_tray(key, title, text)

    def withdraw(self, key: str) -> None:
        """Remove the notification with that key."""
        if self._bus is not None:
            self._bus.withdraw(key)
        if self._tray is not None and key == self._key:
            self._tray.hide()

    def _find_bus(self) -> NotificationBus | None:
        """Return the session bus, if there is one. It is connected with the first notification."""
        if self._bus is None and self._has_bus:
            from .notification_bus import NotificationBus

            try:
                self._bus = NotificationBus(self)
            except OSError:
                self._has_bus = False
            else:
                self._bus.opened.connect(self.opened)
                self._bus.refused.connect(self._show_in_tray)
        return self._bus

    def _show_in_tray(self, key: str, title: str, text: str) -> None:
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._key = key
            self._tray = self._tray or self._make_tray()
            self._tray.show()
            self._tray.showMessage(title, text)

    def _make_tray(self) -> QSystemTrayIcon:
        tray = QSystemTrayIcon(QGuiApplication.windowIcon(), self)
        tray.messageClicked.connect(lambda: self.opened.emit(self._key))
        tray.activated.connect(lambda _: self.opened.emit(self._key))
        return tray
