"""The engine: the verbs with their parts in place, and what the server keeps between two wishes."""

from __future__ import annotations

import asyncio
import logging

from desktop_app.chat.compaction.optimize import Optimization
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.conversation.events import Failure, TurnEvent

from .event_coalescer import EventCoalescer
from .services import EngineServices
from .summary_jobs import SummaryJobs

PLANS_KEPT = 8
"""Plans that can still be applied: the dialog makes a new one at each move of its slider."""

log = logging.getLogger(__name__)


def log_bug(error: BaseException) -> None:
    """A mistake of ours: with its traceback in the log."""
    log.error("bug", exc_info=error)


class Engine:
    """What answers one window: the services parts, and plans and summaries that are being made for it."""

    def __init__(self, services: EngineServices, outbox: EventCoalescer) -> None:
        self.services = services
        self.conversations = services.conversations
        self.outbox = outbox
        self.shutdown_requested = asyncio.Event()
        self._is_warm = False
        self._plans: dict[str, Optimization] = {}
        self.summaries = SummaryJobs(log_bug)

    def list_was_sent(self) -> None:
        """The window has something to show: now is the time for what takes seconds, on threads of its own."""
        if not self._is_warm:
            self._is_warm = True
            self.conversations.in_background("warm-up", self.services.get_ready())

    def ask_silent_servers(self) -> None:
        """Ask the servers again, in the background, if one did not answer: somebody looks at the models just now."""
        if self.services.catalogue.has_silent_servers:
            self.conversations.in_background_once("asking servers", self.services.ask_servers)

    def keep_plan(self, optimization: Optimization) -> None:
        """Keeps a plan until it is applied or newer ones push it out."""
        self._plans[optimization.id] = optimization
        while len(self._plans) > PLANS_KEPT:
            del self._plans[next(iter(self._plans))]

    def plan(self, plan_id: str) -> Optimization:
        """The plan of that id. Raises WorldError if it is not kept any more."""
        plan = self._plans.get(plan_id)
        if plan is None:
            title, advice = "This plan is no longer valid", "Open Optimize conversation again."
            raise WorldError(Failure(kind="stale", title=title, kept="Nothing was changed.", advice=advice))
        return plan

    def take_plan(self, plan_id: str) -> Optimization:
        """The plan of that id, which can be taken once. Raises WorldError if it is not kept any more."""
        plan = self.plan(plan_id)
        del self._plans[plan_id]
        return plan

    async def publish(self, session: Session, events: list[TurnEvent]) -> None:
        """Send what an operation changed to the window, and note it in the list of conversations."""
        for event in events:
            self.outbox.publish(event)
        await self.conversations.turns.note(session)

    def request_shutdown(self) -> None:
        """Asks the server to end; what is in flight is stored first."""
        self.shutdown_requested.set()

    async def close(self) -> None:
        """Stores what is in flight, and ends all parts."""
        await self.services.close()
