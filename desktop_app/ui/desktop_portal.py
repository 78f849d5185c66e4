"""The desktop's notification portal, over D-Bus.

The older interface, org.freedesktop.Notifications, needs unsigned numbers, which PySide's QtDBus cannot write.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import SLOT, QObject, Signal, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage

PORTAL = "org.freedesktop.portal.Desktop"
PATH = "/org/freedesktop/portal/desktop"
INTERFACE = "org.freedesktop.portal.Notification"
OPEN = "open"


class Portal(QObject):
    """Signal: opened(key), when the user clicks on the notification with that key."""

    opened = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._bus = QDBusConnection.sessionBus()
        action: Any = SLOT("take_action(QDBusMessage)")  # a str, although the stubs of connect expect bytes
        self.is_there = self._is_known() and self._bus.connect(PORTAL, PATH, INTERFACE, "ActionInvoked", self, action)

    def notify(self, key: str, title: str, text: str) -> None:
        self._call("AddNotification", key, {"title": title, "body": text, "default-action": OPEN})

    def withdraw(self, key: str) -> None:
        self._call("RemoveNotification", key)

    @Slot(QDBusMessage)
    def take_action(self, message: QDBusMessage) -> None:
        """Handle a click. The arguments of the message are the key and the name of the action."""
        key, *_ = message.arguments()
        self.opened.emit(str(key))

    def _call(self, name: str, *arguments: object) -> None:
        call = QDBusMessage.createMethodCall(PORTAL, PATH, INTERFACE, name)
        call.setArguments(list(arguments))
        self._bus.send(call)

    def _is_known(self) -> bool:
        if not self._bus.isConnected():
            return False
        bus = self._bus.interface()
        return PORTAL in bus.registeredServiceNames().value() + bus.activatableServiceNames().value()
