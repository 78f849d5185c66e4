"""Switch to another branch of a conversation, and copy a branch into a new conversation."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence

from msgspec.structs import replace

from desktop_app.context.text_cuts import head_of
from desktop_app.context.view.view import inseparable_ids, view_of, with_entries
from desktop_app.conversation.branches import entries_before
from desktop_app.conversation.listing import COPY, marked_title
from desktop_app.conversation.message import Message
from desktop_app.conversation.message_rows import VersionRow
from desktop_app.conversation.transcript import (
    AnyEntry,
    AuxiliaryUsage,
    Compaction,
    ConversationLink,
    Flush,
    StandingSummary,
    Switch,
    with_new_ids,
)
from desktop_app.conversation.words import translatable

from .conversations import Conversations
from .operations import not_found
from .session import Session, stamp

MAX_VERSIONS = 6
MAX_TEXT = 120  # characters shown of a version


async def show_version(chats: Conversations, session: Session, message_id: str) -> Session:
    """Switch to the branch that contains the message. Raises WorldError while a reply is being written."""
    async with chats.turns.idle(session.id), session.changes:
        branch = session.branches.branch_with(message_id)
        if branch is None:
            raise not_found(translatable("This message"))
        is_other = branch != session.branches.current
        if is_other:
            await session.record_operation(stamp(Switch(branch=branch)))
    if is_other:
        await chats.turns.getting_ready.equip(session)
    await chats.turns.note(session)
    return session


async def read_versions(session: Session) -> tuple[tuple[VersionRow, ...], int]:
    """Return the versions of the newest message in the current branch that has several, and their number.

    At most `MAX_VERSIONS` are returned, the nearest to the current one, since the request of each is counted.
    """
    if not session.branches.are_several:
        return (), 0
    messages = reversed([entry for entry in session.view.path if isinstance(entry, Message)])
    current = next((message.id for message in messages if len(session.branches.versions(message.id)) > 1), "")
    versions = session.branches.versions(current) if current else ()
    first = max(min(versions.index(current) - MAX_VERSIONS // 2, len(versions) - MAX_VERSIONS), 0) if versions else 0
    near = [(n, i, session.branches.branch_with(i)) for n, i in enumerate(versions, 1)][first : first + MAX_VERSIONS]
    here = session.counter.gauge().total
    counted = {i: here if i == current else await asyncio.to_thread(_tokens_in, session, name) for _, i, name in near}
    return tuple(_version_row(session, n, i, counted[i], i == current) for n, i, _ in near), len(versions)


def _version_row(session: Session, number: int, message_id: str, tokens: int, is_current: bool) -> VersionRow:
    message = session.message(message_id)
    assert message is not None
    return VersionRow(message_id, number, head_of(message.text, MAX_TEXT), message.at, tokens, is_current)


def _tokens_in(session: Session, branch: str | None) -> int:
    """Return the tokens that the gauge would show in that branch."""
    view = view_of(with_entries(session.transcript, Switch(branch=branch or "")))
    return session.counter.gauge_of(view, is_planned=False).total


async def fork(chats: Conversations, session: Session, message_id: str) -> Session:
    """Copy the current branch, up to that message, into a new conversation. The two link to each other.

    message_id: the last message to copy; "" for the newest.
    """
    message_id = message_id or next((e.id for e in reversed(session.branches.path()) if isinstance(e, Message)), "")
    if not session.branches.is_current(message_id):
        raise not_found(translatable("This message"))
    path = session.branches.path()
    messages = [entry for entry in path if isinstance(entry, Message)]
    last = inseparable_ids(messages, {message_id})[-1]
    following = messages[[message.id for message in messages].index(last) + 1 :]
    kept = entries_before(path, following[0].id) if following else path
    link = ConversationLink(conversation=session.id, title=session.info.title, is_back=True)
    title = marked_title(session.info.title, COPY)
    info, entries = session.info, [*copy_entries(kept), stamp(link)]
    copied = await chats.create_with(title, entries, info.model, info.folder, session.setup, info.policy, info.project)
    await session.record(stamp(ConversationLink(conversation=copied.id, title=title)))
    return copied


USED = (Message, Compaction, Flush, StandingSummary)
"""Entries with usage."""


def copy_entries(entries: Sequence[AnyEntry]) -> list[AnyEntry]:
    """Return copies of the entries with new ids, and without usage, which only the original counts."""
    copied, ids, newest = list[AnyEntry](), dict[str, str](), ""
    for entry in entries:
        if not isinstance(entry, AuxiliaryUsage | ConversationLink):
            copied.append(replace(entry, usage=None) if isinstance(entry, USED) else entry)
            newest = uuid.uuid4().hex
        ids[entry.id] = newest  # a request assembled from an entry that is not copied refers to the one before
    return [with_new_ids(entry, ids) for entry in copied]
