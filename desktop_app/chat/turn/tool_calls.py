"""The calls of one reply: permission, run, truncate, record. Every call gets a result, on every path."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection
from contextlib import aclosing

from desktop_app.chat.ports import Emit, WorldError
from desktop_app.chat.session import Session
from desktop_app.chat.stamp import stamp
from desktop_app.chat.tasks import shielded
from desktop_app.context.fitting import fit_result_size
from desktop_app.context.truncate import truncate_result
from desktop_app.conversation.events import ToolFinished, ToolOutputReceived, ToolStarted
from desktop_app.conversation.message import CallEnding, Message, Role, ToolCall, ToolResult
from desktop_app.conversation.tools import ToolOutcome

from .repeated_calls import RepeatedCalls
from .tool_runtime import ToolRuntime

TOOL_SECONDS = 660.0
"""Longer than any tool's own limit: what does not end by itself is ended."""
OUTPUT_KEPT = 200_000
"""Characters of what a running tool has shown that are kept, in case that it is stopped."""
STOPPED = "[Stopped before it ended; it may have had effects.]"
TOO_LONG = f"[No end after {TOOL_SECONDS:.0f} seconds.]"
STOPPED_ALONE = "[Stopped by the user before it ended; it may have had effects.]"
NOT_BEGUN = "[Stopped before it began.]"
CRASHED = "[Palimpsest ended while this call ran; it may have had effects. Look before you repeat it.]"


