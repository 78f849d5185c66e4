"""The engine of one window: its services, and what it keeps between two requests."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from desktop_app.chat.compaction.optimize import Optimization
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.chat.tasks import Tasks
from desktop_app.conversation.events import Failure, TurnEvent
from desktop_app.conversation.words import translatable
from desktop_app.tools.file_names import FileNames

from .event_coalescer import EventCoalescer
from .services import EngineServices

MAX_PLANS = 8
"""Plans that can still be applied: the dialog makes a new one at each move of its slider."""

T = TypeVar("T")

log = logging.getLogger(__name__)


def log_bug(error: BaseException) -> None:
    """Log a bug with its traceback."""
    log.error("bug", exc_info=error)


class Engine:
    """What serves one window: the services, and the plans and summaries that are being made for it."""

    def __init__(self, services: EngineServices, coalescer: EventCoalescer) -> None:
        self.services = services
        self.conversations = services.conversations
        self.coalescer = coalescer
        self.shutdown_requested = asyncio.Event()
        self._is_warm = False
        self.file_names = FileNames()
        self._plans: dict[str, Optimization] = {}
        # What only the newest request is wanted of, such as the summaries that are being written, by conversation.
        self.newest = Tasks(log_bug)

    def list_was_sent(self) -> None:
        """Begin what takes seconds, once the window has a list to show."""
        if not self._is_warm:
            self._is_warm = True
            self.conversations.in_background("warm-up", self.services.get_ready)

    def ask_silent_servers(self) -> None:
        """Ask the servers again, in the background, if one of them did not respond."""
        if self.services.catalogue.has_silent_servers:
            self.conversations.in_background("asking servers", self.services.ask_servers)

    def keep_plan(self, optimization: Optimization) -> None:
        """Keep a plan until it is applied, or newer ones push it out."""
        self._plans[optimization.id] = optimization
        while len(self._plans) > MAX_PLANS:
            del self._plans[next(iter(self._plans))]

    def plan(self, plan_id: str) -> Optimization:
        """Return the plan of that id. Raises WorldError if it is not kept any more."""
        plan = self._plans.get(plan_id)
        if plan is None:
            title, advice = (
                translatable("This plan is no longer valid"),
                translatable("Open Optimize conversation again."),
            )
            raise WorldError(
                Failure(kind="stale", title=title, kept=translatable("Nothing was changed."), advice=advice)
            )
        return plan

    def take_plan(self, plan_id: str) -> Optimization:
        """Return the plan of that id and forget it. Raises WorldError if it is not kept any more."""
        plan = self.plan(plan_id)
        del self._plans[plan_id]
        return plan

    async def run_newest(self, key: str, work: Coroutine[Any, Any, T]) -> T:
        """Run work in place of what runs under that key. Raises WorldError if newer work takes its place."""
        await self.newest.cancel(key)
        task = self.newest.start(key, work)
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            await self.newest.cancel(key)
            raise
        if task.cancelled():
            raise WorldError(
                Failure("cancelled", translatable("This was cancelled"), kept=translatable("Nothing was changed."))
            )
        return task.result()

    async def publish(self, session: Session, events: list[TurnEvent]) -> None:
        """Send what an operation changed to the window, and note it in the list of conversations."""
        for event in events:
            self.coalescer.publish(event)
        await self.conversations.turns.note(session)
