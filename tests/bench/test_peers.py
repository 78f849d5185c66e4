"""The time to bring a conversation to a quarter of its tokens, beside other packages' ways of doing it.

Same messages, same counter (o200k), same run, CPU time. The peers live in an environment of their own (packaging/bench
--peers makes it, PALIMPSEST_PEERS names another one's Python); without it these tests are skipped. The table is
printed, and written to build/peers.md; docs/measurements.md holds one.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from test_compact_speed import TOKENIZER, session, to_a_quarter

from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.compact.room_decision import next_step
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import BALANCED, Budget, policy_for_target
from desktop_app.context.view.view import assemble, view_of, with_entries
from desktop_app.conversation.message import Message
from desktop_app.conversation.openai_chat import chat_of
from desktop_app.conversation.transcript import Chain, Transcript, Trigger

ROOT = Path(__file__).resolve().parents[2]
PYTHON = Path(os.environ.get("PALIMPSEST_PEERS", ROOT / ".bench-venv" / "bin" / "python"))
REDUCERS = Path(__file__).parent / "peers" / "reducers.py"
PEERS = ("langchain-core", "litellm", "openhands-sdk", "convopack", "agent-framework")
BY_COUNT = {"openhands-sdk"}  # it keeps the newest quarter of plain messages, and knows neither tokens nor calls here
SIZES = (100, 1_000, 10_000)
SECONDS_MOST = 90
"""A peer that takes longer is stopped."""
STARTING = 60
"""Seconds for a peer's imports and the change into its own kind of message, which are not measured."""

pytestmark = [
    pytest.mark.skipif(not PYTHON.exists(), reason=f"the peers are not installed ({PYTHON}); see packaging/bench"),
    pytest.mark.timeout(900),
]

Outcome = dict[str, float]
NOT_INSTALLED = 3  # as reducers.py exits


class Conversation:
    """The same messages for all, with the view and the counts that an open conversation has."""

    def __init__(self, size: int, folder: Path) -> None:
        self.messages: list[Message] = session(size)
        self.counts = TokenCounts(TOKENIZER)
        self.transcript = Transcript(Chain(self.messages))
        self.view = view_of(self.transcript)
        self.target = request_tokens(self.view, self.counts) // 4
        self.path = folder / f"{size}.json"
        self.path.write_text(json.dumps(chat_of(assemble(self.view))))

    def decide(self) -> None:
        """Until it is known which messages leave: all that has to happen before a summary is written."""
        transcript, view = self.transcript, self.view
        while step := next_step(view, policy_for_target(BALANCED), Budget(self.target, 0), self.counts, Trigger.USER):
            if isinstance(step, CompactionPlan):
                return
            transcript = with_entries(transcript, step)
            view = view_of(transcript)

    def of_peer(self, peer: str) -> Outcome | str:
        """Return what the peer took and left, or why there is nothing to compare with."""
        times = 3 if len(self.messages) < SIZES[1] else 1
        command = [str(PYTHON), str(REDUCERS), peer, str(self.path), *[str(self.target)] * times]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_MOST + STARTING, check=True)
        except subprocess.TimeoutExpired:
            return f"over {SECONDS_MOST} s"
        except subprocess.CalledProcessError as failed:
            if failed.returncode == NOT_INSTALLED:
                return "not installed"
            raise
        outcomes: list[Outcome] = [json.loads(line) for line in done.stdout.splitlines()[-times:]]
        return min(outcomes, key=lambda outcome: outcome["seconds"])


def best_of_three(work: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


@pytest.fixture(scope="module")
def table() -> Iterator[dict[tuple[str, int], str]]:
    """Cells by row and size, told when all is measured."""
    TOKENIZER.count("hello")
    cells: dict[tuple[str, int], str] = {}
    yield cells
    rows = dict.fromkeys(row for row, _ in cells)
    lines = ["| messages | " + " | ".join(f"{size:,}" for size in SIZES) + " |", "|---" * (len(SIZES) + 1) + "|"]
    lines += [f"| {row} | " + " | ".join(cells.get((row, size), "") for size in SIZES) + " |" for row in rows]
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build" / "peers.md").write_text("\n".join(lines) + "\n")
    print("\n" + "\n".join(lines))


@pytest.mark.parametrize("size", SIZES)
def test_ours_is_faster_than_the_peers(size: int, tmp_path: Path, table: dict[tuple[str, int], str]) -> None:
    conversation = Conversation(size, tmp_path)
    decision = best_of_three(conversation.decide)
    warm = best_of_three(lambda: to_a_quarter(conversation.messages, conversation.counts))
    cold = best_of_three(lambda: to_a_quarter(conversation.messages, TokenCounts(TOKENIZER)))
    for row, seconds in (("decision", decision), ("all, counts kept", warm), ("all, cold", cold)):
        table[f"Palimpsest: {row}", size] = f"{seconds:.3f} s"
    slower = []
    for peer in PEERS:
        outcome = conversation.of_peer(peer)
        table[peer, size] = told(outcome, peer)
        if isinstance(outcome, str):
            continue
        if outcome["seconds"] <= decision:
            slower.append(peer)
        if peer == "langchain-core" and size == SIZES[-1]:
            assert cold < outcome["seconds"] / 2
    assert not slower, f"{decision:.3f} s, and faster were {slower}: {table}"


def told(outcome: Outcome | str, peer: str) -> str:
    """A peer's cell: seconds, and what its result lacks; or why it has none."""
    if isinstance(outcome, str):
        return outcome
    broken = f", {outcome['unpaired']:.0f} halves of pairs" if outcome["unpaired"] and peer not in BY_COUNT else ""
    return f"{outcome['seconds']:.3f} s{broken}"
