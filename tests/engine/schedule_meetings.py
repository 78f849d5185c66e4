"""Several things at one moment in one conversation: at once, behind an event, or while something is being stored."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from schedule_actions import ACTIONS, IMPORTED, Actor, Picks, action
from schedule_moments import StoringPrompt, StoringReply, StoringResult, StoringStep, ToolAnswered

from desktop_app.conversation.events import (
    MessageRecorded,
    QuestionAnswered,
    QueueChanged,
    ReplyStarted,
    RoomEnded,
    RoomProgressed,
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
    ViewChanged, QueueChanged, RoomEnded, *(StoringPrompt, StoringReply, StoringResult, StoringStep, ToolAnswered) * 2,
)  # fmt: skip
PLAN_MOMENTS = (RoomStarted, RoomStarted, StoringStep, StoringStep, TurnFinished, MessageRecorded, ViewChanged)
STARTS = ("send", "send", "send", "send_attachment", "edit", "regenerate", "go_on")
"""Actions that begin a turn."""
CUT_MOMENTS = (
    *(QuestionAnswered, StoringReply, ToolAnswered) * 2, StoringPrompt, StoringResult, StoringStep,
)  # fmt: skip
"""Moments at which a turn may be ended: two of three times at one at which its end, or a result, is only just known."""
CUTS = ("stop",) * 6 + ("delete", "end_and_start")
"""What ends it."""
CUT_SECONDS = 5.0
"""Virtual seconds that the moment is waited for at which the program ends."""
ROOM_MOMENTS = RoomStarted, RoomProgressed
LONG = " and on it went" * 200
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


@action(40)
async def react(actor: Actor, picks: Picks) -> None:
    """Do something as soon as something happens that is still to come: a plan may be ready for that."""
    rng, conversation = random.Random(f"{picks}"), actor.conversation(picks[0])
    if rng.random() < 0.4:
        deed = await _carrying_out_a_plan(actor, conversation, rng)
        actor.engine.react(rng.choice(PLAN_MOMENTS), conversation, _soon(rng), deed)
    for _ in range(rng.randint(1, 3)):
        deed = _deed(actor, conversation, rng)
        actor.engine.react(rng.choice(MOMENTS), conversation, _soon(rng), deed)
    if rng.random() < 0.7:
        await ACTIONS[rng.choice(STARTS)].run(actor, (picks[0] * 2, *picks[1:]))


@action(24)
async def cut(actor: Actor, picks: Picks) -> None:
    """Begin a turn, and end it while something of it is being stored: by a stop, a deletion, or the program's end."""
    rng, conversation = random.Random(f"{picks}"), actor.conversation(picks[0])
    moment, how, is_there = rng.choice(CUT_MOMENTS), rng.choice(CUTS), asyncio.Event()
    do = is_there.set if how == "end_and_start" else _deed(actor, conversation, rng, how)
    actor.engine.react(moment, conversation, rng.choice((0.0, 0.0, SOON * rng.random() ** 3)), do)
    await ACTIONS[rng.choice(STARTS)].run(actor, (picks[0] * 2, *picks[1:]))
    if moment is QuestionAnswered:
        await actor.engine.rest()
    if how == "end_and_start":
        with suppress(TimeoutError):
            await asyncio.wait_for(is_there.wait(), CUT_SECONDS)
            await actor.restart()


@action(8)
async def meet_an_import(actor: Actor, picks: Picks) -> None:
    """Begin a turn in the conversation that an import makes longer: that has to wait for its end."""
    rng = random.Random(f"{picks}")
    await actor.engine.rest()
    actor.stay_with(IMPORTED)
    _deed(actor, IMPORTED, rng, "import_more")()  # it reads its file first
    await asyncio.sleep(SOON * rng.random())
    await ACTIONS[rng.choice(STARTS)].run(actor, (0, *picks[1:]))


@action(12)
async def meet_room(actor: Actor, picks: Picks) -> None:
    """Leave a branch, or carry out a plan, while room is made for a message that is nearly too long."""
    rng, conversation = random.Random(f"{picks}"), actor.conversation(picks[0])
    deed = await _carrying_out_a_plan(actor, conversation, rng)
    for do in (deed, _deed(actor, conversation, rng, rng.choice(("edit", "regenerate", "show_version")))):
        actor.engine.react(rng.choice(ROOM_MOMENTS), conversation, SOON * rng.random(), do)
    actor.say(conversation, lambda c, text: p.Send(c, text + LONG))


@action(8)
async def meet_a_fresh_start(actor: Actor, picks: Picks) -> None:
    """Show another version and begin a turn while a fresh start keeps the conversation from changing."""
    rng, conversation = random.Random(f"{picks}"), actor.conversation(picks[0])
    await actor.engine.rest()
    session = actor.session(conversation)
    if session is not None and not session.branches.are_several:
        await actor.post(p.Regenerate(conversation))
        await actor.engine.rest()
    start_fresh = await _carrying_out_a_plan(actor, conversation, rng, is_fresh=True)
    start_fresh()
    while session is not None and not session.changes.locked() and not actor.engine.is_answered:
        await asyncio.sleep(0.001)
    for name in rng.sample(("show_version", rng.choice(STARTS)), 2):
        await asyncio.sleep(rng.choice(NEAR))
        _deed(actor, conversation, rng, name)()


@action(6)
async def fill_disk(actor: Actor, picks: Picks) -> None:
    """What is said or done next is not stored."""
    actor.engine.disk.failures = 1 + picks[0] % 2


def _soon(rng: random.Random) -> float:
    return rng.choice((0.0, SOON * rng.random() ** 2))


def _deed(actor: Actor, conversation: str, rng: random.Random, name: str = "") -> Callable[[], object]:
    name = name or rng.choice(DEEDS)
    run = ACTIONS[name].run
    picks = rng.randrange(1_000) * 2, rng.randrange(1_000), rng.randrange(1_000)

    def do() -> None:
        actor.engine.kinds[f"{name} in a turn"] += actor.engine.turns_run()
        actor.stay_with(conversation)
        sending = run(actor, picks)
        try:
            sending.send(None)  # type: ignore[attr-defined] - it only posts, and ends at once
        except StopIteration:
            return
        raise AssertionError("it waits for something")

    return do


async def _carrying_out_a_plan(
    actor: Actor, conversation: str, rng: random.Random, is_fresh: bool = False
) -> Callable[[], object]:
    """Return what carries a new plan out: once, twice at once, or again once it was undone."""
    is_fresh = is_fresh or rng.random() < 0.2
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
