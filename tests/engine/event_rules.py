"""What must hold of the events in the order in which they are published, and of responses as they are sent."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

from simulated_parts import Faults

from desktop_app.conversation.events import (
    QuestionAsked,
    ReasoningDelta,
    ReplyStarted,
    RetryScheduled,
    TextDelta,
    ToolFinished,
    ToolOutputReceived,
    ToolStarted,
    TurnEvent,
    TurnFinished,
    TurnStarted,
)
from desktop_app.engine import protocol as p
from desktop_app.engine.event_coalescer import EventCoalescer

IN_A_TURN = (
    ReplyStarted, TextDelta, ReasoningDelta, ToolStarted, ToolOutputReceived, ToolFinished, QuestionAsked,
    RetryScheduled,
)  # fmt: skip


class WatchedCoalescer(EventCoalescer):
    """The engine's own, which shows each event first as it is published."""

    def __init__(self, write: Callable[[bytes], None], look: Callable[[TurnEvent], None]) -> None:
        super().__init__(write)
        self._look = look

    def publish(self, event: TurnEvent) -> None:
        self._look(event)
        super().publish(event)


class EventRules:
    """Follows the turns of one engine. task_of: returns the task of the turn that runs in a conversation."""

    def __init__(
        self, faults: Faults, loop: asyncio.AbstractEventLoop, task_of: Callable[[str], asyncio.Task[Any] | None]
    ) -> None:
        self._faults, self._loop, self._task_of = faults, loop, task_of
        self._running: set[str] = set()
        self._plans: Counter[str] = Counter()

    def take(self, event: TurnEvent) -> None:
        """An event that belongs to a turn comes in one, and the end of a turn is the last that is done in it."""
        conversation, name = event.conversation, type(event).__name__
        match event:
            case TurnStarted():
                if conversation in self._running:
                    self._faults.append(f"a turn of {conversation} begins in another one")
                self._running.add(conversation)
            case TurnFinished():
                if conversation not in self._running:
                    self._faults.append(f"a turn of {conversation} ends that did not begin")
                self._running.discard(conversation)
                self._loop.call_soon(self._check_ended, conversation, self._task_of(conversation))
            case _ if isinstance(event, IN_A_TURN) and conversation not in self._running:
                self._faults.append(f"{name} of {conversation} behind the end of its turn")
            case _:
                pass

    def _check_ended(self, conversation: str, task: asyncio.Task[Any] | None) -> None:
        if task is not None and not task.done():
            self._faults.append(f"the end of a turn of {conversation} is told while it runs")

    def answered(self, request: object) -> None:
        """A request was carried out: a plan is carried out once."""
        if isinstance(request, p.ApplyPlan | p.StartFresh):
            self._plans[request.plan] += 1
            if self._plans[request.plan] > 1:
                self._faults.append(f"the plan {request.plan} was carried out twice")
