"""Notifications over D-Bus: through the desktop's portal, or through the notification daemon if that refuses."""

from __future__ import annotations

import logging
import os
from typing import Any

from jeepney import DBusAddress, Message
from PySide6.QtCore import QObject, Signal

from .session_bus import PORTAL_NAME, PORTAL_PATH, SessionBus, is_error, words_of_error
from .translation import tr

log = logging.getLogger(__name__)

PORTAL = DBusAddress(PORTAL_PATH, PORTAL_NAME, "org.freedesktop.portal.Notification")
DAEMON = DBusAddress("/org/freedesktop/Notifications", "org.freedesktop.Notifications", "org.freedesktop.Notifications")
OPEN = "default"  # the daemon's name of a click on the whole notification
APPLICATION = "palimpsest"  # the name of the desktop file and of the icon


class NotificationBus(QObject):
    """Signals: opened(key), when the user clicks on the notification with that key; refused(key, title, text), when
    neither the portal nor a daemon takes one."""

    opened = Signal(str)
    refused = Signal(str, str, str)

    def __init__(self, parent: QObject) -> None:
        """Raises OSError if there is no session bus."""
        super().__init__(parent)
        self._bus = SessionBus(self)
        self._numbers: dict[str, int] = {}  # the daemon's numbers of the notifications, by their keys
        self._uses_portal, self._has_markup = True, False
        self._token = ""  # lets the window come to the front on Wayland; sent before the click that it belongs to
        self._bus.listen(PORTAL, self._hear_portal)
        self._bus.listen(DAEMON, self._hear_daemon)

    def notify(self, key: str, title: str, text: str) -> None:
        """Show a notification, in place of the one with that key."""
        if not self._uses_portal:
            self._notify_daemon(key, title, text)
            return

        def begin(answer: Message) -> None:
            self._has_markup = not is_error(answer) and "body-markup" in answer.body[0]
            self._notify_daemon(key, title, text)

        def use_daemon(answer: Message) -> None:
            if is_error(answer):
                log.info("The portal shows no notification: %s", words_of_error(answer))
                self._uses_portal = False
                self._bus.call(DAEMON, "GetCapabilities", "", (), begin)

        content = {"title": ("s", title), "body": ("s", text), "default-action": ("s", OPEN)}
        self._bus.call(PORTAL, "AddNotification", "sa{sv}", (key, content), use_daemon)

    def withdraw(self, key: str) -> None:
        """Remove the notification with that key."""
        if (number := self._numbers.pop(key, None)) is not None:
            self._bus.call(DAEMON, "CloseNotification", "u", (number,), lambda _: None)
        elif self._uses_portal:
            self._bus.call(PORTAL, "RemoveNotification", "s", (key,), lambda _: None)

    def _notify_daemon(self, key: str, title: str, text: str) -> None:
        def note_number(answer: Message) -> None:
            if is_error(answer):
                log.info("No daemon shows a notification: %s", words_of_error(answer))
                self.refused.emit(key, title, text)
            else:
                self._numbers[key] = answer.body[0]

        body = text.replace("&", "&amp;") if self._has_markup else text
        hints = {"desktop-entry": ("s", APPLICATION)}
        arguments = "Palimpsest", self._numbers.get(key, 0), APPLICATION, title, body, [OPEN, tr("Open")], hints, -1
        self._bus.call(DAEMON, "Notify", "susssasa{sv}i", arguments, note_number)

    def _hear_portal(self, name: str, body: tuple[Any, ...]) -> None:
        if name == "ActionInvoked":
            data = [value for signature, value in body[2] if signature == "a{sv}" and "activation-token" in value]
            self._open(str(body[0]), str(data[0]["activation-token"][1]) if data else "")

    def _hear_daemon(self, name: str, body: tuple[Any, ...]) -> None:
        key = next((key for key, number in self._numbers.items() if number == body[0]), None)
        if key is None:  # of another program
            return
        if name == "ActivationToken":
            self._token = str(body[1])
        elif name == "ActionInvoked":
            self._open(key, self._token)
        elif name == "NotificationClosed":
            del self._numbers[key]

    def _open(self, key: str, token: str) -> None:
        if token:
            os.environ["XDG_ACTIVATION_TOKEN"] = token  # where Qt looks for it
        self._token = ""
        self.opened.emit(key)
