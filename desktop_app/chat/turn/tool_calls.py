"""Run the calls of one reply: check permission, run, truncate, record. Every call gets a result, even after errors.

A call that the turn repeats is answered from the record.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Collection
from contextlib import aclosing

import msgspec

from desktop_app.chat.ports import Emit, WorldError
from desktop_app.chat.session import Session, stamp
from desktop_app.chat.tasks import shielded
from desktop_app.context.fitting import fit_result_size
from desktop_app.context.truncate import truncate_result
from desktop_app.context.view.view import View
from desktop_app.conversation.events import ToolFinished, ToolOutputReceived, ToolStarted
from desktop_app.conversation.message import CallEnding, Message, Role, ToolCall, ToolResult
from desktop_app.conversation.tools import AS_RECORDED, HAS_IT, ToolOutcome

from .tool_runtime import ToolRuntime

MAX_SAME = 2
"""Runs in a row with the same result after which a call is not run again."""
MAX_ANSWERS = 3
"""Answers from the record to one call after which the turn stops."""

Signature = tuple[str, str]
"""The name of a call's tool, and its arguments independent of their order."""


class EarlierCall(msgspec.Struct):
    """A call that was made in this turn, with its newest result."""

    result: ToolResult
    """As recorded."""
    result_id: str
    """The id of the newest message that gives it to the model."""
    output: int
    """The hash of the full result, before truncation."""
    changes: bool
    """Whether it may change something."""
    round: int
    runs: int = 1
    same: int = 1
    """Number of its latest runs in a row that had this result."""
    answers: int = 0
    """Number of times it was answered from the record."""
    was_read: bool = False
    """Whether its result was sent to the model, not pruned."""

    @property
    def is_answered(self) -> bool:
        """Whether a repetition of the call is answered from the record."""
        return self.same >= MAX_SAME or (self.changes and not self.was_read)


def signature_of(call: ToolCall) -> Signature:
    """Return a key that is equal for equivalent calls."""
    try:
        return call.name, json.dumps(json.loads(call.arguments or "{}"), sort_keys=True)
    except (ValueError, RecursionError):
        return call.name, call.arguments.strip()


class RepeatedCalls:
    """Detects repeated calls within one turn.

    A call runs again as long as its result may differ. It is answered from the record once it has given the same result
    twice, or if it may change something and its result was never sent to the model: a repetition then asks for the
    result, not for the effect again. Both apply until another call has changed something.
    """

    def __init__(self) -> None:
        self._earlier: dict[Signature, EarlierCall] = {}
        self._round = 0

    def begin_round(self, view: View) -> None:
        """Note which results the model has received. view: the view of the request whose reply makes the next calls."""
        self._round += 1
        whole = {item.message.id for item in view.items if not item.pruned_by}
        for earlier in self._earlier.values():
            earlier.was_read = earlier.was_read or earlier.result_id in whole

    def answer(self, call: ToolCall, view: View) -> ToolOutcome | None:
        """Return the answer from the record, and count it; None if the call should run."""
        earlier = self._earlier.get(signature_of(call))
        if earlier is None or not earlier.is_answered:
            return None
        earlier.answers += 1
        is_above = any(item.message.id == earlier.result_id and not item.pruned_by for item in view.items)
        text = HAS_IT if is_above else f"{AS_RECORDED}\n{earlier.result.text}"
        return ToolOutcome(text, earlier.result.is_error, "repeated")

    def note_answer(self, call: ToolCall, message: Message) -> None:
        """Note the message that answers a call from the record, as the newest one that has the result."""
        earlier, result = self._earlier.get(signature_of(call)), message.tool_result
        if earlier is not None and result is not None and result.text != HAS_IT:
            earlier.result_id = message.id

    def note_result(self, call: ToolCall, output: str, message: Message, changes: bool) -> None:
        """Note the result of a call that ran. output: the full result. message: its record."""
        signature, result = signature_of(call), message.tool_result
        if result is None:
            return
        latest = EarlierCall(result, message.id, hash(output), changes, self._round)
        earlier = self._earlier.pop(signature, None)
        if earlier is not None:
            latest.runs += earlier.runs
            latest.answers = earlier.answers
            latest.same += earlier.same if earlier.output == latest.output else 0
        if changes and latest.same == 1 and result.ending != "denied":
            self._forget_what_may_differ()
        self._earlier[signature] = latest

    @property
    def circle(self) -> tuple[str, EarlierCall] | None:
        """The tool and the call that was answered from the record too often; None if there is none."""
        circles = ((name, e) for (name, _), e in self._earlier.items() if e.answers >= MAX_ANSWERS)
        return next(circles, None)

    def _forget_what_may_differ(self) -> None:
        """Let calls run again after one that may have changed their results.

        Calls of the same reply were made without seeing each other's results. Those that may change something run again
        only after the model has seen their first result.
        """
        kept = {s: e for s, e in self._earlier.items() if e.round == self._round and e.changes}
        for earlier in kept.values():
            earlier.same = 1
        self._earlier = kept


