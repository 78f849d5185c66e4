"""The calls of one reply: permission, run, truncate, record. Every call gets a result, on every path."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Collection
from contextlib import aclosing

from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session, stamped
from desktop_app.chat.shielded import shielded
from desktop_app.context.fitting import fit_result_size
from desktop_app.context.truncate import truncate_result
from desktop_app.conversation.events import MessageRecorded, ToolFinished, ToolOutputReceived, ToolStarted, TurnEvent
from desktop_app.conversation.message import CallEnding, Message, Role, ToolCall, ToolResult
from desktop_app.conversation.tools import ToolOutcome

from .tool_runtime import ToolRuntime

TOOL_SECONDS = 660.0
"""Longer than any tool's own limit: what does not end by itself is ended."""
UNTOLD_MOST = 64
OUTPUT_KEPT = 200_000
"""Characters of what a running tool has shown that are kept, in case that it is stopped."""
STOPPED = "[Stopped before it ended; it may have had effects.]"
TOO_LONG = f"[No end after {TOOL_SECONDS:.0f} seconds.]"
STOPPED_ALONE = "[Stopped by the user before it ended; it may have had effects.]"
NOT_BEGUN = "[Stopped before it began.]"
CRASHED = "[Palimpsest ended while this call ran; it may have had effects. Look before you repeat it.]"


