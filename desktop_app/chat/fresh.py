"""Starting fresh: a new conversation that begins with the summary of another one. The old one stays as it is."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from desktop_app.context.compact.compaction import compaction_of, plan_compaction
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.conversation.message import Role
from desktop_app.conversation.transcript import AnyEntry, Compaction, ConversationLink, Trigger

from .compaction.snapshot import ContextSnapshot, snapshot_of
from .conversations import Conversations
from .session import Session
from .stamp import stamp


async def start_fresh(chats: Conversations, session: Session) -> Session:
    """Create a conversation with the system prompt, a summary of all that was said, and the user's open question.

    The two conversations link to each other. If nothing was said since the last one was created, and it still exists,
    that one is returned. Raises WorldError.
    """
    chats.turns.refuse_while_running(session.id)
    async with session.changes:
        return await _find_made_before(chats, session) or await _make(chats, session)


async def _find_made_before(chats: Conversations, session: Session) -> Session | None:
    newest = session.transcript.entries[-1] if session.transcript.entries else None
    if not isinstance(newest, ConversationLink) or newest.is_back:
        return None
    is_there = newest.conversation in {info.id for info in await chats.archive.conversations()}
    return await chats.open(newest.conversation) if is_there else None


async def _make(chats: Conversations, session: Session) -> Session:
    summary = await asyncio.to_thread(_summary, snapshot_of(session))
    system = [i.message for i in session.view.items if i.message.role is Role.SYSTEM and session.message(i.message.id)]
    newest = session.message(session.view.last_user_id)
    is_open = newest is not None and session.view.items[-1].message.id == newest.id
    entries: list[AnyEntry] = [*system]
    if summary is not None:
        entries.append(replace(summary, archived=()))
    entries.append(ConversationLink(conversation=session.id, title=session.info.title, is_back=True))
    if is_open and newest is not None:
        entries.append(newest)
    anew = tuple(stamp(replace(entry, id="", at=0.0)) for entry in entries)
    title = f"{session.info.title} (continued)"
    info = session.info
    fresh = await chats.create_with(title, anew, info.model, info.folder, session.setup, info.policy)
    await session.record(stamp(ConversationLink(conversation=fresh.id, title=title)))
    return fresh


def _summary(snapshot: ContextSnapshot) -> Compaction | None:
    """Return a summary of all but the newest user message, made without a model, so that nothing can prevent it."""
    total = request_tokens(snapshot.view, snapshot.counts)
    plan = plan_compaction(
        snapshot.view, snapshot.policy, snapshot.budget, snapshot.counts, total, Trigger.USER, tail_tokens=0
    )
    if plan is None:
        return snapshot.view.summary
    return (
        compaction_of(plan, snapshot.transcript, snapshot.view, snapshot.counts, reading=snapshot.reading)
        or snapshot.view.summary
    )