TOOL_SECONDS = 660.0
"""Longer than the time limit of any tool; a call that takes longer is ended."""
OUTPUT_KEPT = 200_000
"""Characters of a running tool's latest output that are kept, in case it is stopped."""
STOPPED = "[Stopped before it ended; it may have had effects.]"
TOO_LONG = f"[No end after {TOOL_SECONDS:.0f} seconds.]"
STOPPED_ALONE = "[Stopped by the user before it ended; it may have had effects.]"
NOT_BEGUN = "[Stopped before it began.]"
CRASHED = "[Palimpsest ended while this call ran; it may have had effects. Look before you repeat it.]"


class ToolCalls:
    """Runs the calls of one reply. repeats: the earlier calls of its turn."""

    def __init__(
        self, session: Session, tools: ToolRuntime, emit: Emit, reply: Message, repeats: RepeatedCalls | None = None
    ) -> None:
        self._session = session
        self._tools = tools
        self._emit = emit
        self._reply = reply
        self._repeats = repeats or RepeatedCalls()
        # The latest output of each call that has begun, by its index.
        self._shown: dict[int, str] = {}
        self._answered: set[int] = set()

    async def run(self) -> None:
        """Run all calls, and publish their progress and results. Raises ArchiveError. Cancelling it ends the tools.

        Calls that only read run concurrently. The others may change something, and run one after the other, in the
        order of the reply.
        """
        calls = self._reply.tool_calls
        self._repeats.begin_round(self._session.view)
        if len({call.call_id for call in calls}) < len(calls):  # results are paired by their ids
            for index, call in enumerate(calls):
                await self._answer(index, call, await self._changes(call))
            return
        try:
            await self._run_at_once(calls)
        except ExceptionGroup as errors:  # a bug matters more than a WorldError at the same time
            raise min(errors.exceptions, key=lambda error: isinstance(error, WorldError)) from None

    async def close(self) -> None:
        """Give each call without a result one that says why it has none, with the call's output so far."""
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
        """Return whether the call may change something: then it waits for earlier ones.

        It may if it needs a permission, except for a tool of which its server says that it only reads.
        """
        needs = await self._tools.toolbox.needs(call, self._tools.context_of(self._session))
        return not all(need.only_reads for need in needs)

    async def _refusal(self, call: ToolCall) -> str:
        """Return why the call may not run, in words for the model; "" if it may."""
        return await self._tools.refusal(self._session, call, self._emit)

    async def _answer(
        self, index: int, call: ToolCall, changes: bool, before: Collection[asyncio.Task[None]] = ()
    ) -> None:
        """Run the call if it is allowed and not answered from the record, and record its result.

        before: earlier calls that have to end first.
        """
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
        """Run the call within its time limit, and return its outcome, even if the tool has a bug, which is reported."""
        self._shown[index] = ""
        self._emit(ToolStarted(self._session.id, self._reply.id, call, index))
        limit, is_stopped = asyncio.timeout(TOOL_SECONDS), False

        def stop() -> None:
            nonlocal is_stopped
            if not limit.expired():
                is_stopped = True
                limit.reschedule(0.0)  # expire now

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
        """Run the call, and publish its output as it arrives."""
        running = self._tools.toolbox.run(call, self._tools.context_of(self._session))
        async with aclosing(running):
            async for piece in running:
                if isinstance(piece, ToolOutcome):
                    return piece
                self._shown[index] = (self._shown[index] + piece)[-OUTPUT_KEPT:]
                self._emit(ToolOutputReceived(self._session.id, call.call_id, piece, self._reply.id, index))
        return ToolOutcome("[The tool ended without a result.]", is_error=True)

    def _cut_short(self, index: int, words: str, ending: CallEnding = "stopped") -> ToolOutcome:
        """Return the outcome of a call that did not end: its output so far, and why there is no more."""
        output = (self._shown[index], words) if index in self._shown else (NOT_BEGUN,)
        return ToolOutcome("\n".join(filter(None, output)), is_error=True, ending=ending)

    async def _record(self, index: int, call: ToolCall, outcome: ToolOutcome, seconds: float) -> Message:
        """Store the result as the model gets it, and publish it. Return its message."""
        if outcome.ending == "repeated":  # it was truncated when it was first recorded
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
        """Return the result as the model gets it: truncated, with the full text in a spill (T1 to T6).

        If the spill cannot be stored, the truncation notice does not refer to it.
        """
        policy = fit_result_size(self._session.counter.policy, self._session.counter.own_budget.usable)
        cut = await asyncio.to_thread(truncate_result, outcome.text, call.name, policy)
        spill = ""
        if cut.spill is not None:
            try:
                spill = await self._tools.spills.keep(outcome.text)
            except WorldError:
                cut = await asyncio.to_thread(truncate_result, outcome.text, call.name, policy, False)
        result = ToolResult(call.call_id, call.name, cut.text, outcome.is_error, spill, outcome.ending, outcome.sandbox)
        return stamp(Message(role=Role.TOOL, parts=(result, *outcome.attachments), seconds=seconds))
