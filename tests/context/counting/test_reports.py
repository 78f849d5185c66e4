"""What a record teaches of how its provider counts, and what the gauge makes of it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from builders import MODEL, gauge, letters, model, record, user
from conversations_made_up import Letters
from desktop_app.context.counting.breakdown import request_tokens, scale_gauge
from desktop_app.context.counting.calibration import Calibration, Report, learn
from desktop_app.context.counting.reports import calibration_of
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.view.view import view_of
from desktop_app.conversation.gauge import Gauge, Provenance, Segment, Status
from desktop_app.conversation.message import Message, Role, Usage
from desktop_app.conversation.transcript import AnyEntry, Compaction, Pin, Transcript, Trigger

NAME = MODEL.record_name


def reply(prompt: int, text: str = "yes", name: str = NAME) -> Message:
    return model(text, model=name, usage=Usage(prompt, 10))


def growing(turns: int, factor: float, name: str = NAME) -> list[AnyEntry]:
    """A conversation whose provider counts `factor` times what we count."""
    entries: list[AnyEntry] = []
    for turn in range(turns):
        entries.append(user(f"{turn} " + "word " * 1_500))
        counted = request_tokens(view_of(record(*entries)), letters())
        entries.append(reply(round(counted * factor), f"{turn} " + "answer " * 200, name))
    return entries


def folded(transcript: Transcript, start: Calibration | None = None) -> Calibration:
    return calibration_of(transcript, view_of(transcript), letters(), NAME, start or Calibration())


@pytest.mark.parametrize("true", [1.28, 0.8, 1.0])
def test_after_ten_turns_the_estimate_is_within_two_percent(true: float) -> None:
    entries = growing(10, true)
    compaction = Compaction(trigger=Trigger.USER, strategy="x", archived=("m0", "m1"), summary="S " * 400, id="op")
    transcript = record(*entries, compaction, user("go on"))
    shown = gauge(view_of(transcript), letters(), folded(transcript))
    assert shown.provenance is Provenance.ESTIMATED, "nothing was reported of this request"
    assert shown.total == pytest.approx(request_tokens(view_of(transcript), letters()) * true, rel=0.02)
    assert sum(shown.segments.values()) == shown.total


def test_the_fold_is_what_was_learned_reply_by_reply_across_operations() -> None:
    first, second = growing(4, 1.2), growing(3, 1.2)
    pin = Pin(message_id="m0", id="pin")
    shown = view_of(record(*first, pin, *second))
    calibration, before = Calibration(), 3
    for place, item in enumerate(shown.items):
        if item.message.usage:
            calibration = learn(calibration, Report(before, place, item.message.usage))
        before += letters().total(item.message)
    # the second half was reported as a conversation of its own, so only that the reports are paired is compared
    assert folded(record(*first, pin, *second)) == calibration
    assert calibration.samples > 0


def test_a_fold_after_an_undone_compaction_is_of_the_views_as_they_were() -> None:
    head = growing(5, 1.3)
    compaction = Compaction(trigger=Trigger.USER, strategy="x", archived=("m0", "m1"), summary="S", id="op")
    entries: list[AnyEntry] = [*head, compaction, user("word " * 2_000)]
    counted = request_tokens(view_of(record(*entries)), letters())
    entries.append(reply(round(counted * 1.3)))
    learned_of = folded(record(*entries))
    assert learned_of.samples == 6
    assert learned_of.factor == pytest.approx(1.3, abs=0.08)
    exact = folded(record(*entries), Calibration(1.3, 50, start=1.3))
    assert exact.factor == pytest.approx(1.3, abs=1e-3), "each report agrees with the view that it was of"


def test_other_models_and_interrupted_replies_teach_nothing() -> None:
    assert folded(record(*growing(5, 1.4, name="server/other"))) == Calibration()
    broken = [replace(e, is_interrupted=True) if isinstance(e, Message) else e for e in growing(5, 1.4)]
    assert folded(record(*broken)) == Calibration()


def test_the_end_of_a_reply_that_was_stopped_teaches_nothing() -> None:
    """Its request asked for it in words that the record does not have."""
    partial = replace(reply(0), is_interrupted=True, usage=None, id="part")
    end = replace(reply(2_600), continues="part", id="end")
    assert folded(record(user("word " * 2_000), partial, end)) == Calibration()
    assert folded(record(user("word " * 2_000), partial, replace(end, continues=""))).samples == 1


def test_an_estimate_is_scaled_with_its_segments_and_its_status() -> None:
    segments = {Segment.USER: 501, Segment.ASSISTANT: 200, Segment.SYSTEM: 7}
    before = Gauge(segments, 708, 1_000, 0, Status.SAFE, tokenizer="letters")
    scaled = scale_gauge(before, 885)
    assert (scaled.total, scaled.status, scaled.provenance) == (885, Status.TIGHT, Provenance.ESTIMATED)
    assert scaled.tokenizer == "letters × 1.25", "it says what was done to it"
    assert sum(scaled.segments.values()) == scaled.total
    assert scale_gauge(before, 708) == before


def test_what_came_after_a_measured_request_is_calibrated_too() -> None:
    entries = growing(3, 1.3)
    last = entries[-1]
    assert isinstance(last, Message)
    assert last.usage is not None
    later = user("word " * 4_000)
    shown = gauge(view_of(record(*entries, later)), letters(), Calibration(1.3, frame=7, added=90))
    assert shown.provenance is Provenance.MEASURED
    own = letters().total(later) + letters().tokenizer.overhead.around(Role.ASSISTANT)
    after_it = round(own * 1.3 + 2 * 7)
    assert shown.total == last.usage.prompt_tokens + last.usage.reply_tokens + after_it, "what is added was reported"
    assert sum(shown.segments.values()) == shown.total


class Characters(Letters):
    """What counts when no tokenizer could be loaded."""

    name = "characters (estimate for gpt)"


def test_without_a_tokenizer_and_without_a_report_a_figure_is_assumed() -> None:
    transcript = record(*growing(2, 1.3), Pin(message_id="m0", id="pin"))
    shown, counts = view_of(transcript), TokenCounts(Characters())
    assert gauge(shown, counts).provenance is Provenance.ASSUMED
    assert gauge(shown, counts, Calibration(1.2)).provenance is Provenance.ESTIMATED, "something was learned"
    assert gauge(view_of(record(*growing(2, 1.3))), counts).provenance is Provenance.MEASURED
