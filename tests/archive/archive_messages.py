"""Messages for the tests of the archive."""

from __future__ import annotations

from desktop_app.conversation.message import Message, Role, Text


def said(message_id: str, text: str = "hello", at: float = 2.0, role: Role = Role.USER) -> Message:
    return Message(id=message_id, at=at, role=role, parts=(Text(text),))