class Calls:
    """The calls of one reply while they run. shown: what each that has begun has put out so far, by its place."""

    def __init__(self, session: Session, bench: ToolRuntime, reply: Message) -> None:
        self._session = session
        self._bench = bench
        self._reply = reply
        self._told: asyncio.Queue[TurnEvent | None] = asyncio.Queue()
        self._shown: dict[int, str] = {}
        self._answered: set[int] = set()

    async def run(self) -> AsyncGenerator[TurnEvent, None]:
        """Runs them all, and tells of each what happens. What only looks runs at once; what changes something, one
        after the other, in the order of the calls. Raises ArchiveError. Closing it ends the tools."""
        running = asyncio.ensure_future(self._run_all())
        try:
            while (event := await self._told.get()) is not None:
                yield event
            await running
        finally:
            running.cancel()
            await shielded(_end_of(running))  # what it records while it ends is not recorded once more by `closed`

    async def closed(self) -> AsyncGenerator[TurnEvent, None]:
        """Gives the calls that have no result yet one that says why, with what they had shown; tells of these, and of
        what was recorded last and not told any more."""
        while not self._told.empty():
            if isinstance(event := self._told.get_nowait(), MessageRecorded | ToolFinished):
                yield event
        for place, call in enumerate(self._reply.tool_calls):
            if place not in self._answered:
                await self._record(place, call, self._cut_short(place, STOPPED), 0.0)
        while not self._told.empty():
            if (event := self._told.get_nowait()) is not None:
                yield event

    async def _run_all(self) -> None:
        calls = self._reply.tool_calls
        is_parallel = len({call.call_id for call in calls}) == len(calls)  # results are paired by their ids
        try:
            if is_parallel:
                await self._run_at_once(calls)
            else:
                for place, call in enumerate(calls):
                    await self._answer(place, call)
        except ExceptionGroup as errors:  # a bug comes first: what the world did beside it is less to be known
            raise min(errors.exceptions, key=lambda error: isinstance(error, WorldError)) from None
        finally:
            self._told.put_nowait(None)

    async def _run_at_once(self, calls: tuple[ToolCall, ...]) -> None:
        changing: list[asyncio.Task[None]] = []
        async with asyncio.TaskGroup() as group:
            for place, call in enumerate(calls):
                if await self._changes(call):
                    changing.append(group.create_task(self._answer(place, call, tuple(changing))))
                else:
                    group.create_task(self._answer(place, call))

    async def _changes(self, call: ToolCall) -> bool:
        """Whether it has to wait for the calls before it."""
        return bool(await self._bench.toolbox.needs(call, self._bench.place_of(self._session)))

    async def _refusal(self, call: ToolCall) -> str:
        """Why that call may not run, in words for the model; "" if it may."""
        return await self._bench.refusal(self._session, call, self._told.put)

    async def _answer(self, place: int, call: ToolCall, before: Collection[asyncio.Task[None]] = ()) -> None:
        """Runs the call, if it may, and records its result. before: those whose ends it waits for."""
        refusal = await self._refusal(call)
        if before and not refusal:
            await asyncio.wait(before)
        started = time.monotonic()
        outcome = ToolOutcome(refusal, is_error=True, ending="denied") if refusal else await self._outcome(place, call)
        await shielded(self._record(place, call, outcome, time.monotonic() - started))

    async def _outcome(self, place: int, call: ToolCall) -> ToolOutcome:
        """How the call ends. A bug in a tool is told, and is a result like any other."""
        self._shown[place] = ""
        await self._told.put(ToolStarted(self._session.id, self._reply.id, call, place))
        limit, is_stopped = asyncio.timeout(TOOL_SECONDS), False

        def stop() -> None:
            nonlocal is_stopped
            if not limit.expired():
                is_stopped = True
                limit.reschedule(0.0)  # its time is up now

        try:
            async with limit:
                with self._bench.stoppable(self._session.id, self._reply.id, place, stop):
                    return await self._ran(place, call)
        except Exception as error:  # noqa: BLE001 - told as the bug that it is; the call still gets its result
            if limit.expired():
                if is_stopped:
                    return self._cut_short(place, STOPPED_ALONE)
                return self._cut_short(place, TOO_LONG, "timed_out")
            self._bench.on_bug(error)
            return ToolOutcome(f"[The tool failed inside Palimpsest: {type(error).__name__}]", is_error=True)

    async def _ran(self, place: int, call: ToolCall) -> ToolOutcome:
        """Runs the call, and tells what it puts out."""
        running = self._bench.toolbox.run(call, self._bench.place_of(self._session))
        async with aclosing(running):
            async for piece in running:
                if isinstance(piece, ToolOutcome):
                    return piece
                self._shown[place] = (self._shown[place] + piece)[-OUTPUT_KEPT:]
                await self._told.put(ToolOutputReceived(self._session.id, call.call_id, piece, self._reply.id, place))
                while self._told.qsize() > UNTOLD_MOST:  # whoever listens is slower than the tool
                    await asyncio.sleep(0.01)
        return ToolOutcome("[The tool ended without a result.]", is_error=True)

    def _cut_short(self, place: int, words: str, ending: CallEnding = "stopped") -> ToolOutcome:
        """What that call has shown so far, and why there is no more of it."""
        told = (self._shown[place], words) if place in self._shown else (NOT_BEGUN,)
        return ToolOutcome("\n".join(filter(None, told)), is_error=True, ending=ending)

    async def _record(self, place: int, call: ToolCall, outcome: ToolOutcome, seconds: float) -> None:
        """Stores the result as it enters, truncated, the whole text in its spill; and tells of it."""
        message = await entered(self._session, self._bench, call, outcome, seconds)
        recorded: MessageRecorded = await self._session.record_message(message)
        self._answered.add(place)
        size = len(outcome.text.encode(errors="replace"))
        told = (self._session.id, call.call_id, message.id, call.name, outcome.is_error, seconds, size)
        for event in (recorded, ToolFinished(*told, self._reply.id, place), self._session.gauge_changed()):
            self._told.put_nowait(event)


async def _end_of(task: asyncio.Task[None]) -> None:
    await asyncio.wait({task})


async def entered(
    session: Session, bench: ToolRuntime, call: ToolCall, outcome: ToolOutcome, seconds: float
) -> Message:
    """The result as the model gets it (T1 to T6). Where the spill cannot be kept, the notice does not name it."""
    policy = fit_result_size(session.policy, session.own_budget.usable)
    cut = await asyncio.to_thread(truncate_result, outcome.text, call.name, policy)
    spill = ""
    if cut.spill is not None:
        try:
            spill = await bench.spills.keep(outcome.text)
        except WorldError:
            cut = await asyncio.to_thread(truncate_result, outcome.text, call.name, policy, False)
    result = ToolResult(call.call_id, call.name, cut.text, outcome.is_error, spill, outcome.ending)
    return stamped(Message(role=Role.TOOL, parts=(result,), seconds=seconds))