class ToolCalls:
    """The calls of one reply while they run. repeats: the calls of its turn so far."""

    def __init__(
        self, session: Session, tools: ToolRuntime, emit: Emit, reply: Message, repeats: RepeatedCalls | None = None
    ) -> None:
        self._session = session
        self._tools = tools
        self._emit = emit
        self._reply = reply
        self._repeats = repeats or RepeatedCalls()
        # What each call that has begun has put out so far, by its index.
        self._shown: dict[int, str] = {}
        self._answered: set[int] = set()

    async def run(self) -> None:
        """Run them all, and tell of each what happens. Raises ArchiveError. Cancelling it ends the tools.

        What only looks runs at once; what changes something, one after the other, in the order of the calls.
        """
        calls = self._reply.tool_calls
        self._repeats.begin_round(self._session.view)
        if len({call.call_id for call in calls}) < len(calls):  # results are paired by their ids
            for index, call in enumerate(calls):
                await self._answer(index, call, await self._changes(call))
            return
        try:
            await self._run_at_once(calls)
        except ExceptionGroup as errors:  # a bug comes first: what the world did beside it is less to be known
            raise min(errors.exceptions, key=lambda error: isinstance(error, WorldError)) from None

    async def close(self) -> None:
        """Give the calls that have no result yet one that says why, with what they had shown."""
        for index, call in enumerate(self._reply.tool_calls):
            if index not in self._answered:
                await self._record(index, call, self._cut_short(index, STOPPED), 0.0)

    async def _run_at_once(self, calls: tuple[ToolCall, ...]) -> None:
        changing: list[asyncio.Task[None]] = []
        async with asyncio.TaskGroup() as group:
            for index, call in enumerate(calls):
                if await self._changes(call):
                    changing.append(group.create_task(self._answer(index, call, True, tuple(changing))))
                else:
                    group.create_task(self._answer(index, call, False))

    async def _changes(self, call: ToolCall) -> bool:
        """Return whether it has to wait for the calls before it."""
        return bool(await self._tools.toolbox.needs(call, self._tools.context_of(self._session)))

    async def _refusal(self, call: ToolCall) -> str:
        """Return why that call may not run, in words for the model; "" if it may."""
        return await self._tools.refusal(self._session, call, self._emit)

    async def _answer(
        self, index: int, call: ToolCall, changes: bool, before: Collection[asyncio.Task[None]] = ()
    ) -> None:
        """Run the call, if it may and would bring something new, and record its result. before: those whose ends it
        waits for."""
        outcome = self._repeats.answer(call, self._session.view)
        if outcome is None and (refusal := await self._refusal(call)):
            outcome = ToolOutcome(refusal, is_error=True, ending="denied")
        if before and outcome is None:
            await asyncio.wait(before)
        started = time.monotonic()
        outcome = outcome or await self._outcome(index, call)
        message = await shielded(self._record(index, call, outcome, time.monotonic() - started))
        if outcome.ending == "repeated":
            self._repeats.note_answer(call, message)
        else:
            self._repeats.note_result(call, outcome.text, message, changes)

    async def _outcome(self, index: int, call: ToolCall) -> ToolOutcome:
        """Return how the call ends. A bug in a tool is reported, and is a result like any other."""
        self._shown[index] = ""
        self._emit(ToolStarted(self._session.id, self._reply.id, call, index))
        limit, is_stopped = asyncio.timeout(TOOL_SECONDS), False

        def stop() -> None:
            nonlocal is_stopped
            if not limit.expired():
                is_stopped = True
                limit.reschedule(0.0)  # its time is up now

        try:
            async with limit:
                with self._tools.stoppable(self._session.id, self._reply.id, index, stop):
                    return await self._ran(index, call)
        except Exception as error:  # noqa: BLE001 - reported as a bug; the call still gets its result
            if limit.expired():
                if is_stopped:
                    return self._cut_short(index, STOPPED_ALONE)
                return self._cut_short(index, TOO_LONG, "timed_out")
            self._tools.on_bug(error)
            return ToolOutcome(f"[The tool failed inside Palimpsest: {type(error).__name__}]", is_error=True)

    async def _ran(self, index: int, call: ToolCall) -> ToolOutcome:
        """Run the call, and tell what it puts out."""
        running = self._tools.toolbox.run(call, self._tools.context_of(self._session))
        async with aclosing(running):
            async for piece in running:
                if isinstance(piece, ToolOutcome):
                    return piece
                self._shown[index] = (self._shown[index] + piece)[-OUTPUT_KEPT:]
                self._emit(ToolOutputReceived(self._session.id, call.call_id, piece, self._reply.id, index))
        return ToolOutcome("[The tool ended without a result.]", is_error=True)

    def _cut_short(self, index: int, words: str, ending: CallEnding = "stopped") -> ToolOutcome:
        """Return what that call has shown so far, and why there is no more of it."""
        output = (self._shown[index], words) if index in self._shown else (NOT_BEGUN,)
        return ToolOutcome("\n".join(filter(None, output)), is_error=True, ending=ending)

    async def _record(self, index: int, call: ToolCall, outcome: ToolOutcome, seconds: float) -> Message:
        """Store the result as it enters, and tell of it. Return its message."""
        if outcome.ending == "repeated":  # it was truncated when it entered first
            result = ToolResult(call.call_id, call.name, outcome.text, outcome.is_error, ending=outcome.ending)
            message = stamp(Message(role=Role.TOOL, parts=(result,)))
        else:
            message = await self._result_message(call, outcome, seconds)
        recorded = await self._session.record_message(message)
        self._answered.add(index)
        size = len(outcome.text.encode(errors="replace"))
        fields = (self._session.id, call.call_id, message.id, call.name, outcome.is_error, seconds, size)
        self._emit(recorded)
        self._emit(ToolFinished(*fields, self._reply.id, index))
        self._emit(self._session.gauge_changed())
        return message

    async def _result_message(self, call: ToolCall, outcome: ToolOutcome, seconds: float) -> Message:
        """Return the result as the model gets it: truncated, the whole text in its spill (T1 to T6).

        Where the spill cannot be kept, the notice does not name it.
        """
        policy = fit_result_size(self._session.policy, self._session.own_budget.usable)
        cut = await asyncio.to_thread(truncate_result, outcome.text, call.name, policy)
        spill = ""
        if cut.spill is not None:
            try:
                spill = await self._tools.spills.keep(outcome.text)
            except WorldError:
                cut = await asyncio.to_thread(truncate_result, outcome.text, call.name, policy, False)
        result = ToolResult(call.call_id, call.name, cut.text, outcome.is_error, spill, outcome.ending, outcome.sandbox)
        return stamp(Message(role=Role.TOOL, parts=(result,), seconds=seconds))
