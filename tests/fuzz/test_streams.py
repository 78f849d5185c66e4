"""Turns against bad streams, over loopback: none hangs, loses what arrived, runs a tool twice, or ends in a bug."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from stream_house import MAX_GROWTH
from stream_trials import quick_seeds, run_trials

from desktop_app.models.litellm_library import LiteLLM

pytestmark = pytest.mark.wire
NEVER_AWAITED = "ignore:coroutine .* was never awaited:RuntimeWarning"
"""litellm makes the coroutine of a request on a thread, and forgets it where the one who wanted it is gone."""

SEEDS = range(*map(int, os.environ.get("PALIMPSEST_STREAMS", "0:10000").split(":")))
"""Two halves can be run side by side, each with a bound of memory of its own: 0:5000 and 5000:10000."""
MAX_OBJECTS = 5
"""For each stream, of some 60 bytes: caches grow a little, and the first half has filled most of them."""


@pytest.mark.filterwarnings(NEVER_AWAITED)
async def test_a_hundred_and_fifty_bad_streams(tmp_path: Path, library: LiteLLM) -> None:
    trials = await run_trials(seeds := quick_seeds(145), tmp_path, library)
    assert trials.failures == {}
    assert trials.count == len(seeds) > 150


@pytest.mark.slow
@pytest.mark.timeout(14_400)
@pytest.mark.filterwarnings(NEVER_AWAITED)
async def test_ten_thousand_bad_streams(tmp_path: Path, library: LiteLLM) -> None:
    trials = await run_trials(SEEDS, tmp_path, library)
    print(trials)
    assert trials.failures == {}
    assert trials.growth < MAX_GROWTH
    assert trials.objects < MAX_OBJECTS * len(SEEDS)
