"""Conversations of other programs: what the archive has of them, and storing what it does not.

Each function runs inside a transaction of its caller, so that a conversation is never imported in part.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from peewee import SqliteDatabase

from desktop_app.conversation.foreign import ForeignConversation
from desktop_app.conversation.foreign_record import conversation_id, new_entries
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.other_hosts import is_on_other_host
from desktop_app.conversation.transcript import AnyEntry, Compaction

from .projects import project_named, project_of_folder
from .reading import entries
from .rows import ConversationRow
from .writing import append, create

AT_ONCE = 500
"""Ids in one query: SQLite takes 999 values at least."""


def known_messages(database: SqliteDatabase, ids: Sequence[str]) -> int:
    """Return how many of these messages the archive has, in conversations that are not deleted."""
    known = 0
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        places = ", ".join("?" * len(some))
        query = f"""SELECT COUNT(*) FROM entries e JOIN conversations c ON c.id = e.conversation
            WHERE e.id IN ({places}) AND NOT c.is_deleted"""
        known += database.execute_sql(query, some).fetchone()[0]
    return known


def import_conversation(database: SqliteDatabase, foreign: ForeignConversation, file: str, project: str = "") -> int:
    """Store what the archive does not have yet of a conversation, and return how many messages that are.

    One that was imported before keeps its title and place in the list; one that was deleted here is there again.
    project: the id of that in which a new one stands; "" for that of the program, else that of the agent's folder.
    """
    found = conversation_id(foreign)
    is_known = bool(database.execute_sql("SELECT 1 FROM conversations WHERE id = ?", (found,)).fetchone())
    record = entries(database, found) if is_known else ()
    new = new_entries(foreign, file, record)
    archived = [name for entry in new if isinstance(entry, Compaction) for name in entry.archived]
    if is_known:
        ConversationRow.update(is_deleted=False).where(ConversationRow.id == found).execute(database)
        append(database, found, new, archived)
    else:
        project = project or _project_of(database, foreign)
        create(database, _info_of(foreign, found, new, project), new, archived)
        _place_in_list(database, foreign, found)
    return sum(isinstance(entry, Message) and entry.is_counted for entry in new)


def _project_of(database: SqliteDatabase, foreign: ForeignConversation) -> str:
    if foreign.section.strip():
        return project_named(database, foreign.section, foreign.created_at)
    return project_of_folder(database, narrow_folder(foreign.folder), foreign.created_at)


def _info_of(
    foreign: ForeignConversation, conversation: str, new: Sequence[AnyEntry], project: str
) -> ConversationInfo:
    times = [entry.at for entry in new if entry.at]
    created_at = foreign.created_at or min(times, default=0.0)
    return ConversationInfo(
        conversation,
        foreign.title,
        created_at=created_at,
        updated_at=max(times, default=foreign.updated_at or created_at),
        folder=narrow_folder(foreign.folder),
        project=project,
    )


def narrow_folder(folder: str) -> str:
    """Return a folder that a file names; "" for the root, the user's own folder, what lies above that, another host's,
    and what is none.

    Reading in a conversation's folder asks nobody, so a file must not be able to name all that the user has.
    """
    if not os.path.isabs(folder) or is_on_other_host(folder) or "\0" in folder:
        return ""
    return "" if Path.home().resolve().is_relative_to(os.path.realpath(folder)) else folder


def _place_in_list(database: SqliteDatabase, foreign: ForeignConversation, conversation: str) -> None:
    if foreign.is_pinned or foreign.is_put_away:
        places = {"is_pinned": foreign.is_pinned, "is_put_away": foreign.is_put_away}
        ConversationRow.update(places).where(ConversationRow.id == conversation).execute(database)
