"""Two hundred short turns, piped in as fast as they are answered: no wrong figure, and nobody is accused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from short_turns import short_turns

TURNS = int(os.environ.get("PALIMPSEST_SHORT_TURNS", "200"))
"""Set to 2000 for the figures of docs/measurements.md: four minutes."""


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_what_is_recorded_between_a_request_and_its_reply_makes_no_figure_wrong(
    data_folder: Path, tmp_path: Path
) -> None:
    run = short_turns(data_folder, tmp_path, TURNS)
    assert run.turns == TURNS
    assert not run.failed
    assert not run.noticed
    assert not run.refused
    assert run.meanwhile, "else there was nothing to be confused by"
    assert len(run.measured) > 0.8 * TURNS
    assert not run.wrong
