"""Random schedules of everything that can be done at once, each of them the same whenever it is run again.

schedule = schedule_of(17)                    # actions, by the seed alone
outcome = run_schedule(schedule, folder)      # outcome.faults, outcome.trace
shrink(schedule, folder)                      # the fewest actions that still fail

python tests/engine/schedules.py 17           # runs one, shrinks it if it fails, and prints its trace
python tests/engine/schedules.py 0 5000       # runs these, and prints the seeds that fail
python tests/engine/schedules.py 0 500 1      # the same, until one fails
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.extend(str(Path(__file__).resolve().parents[1] / name) for name in ("support", "context"))

import msgspec
import schedule_actions_beside  # noqa: F401 - it adds its actions
import schedule_meetings  # noqa: F401 - it adds its actions
from msgspec.structs import replace
from schedule_actions import ACTIONS, MAX_ROUNDS, Actor
from schedule_rules import always, at_rest, opened_anew, undone_exactly
from simulated_engine import SETTINGS, SimulatedEngine, prepare_folder
from simulated_parts import Faults, simulated_parts

from desktop_app.chat import open_sessions
from deterministic_loop import DeterministicLoop, Stuck

SCRATCH = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
"""A folder in memory, where there is one: thousands of archives are made."""
PAUSES = (0.0, 0.0, 0.0, 0.0, 0.001, 0.005, 0.01, 0.02, 0.1, 0.5, 3.0)
"""Virtual seconds between two actions."""
SLOWNESS = (1.0, 1.0, 8.0)
"""How many times as long as otherwise the disk takes in a run."""
KEPT = (1, 6)
"""Conversations that stay in memory, though nobody uses them."""
LENGTH = (6, 22)
"""Actions of one schedule."""
RESTS = 0.15
"""The share of actions after which all is awaited."""


class Step(msgspec.Struct, frozen=True):
    """One action. picks: which of what there is then; they mean something whatever was dropped before."""

    action: str
    picks: tuple[int, int, int]
    pause: float
    rests: bool = False


class Schedule(msgspec.Struct, frozen=True):
    """What is done. seed: of all that the actions do not say, such as what models answer and when threads end."""

    seed: int
    steps: tuple[Step, ...]


class Outcome(msgspec.Struct, frozen=True):
    """What came of it. kinds: how often each event was told, and each action done."""

    faults: tuple[str, ...]
    trace: tuple[str, ...]
    kinds: Counter[str]


def schedule_of(seed: int) -> Schedule:
    """Return the schedule of that seed."""
    rng = random.Random(f"schedule {seed}")
    names, weights = zip(*((name, action.weight) for name, action in ACTIONS.items()), strict=True)
    steps = [
        Step(
            rng.choices(names, weights)[0],
            (rng.randrange(1_000), rng.randrange(1_000), rng.randrange(1_000)),
            rng.choice(PAUSES),
            rng.random() < RESTS,
        )
        for _ in range(rng.randint(*LENGTH))
    ]
    return Schedule(seed, tuple(steps))


def run_schedule(schedule: Schedule, folder: Path) -> Outcome:
    """Run it on a new data folder below that one."""
    data = Path(tempfile.mkdtemp(prefix=f"schedule-{schedule.seed}-", dir=folder))
    loop, faults = DeterministicLoop(f"run {schedule.seed}"), Faults()
    prepare_folder(data, replace(SETTINGS, max_rounds=loop.choices.choice(MAX_ROUNDS)))
    was_on = gc.isenabled()
    gc.disable()  # when it runs, the seed decides
    try:
        loop.slowness = loop.choices.choice(SLOWNESS)
        kept = random.Random(f"kept {schedule.seed}").choice(KEPT)
        with patch.object(open_sessions, "MAX_KEPT", kept), simulated_parts(loop, faults) as parts:
            asyncio.set_event_loop(loop)
            engine = SimulatedEngine(data, loop, parts, faults)
            try:
                loop.run_until_complete(_run(engine, schedule))
            except Stuck as error:
                faults.append(f"stuck: {error}")
            except Exception as error:  # noqa: BLE001 - of the engine's start, or of the test's own: it fails
                faults.append(f"{type(error).__name__}: {error}")
            faults += _left_over(loop)
    finally:
        asyncio.set_event_loop(None)
        if was_on:
            gc.enable()
        shutil.rmtree(data, ignore_errors=True)
    return Outcome(tuple(dict.fromkeys(faults)), tuple(engine.trace), engine.kinds)


async def _run(engine: SimulatedEngine, schedule: Schedule) -> None:
    await engine.start()
    actor = Actor(engine)
    await actor.begin()
    for step in schedule.steps:
        engine.note(f"== {step.action} {step.picks}")
        engine.kinds[f"action {step.action}"] += 1
        engine.kinds[f"{step.action} in a turn"] += engine.turns_run()
        await ACTIONS[step.action].run(actor, step.picks)
        await asyncio.sleep(step.pause)
        if _have_faults(engine, always(engine)) or (step.rests and await _is_wrong_at_rest(engine, actor)):
            return
    engine.calm_down()
    if await _is_wrong_at_rest(engine, actor):
        return
    for session in engine.sessions():
        if not session.closed_by and _have_faults(engine, await undone_exactly(engine, session)):
            return
    await engine.rest()
    await actor.restart()
    await _is_wrong_at_rest(engine, actor)
    await engine.close()


async def _is_wrong_at_rest(engine: SimulatedEngine, actor: Actor) -> bool:
    await engine.rest()
    if engine.faults:
        return True
    found = [*always(engine), *at_rest(engine), *actor.lost()]
    found += await opened_anew(engine)
    return _have_faults(engine, found)


def _have_faults(engine: SimulatedEngine, found: Any) -> bool:
    engine.faults += found
    return bool(engine.faults)


def _left_over(loop: DeterministicLoop) -> list[str]:
    """End what still runs after a fault; after a good end, nothing may."""
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.steps = 0
        loop.run_until_complete(asyncio.wait(left, timeout=30))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
    return [f"a task is left: {task}" for task in left]


def kind_of(outcome: Outcome) -> str:
    """Return what a fault is about, without the names in it; "" for none."""
    return re.sub(r"[0-9a-f]{32}|[0-9]+", "", outcome.faults[0])[:30] if outcome.faults else ""


def shrink(schedule: Schedule, folder: Path, seconds: float = 60.0) -> Schedule:
    """Return the schedule with as few actions as still fail: each is left out in turn, the largest parts first."""
    until, steps, size = time.perf_counter() + seconds, list(schedule.steps), max(len(schedule.steps) // 2, 1)
    wanted = kind_of(run_schedule(schedule, folder))
    while size and time.perf_counter() < until:
        start = 0
        while start < len(steps):
            fewer = steps[:start] + steps[start + size :]
            if kind_of(run_schedule(Schedule(schedule.seed, tuple(fewer)), folder)) == wanted:
                steps = fewer
            else:
                start += size
        size //= 2
    return Schedule(schedule.seed, tuple(steps))


def report(schedule: Schedule, folder: Path) -> str:
    """Return the shortest form of a failing schedule, and what happened in it, for people."""
    short = shrink(schedule, folder)
    outcome = run_schedule(short, folder)
    lines = [f"seed {schedule.seed}, {len(short.steps)} of {len(schedule.steps)} actions:"]
    lines += [f"    {step}" for step in short.steps]
    return "\n".join([*lines, *outcome.trace, *(f"FAULT {fault}" for fault in outcome.faults)])


def main(first: int, last: int = -1, enough: int = 5_000) -> int:
    """Run one seed, or all from the first up to the last, until enough of them fail; return how many do."""
    from PySide6.QtWidgets import QApplication

    from desktop_app.context import sentence_kinds
    from desktop_app.paths import SENTENCE_KINDS

    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication([])
    logging.disable(logging.CRITICAL)
    sentence_kinds.load(SENTENCE_KINDS.read_bytes())
    failed, kinds, started = list[int](), Counter[str](), time.process_time()
    with tempfile.TemporaryDirectory(dir=SCRATCH) as name:
        for seed in range(first, max(last, first + 1)):
            outcome = run_schedule(schedule_of(seed), Path(name))
            kinds += outcome.kinds
            if outcome.faults:
                failed.append(seed)
                print(seed, outcome.faults[0][:300], flush=True)
            if len(failed) >= enough:
                break
        if last < 0:
            print(report(schedule_of(first), Path(name)) if failed else "\n".join(outcome.trace))
        else:
            print(f"{len(failed)} of {last - first} fail in {time.process_time() - started:.0f} s of CPU: {failed}")
            print(dict(kinds.most_common()))
    application.quit()
    return min(len(failed), 100)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
