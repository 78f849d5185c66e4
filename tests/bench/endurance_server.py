"""The model of the endurance run, in a process of its own: answers at once, and keeps nothing of what it was asked.

`python tests/bench/endurance_server.py` prints its base URL, and ends with its standard input.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from provider import AnyStep, Reply, Request, ScriptedProvider
from provider_shapes import Shape

WINDOW = 12_000
WORDS = (
    "river",
    "evening",
    "parser",
    "ticket",
    "window",
    "budget",
    "Friday",
    "module",
    "answer",
    "**reads**",
    "`value`",
)


@contextmanager
def running_server() -> Iterator[str]:
    """Run this module in a process of its own; yields its base URL."""
    command, path = [sys.executable, __file__], str(Path(__file__).resolve().parents[1] / "support")
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.communicate()  # closes its standard input, with which it ends


class Fluent:
    """Answers every message with some sentences, now and then with a long text, and summaries as they are asked for."""

    window = WINDOW

    def __init__(self) -> None:
        self._random = random.Random(6)

    def take(self, request: Request, shape: Shape) -> AnyStep:
        """The step that answers it."""
        if "Answer with one JSON object" in request.text:
            summary = "## Primary intent\nThe user asks for one thing after the other. " + self._prose(120)
            return Reply(json.dumps({"summary": summary, "keep": []}), size=400, usage=None)
        if "Call save_memory once" in request.text:
            return Reply("SILENT", usage=None)
        if "You name conversations for a list" in str(request.turns[0][1]):
            return Reply("A talk about " + self._random.choice(WORDS[:8]), usage=None)
        length = 400 if self._random.random() < 0.1 else 60
        return Reply(self._prose(length) + "\n\n```python\nvalue = 1\n```\n", size=120, usage=None)

    def _prose(self, words: int) -> str:
        return " ".join(self._random.choice(WORDS) for _ in range(words)) + "."


class Forgetful(ScriptedProvider):
    """Keeps no requests: it is asked ten thousand times."""

    def take(self, request: Request, shape: Shape) -> AnyStep:
        """The step that answers this request."""
        step = super().take(request, shape)
        self.requests.clear()
        self.written.clear()
        return step


def main() -> None:
    """Serves until standard input ends."""
    with Forgetful(Fluent(), models=("scripted",)) as provider:
        print(provider.base_url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
