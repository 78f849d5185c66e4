"""Replies in flight: what has arrived of them, kept beside the record until they are whole."""

from __future__ import annotations

import logging

import msgspec
from peewee import SqliteDatabase

from desktop_app.conversation.message import Message

from .failures import no_conversation
from .rows import decode_message, encode
from .tables import PartialRow

log = logging.getLogger(__name__)


def keep(database: SqliteDatabase, conversation: str, partial: Message) -> None:
    """Replaces what is kept of that conversation's reply, unless the reply is in the record by now.

    Raises ArchiveError if there is no such conversation.
    """
    if not database.execute_sql("SELECT 1 FROM conversations WHERE id = ?", (conversation,)).fetchone():
        raise no_conversation(conversation)
    if database.execute_sql("SELECT 1 FROM entries WHERE id = ?", (partial.id,)).fetchone():
        return  # a timer that fired late
    PartialRow.replace(conversation=conversation, id=partial.id, body=encode(partial)).execute(database)


def left_over(database: SqliteDatabase) -> list[tuple[str, Message]]:
    """The replies that a crash left in flight, as interrupted messages. An unreadable one stays, and is logged."""
    left: list[tuple[str, Message]] = []
    query = PartialRow.select(PartialRow.conversation, PartialRow.body).order_by(PartialRow.conversation)
    for conversation, body in query.tuples().execute(database):
        try:
            message = decode_message(body)
        except msgspec.DecodeError as error:
            log.error("the partial reply of conversation %s cannot be read: %s", conversation, error)
            continue
        left.append((conversation, msgspec.structs.replace(message, is_interrupted=True)))
    return left
