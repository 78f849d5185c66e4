"""Work done for a turn before it is requested, so that it starts sooner."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from weakref import WeakKeyDictionary, WeakValueDictionary

from .ports import Emit, WorldError
from .request_counter import RequestCounter
from .session import Session
from .tasks import Job, Tasks
from .turn.prepare import record_first_context
from .turn_services import Services

EQUIP_SECONDS = 0.3
"""The longest that opening a conversation waits for the tools on offer."""

log = logging.getLogger(__name__)


class GettingReady:
    """Prepares turns in the background, one preparation at a time in each conversation.

    is_busy: returns whether a turn runs there or is about to begin.
    """

    def __init__(self, tasks: Tasks, services: Services, publish: Emit, is_busy: Callable[[str], bool]) -> None:
        self._tasks = tasks
        self._services = services
        self._publish = publish
        self._is_busy = is_busy
        self._to_equip: WeakValueDictionary[str, Session] = WeakValueDictionary()
        self._read_ahead = WeakKeyDictionary[RequestCounter, object]()  # the items of the view, for its model

    def expect(self, session: Session) -> None:
        """Let a local model get ready and read the conversation, since the user has begun to type."""
        key = Job.READ_AHEAD.of(session.id)
        if self._read_ahead.get(session.counter) is not session.view.items and not self._tasks.is_running(key):
            self._read_ahead[session.counter] = session.view.items
            self._tasks.start(key, self._prepare_model(session))

    async def equip(self, session: Session) -> None:
        """Record and count the tools and memory of a conversation's first request, unless a turn does so anyway.

        If a server of tools is slow, this returns first, and the gauge changes once the server has answered.
        """
        self.begin_to_equip(session)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._tasks.wait(Job.CONTEXT.of(session.id)), EQUIP_SECONDS)

    def begin_to_equip(self, session: Session) -> None:
        """Begin that without waiting for it."""
        if self._is_busy(session.id):
            return
        self._to_equip[session.id] = session  # also if one is under way, which may have read what has changed since
        self._tasks.start_once(Job.CONTEXT.of(session.id), partial(self._record_context, session.id))

    async def stop(self, conversation: str) -> None:
        """End it, since a turn begins. A server may still count the tools."""
        await self._tasks.cancel(Job.READ_AHEAD.of(conversation))
        await self._tasks.cancel(Job.CONTEXT.of(conversation))

    async def _record_context(self, conversation: str) -> None:
        """Record the tools and memory of the first request, if due. Errors are logged, as the turn reports them."""
        while (session := self._to_equip.pop(conversation, None)) is not None:
            try:
                if await record_first_context(session, self._services):
                    self._publish(session.gauge_changed())
            except WorldError as error:
                log.warning("what a request carries was not recorded: %s", error)
            self._tasks.start_once(Job.TOOL_COUNT.of(conversation), partial(self._count_tools, session))

    async def _count_tools(self, session: Session) -> None:
        """Let the model's own server count the tools, where it can; a turn that begins does not wait for it."""
        if await session.counter.ask_for_tools(self._services.models) and session.closed_by is None:
            self._publish(session.gauge_changed())

    async def _prepare_model(self, session: Session) -> None:
        """Let a local model start, and read the conversation."""
        # A task of its own: a message sent in the meantime, which ends this one, needs the server just as well.
        key = Job.MODEL_START.of(session.model.info.id)
        self._tasks.start_once(key, session.model.prepare)
        await self._tasks.wait(key)
        if session.counter.gauge().total <= session.counter.budget.usable:
            await session.model.read_ahead(session.counter.assemble()[0])
