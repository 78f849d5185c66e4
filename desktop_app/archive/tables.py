"""The tables as peewee sees them. `migrations.py` makes the schema, including triggers, indexes and the search tables.

No table is bound to a database: each query names its own, so that two archives can be open in one program.
"""

from __future__ import annotations

from peewee import BooleanField, FloatField, IntegerField, Model, TextField

TABLES = {"ConversationRow": "conversations", "EntryRow": "entries", "PartialRow": "partials"}


class ArchiveRow(Model):
    """A row of one of TABLES."""

    class Meta:
        """peewee's options."""

        @staticmethod
        def table_function(model: type[Model]) -> str:
            return TABLES.get(model.__name__, "")


class ConversationRow(ArchiveRow):
    """A conversation. Its transcript is in `entries`."""

    id = TextField(primary_key=True)
    title = TextField()
    created_at = FloatField()
    updated_at = FloatField()
    model = TextField()
    share = FloatField()
    status = TextField()
    is_deleted = BooleanField()
    folder = TextField()
    uncounted = IntegerField(default=0)
    """Messages that are not counted for the user, such as system prompts and replaced answers."""


class EntryRow(ArchiveRow):
    """An entry of a transcript: append-only, which triggers enforce."""

    number = IntegerField(primary_key=True)
    """Names the row in the search tables."""
    conversation = TextField()
    position = IntegerField()
    """Among the conversation's entries, from 0."""
    message_index = IntegerField(null=True)
    """Among the conversation's messages, from 0; null for other entries."""
    id = TextField()
    kind = TextField()
    at = FloatField()
    body = TextField()
    """The entry as JSON."""


class PartialRow(ArchiveRow):
    """The part of a streaming reply that has arrived; one per conversation."""

    conversation = TextField(primary_key=True)
    id = TextField()
    body = TextField()
