"""The tables as peewee sees them. `migrations.py` makes the schema, including triggers, indexes and the search tables.

No table is bound to a database: each query names its own, so that two archives can be open in one program.
"""

from __future__ import annotations

from peewee import BooleanField, FloatField, IntegerField, Model, TextField


class ConversationRow(Model):
    """A conversation. Its transcript is in `entries`."""

    class Meta:
        table_name = "conversations"

    id = TextField(primary_key=True)
    title = TextField()
    created_at = FloatField()
    updated_at = FloatField()
    model = TextField()
    share = FloatField()
    status = TextField()
    is_deleted = BooleanField(default=False)
    folder = TextField()
    uncounted = IntegerField(default=0)
    """Messages that are not counted for the user, such as system prompts and replaced answers."""


class EntryRow(Model):
    """An entry of a transcript: append-only, which triggers enforce. Its body is written and read by SQL of our own."""

    class Meta:
        table_name = "entries"

    number = IntegerField(primary_key=True)
    """Names the row in the search tables."""
    conversation = TextField()
    position = IntegerField()
    """Among the conversation's entries, from 0."""
    message_index = IntegerField(null=True)
    """Among the conversation's messages, from 0; null for other entries."""


class PartialRow(Model):
    """The part of a streaming reply that has arrived; one per conversation."""

    class Meta:
        table_name = "partials"

    conversation = TextField(primary_key=True)
    id = TextField()
    body = TextField()
