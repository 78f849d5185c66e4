"""A token that streams costs the same wherever in a reply it comes, and no queue of them grows."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from measure_stream import line_read, published

from desktop_app.chat.ports import TextPiece
from desktop_app.chat.turn.incoming_reply import ReplyInFlight
from desktop_app.chat.turn.stream_guard import Limits, StreamGuard
from desktop_app.models.tokens.tokenizers import tokenizer_for

PIECES, ROUNDS = 200, 20
SECONDS = 4.0


class Growing:
    """A reply of that many pieces, which grows by some more."""

    def __init__(self, length: int) -> None:
        self.guard = StreamGuard(tokenizer_for("gpt-4o").count)
        self.guard.begun(Limits(10_000_000, 9_000_000, 10_000_000, 2), 1_000)
        self.reply = ReplyInFlight("scripted")
        self._take(length)

    def grow(self) -> None:
        self._take(PIECES)

    def _take(self, pieces: int) -> None:
        for number in range(pieces):
            for shown in self.guard.arrived(TextPiece(f" word{number}")):
                self.reply.add(shown)


def cost(calls: Callable[[], object]) -> float:
    """CPU seconds that those calls take."""
    started = time.process_time()
    calls()
    return time.process_time() - started


def test_a_piece_of_a_long_reply_costs_what_one_of_a_short_reply_costs(benchmark) -> None:
    short, long = Growing(100), Growing(100_000)
    costs_short = cost(lambda: [short.grow() for _ in range(ROUNDS)])
    costs_long = cost(lambda: benchmark.pedantic(long.grow, rounds=ROUNDS))
    assert costs_long < 3 * costs_short


@pytest.mark.parametrize("measure", [published, line_read])
async def test_no_queue_grows(measure) -> None:
    """At a rate that leaves room on a machine that does other things, too: measure_stream.py measures a thousand."""
    figures = await measure(300, SECONDS)
    assert figures.deltas == 300 * SECONDS
    assert figures.growth < 500, figures
    assert figures.cpu < 1000 / 300, figures
