"""How many tokens a provider takes what is counted here for."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from desktop_app.context.counting.calibration import (
    MIN_REPORT,
    Calibration,
    Report,
    is_silently_cut,
    learn,
    nearest_reading,
    prior,
)
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.message import Usage


def after(*reports: tuple[int, int], start: Calibration | None = None) -> Calibration:
    """What is learned of counted and reported tokens of requests with twenty messages each."""
    calibration = start or Calibration()
    for counted, reported in reports:
        calibration = learn(calibration, Report(counted, 20, Usage(reported, 0)))
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
    ],
)
def test_some_reports_teach_nothing(counted: int, reported: int, why: str) -> None:
    assert after((counted, reported)) == Calibration(), why


@pytest.mark.parametrize(("counted", "reported"), [(20, 81), (60, 100), (300, 390), (900, 1_100)])
def test_a_short_request_teaches_what_is_around_its_texts(counted: int, reported: int) -> None:
    """A template of the server's own, above all: the next short request is right, and a long one hardly moved."""
    once = after((counted, reported))
    before, now = abs(reported - counted), abs(reported - once.of_request(counted, 20))
    assert now < before / 2
    assert once.samples == 0, "the first long one weighs half all the same"
    again = after((counted, reported), (counted, reported), start=once)
    assert abs(reported - again.of_request(counted, 20)) <= 0.06 * reported
    assert once.of_request(20_000, 20) <= 20_000 * 1.1


@given(st.lists(st.tuples(st.integers(0, 200_000), st.integers(0, 400_000)), max_size=30))
@example([(0, 1)])
def test_whatever_is_reported_the_factor_stays_in_its_bounds(reports: list[tuple[int, int]]) -> None:
    calibration = Calibration()
    for report in reports:
        before, calibration = calibration, after(report, start=calibration)
        assert 0.5 <= calibration.factor <= 2.0
        assert abs(calibration.factor - before.factor) <= 0.15 + 1e-9
        assert 500 <= calibration.of_request(1_000, 90) <= 2_000, "so does every estimate"


LAWS = {
    "a tokenizer of its own": lambda counted, messages, _: 1.28 * counted,
    "more around each message": lambda counted, messages, _: counted + 9 * messages,
    "a template": lambda counted, messages, _: 0.9 * counted + 280,
    "all of that": lambda counted, messages, _: 1.2 * counted - 2 * messages + 150,
}


def errors_under(law: Callable[[int, int, int], float], requests: int, seed: int) -> list[float]:
    """Long requests of many messages, and behind each compaction a short one of few, all texts of other lengths."""
    chance, calibration, errors = random.Random(seed), Calibration(), []
    for number in range(requests):
        messages = 12 + 3 * (number % 30)
        counted = 1_500 + sum(chance.randrange(20, 220) for _ in range(messages))
        reported = round(law(counted, messages, number))
        errors.append(abs(calibration.of_request(counted, messages) / reported - 1))
        calibration = learn(calibration, Report(counted, messages, Usage(reported, 0)))
    return errors


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_what_holds_for_long_requests_holds_for_what_a_compaction_leaves(law) -> None:
    errors = errors_under(law, 150, seed=5)[61:]
    assert max(errors) < 0.01
    assert sum(errors) / len(errors) < 0.003


def test_a_provider_that_counts_otherwise_all_at_once_is_learned_anew() -> None:
    """What was fitted to the old way would be read into the new one, as frames and additions that are not there."""
    errors = errors_under(lambda counted, _, number: (1.25 if number < 60 else 0.8) * counted, 140, seed=3)
    assert max(errors[40:60]) < 0.005
    assert max(errors[72:]) < 0.05
    assert max(errors[100:]) < 0.005


@given(st.integers(1_000, 150_000), st.integers(1, 500), st.floats(0.6, 1.6))
def test_what_is_always_the_same_is_learned_whatever_it_is_put_down_to(
    counted: int, messages: int, true: float
) -> None:
    report = Report(counted, messages, Usage(round(counted * true), 0))
    calibration = Calibration()
    for _ in range(30):
        calibration = learn(calibration, report)
    assert calibration.of_request(counted, messages) == pytest.approx(counted * true, rel=0.01)


# Told apart: a request that a server cut, an estimate that is a little off, and a report of a part.


