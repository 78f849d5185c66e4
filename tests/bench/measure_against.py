"""Measures the fold, the decision and the gauge against another build. `python tests/bench/measure_against.py TREE`

TREE: a work tree of the other build, with a `.venv` of its own. Each build runs in its own process, and the two take
turns, so that a busy machine slows both. Prints the fewest milliseconds of CPU of each, and their ratio. Words behind
TREE choose the figures whose names contain one of them. Ends with 1 if a ratio is above 1.1.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop_app.context.counting.breakdown import Tally
    from desktop_app.conversation.tools import ToolSpec

HERE = Path(__file__).resolve().parents[2]
ROUNDS, SECONDS, MAX_RATIO = 8, 0.1, 1.1
COUNT, TOOLS = 10_000, 60


def figures() -> dict[str, Callable[[], object]]:
    """Return what is measured, by name: the same work in each build that can be imported here."""
    from test_compact_speed import TOKENIZER, session
    from test_gauge_speed import MODEL, message
    from test_prune_speed import agent_session

    from desktop_app.context.compact.room_decision import next_step
    from desktop_app.context.counting.breakdown import gauge_of, request_tokens, tally
    from desktop_app.context.counting.tokens import TokenCounts, count_message
    from desktop_app.context.policy import BALANCED, Budget
    from desktop_app.context.view.view import View, view_after, view_of
    from desktop_app.conversation.message import Message, Role, Text, ToolResult
    from desktop_app.conversation.tools import ToolSpec
    from desktop_app.conversation.transcript import Chain, Transcript, Trigger

    counts = TokenCounts(TOKENIZER)
    recorded = {
        "talk": [message(n) for n in range(COUNT)],
        "session": session(COUNT),
        "agent": agent_session(COUNT // 2, COUNT // 2),
    }
    late = list(recorded["agent"])  # a tenth of the results change places with the next
    late[2:-5:20], late[4:-5:20] = late[4:-5:20], late[2:-5:20]
    recorded["late results"] = late
    lost = Message(id="lost", role=Role.TOOL, parts=(ToolResult("no call", "read", "text"),))
    recorded["one lost result"] = [*recorded["agent"], lost]
    tools = tuple(_tool(ToolSpec, n) for n in range(TOOLS))
    found: dict[str, Callable[[], object]] = {}
    for name, messages in recorded.items():
        transcript = Transcript(Chain(messages))
        view = view_of(transcript)
        sums, total = tally(view, counts), request_tokens(view, counts)
        more = transcript.append(Message(id="more", role=Role.ASSISTANT, parts=(Text("And one more. " * 20),)))

        def fold(transcript: Transcript = transcript) -> object:
            return view_of(transcript)

        def whole(transcript: Transcript = transcript) -> object:
            view = view_of(transcript)
            return gauge_of(view, tally(view, counts), counts, BALANCED, Budget(1_000_000, 0), MODEL)

        def one_more(view: View = view, more: Transcript = more) -> object:
            return view_after(view, more)

        def gauge(view: View = view, sums: Tally = sums, more: Transcript = more) -> object:
            grown = view_after(view, more)
            return gauge_of(grown, tally(grown, counts, sums), counts, BALANCED, Budget(1_000_000, 0), MODEL)

        def decision(share: float, view: View = view, total: int = total) -> Callable[[], object]:
            budget = Budget(round(total / share), 0)
            return lambda: next_step(view, BALANCED, budget, counts, Trigger.BEFORE_REQUEST)

        found |= {f"fold, {name}": fold, f"fold, sums and gauge, {name}": whole, f"one more, {name}": one_more}
        found |= {f"gauge of one more, {name}": gauge}
        shares = {
            "nothing due": 0.3,
            "prune due": BALANCED.prune_at + 0.01,
            "compaction due": BALANCED.compact_at + 0.01,
        }
        found |= {f"decision, {due}, {name}": decision(share) for due, share in shares.items()}
    for name in ("talk", "session"):
        messages = recorded[name][:500]
        found[f"500 messages counted, {name}"] = lambda messages=messages: [
            count_message(one, TOKENIZER) for one in messages
        ]
    found[f"{TOOLS} tools counted"] = lambda: TokenCounts(TOKENIZER).tools(tools)
    return found


def _tool(spec: type[ToolSpec], number: int) -> ToolSpec:
    names = ("path", "pattern", "limit", "recursive", "encoding", "since")
    about = "Which of the files are looked at, relative to the folder of the project."
    fields = {f"{name}_{number}": {"type": "string", "description": f"{about} {name}."} for name in names}
    schema = {"type": "object", "properties": fields, "required": [f"path_{number}"]}
    description = f"Look through the files of the project by rule number {number}, and return the lines that match."
    return spec(f"tool_{number}", description, json.dumps(schema))


def fewest_milliseconds(work: Callable[[], object]) -> float:
    """Return the CPU time of the fastest of several runs."""
    times, end = list[float](), time.process_time() + SECONDS
    while not times or time.process_time() < end:
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times) * 1_000


def serve(tree: Path) -> None:
    """Measure what is asked for on standard input, a name a line, with the build in that tree."""
    sys.path[:0] = [str(tree), str(tree / "tests/support"), str(tree / "tests"), str(tree / "tests/bench")]
    measured = figures()
    gc.collect()
    gc.freeze()
    gc.disable()
    print(json.dumps(list(measured)), flush=True)
    for line in sys.stdin:
        print(fewest_milliseconds(measured[line.rstrip("\n")]), flush=True)


class Build:
    """A process that measures one build."""

    def __init__(self, tree: Path) -> None:
        command = [str(tree / ".venv/bin/python"), "-P", __file__, "--serve", str(tree)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tree)
        self.names: list[str] = json.loads(self._answer())

    def milliseconds(self, name: str) -> float:
        assert self._process.stdin
        print(name, file=self._process.stdin, flush=True)
        return float(self._answer())

    def _answer(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline()


def compare(other: Path, words: list[str]) -> bool:
    """Print the figures of both builds; return whether no ratio is too large."""
    before, now = Build(other), Build(HERE)
    ratios = list[float]()
    for name in now.names:
        if words and not any(word in name for word in words):
            continue
        rounds = [(before.milliseconds(name), now.milliseconds(name)) for _ in range(ROUNDS)]
        old, new = (min(times) for times in zip(*rounds, strict=True))
        ratios.append(new / old)
        print(f"{name:<48} {old:9.3f} {new:9.3f} {new / old:6.2f}", flush=True)
    return max(ratios, default=0.0) <= MAX_RATIO


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(Path(sys.argv[2]))
    else:
        sys.exit(not compare(Path(sys.argv[1]).resolve(), sys.argv[2:]))
