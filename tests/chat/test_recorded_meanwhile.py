"""Whatever is recorded while a request is under way, what is reported of it is of that request and no other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from test_take_turn import long_chat

from builders import model
from desktop_app.chat import operations
from desktop_app.chat.compaction.making_room import drop_results
from desktop_app.chat.session import Session, stamp
from desktop_app.conversation.events import GaugeChanged, Noticed, TurnFailed, TurnFinished
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.message import Message, Role, ToolCall, ToolResult
from desktop_app.conversation.transcript import Compaction, Flush, Prune, PrunedResult, Trigger
from desktop_app.models.tokens.tokenizers import tokenizer_for
from provider import Reply, Request
from provider_shapes import Shape

FACTOR = 1.05
"""What the server counts for a token of ours."""
LONG = "The ledger is migrated in small steps, and each of them is checked. " * 20


class Holding:
    """Reports its own count of each request; the one after `hold` is answered once the test says so."""

    window = 60_000

    def __init__(self) -> None:
        self.hold = False
        self.reported: list[int] = []
        self._count = tokenizer_for("gpt-4o").count

    def take(self, request: Request, shape: Shape) -> Reply:
        size = sum(self._count(str(message.get("content"))) + 4 for message in request.messages)
        self.reported.append(round(size * FACTOR))
        held, self.hold = self.hold, False
        usage = (self.reported[-1], round(self._count("I see it. " * 20) * FACTOR), 0)
        return Reply("I see it. " * 20, size=40, usage=usage, is_held=held)


def ids(session: Session) -> list[str]:
    return [item.message.id for item in session.view.items if session.message(item.message.id) is not None]


async def compaction(session: Session) -> None:
    entry = Compaction(trigger=Trigger.USER, strategy="extractive", archived=tuple(ids(session)[1:13]), summary="S.")
    await session.record_operation(stamp(entry))


async def prune(session: Session) -> None:
    result = next(m for i in ids(session) if (m := session.message(i)) is not None and m.role is Role.TOOL)
    pruned = (PrunedResult(result.id, "hard_clear", "[cleared]"),)
    await session.record_operation(stamp(Prune(trigger=Trigger.USER, results=pruned)))


async def flush(session: Session) -> None:
    await session.record_operation(stamp(Flush(memories=("m",), texts=("The user likes tea.",))))


async def pin(session: Session) -> None:
    await operations.pin(session, ids(session)[3])


async def undo(session: Session) -> None:
    newest = next(e for e in reversed(session.transcript.entries) if isinstance(e, Compaction))
    await operations.undo(session, newest.id)


async def bring_back(session: Session) -> None:
    newest = next(e for e in reversed(session.transcript.entries) if isinstance(e, Compaction))
    await operations.bring_back(session, newest.archived[:4])


Operation = Callable[[Session], Awaitable[None]]


async def talked(house: Callable[..., Any], operation: Operation) -> tuple[Any, Session, Holding]:
    """A conversation in which that was recorded between a request and its reply."""
    script = Holding()
    made = await house(script, window=Holding.window)
    call = ToolCall("c", "read", "{}")
    look = model(call)
    result = Message(role=Role.TOOL, parts=(ToolResult("c", "read", LONG * 4),))
    session = await made.chats.create("Meanwhile", [*long_chat(12), look, result])
    session.counter.gauge()
    if operation in (undo, bring_back):
        await compaction(session)
    for number in range(3):
        await made.turn(session, f"Question {number}: {LONG}")
    script.hold = True
    await made.chats.turns.send(session, f"What now? {LONG}")
    while len(script.reported) < 4:  # the request is out
        await asyncio.sleep(0.01)
    await operation(session)
    made.provider.released.set()
    await made.chats.turns.wait_until_idle(session.id)
    return made, session, script


@pytest.mark.parametrize("operation", [compaction, prune, pin, undo, bring_back, flush])
@pytest.mark.long
async def test_no_figure_is_wrong_and_nobody_is_accused(house: Callable[..., Any], operation: Operation) -> None:
    made, session, script = await talked(house, operation)
    shown, learned = session.counter.gauge(), session.counter.calibration
    assert (shown.provenance is Provenance.MEASURED) == (operation is flush), "only of what was sent it is known"
    assert learned.samples == 4
    *_, asked, _, reply = session.transcript.entries
    assert isinstance(reply, Message)
    assert reply.as_of == asked.id, "the reply names what its request was assembled from"

    session = await made.reopen(session)  # a restart knows what was measured
    assert session.counter.calibration.samples == learned.samples
    assert session.counter.calibration.factor == pytest.approx(learned.factor, rel=1e-9)
    assert session.counter.calibration.frame == pytest.approx(learned.frame, rel=1e-6)
    assert (session.counter.gauge().provenance, session.counter.gauge().total) == (shown.provenance, shown.total)
    for number in range(2):
        events = await made.turn(session, f"Then question {number}: {LONG}")
        before = next(e.gauge for e in events if isinstance(e, GaugeChanged))
        assert before.total == pytest.approx(script.reported[-1], rel=0.02)
    assert shown.total < before.total
    assert not made.of(TurnFailed)
    assert not made.of(Noticed)
    assert {event.reason for event in made.of(TurnFinished)} == {"finished"}
    assert session.counter.gauge().stated_window == 0


async def test_results_that_are_being_archived_are_not_dropped_as_well(house: Callable[..., Any]) -> None:
    made = await house([])
    call = ToolCall("c", "read", "{}")
    said = [
        model(call),
        Message(role=Role.TOOL, parts=(ToolResult("c", "read", LONG),)),
    ]
    session = await made.chats.create("Meanwhile", [*said, *long_chat(12)])
    async with session.changes:  # as whoever carries out a plan has it
        dropping = asyncio.ensure_future(drop_results(session, made.services, 1.0, made.events.append))
        await asyncio.sleep(0.1)
        await compaction(session)
    await dropping
    assert not any(isinstance(entry, Prune) for entry in session.transcript.entries)


async def test_the_gauge_is_of_a_branch_whose_turn_is_stopped_before_it_begins(talk) -> None:
    made, session = await talk([], messages=long_chat(12))
    asked = next(i for i in reversed(ids(session)) if session.message(i).role is Role.USER)
    await made.chats.turns.edit(session, asked, "Hello", ())
    await made.chats.turns.stop(session.id)
    assert not any(isinstance(event, TurnFinished) for event in made.events)
    assert [event.gauge for event in made.events if isinstance(event, GaugeChanged)][-1:] == [session.counter.gauge()]
