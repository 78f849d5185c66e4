"""Two hundred short turns, piped in as fast as they are answered: no wrong figure, and nobody is accused.

Each line of standard input is there before the turn before it has ended, so that a compaction in the background is
recorded while the next request is under way, as it is when somebody types fast.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from provider import AnyStep, Overflow, Reply, Request, ScriptedProvider
from provider_shapes import Shape

TURNS = int(os.environ.get("PALIMPSEST_SHORT_TURNS", "200"))
"""2,000 of them take four minutes."""
WORDS = "the parser reads a value and returns it, so that the cache of 12 entries is never older than 3.5 seconds"
WINDOW = 16_000
MAX_ERROR = 0.02


def some_text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(WORDS.split()) for _ in range(words)).capitalize() + "."


class Quarter:
    """Takes a quarter of the characters of a request's JSON for its tokens, and refuses what its window cannot hold."""

    window = WINDOW

    def __init__(self) -> None:
        self.refused = 0
        self._rng = random.Random(5)

    def take(self, request: Request, shape: Shape) -> AnyStep:
        tokens = len(json.dumps(request.body, ensure_ascii=False)) // 4
        if tokens > WINDOW:
            self.refused += 1
            return Overflow(window=WINDOW, tokens=tokens)
        text = some_text(self._rng, self._rng.choice((12, 30, 60, 120)))
        # With a pause between two deltas a reply takes about as long as a compaction.
        return Reply(text, size=24, pause=0.002, usage=(tokens, len(json.dumps(text)) // 4, 0))


def errors_in(told: list[dict[str, Any]]) -> tuple[list[float], int]:
    """Return how far each measured gauge was off from what was reported of its request, and how many operations were
    recorded between a request and its reply."""
    gauge: dict[str, Any] = {}
    is_under_way, meanwhile, sent, errors = False, 0, gauge, list[float]()
    for event in told:
        match event["event"]:
            case "gauge_changed" if not is_under_way:
                gauge = event
            case "reply_started":
                is_under_way, sent = True, gauge
            case "pruned" | "compacted":
                meanwhile += is_under_way
            case "reply_finished":
                is_under_way, usage = False, event["usage"]
                if sent["basis"] == "measured" and usage:
                    errors.append(abs(sent["total"] / usage["prompt_tokens"] - 1))
            case _:
                pass
    return errors, meanwhile


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_what_is_recorded_between_a_request_and_its_reply_makes_no_figure_wrong(
    data_folder: Path, tmp_path: Path
) -> None:
    rng = random.Random(11)
    lines = "".join(f"Question {n}: {some_text(rng, rng.randrange(8, 60))}\n" for n in range(TURNS))
    with ScriptedProvider(script := Quarter()) as provider:
        command = [sys.executable, "-m", "desktop_app", "chat", "--model", "scripted", "--json"]
        command += ["--base-url", provider.base_url, "--window", str(WINDOW), "--data-dir", str(data_folder)]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        ended = subprocess.run(
            command, input=lines, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, check=False
        )
    told = [json.loads(line) for line in ended.stdout.splitlines()]
    assert not [event["title"] for event in told if event["event"] in ("turn_failed", "noticed")]
    assert sum(event["event"] == "turn_finished" and event["reason"] == "finished" for event in told) == TURNS
    assert not script.refused
    errors, meanwhile = errors_in(told)
    assert meanwhile, "else there was nothing to be confused by"
    assert len(errors) > 0.8 * TURNS
    assert max(errors) <= MAX_ERROR
