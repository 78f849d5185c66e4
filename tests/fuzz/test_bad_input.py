"""Bad input of every kind: a clear refusal or none, never another exception, a hang, or all memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from target_table import TARGETS
from trying import fault_of, found_inputs, try_out

SECONDS = 0.2
"""For each target in every run; `python tests/fuzz/bad_input.py` takes as long as one wants."""
HEAVY = ("mcp_lines", "images", "pdfs", "word_files", "sheets")
"""Their libraries take seconds to import."""
FOUND = found_inputs()
LANES = [pytest.param(name, marks=pytest.mark.wire) if name in HEAVY else name for name in TARGETS]


@pytest.mark.parametrize(("name", "file"), FOUND, ids=[f"{name}-{file.name}" for name, file in FOUND])
def test_what_was_found_once_stays_mended(name: str, file: Path) -> None:
    assert fault_of(name, file.read_bytes()) == ""


@pytest.mark.parametrize("name", LANES)
@pytest.mark.long
def test_bad_input_is_refused_clearly_or_taken(name: str) -> None:
    tried = try_out(name, range(1_000), SECONDS)
    assert tried.faults == {}
    assert tried.inputs


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("name", TARGETS)
def test_ten_thousand_bad_inputs(name: str) -> None:
    tried = try_out(name, range(10_000), seconds=1_800.0)
    print(tried)
    assert tried.faults == {}
