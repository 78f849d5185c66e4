"""Prepare the first request of a turn: the model, the tools on offer, memory, recall, and captions of images."""

from __future__ import annotations

from desktop_app.chat.image_captions import caption_images
from desktop_app.chat.ports import Emit
from desktop_app.chat.session import Session, stamp
from desktop_app.chat.session_model import find_model
from desktop_app.chat.turn_services import Services
from desktop_app.context.view.view import View
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import (
    AnyEntry,
    Compaction,
    Prune,
    RequestContext,
    active_entries,
)


async def prepare(session: Session, services: Services, emit: Emit) -> None:
    """Find the model, and record the context of the newest user message: tools, memory, recall and captions.

    Raises ModelError, ArchiveError.
    """
    await find_model(session, services.models, emit)  # before anything is counted
    if services.tools is not None:
        await services.tools.get_ready(session, emit)
    await record_request_context(session, services)
    message = session.message(session.view.last_user_id)
    if message is not None and services.recall is not None and _is_new(message, session.view):
        recalled = await services.recall(session, message)
        if recalled is not None:
            await session.record(stamp(recalled))
    emit(session.gauge_changed())
    if message is not None:
        await caption_images(session, services, message, emit)


def _is_new(message: Message, view: View) -> bool:
    """Return whether the message is the last one, and nothing was recalled for it yet."""
    return view.items[-1].message.id == message.id and message.id not in view.recalled


async def record_first_context(session: Session, services: Services) -> bool:
    """Record the context of the first request, so that it is counted before it is sent. Return whether it was recorded.

    It is recorded again when a model that can call tools replaces one that cannot, and when the system prompt or the
    project's instructions have changed while the branch or the conversation was not open. It gets the time of the last
    entry, so that it does not count as activity. Raises ArchiveError.
    """
    now, is_unsent = session.view.request_context, session.counter.seconds_since_request() is None
    gets_tools = session.model.info.supports_tools and not now.tools
    is_first = is_unsent and (gets_tools or not (now.id and session.view.last_user_id))
    if not is_first and _wanted(session) == (now.system_prompt, now.instructions):
        return False
    at = session.transcript.entries[-1].at if session.transcript.entries else 0.0
    return await record_request_context(session, services, at)


async def record_request_context(session: Session, services: Services, at: float = 0.0) -> bool:
    """Record the request's tools, memory and prompts, if they have changed and that justifies a new prefix.

    Return whether they were recorded. Changes of the tools, the system prompt, the project or its instructions always
    do. New memory waits until the beginning of the request changes anyway, or until the provider's cache of it has
    expired: until then the conversation itself contains what was saved. Another project's memory does not wait.
    at: seconds since 1970 for the entry; 0.0 for now.
    """
    now, project = session.view.request_context, session.info.project
    prompt, instructions = _wanted(session)
    is_changed = (prompt, instructions) != (now.system_prompt, now.instructions)
    if services.tools is None and not is_changed and project == now.project:
        return False
    tools = await services.tools.specs(session, session.model.info) if services.tools is not None else now.tools
    memory = await services.memory.text(session) if services.memory is not None else ""
    is_free = project != now.project or is_prefix_free(session)
    is_due = is_changed or tools != now.tools or (memory != now.memory and is_free)
    if is_due:
        context = RequestContext(
            tools=tools, memory=memory, system_prompt=prompt, instructions=instructions, project=project, at=at
        )
        await session.record(stamp(context))
    return is_due


def _wanted(session: Session) -> tuple[str | None, str]:
    """Return the conversation's system prompt (None for the default) and its project's instructions, as now set."""
    return session.setup.system_prompt, session.project.instructions


def is_prefix_free(session: Session) -> bool:
    """Return whether a new beginning of the request costs nothing: the provider's cache is cold or already invalid."""
    seconds = session.counter.seconds_since_request()
    if seconds is None or seconds >= session.counter.policy.cache_seconds:
        return True
    newest = next((e for e in reversed(active_entries(session.view.path)) if _says_how_it_began(e)), None)
    return isinstance(newest, Prune | Compaction)


def _says_how_it_began(entry: AnyEntry) -> bool:
    """Return whether the entry is a reply with usage, which fills the cache, or an operation, which invalidates it."""
    return isinstance(entry, Prune | Compaction) or (isinstance(entry, Message) and entry.usage is not None)
