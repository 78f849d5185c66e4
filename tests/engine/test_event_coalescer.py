"""Lines leave in order; deltas are joined, and nothing overtakes them."""

from __future__ import annotations

import asyncio
from time import perf_counter

from desktop_app.chat.ports import FRAME_SECONDS
from desktop_app.conversation.events import GaugeChanged, ReasoningDelta, TextDelta, ToolOutputReceived, TurnFinished
from desktop_app.conversation.gauge import Gauge, Segment, Status
from desktop_app.engine.event_coalescer import EventCoalescer
from desktop_app.engine.protocol import Done, EventLine, ResponseLine, decode_engine_line


def gauge(total: int) -> GaugeChanged:
    return GaugeChanged("c", Gauge({Segment.USER: total}, total, 8_192, 1_638, Status.SAFE))


def coalescer() -> tuple[EventCoalescer, list]:
    lines: list = []
    return EventCoalescer(lambda written: lines.extend(map(decode_engine_line, written.splitlines()))), lines


async def test_deltas_are_joined_to_one_line_a_frame() -> None:
    events, lines = coalescer()
    for letter in "Hello":
        events.publish(TextDelta("c", "r", letter))
        events.publish(gauge(len(lines)))
    assert lines == []
    await asyncio.sleep(FRAME_SECONDS)
    assert lines == [EventLine(TextDelta("c", "r", "Hello")), EventLine(gauge(0))]


async def test_what_is_joined_is_written_in_one_piece() -> None:
    written: list[bytes] = []
    events = EventCoalescer(written.append)
    events.publish(TextDelta("c", "r", "Hello"))
    events.publish(gauge(1))
    events.flush()
    assert [line.count(b"\n") for line in written] == [2]


async def test_the_first_delta_after_a_pause_is_written_at_once() -> None:
    events, lines = coalescer()
    for _ in range(2):
        events.publish(TextDelta("c", "r", "a"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert len(lines) == 1
        events.publish(TextDelta("c", "r", "b"))
        await asyncio.sleep(0)
        assert len(lines) == 1
        await asyncio.sleep(3 * FRAME_SECONDS)
        assert len(lines) == 2
        lines.clear()


async def test_deltas_are_written_at_most_once_a_frame() -> None:
    events, lines = coalescer()
    started = perf_counter()
    for _ in range(200):
        events.publish(TextDelta("c", "r", "word "))
        await asyncio.sleep(0.001)
    assert 2 <= len(lines) <= (perf_counter() - started) / FRAME_SECONDS + 1
    events.flush()
    assert "".join(line.event.text for line in lines) == "word " * 200


async def test_nothing_overtakes_a_delta() -> None:
    events, lines = coalescer()
    events.publish(TextDelta("c", "r", "Hel"))
    events.publish(TextDelta("c", "r", "lo"))
    events.publish(TurnFinished("c"))
    events.send(ResponseLine(1, Done()))
    assert lines == [EventLine(TextDelta("c", "r", "Hello")), EventLine(TurnFinished("c")), ResponseLine(1, Done())]


async def test_replies_and_kinds_are_not_mixed_up() -> None:
    events, lines = coalescer()
    for event in (
        TextDelta("c", "r", "a"),
        ReasoningDelta("c", "r", "b"),
        TextDelta("d", "s", "c"),
        gauge(1),
        gauge(2),
    ):
        events.publish(event)
    events.flush()
    assert [line.event for line in lines] == [
        TextDelta("c", "r", "a"),
        ReasoningDelta("c", "r", "b"),
        TextDelta("d", "s", "c"),
        gauge(2),
    ]


async def test_half_a_character_does_not_stop_what_comes_behind_it() -> None:
    """Some servers cut a reply between the halves of a surrogate pair, which no UTF-8 can carry."""
    events, lines = coalescer()
    events.publish(TextDelta("c", "r", "a \ud83d"))
    events.publish(TextDelta("c", "r", "\ude00 b \ud83d"))
    events.flush()
    events.publish(TurnFinished("c"))
    assert [line.event for line in lines] == [TextDelta("c", "r", "a \U0001f600 b \ufffd"), TurnFinished("c")]


async def test_outputs_of_calls_with_one_id_are_not_mixed_up() -> None:
    events, lines = coalescer()
    for index, text in ((0, "one "), (1, "two "), (0, "more")):
        events.publish(ToolOutputReceived("c", "call_1", text, "r", index))
    events.flush()
    assert [line.event for line in lines] == [
        ToolOutputReceived("c", "call_1", "one more", "r", 0),
        ToolOutputReceived("c", "call_1", "two ", "r", 1),
    ]
