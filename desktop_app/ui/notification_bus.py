"""Notifications over D-Bus: through the desktop's portal, or through the notification daemon where the portal refuses.

By jeepney, since PySide's QtDBus cannot write the unsigned numbers of the daemon's interface.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import Any

from jeepney import DBusAddress, HeaderFields, MatchRule, Message, MessageType, new_method_call
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection
from PySide6.QtCore import QObject, QSocketNotifier, Signal

from .translation import tr

log = logging.getLogger(__name__)

PORTAL = DBusAddress(
    "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Desktop", "org.freedesktop.portal.Notification"
)
DAEMON = DBusAddress("/org/freedesktop/Notifications", "org.freedesktop.Notifications", "org.freedesktop.Notifications")
OPEN = "default"  # the daemon's name of a click on the whole notification
APPLICATION = "palimpsest"  # the name of the desktop file and of the icon
PATIENCE = 1.0  # seconds for the bus itself, which answers in milliseconds

Answer = Callable[[Message], None]


class NotificationBus(QObject):
    """Signals: opened(key), when the user clicks on the notification with that key; refused(key, title, text), when
    neither the portal nor a daemon takes one."""

    opened = Signal(str)
    refused = Signal(str, str, str)

    def __init__(self, parent: QObject) -> None:
        """Raises OSError if there is no session bus."""
        super().__init__(parent)
        try:
            self._connection = open_dbus_connection(auth_timeout=PATIENCE)
        except (KeyError, ValueError, RuntimeError) as error:  # its address is not set or not understood
            raise OSError(str(error)) from error
        self._answers: dict[int, Answer] = {}
        self._numbers: dict[str, int] = {}  # the daemon's numbers of the notifications, by their keys
        self._uses_portal, self._has_markup = True, False
        self._token = ""  # lets the window come to the front on Wayland, sent before the click that it belongs to
        for address in (PORTAL, DAEMON):
            rule = MatchRule(
                type="signal", sender=address.bus_name, interface=address.interface, path=address.object_path
            )
            self._connection.send(message_bus.AddMatch(rule))
        self._arrived = QSocketNotifier(self._connection.sock.fileno(), QSocketNotifier.Type.Read, self)
        self._arrived.activated.connect(self._receive)

    def notify(self, key: str, title: str, text: str) -> None:
        """Show a notification, in place of the one with that key."""
        if not self._uses_portal:
            self._notify_daemon(key, title, text)
            return

        def begin(answer: Message) -> None:
            self._has_markup = answer.header.message_type is not MessageType.error and "body-markup" in answer.body[0]
            self._notify_daemon(key, title, text)

        def use_daemon(answer: Message) -> None:
            if answer.header.message_type is MessageType.error:
                log.info("The portal shows no notification (%s): the daemon is asked", _words_of(answer))
                self._uses_portal = False
                self._call(DAEMON, "GetCapabilities", "", (), begin)

        content = {"title": ("s", title), "body": ("s", text), "default-action": ("s", OPEN)}
        self._call(PORTAL, "AddNotification", "sa{sv}", (key, content), use_daemon)

    def withdraw(self, key: str) -> None:
        """Remove the notification with that key."""
        if (number := self._numbers.pop(key, None)) is not None:
            self._call(DAEMON, "CloseNotification", "u", (number,))
        elif self._uses_portal:
            self._call(PORTAL, "RemoveNotification", "s", (key,))

    def _notify_daemon(self, key: str, title: str, text: str) -> None:
        def note_number(answer: Message) -> None:
            if answer.header.message_type is MessageType.error:
                log.info("There is no notification daemon: %s", _words_of(answer))
                self.refused.emit(key, title, text)
            else:
                self._numbers[key] = answer.body[0]

        body = text.replace("&", "&amp;") if self._has_markup else text
        hints = {"desktop-entry": ("s", APPLICATION)}
        arguments = "Palimpsest", self._numbers.get(key, 0), APPLICATION, title, body, [OPEN, tr("Open")], hints, -1
        self._call(DAEMON, "Notify", "susssasa{sv}i", arguments, note_number)

    def _call(
        self, to: DBusAddress, name: str, signature: str, arguments: tuple[Any, ...], answer: Answer | None = None
    ) -> None:
        serial = next(self._connection.outgoing_serial)
        if answer is not None:
            self._answers[serial] = answer
        try:
            self._connection.send(new_method_call(to, name, signature or None, arguments), serial=serial)
        except OSError as error:
            self._end(error)

    def _receive(self) -> None:
        """Handle what has arrived, in order."""
        try:
            while True:
                self._take(self._connection.receive(timeout=0))
        except TimeoutError:
            return
        except OSError as error:
            self._end(error)

    def _take(self, message: Message) -> None:
        fields = message.header.fields
        if answer := self._answers.pop(fields.get(HeaderFields.reply_serial, 0), None):
            answer(message)
        elif message.header.message_type is MessageType.signal:
            self._take_signal(fields.get(HeaderFields.interface), fields.get(HeaderFields.member), message.body)

    def _take_signal(self, interface: str, name: str, body: tuple[Any, ...]) -> None:
        if interface == PORTAL.interface and name == "ActionInvoked":
            given = [value for signature, value in body[2] if signature == "a{sv}" and "activation-token" in value]
            self._open(str(body[0]), str(given[0]["activation-token"][1]) if given else "")
        elif interface == DAEMON.interface:
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

    def _end(self, error: OSError) -> None:
        """Stop reading from a bus that has gone."""
        log.info("The session bus has gone: %s", error)
        self._arrived.setEnabled(False)


def _words_of(error: Message) -> str:
    name = error.header.fields.get(HeaderFields.error_name, "")
    return f"{name}: {error.body[0]}" if error.body else name
