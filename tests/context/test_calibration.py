from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_by_hand import letters, model, record, user
from msgspec.structs import replace

from conversations_made_up import Letters
from desktop_app.context.breakdown import calibrated, gauge_of, request_tokens, tally
from desktop_app.context.calibration import Calibration, Report, learned, prior
from desktop_app.context.counting import Counts
from desktop_app.context.policy import BALANCED, Budget
from desktop_app.context.reports import calibration_of
from desktop_app.context.view import view_of
from desktop_app.conversation.gauge import Basis, Gauge, Segment, Status
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message, Role, Text, Usage
from desktop_app.conversation.transcript import AnyEntry, Compaction, Pin, Transcript, Trigger

NAME = "server/m"
INFO = ModelInfo(NAME, "M", 400_000, 0)
BUDGET = Budget(400_000, 0)


def after(*reports: tuple[int, int], start: Calibration | None = None) -> Calibration:
    """What is learned of counted and reported tokens of requests with twenty messages each."""
    calibration = start or Calibration()
    for counted, reported in reports:
        calibration = learned(calibration, Report(counted, 20, Usage(reported, 0)), BALANCED)
    return calibration


@pytest.mark.parametrize(
    ("tokenizer", "name", "factor"),
    [
        ("o200k (estimate for claude)", "anthropic/claude-sonnet-4-5", 1.0),  # fitted to the family
        ("o200k", "openrouter/Claude-Opus", 1.25),
        ("o200k", "openai/gpt-4o", 1.0),
        ("claude-2", "anthropic/claude-2", 1.0),
        ("smollm2", "builtin/SmolLM2", 1.0),
        ("o200k (estimate for gemini)", "google/gemini-3", 1.0),
    ],
)
def test_a_family_that_is_counted_with_anothers_tokenizer_starts_with_what_is_known(tokenizer, name, factor) -> None:
    assert prior(tokenizer, name) == Calibration(factor, start=factor)


def test_the_first_report_weighs_half_and_later_ones_a_fifth() -> None:
    once = after((10_000, 11_000))
    assert once.samples == 1
    rest = 1_000 - 20 * once.frame - once.added
    assert 900 < rest < 1_000, "of the little that one report tells, nearly all is put down to the factor"
    assert once.factor == pytest.approx(1 + rest / 10_000 / 2)
    often = after((10_000, 11_000), start=Calibration(1.0, 50))
    assert often.factor == pytest.approx(1 + rest / 10_000 / 5)


def test_one_report_moves_it_by_a_small_step_and_all_of_them_within_bounds() -> None:
    assert after((10_000, 19_000)).factor == 1.15
    assert after((10_000, 5_100)).factor == 0.85
    assert after(*[(10_000, 19_999)] * 60, start=Calibration(1.999, 9)).factor <= 2.0
    assert after(*[(10_000, 5_001)] * 60, start=Calibration(0.501, 9)).factor >= 0.5


@pytest.mark.parametrize(
    ("counted", "reported", "why"),
    [
        (10_000, 4_000, "the server cut it silently"),
        (10_000, 25_000, "it cannot be of this request"),
        (10_000, 0, "nothing was counted"),
        (900, 1_100, "a template is too large a part of so short a request"),
    ],
)
def test_some_reports_teach_nothing(counted: int, reported: int, why: str) -> None:
    assert after((counted, reported)) == Calibration(), why


@given(st.lists(st.tuples(st.integers(0, 200_000), st.integers(0, 400_000)), max_size=30))
def test_whatever_is_reported_the_factor_stays_in_its_bounds(reports: list[tuple[int, int]]) -> None:
    calibration = Calibration()
    for report in reports:
        before, calibration = calibration, after(report, start=calibration)
        assert 0.5 <= calibration.factor <= 2.0
        assert abs(calibration.factor - before.factor) <= 0.15 + 1e-9
        assert 500 <= calibration.of_request(1_000, 90, BALANCED) <= 2_000, "so does every estimate"


