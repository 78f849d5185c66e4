"""Each streamed token is counted as it arrives: under 50 microseconds, whatever the family."""

from __future__ import annotations

import re

import pytest

from desktop_app.context.counting.breakdown import add_tokens, gauge_of, tally
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import BALANCED, budget_for
from desktop_app.context.view.view import view_of
from desktop_app.conversation.gauge import Gauge, Segment
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.conversation.transcript import Chain, Transcript
from desktop_app.models.tokens.tokenizers import SOURCES, tokenizer_of

MICROSECOND = 1e-6
PIECES = re.findall(
    r"\s?\S+", "The parser reads each `line` once, and then (since 2.4) keeps 中文 as it is: nothing is lost.\n" * 20
)
MEGABYTE = "The parser reads each line once, and keeps what it read; 12,345 lines a second.\n" * 12_500


@pytest.mark.parametrize("family", [*SOURCES, "smollm2", "claude", "llama-2"])
def test_a_streamed_token_is_counted_and_added_to_the_gauge(benchmark, family: str) -> None:
    """As desktop_app/chat/turn/reply.py does it: count the piece, then grow the gauge."""
    counts = TokenCounts(tokenizer_of(family))
    transcript = Transcript(Chain([Message(id="m", role=Role.USER, parts=(Text("Tell me all about it."),))]))
    view, budget = view_of(transcript), budget_for(BALANCED, 128_000)
    gauge = gauge_of(view, tally(view, counts), counts, BALANCED, budget, ModelInfo("m", "M", 128_000, 0))

    def streamed() -> Gauge:
        told, grown = 0, gauge
        for piece in PIECES:
            told += counts.text(piece)
            grown = add_tokens(gauge, Segment.ASSISTANT, told)
        return grown

    grown = benchmark.pedantic(streamed, rounds=20, warmup_rounds=2)
    assert grown.total > gauge.total + len(PIECES) / 2
    assert benchmark.stats["median"] / len(PIECES) < 50 * MICROSECOND


@pytest.mark.parametrize("family", ["o200k", "claude"])
def test_a_megabyte_is_counted_in_under_a_second(benchmark, family: str) -> None:
    tokenizer = tokenizer_of(family)
    tokens = benchmark.pedantic(tokenizer.count, (MEGABYTE,), rounds=3, warmup_rounds=1)
    assert tokens > 200_000
    assert benchmark.stats["median"] < 1
