"""Told apart: a request that a server cut, an estimate that is a little off, and a report of a part."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.context.counting.calibration import MIN_REPORT, is_silently_cut
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.message import Usage


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
