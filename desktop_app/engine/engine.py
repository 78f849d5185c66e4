"""The engine of one window: its services, and what it keeps between two requests."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from desktop_app.chat.compaction.optimize import Optimization
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.chat.tasks import Tasks
from desktop_app.conversation.events import Failure, TurnEvent
from desktop_app.conversation.words import translatable
from desktop_app.tools.list_folder import FileNames

from .event_coalescer import EventCoalescer
from .protocol import Computation, EngineWarned
from .services import EngineServices
from .stored_data import DailyBackups

MAX_PLANS = 8
"""Plans that can still be applied: the dialog makes a new one at each move of its slider."""

FILL_PAUSE = 0.02
"""Seconds between two steps of the same length: half of the archive's time stays for what the user does."""

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
    """What serves one window: the services, and the plans and summaries that are being made for it."""

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
        # What only the newest request is wanted of: computations of a conversation, tests of a server.
        self.newest = Tasks(log_bug)

    def list_was_sent(self) -> None:
        """Begin what takes seconds, once the window has a list to show."""
        if not self._is_warm and not self.shutdown_requested.is_set():
            self._is_warm = True
            self.conversations.in_background("warm-up", self.services.get_ready)
            self.conversations.in_background("backups", self._backups.run)
            self.conversations.in_background("facets", self._fill_facets)

    async def _fill_facets(self) -> None:
        """Make the messages of an older archive known to search filters, a few at a time: the archive is in use."""
        try:
            while await self.services.archive.fill_facets():
                await asyncio.sleep(FILL_PAUSE)
        except WorldError as error:  # the search says that it is not complete
            log.warning("messages could not be made known to search filters: %s", error)

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
            raise WorldError(NOT_VALID)
        return plan

    @contextmanager
    def plan_in_use(self, plan_id: str, is_fresh: bool = False) -> Iterator[Optimization]:
        """Give the plan of that id to be carried out once: it is taken meanwhile, and kept again if that fails.

        is_fresh: whether it is to be one for a fresh start. Raises WorldError if there is none, or it is not written.
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

    async def run_newest(self, key: str, work: Coroutine[Any, Any, T]) -> T:
        """Run work in place of what runs under that key. Raises WorldError if newer work takes its place."""
        while self.newest.is_running(key):  # a third one may have come meanwhile
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

    async def compute(self, what: Computation, conversation: str, work: Coroutine[Any, Any, T]) -> T:
        """Run what is computed of a conversation, "" for all, as `run_newest` does."""
        return await self.run_newest(f"{what} {conversation}", work)

    async def cancel(self, what: Computation, conversation: str) -> None:
        """End what is computed of that conversation, if it is."""
        await self.newest.cancel(f"{what} {conversation}")

    async def show(self, conversation: str) -> None:
        """Note which conversation the window shows, and end what is computed for dialogs about the one before."""
        before, self._shown = self._shown, conversation
        if before != conversation:
            await self.leave(before, but=(Computation.EXPORT,))  # the user waits for the file

    async def leave(self, conversation: str, but: tuple[Computation, ...] = ()) -> None:
        """End all that is computed of a conversation."""
        for what in Computation:
            if conversation and what not in but:
                await self.cancel(what, conversation)

    async def publish(self, session: Session, events: list[TurnEvent]) -> None:
        """Send what an operation changed to the window, and note it in the list of conversations."""
        for event in events:
            self.coalescer.publish(event)
        await self.conversations.turns.note(session)