@pytest.mark.parametrize(
    ("sent", "basis", "reported", "is_cut"),
    [
        (9_800, Provenance.ESTIMATED, 4_096, True),
        (9_800, Provenance.ASSUMED, 4_096, True),
        (6_000, Provenance.ESTIMATED, 4_096, False),  # a tokenizer that nobody knows may be that far off
        (6_000, Provenance.MEASURED, 4_096, True),  # most of it was measured the last time
        (6_000, Provenance.MEASURED, 5_400, False),
        (9_800, Provenance.MEASURED, 40, False),  # only what was read anew: the rest was in the server's cache
        (9_800, Provenance.ESTIMATED, 0, False),  # nothing was reported
        (900, Provenance.MEASURED, 300, False),  # a template weighs as much
    ],
)
def test_a_report_far_below_the_estimate_is_of_a_request_that_was_cut(
    sent: int, basis: Provenance, reported: int, is_cut: bool
) -> None:
    assert is_silently_cut(sent, basis, Usage(reported, 100)) is is_cut


@pytest.mark.parametrize(
    ("before", "sent", "reported", "is_cut"),
    [
        (4_000, 4_900, 4_000, True),
        (3_950, 4_900, 4_096, True),
        (8_000, 8_900, 7_900, True),
        (4_000, 4_900, 4_500, False),  # text that the provider counts at half
        (4_000, 4_200, 4_000, False),  # too little to tell
        (0, 4_900, 4_100, False),  # nothing is known of a request before
        (2_661, 8_663, 6_053, False),  # a page of digits: most of the request was never measured
        (2_661, 8_663, 4_096, True),
        (6_000, 8_000, 6_600, False),
        (6_000, 8_000, 5_700, True),
    ],
)
def test_a_report_that_stays_where_it_was_while_the_request_grew(
    before: int, sent: int, reported: int, is_cut: bool
) -> None:
    assert is_silently_cut(sent, Provenance.MEASURED, Usage(reported, 100), before) is is_cut


@given(st.integers(0, 10**7), st.sampled_from(Provenance), st.integers(0, 10**7), st.integers(0, 10**5))
def test_a_larger_report_is_never_more_suspicious(sent: int, basis: Provenance, reported: int, more: int) -> None:
    if not is_silently_cut(sent, basis, Usage(reported, 0)) and reported >= MIN_REPORT:
        assert not is_silently_cut(sent, basis, Usage(reported + more, 0))


@given(st.integers(0, 10**7), st.sampled_from(Provenance), st.floats(0.82, 1.2))
def test_an_estimate_that_is_a_fifth_off_accuses_nobody(sent: int, basis: Provenance, factor: float) -> None:
    assert not is_silently_cut(sent, basis, Usage(round(sent * factor), 0))


@given(st.integers(2_000, 200_000), st.floats(0, 0.95), st.floats(0.95, 1.05), st.booleans())
def test_cached_tokens_are_read_as_they_fit_what_was_sent(
    sent: int, share: float, off: float, is_counted_twice: bool
) -> None:
    """Whichever way a server counts cached tokens, inside of its prompt or besides, and however that was read."""
    prompt = round(sent * off)
    cached = round(prompt * share)
    reported = Usage(prompt + cached if is_counted_twice else prompt - cached, 5, cached)
    read = nearest_reading(reported, sent, Provenance.MEASURED)
    if abs(reported.prompt_tokens - sent) > 0.2 * sent:
        assert abs(read.prompt_tokens - sent) <= 0.1 * sent
    right = Usage(prompt, 5, cached)
    assert nearest_reading(right, sent, Provenance.MEASURED) == right


def test_a_report_that_fits_in_neither_way_stays_as_it_is() -> None:
    for usage in (Usage(9_000, 5, 4_000), Usage(9_000, 5), Usage(60_000, 5, 5_000)):
        assert nearest_reading(usage, 30_000, Provenance.MEASURED) == usage
    far = Usage(56_184, 40, 21_092)
    assert nearest_reading(far, 35_100, Provenance.MEASURED).prompt_tokens == 35_092
    assert nearest_reading(far, 35_100, Provenance.ESTIMATED).prompt_tokens == 35_092
    assert nearest_reading(replace(far, prompt_tokens=50_000), 35_100, Provenance.ESTIMATED).prompt_tokens == 50_000
