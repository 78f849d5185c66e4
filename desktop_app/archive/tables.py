"""The tables as peewee sees them. The schema itself is made by `migrations.py`: triggers, indexes and what only search
needs included.

No table is bound to a database: a query is executed on the database it is given, so that two archives can be
open in one program.
"""

from __future__ import annotations

from peewee import BooleanField, FloatField, IntegerField, Model, TextField


class ConversationRow(Model):
    """One conversation. What was said in it lies in `entries`.

    uncounted: how many of its messages nobody counts, such as system prompts and answers that were replaced.
    """

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

    class Meta:
        """Its name in SQL."""

        table_name = "conversations"


class EntryRow(Model):
    """One entry of a record: append-only, which triggers enforce.

    number: names the row in the search tables. position: among the conversation's entries, from 0.
    message_index: among its messages, from 0; null for what is not a message. body: the entry as JSON.
    """

    number = IntegerField(primary_key=True)
    conversation = TextField()
    position = IntegerField()
    message_index = IntegerField(null=True)
    id = TextField()
    kind = TextField()
    at = FloatField()
    body = TextField()

    class Meta:
        """Its name in SQL."""

        table_name = "entries"


class PartialRow(Model):
    """What has arrived of a reply that is still streaming; one a conversation."""

    conversation = TextField(primary_key=True)
    id = TextField()
    body = TextField()

    class Meta:
        """Its name in SQL."""

        table_name = "partials"
