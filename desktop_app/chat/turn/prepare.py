"""What comes before the first request of a turn: the model, the tools on offer, memory and recall, and the message."""

from __future__ import annotations

import asyncio

from desktop_app.chat.ports import Emit
from desktop_app.chat.services import Services
from desktop_app.chat.session import Session
from desktop_app.chat.session_model import find_model
from desktop_app.chat.stamp import stamp
from desktop_app.conversation.message import Message

from .request_context import record_request_context

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
    finally:  # whoever stops now, or whatever goes wrong: what the user has said is not lost
        finding.cancel()
        if unsaved is not None:
            emit(await session.record_message(unsaved, *recalled))
    emit(session.gauge_changed())
    # The message is safe, and seen: describing takes its time, and may be stopped.
    if services.describe_images is not None and message is not None:
        await services.describe_images(session, message, emit)
