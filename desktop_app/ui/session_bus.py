"""A connection to the session bus (D-Bus) that the window's event loop reads.

By jeepney, since PySide's QtDBus cannot write unsigned numbers.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic
from typing import Any

from jeepney import DBusAddress, HeaderFields, MatchRule, Message, MessageType, new_method_call
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection
from PySide6.QtCore import QObject, QSocketNotifier, QTimer

log = logging.getLogger(__name__)

PORTAL_NAME, PORTAL_PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
PATIENCE = 1.0  # seconds for the bus itself, which answers in milliseconds

Answer = Callable[[Message], None]
Heard = Callable[[str, tuple[Any, ...]], None]


class SessionBus(QObject):
    """Calls services, and hears their signals. Nothing is heard before the first pass of the event loop."""

    def __init__(self, parent: QObject) -> None:
        """Raises OSError if there is no session bus."""
        super().__init__(parent)
        try:
            self._connection = open_dbus_connection(auth_timeout=PATIENCE)
        except (KeyError, ValueError, RuntimeError) as error:  # its address is not set or not understood
            raise OSError(str(error)) from error
        self._answers: dict[int, Answer] = {}
        self._heard: dict[str, Heard] = {}
        self._arrived = QSocketNotifier(self._connection.sock.fileno(), QSocketNotifier.Type.Read, self)
        self._arrived.activated.connect(self._receive)

    def has(self, name: str) -> bool:
        """Return whether a service of that name is running."""
        return self._connection.send_and_get_reply(message_bus.NameHasOwner(name), timeout=PATIENCE).body == (True,)

    def listen(self, to: DBusAddress, heard: Heard) -> None:
        """Call `heard` with the name and the arguments of each signal of that interface."""
        rule = MatchRule(type="signal", sender=to.bus_name, interface=to.interface, path=to.object_path)
        self._heard[to.interface or ""] = heard
        self._send(message_bus.AddMatch(rule))

    def call(self, to: DBusAddress, name: str, signature: str, arguments: tuple[Any, ...], answer: Answer) -> None:
        """Call a method, and later `answer` with the result or the error, unless the bus goes away."""
        self._answers[self._send(new_method_call(to, name, signature or None, arguments))] = answer

    def wait_for_answers(self, seconds: float) -> None:
        """Handle what arrives until each call is answered, or that time is over."""
        until = monotonic() + seconds
        while self._answers and (left := until - monotonic()) > 0:
            if not self._receive_one(left):
                break
        QTimer.singleShot(0, self, self._receive)  # what was read with the answers, which the socket no longer shows

    def _send(self, message: Message) -> int:
        serial = next(self._connection.outgoing_serial)
        try:
            self._connection.send(message, serial=serial)
        except OSError as error:
            self._end(error)
        return serial

    def _receive(self) -> None:
        while self._receive_one(0):
            pass

    def _receive_one(self, seconds: float) -> bool:
        """Handle the next message; return False if none has come in that time."""
        try:
            message = self._connection.receive(timeout=seconds)
        except TimeoutError:
            return False
        except OSError as error:
            self._end(error)
            return False
        fields = message.header.fields
        if answer := self._answers.pop(fields.get(HeaderFields.reply_serial, 0), None):
            answer(message)
        elif message.header.message_type is MessageType.signal:
            heard = self._heard.get(fields.get(HeaderFields.interface, ""))
            if heard is not None:
                heard(fields[HeaderFields.member], message.body)
        return True

    def _end(self, error: OSError) -> None:
        log.info("The session bus has gone: %s", error)
        self._arrived.setEnabled(False)


def is_error(answer: Message) -> bool:
    """Return whether an answer is an error."""
    return answer.header.message_type is MessageType.error


def words_of_error(error: Message) -> str:
    """Return an error's name and text for the log."""
    name = error.header.fields.get(HeaderFields.error_name, "")
    return f"{name}: {error.body[0]}" if error.body else name
