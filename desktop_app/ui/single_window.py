"""One window for each data folder: a second start hands what it should open over to the window that runs."""

from __future__ import annotations

import contextlib
import logging
import socket
from pathlib import Path
from typing import Literal

import msgspec
from PySide6.QtCore import QObject, QSocketNotifier, Signal

log = logging.getLogger(__name__)

SOCKET_FILE = "window.socket"
PATIENCE = 3.0  # seconds that a busy window has to answer
MAX_BYTES = 1 << 20  # of a message that is handed over
TAKEN = b"taken\n"
CAN_HAND_OVER = hasattr(socket, "AF_UNIX")  # not on Windows


class Opening(msgspec.Struct, frozen=True, omit_defaults=True):
    """A request to the window from the command line, at its start or when the program is started again."""

    files: tuple[str, ...] = ()
    """Absolute paths of files to import."""
    action: Literal["", "new", "import"] = ""
    """Begin a new conversation, or open the import sheet; "" for neither."""
    token: str = ""
    """The token that lets the window come to the front (XDG_ACTIVATION_TOKEN); "" without one."""

    @property
    def is_plain(self) -> bool:
        """Whether the window shows what it showed last."""
        return not self.files and not self.action


def hand_over(data_folder: Path, opening: Opening) -> bool:
    """Send an opening to the window that runs on that data folder. Return whether there is one that accepted it."""
    if CAN_HAND_OVER:
        with contextlib.suppress(OSError), _connect(data_folder) as client:
            client.sendall(msgspec.json.encode(opening) + b"\n")
            return client.recv(len(TAKEN)) == TAKEN
    return False


class WindowServer(QObject):
    """Receives what later starts of the program hand over. Signal: opened(Opening).

    If it cannot listen (in a folder that cannot be written, or whose path is longer than about 100 bytes), the program
    still works; the engine of a second start then refuses to run, as the archive is in use.
    """

    opened = Signal(object)

    def __init__(self, data_folder: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._data_folder = data_folder
        self._server: socket.socket | None = None
        self._notifier: QSocketNotifier | None = None

    def listen(self) -> None:
        """Begin to listen, unless another window already does."""
        if not CAN_HAND_OVER or _is_served(self._data_folder):
            return
        server = socket.socket(socket.AF_UNIX)
        file = self._data_folder / SOCKET_FILE
        try:
            file.unlink(missing_ok=True)  # left by a window that was killed
            server.bind(str(file))
            file.chmod(0o600)
            server.listen()
        except OSError as error:
            server.close()
            log.info("Another start of the program cannot reach this window: %s", error)
            return
        server.setblocking(False)
        self._server, self._notifier = server, self._watch(server)
        self._notifier.activated.connect(self._accept)

    def close(self) -> None:
        """Stop listening, so that the next start opens its own window."""
        if self._server is not None and self._notifier is not None:
            self._notifier.setEnabled(False)
            self._server.close()
            self._server = None
            (self._data_folder / SOCKET_FILE).unlink(missing_ok=True)

    def _watch(self, watched: socket.socket) -> QSocketNotifier:
        return QSocketNotifier(watched.fileno(), QSocketNotifier.Type.Read, self)

    def _accept(self) -> None:
        assert self._server is not None
        try:
            client, _ = self._server.accept()
        except OSError:  # it has gone again
            return
        client.setblocking(False)
        received, notifier = bytearray(), self._watch(client)
        notifier.activated.connect(lambda: self._read(client, received, notifier))

    def _read(self, client: socket.socket, received: bytearray, notifier: QSocketNotifier) -> None:
        """Read what has arrived; emit the opening at the end of the line or of the connection."""
        with contextlib.suppress(OSError):  # it has gone
            received += (piece := client.recv(1 << 16))
            if piece and b"\n" not in piece and len(received) <= MAX_BYTES:
                return
        notifier.setEnabled(False)
        notifier.deleteLater()
        with client:
            try:
                opening = msgspec.json.decode(received, type=Opening)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                log.warning("What another start of the program handed over cannot be read: %s", error)
                return
            with contextlib.suppress(OSError):
                client.send(TAKEN)
        self.opened.emit(opening)


def _connect(data_folder: Path) -> socket.socket:
    """Return a connection to the window of that data folder. Raises OSError."""
    client = socket.socket(socket.AF_UNIX)
    try:
        client.settimeout(PATIENCE)
        client.connect(str(data_folder.absolute() / SOCKET_FILE))
    except OSError:
        client.close()
        raise
    return client


def _is_served(data_folder: Path) -> bool:
    with contextlib.suppress(OSError), _connect(data_folder):
        return True
    return False
