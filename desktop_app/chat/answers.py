"""Which messages of a conversation are the answer that is written anew."""

from __future__ import annotations

from desktop_app.conversation.message import Message, Role

from .session import Session


def broken_reply(session: Session) -> Message | None:
    """Return the beginning of the newest reply, if it broke off and nothing came after it."""
    newest = session.view.items[-1].message if session.view.items else None
    while newest is not None and newest.continues and (before := session.message(newest.continues)) is not None:
        newest = before
    is_broken = newest is not None and newest.role is Role.ASSISTANT and session.message(newest.id) is not None
    return newest if is_broken else None


def first_answer(session: Session, reply_id: str = "") -> Message | None:
    """Return the first answer to the same user message as that reply, else to the newest one, if there is any."""
    said = [entry for entry in session.view.path if isinstance(entry, Message)]
    ids = [message.id for message in said]
    until = ids.index(reply_id or session.view.last_user_id) if reply_id or session.view.last_user_id else -1
    asked = next((n for n in range(until, -1, -1) if said[n].role is Role.USER), -1)
    return said[asked + 1] if asked + 1 < len(said) else None
