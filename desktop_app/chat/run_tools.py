"""The calls of one reply: permission, run, truncate, record. Every call gets a result, on every path."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing

from desktop_app.context.truncate import for_window, truncated
from desktop_app.conversation.events import MessageRecorded, ToolFinished, ToolOutput, ToolStarted, TurnEvent
from desktop_app.conversation.message import Message, Role, ToolCall, ToolResult
from desktop_app.conversation.tools import ToolOutcome

from .ports import WorldError
from .session import Session, stamped
from .uninterrupted import uninterrupted
from .workbench import Workbench

TOOL_SECONDS = 660.0
"""Longer than any tool's own limit: what does not end by itself is ended."""
UNTOLD_MOST = 64
OUTPUT_KEPT = 200_000
"""Characters of what a running tool has shown that are kept, in case that it is stopped."""
STOPPED = "[Stopped before it ended; it may have had effects.]"
CRASHED = "[Palimpsest ended while this call ran; it may have had effects. Look before you repeat it.]"


class Calls:
    """The calls of one reply while they run. shown: what each has put out so far, by its place."""

    def __init__(self, session: Session, bench: Workbench, reply: Message) -> None:
        self._session = session
        self._bench = bench
        self._reply = reply
        self._told: asyncio.Queue[TurnEvent | None] = asyncio.Queue()
        self._changing = asyncio.Lock()
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
            await asyncio.wait({running})

    async def closed(self, words: str = STOPPED) -> AsyncGenerator[TurnEvent, None]:
        """Gives the calls that have no result yet one that says why, with what they had shown; tells of these, and of
        what was recorded last and not told any more."""
        while not self._told.empty():
            if isinstance(event := self._told.get_nowait(), MessageRecorded | ToolFinished):
                yield event
        for place, call in enumerate(self._reply.tool_calls):
            if place not in self._answered:
                text = "\n".join(filter(None, (self._shown.get(place, ""), words)))
                await self._record(place, call, ToolOutcome(text, is_error=True), 0.0)
        while not self._told.empty():
            if (event := self._told.get_nowait()) is not None:
                yield event

    async def _run_all(self) -> None:
        calls = self._reply.tool_calls
        is_parallel = len({call.call_id for call in calls}) == len(calls)  # results are paired by their ids
        try:
            if is_parallel:
                async with asyncio.TaskGroup() as group:
                    for place, call in enumerate(calls):
                        group.create_task(self._answer(place, call))
            else:
                for place, call in enumerate(calls):
                    await self._answer(place, call)
        except* WorldError as errors:
            raise errors.exceptions[0] from None
        finally:
            self._told.put_nowait(None)

    async def _answer(self, place: int, call: ToolCall) -> None:
        refusal = await self._bench.refusal(self._session, call, self._told.put)
        started = time.monotonic()
        if refusal:
            outcome = ToolOutcome(refusal, is_error=True)
        elif await self._bench.toolbox.needs(call, self._bench.place_of(self._session)):
            async with self._changing:
                started = time.monotonic()
                outcome = await self._outcome(place, call)
        else:
            outcome = await self._outcome(place, call)
        await uninterrupted(self._record(place, call, outcome, time.monotonic() - started))

    async def _outcome(self, place: int, call: ToolCall) -> ToolOutcome:
        """How the call ends. A bug in a tool is told, and is a result like any other."""
        await self._told.put(ToolStarted(self._session.id, self._reply.id, call))
        running = self._bench.toolbox.run(call, self._bench.place_of(self._session))
        try:
            async with asyncio.timeout(TOOL_SECONDS), aclosing(running):
                async for piece in running:
                    if isinstance(piece, ToolOutcome):
                        return piece
                    self._shown[place] = (self._shown.get(place, "") + piece)[-OUTPUT_KEPT:]
                    await self._told.put(ToolOutput(self._session.id, call.call_id, piece))
                    while self._told.qsize() > UNTOLD_MOST:  # whoever listens is slower than the tool
                        await asyncio.sleep(0.01)
        except TimeoutError:
            return ToolOutcome(f"{self._shown.get(place, '')}\n[No end after {TOOL_SECONDS:.0f} seconds.]", True)
        except Exception as error:  # noqa: BLE001 - told as the bug that it is; the call still gets its result
            self._bench.on_bug(error)
            return ToolOutcome(f"[The tool failed inside Palimpsest: {type(error).__name__}]", is_error=True)
        return ToolOutcome("[The tool ended without a result.]", is_error=True)

    async def _record(self, place: int, call: ToolCall, outcome: ToolOutcome, seconds: float) -> None:
        """Stores the result as it enters, truncated, the whole text in its spill; and tells of it."""
        message = await entered(self._session, self._bench, call, outcome, seconds)
        recorded: MessageRecorded = await self._session.record_message(message)
        self._answered.add(place)
        size = len(outcome.text.encode(errors="replace"))
        told = (self._session.id, call.call_id, message.id, call.name, outcome.is_error, seconds, size)
        for event in (recorded, ToolFinished(*told), self._session.gauge_changed()):
            self._told.put_nowait(event)


async def entered(session: Session, bench: Workbench, call: ToolCall, outcome: ToolOutcome, seconds: float) -> Message:
    """The result as the model gets it (T1 to T6). Where the spill cannot be kept, the notice does not name it."""
    policy = for_window(session.policy, session.own_budget.usable)
    cut = await asyncio.to_thread(truncated, outcome.text, call.name, policy)
    spill = ""
    if cut.spill is not None:
        try:
            spill = await bench.spills.keep(outcome.text)
        except WorldError:
            cut = await asyncio.to_thread(truncated, outcome.text, call.name, policy, False)
    result = ToolResult(call.call_id, call.name, cut.text, outcome.is_error, spill)
    return stamped(Message(role=Role.TOOL, parts=(result,), seconds=seconds))
