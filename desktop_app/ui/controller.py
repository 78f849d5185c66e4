"""What the controllers have in common: what they speak to."""

from __future__ import annotations

from PySide6.QtCore import QObject

from .bridge import Bridge
from .conversation_controller import ConversationController
from .parts import Parts


class Controller(QObject):
    """Turns what the user wishes into wishes of the engine, and what it answers into what the parts show.

    chat: knows which conversation is open.
    """

    def __init__(self, bridge: Bridge, parts: Parts, chat: ConversationController) -> None:
        super().__init__()
        self._bridge = bridge
        self._parts = parts
        self._chat = chat
