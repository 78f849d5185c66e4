"""The gauge is asked for at each keystroke and each streamed token: an update must cost the work of one message."""

from __future__ import annotations

import pytest

from conversations_made_up import Letters
from desktop_app.context.counting.breakdown import Tally, gauge_of, tally
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import BALANCED, budget_for
from desktop_app.context.view.view import View, view_after, view_of
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.conversation.transcript import Chain, Transcript

MILLISECOND = 0.001
BUDGET = budget_for(BALANCED, 1_000_000)
MODEL = ModelInfo("m", "M", 1_000_000, 0)


def message(number: int) -> Message:
    role = Role.ASSISTANT if number % 2 else Role.USER
    return Message(id=f"m{number}", role=role, parts=(Text(f"message {number} of this long conversation " * 4),))


class Open:
    """An open conversation, as the engine holds it: its record, view, sums and counts."""

    def __init__(self, length: int) -> None:
        self.counts = TokenCounts(Letters())
        self.transcript = Transcript(Chain([message(n) for n in range(length)]))
        self.view: View = view_of(self.transcript)
        self.sums: Tally = tally(self.view, self.counts)

    def appended(self) -> Gauge:
        self.transcript = self.transcript.append(message(len(self.transcript.entries)))
        self.view = view_after(self.view, self.transcript)
        self.sums = tally(self.view, self.counts, self.sums)
        return gauge_of(self.view, self.sums, self.counts, BALANCED, BUDGET, MODEL)


@pytest.mark.parametrize(("length", "milliseconds"), [(100, 5), (10_000, 5), (100_000, 1)])
def test_an_update_of_the_gauge(benchmark, length: int, milliseconds: int) -> None:
    opened = Open(length)
    gauge = benchmark.pedantic(opened.appended, rounds=200, warmup_rounds=5)
    assert benchmark.stats["median"] < milliseconds * MILLISECOND
    assert gauge.total == tally(opened.view, TokenCounts(Letters())).total


def test_everything_anew_with_counts_kept(benchmark) -> None:
    """What an operation costs: the whole fold and all sums, no counting."""
    opened = Open(10_000)

    def anew() -> Gauge:
        view = view_of(opened.transcript)
        return gauge_of(view, tally(view, opened.counts), opened.counts, BALANCED, BUDGET, MODEL)

    gauge = benchmark.pedantic(anew, rounds=5, warmup_rounds=1)
    assert gauge.total == sum(gauge.segments.values())
    assert benchmark.stats["median"] < 1_000 * MILLISECOND
