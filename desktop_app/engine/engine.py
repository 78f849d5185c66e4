"""The engine of one window: its services, and its state between requests."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from desktop_app.chat.compaction.optimize import Optimization
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.chat.tasks import Job, TaskKey, Tasks
from desktop_app.conversation.events import Failure, TurnEvent
from desktop_app.conversation.words import translatable
from desktop_app.tools.list_folder import FileNames

from .event_coalescer import EventCoalescer
from .protocol import Computation, EngineWarned
from .services import EngineServices
from .stored_data import DailyBackups

MAX_PLANS = 8
"""Maximum number of plans that can be applied. The dialog requests a new one at each move of its slider."""

FILL_PAUSE = 0.02
"""Seconds between two steps, which take about as long, so that the archive is free half of the time."""

T = TypeVar("T")

NOT_VALID = Failure(
    "stale",
    translatable("This plan is no longer valid"),
    kept=translatable("Nothing was changed."),
    advice=translatable("Open Optimize conversation again."),
)
NOT_WRITTEN = Failure(
    "bad_input",
    translatable("The summary is not written yet"),
    kept=translatable("Nothing was changed."),
    advice=translatable("Let the model write it, or choose a summary without a model."),
)

log = logging.getLogger(__name__)


def log_bug(error: BaseException) -> None:
    """Log a bug with its traceback."""
    log.error("bug", exc_info=error)


class Engine:
    """Serves one window: owns its services, and the plans and computations for its dialogs."""

    def __init__(self, services: EngineServices, coalescer: EventCoalescer) -> None:
        self.services = services
        self.conversations = services.conversations
        self.coalescer = coalescer
        self._backups = DailyBackups(services.data, lambda failure: coalescer.send(EngineWarned(failure)))
        self.shutdown_requested = asyncio.Event()
        self._is_warm = False
        self.file_names = FileNames()
        self._plans: dict[str, Optimization] = {}
        self._shown = ""
        # Work that a newer request replaces: computations about a conversation, tests of a server.
        self.newest = Tasks(log_bug)

    def list_was_sent(self) -> None:
        """Start slow background work, now that the window has its list."""
        if not self._is_warm and not self.shutdown_requested.is_set():
            self._is_warm = True
            self.conversations.in_background(Job.WARM_UP, self.services.get_ready)
            self.conversations.in_background(Job.BACKUPS, self._backups.run)
            self.conversations.in_background(Job.FACETS, self._fill_facets)

    async def _fill_facets(self) -> None:
        """Index the messages of an older archive for search filters, in small steps since the archive is in use."""
        try:
            while await self.services.archive.fill_facets():
                await asyncio.sleep(FILL_PAUSE)
        except WorldError as error:  # search results say that they are incomplete
            log.warning("messages could not be made known to search filters: %s", error)

    def ask_silent_servers(self) -> None:
        """Ask the servers for their models again, in the background, if one did not respond."""
        if self.services.catalogue.has_silent_servers:
            self.conversations.in_background(Job.SERVER_MODELS, self.services.ask_servers)

    def keep_plan(self, optimization: Optimization) -> None:
        """Keep a plan until it is applied or displaced by newer ones."""
        self._plans[optimization.id] = optimization
        while len(self._plans) > MAX_PLANS:
            del self._plans[next(iter(self._plans))]

    @property
    def plans(self) -> Iterable[Optimization]:
        """The plans that can still be applied, the newest first."""
        return reversed(self._plans.values())

    def plan(self, plan_id: str) -> Optimization:
        """Return the plan with that id. Raises WorldError if it is no longer kept."""
        plan = self._plans.get(plan_id)
        if plan is None:
            raise WorldError(NOT_VALID)
        return plan

    @contextmanager
    def plan_in_use(self, plan_id: str, is_fresh: bool = False) -> Iterator[Optimization]:
        """Provide a plan that can be applied once: it is removed, and put back if the block fails.

        is_fresh: whether it must be a plan for a fresh start. Raises WorldError if there is no such plan, or its
        summary is not written yet.
        """
        plan = self.plan(plan_id)
        if plan.is_fresh is not is_fresh:
            raise WorldError(NOT_VALID)
        if not plan.is_written:
            raise WorldError(NOT_WRITTEN)
        del self._plans[plan_id]
        try:
            yield plan
        except BaseException:
            self.keep_plan(plan)
            raise

    async def run_newest(self, key: TaskKey, work: Coroutine[Any, Any, T]) -> T:
        """Run work in place of the work that is running under that key. Raises WorldError if newer work replaces it."""
        while self.newest.is_running(key):  # more work may have started while that was being cancelled
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

    async def compute(self, computation: Computation, conversation: str, work: Coroutine[Any, Any, T]) -> T:
        """Run a computation about a conversation, or about all (""), as `run_newest` does."""
        return await self.run_newest(TaskKey(computation, conversation), work)

    async def cancel(self, computation: Computation, conversation: str) -> None:
        """Cancel a computation about a conversation, if it is running."""
        await self.newest.cancel(TaskKey(computation, conversation))

    async def show(self, conversation: str) -> None:
        """Note which conversation the window shows, and cancel the computations about the previous one."""
        before, self._shown = self._shown, conversation
        if before != conversation:
            await self.leave(before, but=(Computation.EXPORT,))  # the user still wants the file

    async def leave(self, conversation: str, but: tuple[Computation, ...] = ()) -> None:
        """Cancel the computations about a conversation. but: kinds that continue."""
        for computation in Computation:
            if conversation and computation not in but:
                await self.cancel(computation, conversation)

    async def publish(self, session: Session, events: list[TurnEvent]) -> None:
        """Send the events of an operation to the window, and update the sidebar's list."""
        for event in events:
            self.coalescer.publish(event)
        await self.conversations.turns.note(session)
