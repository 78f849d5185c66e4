"""The gauge at 10,000 messages: a message more costs the work of one message, not of ten thousand."""

from __future__ import annotations

import itertools

import pytest

from desktop_app.context.breakdown import Tally, gauge_of, tally
from desktop_app.context.counting import Counts
from desktop_app.context.policy import BALANCED, budget_for
from desktop_app.context.view import View, view_after, view_of
from desktop_app.conversation.chain import Chain
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.conversation.transcript import Transcript
from desktop_app.models.tokenizers import tokenizer_for

MESSAGES = 10_000
MODEL = ModelInfo("far/large", "Large", 2_000_000, 8_192)


def message(number: int) -> Message:
    role = Role.ASSISTANT if number % 2 else Role.USER
    text = f"Message {number} about src/part{number % 97}.py. " + "It says what was agreed on and why. " * 14
    return Message(id=f"m{number}", role=role, parts=(Text(text),))


@pytest.fixture(scope="module")
def long() -> tuple[Transcript, View, Counts, Tally]:
    transcript = Transcript(Chain([message(n) for n in range(MESSAGES)]))
    view, counts = view_of(transcript), Counts(tokenizer_for("gpt-4o"))
    return transcript, view, counts, tally(view, counts)


def test_a_message_more(benchmark, long: tuple[Transcript, View, Counts, Tally]) -> None:
    transcript, view, counts, sums = long
    state = [transcript, view, sums]
    numbers = itertools.count(MESSAGES)

    def one_more() -> Gauge:
        state[0] = state[0].append(message(next(numbers)))
        state[1] = view_after(state[1], state[0])
        state[2] = tally(state[1], counts, state[2])
        return gauge_of(state[1], state[2], counts, BALANCED, budget_for(BALANCED, MODEL.window), MODEL)

    gauge = benchmark.pedantic(one_more, rounds=200, iterations=1, warmup_rounds=5)
    assert gauge.total == sum(gauge.segments.values())


def test_everything_anew_with_counts_kept(benchmark, long: tuple[Transcript, View, Counts, Tally]) -> None:
    """What an operation costs: the whole fold and all sums, no counting. The bench above is compared with it."""
    transcript, _, counts, _ = long

    def anew() -> Gauge:
        view = view_of(transcript)
        return gauge_of(view, tally(view, counts), counts, BALANCED, budget_for(BALANCED, MODEL.window), MODEL)

    benchmark.pedantic(anew, rounds=10, iterations=1, warmup_rounds=1)
