"""The base class of the controllers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

from desktop_app.engine.protocol import CancelComputation, Computation, Done, EngineRequest

from .bridge import Bridge
from .transcript.conversation_controller import ConversationController


class Controller(QObject):
    """Turns the user's actions into requests to the engine, and shows its responses in the widgets.

    chat: the controller that knows which conversation is open.
    """

    def __init__(self, bridge: Bridge, chat: ConversationController) -> None:
        super().__init__()
        self._bridge = bridge
        self._chat = chat

    def post(self, request: Callable[..., EngineRequest[Done]], *details: object) -> None:
        """Post a request for the open conversation, if there is one.

        request: a class whose first field is the conversation's id. details: its other fields.
        """
        if self._chat.conversation:
            self._bridge.post(request(self._chat.conversation, *details))

    def cancel(self, computation: Computation, conversation: str) -> None:
        """Cancel a computation whose dialog was closed."""
        self._bridge.post(CancelComputation(computation, conversation))


def open_folder_of(file: Path) -> None:
    """Show the folder of a file in the system's file manager."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(file.parent)))
