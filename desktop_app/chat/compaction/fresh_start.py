"""Start fresh: create a conversation that begins with a summary of another one, which gets only a link to it."""

from __future__ import annotations

from msgspec.structs import replace

from desktop_app.chat.branching import copy_entries
from desktop_app.chat.conversations import Conversations
from desktop_app.chat.session import Session, stamp
from desktop_app.chat.turn_services import Services
from desktop_app.conversation.listing import CONTINUED, marked_title
from desktop_app.conversation.transcript import AnyEntry, ConversationLink

from .fresh_plan import carried_entries
from .optimize import Optimization, stale_plan


async def start_fresh(chats: Conversations, session: Session, optimization: Optimization) -> Session:
    """Create the conversation that a fresh-start plan describes, and link the two conversations to each other.

    It begins with the system prompt, the summary, the pinned messages and an unanswered question. Raises WorldError,
    and creates nothing, if the conversation has changed since the plan was made.
    """
    chats.turns.refuse_while_running(session.id)
    async with session.changes:
        planned = optimization.snapshot.view
        if [i.message.id for i in planned.items] != [i.message.id for i in session.view.items]:
            raise stale_plan()
        return await _make(chats, session, optimization)


async def _make(chats: Conversations, session: Session, optimization: Optimization) -> Session:
    before, after = carried_entries(optimization.snapshot, optimization.compaction)
    info = session.info
    link = ConversationLink(conversation=info.id, title=info.title, is_back=True)
    title = marked_title(info.title, CONTINUED)
    entries = [
        *copy_entries(before),
        *_summary(chats.services, session, optimization),
        stamp(link),
        *copy_entries(after),
    ]
    fresh = await chats.create_with(title, entries, info.model, info.folder, session.setup, info.policy, info.project)
    await session.record(stamp(ConversationLink(conversation=fresh.id, title=title)))
    return fresh


def _summary(services: Services, session: Session, optimization: Optimization) -> list[AnyEntry]:
    """Return the plan's summary or, if the plan has none, the conversation's current summary; [] without either."""
    summary, earlier = optimization.compaction, session.view.summary
    if summary is not None:
        noted = services.summaries.note_replaced_model(session, replace(summary, id="", archived=()))
        return [stamp(noted)]
    return [] if earlier is None else [stamp(replace(earlier, id="", at=0.0, archived=(), usage=None))]
