"""A message that is appended costs the work of one message, however long the conversation is; memory is shared."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from msgspec.structs import replace

from conversations_made_up import Letters, long_conversation
from desktop_app.context.counting.breakdown import Tally, gauge_of, tally
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import BALANCED, budget_for
from desktop_app.context.view.view import View, view_after, view_of
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Chain, Compaction, Transcript, Trigger

SHORT, LONG = 1_000, 100_000
MAX_RATIO = 3.0
APPENDED, BATCHES = 200, 7
MAX_BYTES = 3_000
"""What an appended message may take in the record, the view, the sums and the counts, beside its own text."""
BUDGET = budget_for(BALANCED, 10_000_000)
MODEL = ModelInfo("m", "M", 10_000_000, 0)


class Open:
    """An open conversation, as the engine holds it. What comes is made beforehand: making it is not measured."""

    def __init__(self, length: int, *, is_compacted: bool) -> None:
        messages = long_conversation(length + APPENDED * (BATCHES + 1))
        self.coming = iter(messages[length:])
        self.counts = TokenCounts(Letters())
        self.transcript = Transcript(Chain(messages[:length]))
        if is_compacted:
            archived = tuple(m.id for m in messages[1 : length // 2])
            self.transcript = self.transcript.append(
                Compaction(id="op", trigger=Trigger.USER, strategy="llm", archived=archived, summary="They met.")
            )
        self.view: View = view_of(self.transcript)
        self.sums: Tally = tally(self.view, self.counts)

    def append(self, message: Message) -> Gauge:
        self.transcript = self.transcript.append(message)
        self.view = view_after(self.view, self.transcript)
        self.sums = tally(self.view, self.counts, self.sums)
        return gauge_of(self.view, self.sums, self.counts, BALANCED, BUDGET, MODEL)

    def seconds_a_message(self) -> float:
        """Of CPU time; the best of several batches, since the machine does other things too."""
        return min(self._batch() for _ in range(BATCHES))

    def _batch(self) -> float:
        messages = [next(self.coming) for _ in range(APPENDED)]
        started = time.process_time()
        for message in messages:
            self.append(message)
        return (time.process_time() - started) / APPENDED


@pytest.mark.slow
@pytest.mark.parametrize("is_compacted", [False, True])
def test_appending_to_a_long_conversation_costs_what_it_costs_in_a_short_one(is_compacted: bool) -> None:
    short = Open(SHORT, is_compacted=is_compacted).seconds_a_message()
    long = Open(LONG, is_compacted=is_compacted).seconds_a_message()
    assert long < MAX_RATIO * short, f"{long * 1e6:.0f} µs a message, and {short * 1e6:.0f} µs in a short one"


def test_the_memory_of_a_message_is_its_own() -> None:
    """Nothing is copied: all earlier views are held here, and share what they have in common."""
    opened = Open(5_000, is_compacted=False)
    messages = [replace(next(opened.coming), id=f"new{n}") for n in range(APPENDED)]
    views: list[tuple[Transcript, View, Tally]] = []
    tracemalloc.start()
    for message in messages:
        opened.append(message)
        views.append((opened.transcript, opened.view, opened.sums))
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken / APPENDED < MAX_BYTES, f"{taken / APPENDED:.0f} bytes a message"
    assert len(views[0][1].items) < len(views[-1][1].items)
