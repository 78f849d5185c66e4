"""Recording a message in an open conversation costs the work of one message, however long the conversation is."""

from __future__ import annotations

import time
from unittest.mock import AsyncMock

import pytest

from conversations_made_up import Letters, long_conversation
from desktop_app.chat.research import UnstoredRecord
from desktop_app.chat.session import Session
from desktop_app.context.policy import BALANCED
from desktop_app.conversation.listing import ConversationInfo, ModelInfo
from desktop_app.conversation.message import Message

pytestmark = pytest.mark.slow

SHORT, LONG = 1_000, 100_000
RATIO_MOST = 3.0
APPENDED, BATCHES = 100, 5


class Counted:
    """As much of a model as a session needs to count."""

    info = ModelInfo("server/m", "M", 10_000_000, 1_000)
    tokenizer = Letters()


def opened(length: int) -> tuple[Session, list[Message]]:
    messages = long_conversation(length + APPENDED * BATCHES)
    store = UnstoredRecord(AsyncMock())
    session = Session(ConversationInfo("c", "C", 0.0, 0.0), tuple(messages[:length]), Counted(), BALANCED, store)
    session.counter.gauge()
    return session, messages[length:]


async def seconds_a_message(length: int) -> float:
    """Of CPU time, with the gauge that follows each message; the best of several batches."""
    session, coming = opened(length)
    best = float("inf")
    for batch in range(BATCHES):
        started = time.process_time()
        for message in coming[batch * APPENDED : (batch + 1) * APPENDED]:
            await session.record_message(message)
            session.counter.gauge()
        best = min(best, (time.process_time() - started) / APPENDED)
    return best


async def test_recording_in_a_long_conversation_costs_what_it_costs_in_a_short_one() -> None:
    short, long = await seconds_a_message(SHORT), await seconds_a_message(LONG)
    assert long < RATIO_MOST * short, f"{long * 1e6:.0f} µs a message, and {short * 1e6:.0f} µs in a short one"
