from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import call, gauge, letters, model, record, result, system, user
from conversations_made_up import Letters
from desktop_app.context.counting.breakdown import add_tokens, request_tokens, scale_gauge, sent_request, status_of
from desktop_app.context.counting.tokens import Overhead, TokenCounts
from desktop_app.context.policy import BALANCED, Budget
from desktop_app.context.view.view import view_of
from desktop_app.conversation.gauge import Gauge, PartKind, Provenance, Segment, Status
from desktop_app.conversation.message import Attachment, Message, Usage
from desktop_app.conversation.transcript import Compaction, Pin, Transcript, Trigger, Undo


def told(transcript: Transcript) -> Gauge:
    return gauge(view_of(transcript), letters(), budget=Budget(1_000, 200))


def measured(prompt: int, reply: int, text: str = "yes", name: str = "server/m") -> Message:
    return model(text, model=name, usage=Usage(prompt, reply))


def test_every_category_has_its_segment_and_they_sum_to_the_request() -> None:
    transcript = record(
        system("s" * 40),
        user("u" * 40),
        user(Attachment("a.png", "image/png", "data:")),
        model("a" * 40, call("bash", "x" * 40)),
        result("r" * 40),
        user("p" * 40),
        Compaction(trigger=Trigger.USER, strategy="x", archived=(), summary="S" * 40, id="op"),
        Pin(message_id="m5", id="pin"),
    )
    shown = told(transcript)
    assert set(shown.segments) == {
        Segment.SYSTEM,
        Segment.SUMMARY,
        Segment.USER,
        Segment.ATTACHMENTS,
        Segment.ASSISTANT,
        Segment.CALLS,
        Segment.RESULTS,
        Segment.PINNED,
        Segment.FRAME,
    }
    assert shown.total == sum(shown.segments.values()) == request_tokens(view_of(transcript), letters())
    assert shown.segments[Segment.SYSTEM] == 4 + 10
    assert shown.segments[Segment.FRAME] == 3, "what starts the reply belongs to no message"
    assert shown.provenance is Provenance.ESTIMATED


def test_a_call_that_waits_counts_as_it_would_be_sent() -> None:
    transcript = record(user("u"), model("", call("bash")))
    shown = told(transcript)
    assert shown.total == request_tokens(view_of(transcript), letters())
    assert shown.segments[Segment.RESULTS] > 0


@pytest.mark.parametrize(
    ("share", "status"),
    [
        (0.0, Status.SAFE),
        (0.749, Status.SAFE),
        (0.75, Status.WARNING),
        (0.80, Status.TIGHT),
        (0.90, Status.CRITICAL),
        (0.95, Status.EXCEEDED),
        (9.0, Status.EXCEEDED),
    ],
)
def test_the_status_changes_at_the_thresholds(share: float, status: Status) -> None:
    assert status_of(share, BALANCED.thresholds) is status


def test_what_the_provider_reported_is_the_anchor_for_what_came_after() -> None:
    reply = measured(prompt=200, reply=20)
    shown = told(record(user("u" * 40), reply))
    assert (shown.total, shown.provenance) == (220 + 4, Provenance.MEASURED), (
        "with the reply's frame, which providers leave out"
    )
    assert sum(shown.segments.values()) == shown.total
    later = told(record(user("u" * 40), reply, user("v" * 400)))
    assert later.total == 220 + 4 + (4 + 100)
    assert later.provenance is Provenance.MEASURED


@pytest.mark.parametrize(
    "reply",
    [
        measured(500, 20, name="another"),
        measured(50_000, 20),
        replace(measured(500, 20), usage=None),
        replace(measured(500, 20), is_interrupted=True),
    ],
    ids=["of another model", "that cannot be true", "without usage", "interrupted"],
)
def test_other_replies_measure_nothing(reply: Message) -> None:
    assert told(record(user("u" * 40), reply)).provenance is Provenance.ESTIMATED


def test_after_an_operation_the_request_is_another_one() -> None:
    compaction = Compaction(trigger=Trigger.USER, strategy="x", archived=("m0",), summary="S", id="op")
    assert told(record(user("a"), measured(500, 20), user("b"), compaction)).provenance is Provenance.ESTIMATED


def test_once_an_operation_is_undone_the_report_before_it_holds_again() -> None:
    said, pin, undone = (
        (user("u" * 40), measured(200, 20)),
        Pin(message_id="m1", id="pin"),
        Undo(entry_id="pin", id="undo"),
    )
    before = told(record(*said))
    assert told(record(*said, pin, undone)) == before
    assert told(record(*said, pin, undone, user("v"))) == told(record(*said, user("v")))
    assert told(record(*said, pin, undone, Undo(entry_id="undo"))).provenance is Provenance.ESTIMATED, "it was redone"
    meanwhile = told(record(said[0], pin, said[1], undone))
    assert meanwhile.provenance is Provenance.ESTIMATED, "what was reported had the pin in it"


def test_a_reply_that_streams_grows_its_segment_and_the_status() -> None:
    before = told(record(user("u" * 2_000)))
    after = add_tokens(before, Segment.ASSISTANT, 220)
    assert after.total == before.total + 220
    assert after.segments[Segment.ASSISTANT] == before.segments.get(Segment.ASSISTANT, 0) + 220
    assert (before.status, after.status) == (Status.SAFE, Status.CRITICAL)


class WithPrompt(Letters):
    """Counts for a template that writes a system prompt of its own where none is sent."""

    overhead = Overhead(unasked=60)


def test_a_system_prompt_of_the_template_is_a_part_of_the_request_until_one_is_sent() -> None:
    counts = TokenCounts(WithPrompt())
    view = view_of(record(user("u" * 40)))
    shown = gauge(view, counts)
    parts = sent_request(view, shown, counts).parts
    assert (parts[0].kind, parts[0].role, parts[0].tokens) == (PartKind.SYNTHETIC, "system", 60)
    assert shown.segments[Segment.SYSTEM] == 60
    assert sum(part.tokens for part in parts) == shown.total
    own = view_of(record(system("Be brief."), user("u" * 40)))
    assert PartKind.SYNTHETIC not in {part.kind for part in sent_request(own, gauge(own, counts), counts).parts}


@given(
    st.lists(st.sampled_from([user("u" * 37), user("short"), model("a" * 91)]), min_size=1, max_size=12),
    st.floats(0.5, 2.0),
)
def test_scaled_segments_are_those_of_the_parts(messages, factor) -> None:
    view, counts = view_of(record(*messages)), letters()
    counted = gauge(view, counts)
    scaled = scale_gauge(counted, round(counted.total * factor))
    request = sent_request(view, scaled, counts)
    assert sum(part.tokens for part in request.parts) == scaled.total == sum(scaled.segments.values())
    of_parts = sum(part.tokens for part in request.parts if part.segment is Segment.USER)
    count = sum(part.segment is Segment.USER for part in request.parts)
    assert of_parts <= scaled.segments.get(Segment.USER, 0) <= of_parts + max(count - 1, 0)
