"""Several things at one moment in one conversation: at once, or as soon as the window learns of an event."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

from schedule_actions import ACTIONS, Actor, Picks, action

from desktop_app.conversation.events import (
    MessageRecorded,
    QueueChanged,
    ReplyStarted,
    RoomEnded,
    RoomStarted,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
    ViewChanged,
)
from desktop_app.engine import protocol as p

DEEDS = (
    *("stop",) * 6, *("edit", "send", "stop_tool", "show_version", "undo") * 2, "answer", "bring_back", "change_queue",
    "change_setup", "choose_model", "choose_policy", "delete", "draft", "fork", "go_on", "import_more", "move",
    "open_again", "pin", "redo", "regenerate", "rename", "restore", "send_attachment", "shorten", "write_settings",
)  # fmt: skip
"""Actions that only send a request."""
MOMENTS = (
    *(MessageRecorded, ToolStarted, ToolFinished, TurnFinished, RoomStarted) * 2, TurnStarted, ReplyStarted, TextDelta,
    ViewChanged, QueueChanged, RoomEnded,
)  # fmt: skip
PLAN_MOMENTS = (RoomStarted, RoomStarted, RoomStarted, TurnFinished, MessageRecorded, ViewChanged)
NEAR = (0.0, 0.0, 0.0, 0.0, 0.001, 0.003, 0.01)
"""Virtual seconds between two deeds that meet: as long as a job on a thread takes, at most."""
SOON = 0.06
"""The most virtual seconds between an event and what is done about it; half of the time it is done at once."""


@action(24)
async def meet(actor: Actor, picks: Picks) -> None:
    """Do several things at once, mostly where nothing runs, and mostly with a plan that was made just before."""
    rng, conversation = random.Random(f"{picks}"), actor.conversation(picks[0])
    if rng.random() < 0.7:
        await actor.engine.rest()
    deeds = [_deed(actor, conversation, rng) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.6:
        deeds.append(await _carrying_out_a_plan(actor, conversation, rng))
    rng.shuffle(deeds)
    for deed in deeds:
        deed()
        if pause := rng.choice(NEAR):
            await asyncio.sleep(pause)


@action(18)
async def react(actor: Actor, picks: Picks) -> None:
    """Do something as soon as the window learns of an event that is still to come: a plan may be ready for that."""
    rng, conversation = random.Random(f"{picks}"), actor.conversation(picks[0])
    if rng.random() < 0.4:
        deed = await _carrying_out_a_plan(actor, conversation, rng)
        actor.engine.react(rng.choice(PLAN_MOMENTS), conversation, _soon(rng), deed)
    for _ in range(rng.randint(1, 2)):
        deed = _deed(actor, conversation, rng)
        actor.engine.react(rng.choice(MOMENTS), conversation, _soon(rng), deed)


@action(6)
async def fill_disk(actor: Actor, picks: Picks) -> None:
    """What is said or done next is not stored."""
    actor.engine.disk.failures = 1 + picks[0] % 2


def _soon(rng: random.Random) -> float:
    return rng.choice((0.0, SOON * rng.random() ** 2))


def _deed(actor: Actor, conversation: str, rng: random.Random) -> Callable[[], object]:
    run = ACTIONS[rng.choice(DEEDS)].run
    picks = rng.randrange(1_000) * 2, rng.randrange(1_000), rng.randrange(1_000)

    def do() -> None:
        actor.stay_with(conversation)
        sending = run(actor, picks)
        try:
            sending.send(None)  # type: ignore[attr-defined] - it only posts, and ends at once
        except StopIteration:
            return
        raise AssertionError("it waits for something")

    return do


async def _carrying_out_a_plan(actor: Actor, conversation: str, rng: random.Random) -> Callable[[], object]:
    """Return what carries a new plan out: once, twice at once, or again once it was undone."""
    is_fresh = rng.random() < 0.2
    planned = await actor.post(
        p.PlanOptimize(
            conversation,
            tail_tokens=None if is_fresh else rng.choice((0, 100, 300)),
            strategy=rng.choice(("extractive", "last_messages")) if not is_fresh else "extractive",
            is_fresh=is_fresh,
        )
    )
    if not isinstance(planned, p.Plan) or not planned.is_useful:
        return lambda: None
    request = (p.StartFresh if is_fresh else p.ApplyPlan)(conversation, planned.id, planned.summary)
    how = rng.random()

    def undo_and_apply(done: asyncio.Future[Any]) -> None:
        session = actor.session(conversation)
        if done.cancelled() or session is None:
            return
        if rows := [r for r in session.operations() if r.kind in ("prune", "compaction") and not r.is_undone]:
            actor.post(p.UndoOperation(conversation, rows[-1].id)).add_done_callback(
                lambda undone: undone.cancelled() or actor.post(request)
            )

    def do() -> None:
        done = actor.post(request)
        if how < 0.2:
            actor.post(request)
        elif how < 0.4 and not is_fresh:
            done.add_done_callback(undo_and_apply)

    return do
