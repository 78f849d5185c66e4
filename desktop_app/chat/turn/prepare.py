"""Prepare the first request of a turn: the model, the tools on offer, memory and recall, and the message."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from desktop_app.chat.image_captions import caption_images
from desktop_app.chat.ports import Emit
from desktop_app.chat.recorded_messages import stamp
from desktop_app.chat.session import Session
from desktop_app.chat.session_model import find_model
from desktop_app.chat.turn_services import Services
from desktop_app.context.view.view import with_entries
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import (
    AnyEntry,
    Compaction,
    Prune,
    RequestContext,
    Transcript,
    active_entries,
)

MAX_WAIT = 0.5
"""Seconds that the message waits for its server to tell the window, before it is stored without what is recalled."""


async def prepare(session: Session, services: Services, emit: Emit, prompt: Message | None) -> None:
    """Record what is due, then the message. Raises ModelError, ArchiveError."""
    message = session.message(session.view.last_user_id) if prompt is None else stamp(prompt)
    unsaved = None if prompt is None else message
    finding = asyncio.ensure_future(find_model(session, services.models, emit))  # before anything is counted
    recalled = ()
    try:
        await asyncio.wait({finding}, timeout=MAX_WAIT)
        if not finding.done() and unsaved is not None:
            emit(await session.record_message(unsaved))  # it is not to be lost while a slow server is waited for
            unsaved = None
        await finding
        await record_request_context(session, services)
        if unsaved is not None and services.recall is not None:
            found = await services.recall(session, unsaved)
            recalled = () if found is None else (stamp(found),)
    finally:  # even if the turn is stopped or fails now, the user's message is stored
        finding.cancel()
        if unsaved is not None:
            emit(await session.record_message(unsaved, *recalled))
    emit(session.gauge_changed())
    # The message is safe, and seen: describing takes its time, and may be stopped.
    if message is not None:
        await caption_images(session, services, message, emit)


async def record_first_context(session: Session, services: Services) -> bool:
    """Record what the first request will carry, so that it is counted before it is sent. Return whether that was due.

    The same where a model that can call tools takes the place of one that cannot, where another system prompt holds
    than when the branch was left, or the instructions of its project were changed while it was not open. It does not
    count as something that was done in the conversation. Raises ArchiveError.
    """
    now, is_unsent = session.view.request_context, session.seconds_since_request() is None
    gets_tools = session.model_info.supports_tools and not now.tools
    is_first = is_unsent and (gets_tools or not (now.id and session.view.last_user_id))
    if not is_first and _wanted(session) == (now.system_prompt, now.instructions):
        return False
    at = session.transcript.entries[-1].at if session.transcript.entries else 0.0
    return await record_request_context(session, services, at)


async def record_request_context(session: Session, services: Services, at: float = 0.0) -> bool:
    """Record the tools on offer and the memory, if they have changed and it is worth a new prefix. Return whether.

    Tools that were switched on or off count at once, and so does what the user wants to be said of the system prompt,
    the project and its instructions. Memory that was saved since then waits until the beginning of the request changes
    anyway, or the provider's cache of it is cold: until then it is in the conversation itself. Another project's memory
    does not wait.
    """
    now, project = session.view.request_context, session.info.project
    prompt, instructions = _wanted(session)
    is_changed = (prompt, instructions) != (now.system_prompt, now.instructions)
    if services.tools is None and not is_changed and project == now.project:
        return False
    tools = await services.tools.specs(session) if services.tools is not None else now.tools
    memory = await services.memory.text(session) if services.memory is not None else ""
    is_free = project != now.project or is_prefix_free(session)
    is_due = is_changed or tools != now.tools or (memory != now.memory and is_free)
    if is_due:
        context = RequestContext(
            tools=tools, memory=memory, system_prompt=prompt, instructions=instructions, project=project, at=at
        )
        await session.record(stamp(context))
    return is_due


async def transcript_with_tools(session: Session, services: Services) -> Transcript:
    """Return the session's transcript with the tools that its model would be offered. Nothing is recorded."""
    now = session.view.request_context
    tools = now.tools if services.tools is None else await services.tools.specs(session)
    if tools == now.tools:
        return session.transcript
    return with_entries(session.transcript, stamp(replace(now, tools=tools, id="", at=0.0)))


def _wanted(session: Session) -> tuple[str | None, str]:
    """Return the system prompt of its own, and the instructions of its project, as the next request will have them."""
    return session.setup.system_prompt, session.project.instructions


def is_prefix_free(session: Session) -> bool:
    """Return whether nothing is lost if the request begins differently from the last one."""
    seconds = session.seconds_since_request()
    if seconds is None or seconds >= session.policy.cache_seconds:
        return True
    newest = next((e for e in reversed(active_entries(session.view.path)) if _says_how_it_began(e)), None)
    return isinstance(newest, Prune | Compaction)


def _says_how_it_began(entry: AnyEntry) -> bool:
    """Return whether the entry is a reply to the newest request, or an operation after it."""
    return isinstance(entry, Prune | Compaction) or (isinstance(entry, Message) and entry.usage is not None)
