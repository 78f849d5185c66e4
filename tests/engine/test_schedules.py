"""Two of everything at once, in seeded schedules: what always holds, holds after each step (docs/design.md, 6)."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from schedule_actions import ACTIONS
from schedules import SCRATCH, report, run_schedule, schedule_of

import desktop_app
from planted_faults import FAULTS, PlantedFault

APP = Path(desktop_app.__file__).parent
SCHEDULES = Path(__file__).with_name("schedules.py")
FEW, SOME, MANY = 12, 200, 5_000
MET = 3
"""How often each action is at least done while a turn runs, in SOME schedules."""
SLICES = 10
"""Tests that share the many, so that several processes can."""


def fail_for(seeds: range, folder: Path) -> None:
    """Run those schedules, and fail with the shortest form of the first that goes wrong."""
    for seed in seeds:
        schedule = schedule_of(seed)
        if run_schedule(schedule, folder).faults:
            pytest.fail(report(schedule, folder), pytrace=False)


@pytest.fixture
def folder(tmp_path: Path, qapp: object) -> Iterator[Path]:
    logging.disable(logging.CRITICAL)  # of what fails on purpose
    yield SCRATCH or tmp_path
    logging.disable(logging.NOTSET)


@pytest.mark.timeout(600)
@pytest.mark.long
def test_few_schedules(folder: Path) -> None:
    fail_for(range(FEW), folder)


@pytest.mark.wire
@pytest.mark.timeout(1_800)
def test_some_schedules(folder: Path) -> None:
    fail_for(range(FEW, SOME), folder)


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_everything_is_done_while_turns_run(folder: Path) -> None:
    """Each action often enough that it may meet what a turn does."""
    met = Counter[str]()
    for seed in range(SOME):
        met += run_schedule(schedule_of(seed), folder).kinds
    rare = {name: met[f"{name} in a turn"] for name in ACTIONS if met[f"{name} in a turn"] < MET}
    assert not rare, rare


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("part", range(SLICES))
def test_many_schedules(folder: Path, part: int) -> None:
    each = MANY // SLICES
    fail_for(range(part * each, (part + 1) * each), folder)


@pytest.mark.long
def test_a_thread_of_another_test_does_not_move_its_clock(folder: Path) -> None:
    ended = threading.Event()

    def wait() -> None:
        while not ended.is_set():
            time.sleep(0.004)

    alone = run_schedule(schedule_of(0), folder)
    other = threading.Thread(target=wait)
    other.start()
    try:
        assert run_schedule(schedule_of(0), folder).trace == alone.trace
    finally:
        ended.set()
        other.join()


@pytest.mark.wire
@pytest.mark.parametrize("seed", [7, 11])
def test_a_schedule_goes_the_same_way_each_time(seed: int) -> None:
    """In processes of their own: with other hashes, with nothing loaded yet, beside whatever else the machine does."""
    command = [sys.executable, str(SCHEDULES), str(seed)]
    once, again = (subprocess.run(command, capture_output=True, text=True, check=True, timeout=120) for _ in range(2))
    assert once.stdout == again.stdout
    assert len(once.stdout.splitlines()) > 20


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_each_planted_fault_has_its_place_in_the_code(fault: PlantedFault) -> None:
    """Whether the schedules find them is a run of its own; a fault whose text has moved would be planted nowhere."""
    assert (APP / fault.path).read_text(encoding="utf-8").count(fault.was) == 1
    assert fault.becomes != fault.was
