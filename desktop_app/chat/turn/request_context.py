"""What a request carries beside its messages: recorded when it changes, and only when that is worth a new prefix."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from desktop_app.chat.session import Session, stamped
from desktop_app.context.view.view import active_entries
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Compaction, Prune, RequestContext

from .tool_runtime import ToolRuntime

MemoryText = Callable[[Session], Awaitable[str]]
"""What is remembered of the user, as it would stand in that session's system prompt now; "" for nothing."""


def is_unequipped(session: Session) -> bool:
    """Whether nothing was sent yet from here: what the first request will carry can be recorded at any time."""
    return session.seconds_since_request() is None and (
        not session.view.request_context.id or not session.view.last_user_id
    )


async def equipped(session: Session, bench: ToolRuntime, memory_text: MemoryText, at: float = 0.0) -> bool:
    """Records the tools on offer and the memory, if that is due; whether it was. at: the time that it is given, if
    it is not to count as something that was done in the conversation.

    Tools that were switched on or off count at once. Memory that was saved meanwhile waits until the beginning of the
    request changes anyway, or the provider's cache of it is cold: until then it is in the conversation itself.
    """
    tools, memory, now = await bench.specs(session), await memory_text(session), session.view.request_context
    is_due = tools != now.tools or (memory != now.memory and is_prefix_free(session))
    if is_due:
        await session.record(stamped(RequestContext(tools=tools, memory=memory, at=at)))
    return is_due


def is_prefix_free(session: Session) -> bool:
    """Whether nothing is lost if the request begins differently from the last one."""
    seconds, warm = session.seconds_since_request(), session.policy.cache_seconds
    if seconds is None or seconds >= warm:
        return True
    newest = next((e for e in reversed(active_entries(session.transcript.entries)) if is_telling(e)), None)
    return isinstance(newest, Prune | Compaction)


def is_telling(entry: object) -> bool:
    """Whether that entry says how the newest request began: a reply to it, or an operation after it."""
    return isinstance(entry, Prune | Compaction) or (isinstance(entry, Message) and entry.usage is not None)
