"""What a request carries beside its messages: recorded when it changes, and only when that is worth a new prefix."""

from __future__ import annotations

from desktop_app.chat.services import Services
from desktop_app.chat.session import Session
from desktop_app.chat.stamp import stamp
from desktop_app.context.view.view import active_entries
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import AnyEntry, Compaction, Prune, RequestContext


async def record_first_context(session: Session, services: Services) -> bool:
    """Record what the first request will carry, so that it is counted before it is sent. Return whether that was due.

    It does not count as something that was done in the conversation. Raises ArchiveError.
    """
    is_unsent = session.seconds_since_request() is None
    if not is_unsent or (session.view.request_context.id and session.view.last_user_id):
        return False
    at = session.transcript.entries[-1].at if session.transcript.entries else 0.0
    return await record_request_context(session, services, at)


async def record_request_context(session: Session, services: Services, at: float = 0.0) -> bool:
    """Record the tools on offer and the memory, if they have changed. Return whether they had.

    Tools that were switched on or off count at once. Memory that was saved meanwhile waits until the beginning of the
    request changes anyway, or the provider's cache of it is cold: until then it is in the conversation itself.
    """
    if services.tools is None:
        return False
    tools, now = await services.tools.specs(session), session.view.request_context
    memory = await services.memory.text(session) if services.memory is not None else ""
    is_due = tools != now.tools or (memory != now.memory and is_prefix_free(session))
    if is_due:
        await session.record(stamp(RequestContext(tools=tools, memory=memory, at=at)))
    return is_due


def is_prefix_free(session: Session) -> bool:
    """Return whether nothing is lost if the request begins differently from the last one."""
    seconds = session.seconds_since_request()
    if seconds is None or seconds >= session.policy.cache_seconds:
        return True
    newest = next((e for e in reversed(active_entries(session.transcript.entries)) if _says_how_it_began(e)), None)
    return isinstance(newest, Prune | Compaction)


def _says_how_it_began(entry: AnyEntry) -> bool:
    """Return whether the entry is a reply to the newest request, or an operation after it."""
    return isinstance(entry, Prune | Compaction) or (isinstance(entry, Message) and entry.usage is not None)
