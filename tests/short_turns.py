"""Many short turns piped into `palimpsest chat`, against a server that counts in a way of its own.

    run = short_turns(data, folder, turns=200)
    run.failed, run.noticed, run.errors

Each line of standard input is there before the turn before it has ended, so that a compaction in the background is
recorded while the next request is under way, as it is when somebody types fast. By hand, with the figures printed:
`python tests/short_turns.py 2000`.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec

from provider import Overflow, Reply, Request, ScriptedProvider
from provider_script import AnyStep
from provider_shapes import Shape

WORDS = "the parser reads a value and returns it, so that the cache of 12 entries is never older than 3.5 seconds"
PAUSE = 0.002
"""Seconds between two deltas of a reply, so that it takes about as long as a compaction."""


class Quarter:
    """Takes a quarter of the characters of a request's JSON for its tokens, and refuses what its window cannot hold."""

    def __init__(self, window: int, seed: int = 5) -> None:
        self.window = window
        self.refused = 0
        self._rng = random.Random(seed)

    def take(self, request: Request, shape: Shape) -> AnyStep:
        tokens = len(json.dumps(request.body, ensure_ascii=False)) // 4
        if tokens > self.window:
            self.refused += 1
            return Overflow(window=self.window, tokens=tokens)
        text = some_text(self._rng, self._rng.choice((12, 30, 60, 120)))
        return Reply(text, size=24, pause=PAUSE, usage=(tokens, len(json.dumps(text)) // 4, 0))


class Measured(msgspec.Struct, frozen=True):
    """A request of which the gauge was *measured*: its tokens as it said, and as the server reported then."""

    turn: int
    shown: int
    reported: int

    @property
    def error(self) -> float:
        return abs(self.shown / self.reported - 1)


class ShortTurns(msgspec.Struct, frozen=True):
    """What came of it. failed, noticed: the titles of failures and of notices. meanwhile: how many operations were
    recorded between a request and its reply. turns: that have finished."""

    turns: int
    failed: list[str]
    noticed: list[str]
    measured: list[Measured]
    meanwhile: int
    operations: int
    refused: int
    seconds: float

    @property
    def wrong(self) -> list[Measured]:
        """Those that were more than two in a hundred off."""
        return [one for one in self.measured if one.error > 0.02]


def some_text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(WORDS.split()) for _ in range(words)).capitalize() + "."


def short_turns(data: Path, folder: Path, turns: int, window: int = 16_000) -> ShortTurns:
    """All turns, in a process of their own."""
    rng = random.Random(11)
    lines = "".join(f"Question {n}: {some_text(rng, rng.randrange(8, 60))}\n" for n in range(turns))
    started = time.monotonic()
    with ScriptedProvider(script := Quarter(window)) as provider:
        command = [sys.executable, "-m", "desktop_app", "chat", "--model", "scripted", "--json"]
        command += ["--base-url", provider.base_url, "--window", str(window), "--data-dir", str(data)]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        ended = subprocess.run(
            command, input=lines, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=sys.stderr, text=True
        )
    told = [json.loads(line) for line in ended.stdout.splitlines()]
    return _read(told, script.refused, time.monotonic() - started)


def _read(told: list[dict[str, Any]], refused: int, seconds: float) -> ShortTurns:
    gauge: dict[str, Any] = {}
    is_under_way, turns, meanwhile, operations = False, 0, 0, 0
    sent, measured = gauge, list[Measured]()
    for event in told:
        match event["event"]:
            case "gauge_changed" if not is_under_way:
                gauge = event
            case "reply_started":
                is_under_way, sent = True, gauge
            case "pruned" | "compacted":
                operations, meanwhile = operations + 1, meanwhile + is_under_way
            case "reply_finished":
                is_under_way, usage = False, event["usage"]
                if sent["basis"] == "measured" and usage:
                    measured.append(Measured(turns, sent["total"], usage["prompt_tokens"]))
            case "turn_finished":
                turns += event["reason"] == "finished"
            case _:
                pass
    titles = {kind: [e["title"] for e in told if e["event"] == kind] for kind in ("turn_failed", "noticed")}
    return ShortTurns(
        turns, titles["turn_failed"], titles["noticed"], measured, meanwhile, operations, refused, seconds
    )


def main(turns: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "work").mkdir()
        run = short_turns(Path(folder) / "data", Path(folder) / "work", int(turns))
    worst = max((one.error for one in run.measured), default=0.0)
    print(f"{run.turns} turns in {run.seconds:.0f} s; {run.operations} operations, {run.meanwhile} of them meanwhile")
    print(f"failed: {run.failed}\nnoticed: {run.noticed}\nrefused by the server: {run.refused}")
    print(f"measured before the request: {len(run.measured)}, worst {worst:.2%}, wrong: {run.wrong}")


if __name__ == "__main__":
    main(*sys.argv[1:])
