"""Which messages of a conversation are the answer that is written anew."""

from __future__ import annotations

from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.words import translatable

from .operations import not_found
from .ports import WorldError
from .session import Session

NOTHING_ASKED = Failure(
    "bad_input",
    translatable("There is no message to answer"),
    kept=translatable("Nothing was changed."),
    advice=translatable("Write a message first."),
)


NOTHING_CUT = Failure(
    "bad_input",
    translatable("There is no reply to continue"),
    kept=translatable("Nothing was changed."),
    advice=translatable("Only the newest reply can be continued."),
)


def message_to_edit(session: Session, message_id: str) -> Message:
    """Return that message of the user's. Raises WorldError if the current branch has none of that id."""
    message = session.message(message_id)
    if message is None or message.role is not Role.USER or not session.branches.is_current(message_id):
        raise not_found(translatable("This message"))
    return message


def broken_reply(session: Session) -> Message | None:
    """Return the beginning of the newest reply, if it broke off and nothing came after it.

    Raises WorldError if there is no message of the user's to answer.
    """
    if not session.view.last_user_id:
        raise WorldError(NOTHING_ASKED)
    newest = session.view.items[-1].message if session.view.items else None
    while newest is not None and newest.continues and (before := session.message(newest.continues)) is not None:
        newest = before
    is_broken = newest is not None and newest.role is Role.ASSISTANT and session.message(newest.id) is not None
    return newest if is_broken else None


def cut_reply(session: Session) -> Message:
    """Return the newest message of the current branch, a reply that can be continued. Raises WorldError otherwise."""
    newest = session.recorded.branch[-1] if session.recorded.branch else None
    if newest is None or not newest.can_continue or newest.id in session.view.statuses:
        raise WorldError(NOTHING_CUT)
    return newest


def first_answer(session: Session, reply_id: str = "") -> Message | None:
    """Return the first answer to the same user message as that reply, else to the newest one, if there is any.

    Raises WorldError if there is no such message of the user's, and if that reply is in another branch.
    """
    if reply_id and not session.branches.is_current(reply_id):
        raise not_found(translatable("This message"))
    said = [entry for entry in session.view.path if isinstance(entry, Message)]
    ids = [message.id for message in said]
    newest = reply_id or session.view.last_user_id
    until = ids.index(newest) if newest in ids else -1
    asked = next((n for n in range(until, -1, -1) if said[n].role is Role.USER), None)
    if asked is None:
        raise WorldError(NOTHING_ASKED)
    return said[asked + 1] if asked + 1 < len(said) else None
