"""Background work that makes the next turn start sooner: read tools and memory, warm up a local model."""

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
"""Seconds that opening a conversation waits for the tools, at most."""

log = logging.getLogger(__name__)


class GettingReady:
    """Prepares turns in the background, one preparation at a time for each conversation.

    is_busy: returns whether a turn of that conversation is running or about to begin.
    """

    def __init__(self, tasks: Tasks, services: Services, publish: Emit, is_busy: Callable[[str], bool]) -> None:
        self._tasks = tasks
        self._services = services
        self._publish = publish
        self._is_busy = is_busy
        self._to_equip: WeakValueDictionary[str, Session] = WeakValueDictionary()
        self._read_ahead = WeakKeyDictionary[RequestCounter, object]()  # the items of the view that its model has read

    def expect(self, session: Session) -> None:
        """Start a local model and let it read the conversation. Called when the user begins to type."""
        key = Job.READ_AHEAD.of(session.id)
        if self._read_ahead.get(session.counter) is not session.view.items and not self._tasks.is_running(key):
            self._read_ahead[session.counter] = session.view.items
            self._tasks.start(key, self._prepare_model(session))
        else:  # what it needs may have ended since
            self._tasks.start_once(Job.MODEL_START.of(session.model.info.id), session.model.prepare)

    async def equip(self, session: Session) -> None:
        """Record and count the tools and memory of a conversation's first request, unless a turn does so anyway.

        Does not wait for a slow tool server: the gauge changes once it has answered.
        """
        self.begin_to_equip(session)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._tasks.wait(Job.CONTEXT.of(session.id)), EQUIP_SECONDS)

    def begin_to_equip(self, session: Session) -> None:
        """Start `equip` without waiting for it."""
        if self._is_busy(session.id):
            return
        self._to_equip[session.id] = session  # also while a task runs: what it has read may be out of date
        self._tasks.start_once(Job.CONTEXT.of(session.id), partial(self._record_context, session.id))

    async def stop(self, conversation: str) -> None:
        """Cancel the preparation when a turn begins, except for the request to count the tools."""
        await self._tasks.cancel(Job.READ_AHEAD.of(conversation))
        await self._tasks.cancel(Job.CONTEXT.of(conversation))

    async def _record_context(self, conversation: str) -> None:
        """Record the tools and memory of the first request, if due. Errors are only logged: the turn reports them."""
        while (session := self._to_equip.pop(conversation, None)) is not None:
            try:
                if await record_first_context(session, self._services):
                    self._publish(session.gauge_changed())
            except WorldError as error:
                log.warning("what a request carries was not recorded: %s", error)
            self._tasks.start_once(Job.TOOL_COUNT.of(conversation), partial(self._count_tools, session))

    async def _count_tools(self, session: Session) -> None:
        """Ask the model's own server to count the tools, if it can. A turn does not wait for the answer."""
        if await session.counter.ask_for_tools(self._services.models) and session.closed_by is None:
            self._publish(session.gauge_changed())

    async def _prepare_model(self, session: Session) -> None:
        """Start a local model and let it read the conversation."""
        # A separate task: sending a message cancels this one, but needs the server just the same.
        key = Job.MODEL_START.of(session.model.info.id)
        self._tasks.start_once(key, session.model.prepare)
        await self._tasks.wait(key)
        if session.counter.gauge().total <= session.counter.budget.limit:
            await session.model.read_ahead(session.counter.assemble()[0])
