"""Many trials of bad streams: which ones fail, confirmed with patience and made as small as they still fail."""

from __future__ import annotations

import asyncio
import gc
import json
import linecache
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec.structs import replace
from process_memory import memory
from stream_events import OF_NAME
from stream_house import Failed, StreamHouse, script_of, short_limits
from stream_maker import Recipe, stream_of

from desktop_app.engine.allocator import give_back_large_blocks
from desktop_app.models.litellm_library import LiteLLM


async def failure_of(house: StreamHouse, script: list[Recipe]) -> str:
    """What does not hold for that script; "" if all does."""
    stray: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(
        lambda _, context: stray.append(f"{context.get('message')} {context.get('exception')!r}")
    )
    hook, sys.unraisablehook = sys.unraisablehook, lambda told: stray.append(f"{told.exc_value!r} in {told.object!r}")
    try:
        await house.try_out([stream_of(recipe) for recipe in script])
    except Failed as error:
        return str(error)
    finally:
        loop.set_exception_handler(None)
        sys.unraisablehook = hook
    return f"stray: {stray[0]}" if stray else ""


async def confirmed(house: StreamHouse, script: list[Recipe]) -> str:
    """The failure, if it comes again with more patience; "" if it was the machine's."""
    await house.be_patient(6)
    try:
        return await failure_of(house, script)
    finally:
        await house.be_patient(1)


async def shrunk(house: StreamHouse, script: list[Recipe], failure: str) -> tuple[list[Recipe], str]:
    """The smallest script that still fails, with its failure."""
    tried = True
    while tried:
        tried = False
        less = [script[:-1]] if len(script) > 1 else []
        less += [[*script[:n], one, *script[n + 1 :]] for n, recipe in enumerate(script) for one in recipe.smaller()]
        for fewer in less:
            if await failure_of(house, fewer) and (found := await confirmed(house, fewer)):
                script, failure, tried = fewer, found, True
                break
    return script, failure


class Trials(msgspec.Struct):
    """What came of many seeds. slowest: seconds of the longest trial, with its seed. growth: of memory, in bytes.

    objects: of Python's, allocated and not freed in the second half.
    """

    count: int = 0
    seconds: float = 0.0
    processor_seconds: float = 0.0
    failures: dict[int, str] = {}
    slowest: tuple[float, int] = (0.0, -1)
    growth: int = 0
    objects: int = 0

    def __str__(self) -> str:
        seconds, seed = self.slowest
        return (
            f"{self.count} streams in {self.seconds:.0f} s, {self.processor_seconds:.0f} s of CPU; "
            f"the slowest, seed {seed}, took {seconds} s; {self.growth / 2**20:.0f} MiB more are used, "
            f"{self.objects} objects since the half; {len(self.failures)} failures: {self.failures}"
        )


@contextmanager
def garbage_collected() -> Iterator[None]:
    """Let Python collect garbage, as it does in the engine; the tests' fixtures do that only behind a test."""
    was_enabled = gc.isenabled()
    gc.enable()
    try:
        yield
    finally:
        if not was_enabled:
            gc.disable()


def living_objects() -> int:
    """How many blocks of Python's objects there are, without what only awaits its collection, and without the lines of
    source files, some 20,000 each, that a traceback was written with."""
    linecache.clearcache()
    gc.collect()
    return sys.getallocatedblocks()


SLOW_TO_TRY = {"stalls", "lingers", "lingers alive", "bomb", "endless", "endless head", "huge_line"}
"""Parts of a recipe for which one waits, or whose bytes take long."""


def quick_seeds(count: int) -> list[int]:
    """So many seeds whose streams are tried fast, and behind them one for each of the other kinds."""
    quick: list[int] = []
    slow: dict[str, int] = {}
    for seed in range(10 * count):
        parts = {
            part for one in script_of(seed) for part in (one.timing, one.transfer, *(name for name, _ in one.changes))
        }
        if not parts & SLOW_TO_TRY:
            quick.append(seed)
        for part in parts & SLOW_TO_TRY:
            slow.setdefault(part, seed)
    return quick[:count] + sorted(slow.values())


async def run_trials(seeds: Sequence[int], folder: Path, litellm: LiteLLM, most: int = 20) -> Trials:
    """Try these seeds, up to `most` failures, each of which is told with the smallest script that still fails."""
    trials, began, objects = Trials(), time.monotonic(), 0
    give_back_large_blocks()  # as the engine does
    with short_limits(), garbage_collected():
        house = await StreamHouse.open(folder, litellm)
        try:
            for kind in OF_NAME:  # what is imported and loaded at the first use is no growth
                await failure_of(house, [Recipe(0, kind)])
            before, processor = memory("VmRSS"), time.process_time()
            for seed in seeds:
                objects = living_objects() if trials.count == len(seeds) // 2 else objects
                started = time.monotonic()
                failure = await failure_of(house, script_of(seed))
                trials.slowest = max(trials.slowest, (round(time.monotonic() - started, 2), seed))
                trials.count += 1
                if trials.count % 100 == 0:
                    print(f"{trials.count} trials, {memory('VmRSS') >> 20} MiB", file=sys.stderr, flush=True)
                if failure and (failure := await confirmed(house, script_of(seed))):
                    smallest, told = await shrunk(house, script_of(seed), failure)
                    trials.failures[seed] = f"{told}\n    {json.dumps(msgspec.to_builtins(smallest))}"
                    print(f"seed {seed}: {trials.failures[seed]}", flush=True)
                if len(trials.failures) >= most:
                    break
            trials.growth, trials.objects = memory("VmRSS") - before, living_objects() - objects
            trials.processor_seconds = time.process_time() - processor
        finally:
            await house.close()
    trials.seconds = time.monotonic() - began
    return replace(trials)


async def tell_of(script: str, folder: Path, litellm: LiteLLM) -> bool:
    """Try one script, given as JSON, and print what was sent, what happened, and what does not hold."""
    recipes = msgspec.json.decode(script, type=list[Recipe])
    with short_limits():
        house = await StreamHouse.open(folder, litellm)
        try:
            await failure_of(house, [Recipe(0, recipes[0].kind)])  # litellm imports more at its first use
            await house.be_patient(6)
            for action in stream_of(recipes[0]).actions:
                print(repr(action)[:1_000])
            failure = await failure_of(house, recipes)
            for event in house.events:
                print(repr(event)[:300])
            for bug in house.bugs:
                traceback.print_exception(bug)
            print(f"asked {len(house.asked)} times: {failure or 'all holds'}")
        finally:
            await house.close()
    return bool(failure)