LAWS = {
    "a tokenizer of its own": lambda counted, messages: 1.28 * counted,
    "more around each message": lambda counted, messages: counted + 9 * messages,
    "a template": lambda counted, messages: 0.9 * counted + 280,
    "all of that": lambda counted, messages: 1.2 * counted - 2 * messages + 150,
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_what_holds_for_long_requests_holds_for_what_a_compaction_leaves(law) -> None:
    """Long requests of many messages, and behind each compaction a short one of few, all texts of other lengths."""
    chance, calibration, errors = random.Random(5), Calibration(), []
    for number in range(150):
        messages = 12 + 3 * (number % 30)
        counted = 1_500 + sum(chance.randrange(20, 220) for _ in range(messages))
        reported = round(law(counted, messages))
        if number > 60:
            errors.append(abs(calibration.of_request(counted, messages, BALANCED) / reported - 1))
        calibration = learned(calibration, Report(counted, messages, Usage(reported, 0)), BALANCED)
    assert max(errors) < 0.01
    assert sum(errors) / len(errors) < 0.003


@given(st.integers(1_000, 150_000), st.integers(1, 500), st.floats(0.6, 1.6))
def test_what_is_always_the_same_is_learned_whatever_it_is_put_down_to(
    counted: int, messages: int, true: float
) -> None:
    report = Report(counted, messages, Usage(round(counted * true), 0))
    calibration = Calibration()
    for _ in range(30):
        calibration = learned(calibration, report, BALANCED)
    assert calibration.of_request(counted, messages, BALANCED) == pytest.approx(counted * true, rel=0.01)


def reply(prompt: int, text: str = "yes", name: str = NAME) -> Message:
    return Message(role=Role.ASSISTANT, parts=(Text(text),), model=name, usage=Usage(prompt, 10))


def growing(turns: int, factor: float, name: str = NAME) -> list[AnyEntry]:
    """A conversation whose provider counts `factor` times what we count."""
    entries: list[AnyEntry] = []
    for turn in range(turns):
        entries.append(user(f"{turn} " + "word " * 1_500))
        counted = request_tokens(view_of(record(*entries)), letters())
        entries.append(reply(round(counted * factor), f"{turn} " + "answer " * 200, name))
    return entries


def folded(transcript: Transcript, start: Calibration | None = None) -> Calibration:
    return calibration_of(transcript, view_of(transcript), letters(), NAME, BALANCED, start or Calibration())


def gauge(transcript: Transcript, calibration: Calibration) -> Gauge:
    shown, counts = view_of(transcript), letters()
    return gauge_of(shown, tally(shown, counts), counts, BALANCED, BUDGET, INFO, calibration)


@pytest.mark.parametrize("true", [1.28, 0.8, 1.0])
def test_after_ten_turns_the_estimate_is_within_two_percent(true: float) -> None:
    entries = growing(10, true)
    compaction = Compaction(trigger=Trigger.USER, strategy="x", archived=("m0", "m1"), summary="S " * 400, id="op")
    transcript = record(*entries, compaction, user("go on"))
    shown = gauge(transcript, folded(transcript))
    assert shown.basis is Basis.ESTIMATED, "nothing was reported of this request"
    assert shown.total == pytest.approx(request_tokens(view_of(transcript), letters()) * true, rel=0.02)
    assert sum(shown.segments.values()) == shown.total


def test_from_its_prior_claude_is_right_from_the_first_turn() -> None:
    transcript = record(*growing(1, 1.28))
    assert folded(transcript, prior("o200k", "claude")).factor == pytest.approx(1.28, rel=0.02)


def test_the_fold_is_what_was_learned_reply_by_reply_across_operations() -> None:
    first, second = growing(4, 1.2), growing(3, 1.2)
    pin = Pin(message_id="m0", id="pin")
    shown = view_of(record(*first, pin, *second))
    calibration, before = Calibration(), 3
    for place, item in enumerate(shown.items):
        if item.message.usage:
            calibration = learned(calibration, Report(before, place, item.message.usage), BALANCED)
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
    scaled = calibrated(before, 885, BALANCED)
    assert (scaled.total, scaled.status, scaled.basis) == (885, Status.TIGHT, Basis.ESTIMATED)
    assert scaled.tokenizer == "letters × 1.25", "it says what was done to it"
    assert sum(scaled.segments.values()) == scaled.total
    assert calibrated(before, 708, BALANCED) == before


def test_what_came_after_a_measured_request_is_calibrated_too() -> None:
    entries = growing(3, 1.3)
    last = entries[-1]
    assert isinstance(last, Message)
    assert last.usage is not None
    later = user("word " * 4_000)
    shown = gauge(record(*entries, later), Calibration(1.3, frame=7, added=90))
    assert shown.basis is Basis.MEASURED
    own = letters().total(later) + letters().tokenizer.overhead.assistant
    after_it = round(own * 1.3 + 2 * 7)
    assert shown.total == last.usage.prompt_tokens + last.usage.reply_tokens + after_it, "what is added was reported"
    assert sum(shown.segments.values()) == shown.total


class Characters(Letters):
    """What counts when no tokenizer could be loaded."""

    name = "characters (estimate for gpt)"


def test_without_a_tokenizer_and_without_a_report_a_figure_is_assumed() -> None:
    transcript = record(*growing(2, 1.3), Pin(message_id="m0", id="pin"))
    shown, counts = view_of(transcript), Counts(Characters())

    def basis(factor: float) -> Basis:
        return gauge_of(shown, tally(shown, counts), counts, BALANCED, BUDGET, INFO, Calibration(factor)).basis

    assert basis(1.0) is Basis.ASSUMED
    assert basis(1.2) is Basis.ESTIMATED, "something was learned"
    measured = record(*growing(2, 1.3))
    assert gauge_of(view_of(measured), tally(view_of(measured), counts), counts, BALANCED, BUDGET, INFO).basis is (
        Basis.MEASURED
    )


def test_a_model_answers_without_a_report_and_nothing_is_learned() -> None:
    assert folded(record(user("hello"), model("yes"))) == Calibration()
