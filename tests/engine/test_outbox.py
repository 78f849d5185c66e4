"""Lines leave in order; deltas are joined, and nothing overtakes them."""

from __future__ import annotations

import asyncio

from desktop_app.conversation.events import GaugeChanged, ReasoningDelta, TextDelta, ToolOutputReceived, TurnFinished
from desktop_app.conversation.gauge import Gauge, Segment, Status
from desktop_app.engine.event_coalescer import JOIN_FOR, EventCoalescer
from desktop_app.engine.protocol import Done, EventLine, ResponseLine, decode_engine_line


def gauge(total: int) -> GaugeChanged:
    return GaugeChanged("c", Gauge({Segment.USER: total}, total, 8_192, 1_638, Status.SAFE))


def opened() -> tuple[EventCoalescer, list]:
    lines: list = []
    return EventCoalescer(lambda line: lines.append(decode_engine_line(line))), lines


async def test_deltas_are_joined_to_one_line_a_moment() -> None:
    outbox, lines = opened()
    for letter in "Hello":
        outbox.publish(TextDelta("c", "r", letter))
        outbox.publish(gauge(len(lines)))
    assert lines == []
    await asyncio.sleep(JOIN_FOR * 2)
    assert lines == [EventLine(TextDelta("c", "r", "Hello")), EventLine(gauge(0))]


async def test_nothing_overtakes_a_delta() -> None:
    outbox, lines = opened()
    outbox.publish(TextDelta("c", "r", "Hel"))
    outbox.publish(TextDelta("c", "r", "lo"))
    outbox.publish(TurnFinished("c"))
    outbox.send(ResponseLine(1, Done()))
    assert lines == [EventLine(TextDelta("c", "r", "Hello")), EventLine(TurnFinished("c")), ResponseLine(1, Done())]


async def test_replies_and_kinds_are_not_mixed_up() -> None:
    outbox, lines = opened()
    for event in (
        TextDelta("c", "r", "a"),
        ReasoningDelta("c", "r", "b"),
        TextDelta("d", "s", "c"),
        gauge(1),
        gauge(2),
    ):
        outbox.publish(event)
    outbox.flush()
    assert [line.event for line in lines] == [
        TextDelta("c", "r", "a"),
        ReasoningDelta("c", "r", "b"),
        TextDelta("d", "s", "c"),
        gauge(2),
    ]


async def test_half_a_character_does_not_stop_what_comes_behind_it() -> None:
    """Some servers cut a reply between the halves of a surrogate pair, which no UTF-8 can carry."""
    outbox, lines = opened()
    outbox.publish(TextDelta("c", "r", "a \ud83d"))
    outbox.publish(TextDelta("c", "r", "\ude00 b \ud83d"))
    outbox.flush()
    outbox.publish(TurnFinished("c"))
    assert [line.event for line in lines] == [TextDelta("c", "r", "a \U0001f600 b \ufffd"), TurnFinished("c")]


async def test_outputs_of_calls_with_one_id_are_not_mixed_up() -> None:
    outbox, lines = opened()
    for place, text in ((0, "one "), (1, "two "), (0, "more")):
        outbox.publish(ToolOutputReceived("c", "call_1", text, "r", place))
    outbox.flush()
    assert [line.event for line in lines] == [
        ToolOutputReceived("c", "call_1", "one more", "r", 0),
        ToolOutputReceived("c", "call_1", "two ", "r", 1),
    ]
