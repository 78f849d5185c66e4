"""Tries a target with inputs by their seeds, within limits of time and memory, and keeps what it finds."""

from __future__ import annotations

import logging
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha1
from pathlib import Path

import msgspec
import targets_of_files  # noqa: F401 - fills the table
import targets_of_texts  # noqa: F401
from mutating import mutated
from process_memory import memory
from target_table import SAMPLES_OF, TARGETS

FOUND = Path(__file__).parent / "found"
"""Inputs that were faults once, a folder for each target: they are tried in every run."""
SECONDS = 8.0
"""Of processor time for one input."""
MAX_GROWTH = 400 * 1024 * 1024
"""Bytes by which the process may grow at once."""


class TooSlow(Exception):
    """An input took more than SECONDS."""


class TooMuch(Exception):
    """An input took more memory than MAX_GROWTH."""


@contextmanager
def limited() -> Iterator[None]:
    """Raise TooSlow, or TooMuch."""

    def stop(*_: object) -> None:
        raise TooSlow(f"more than {SECONDS} s of processor time")

    before, old = memory("VmHWM"), signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)
    if (growth := memory("VmHWM") - before) > MAX_GROWTH:
        raise TooMuch(f"{growth // 2**20} MB more")


class Tried(msgspec.Struct):
    """What came of a target. faults: by the kind and place of each, the first input of that kind in hexadecimal."""

    target: str
    inputs: int = 0
    seconds: float = 0.0
    faults: dict[str, str] = {}


def fault_of(name: str, data: bytes) -> str:
    """What is wrong with that input: the exception, and where it was raised; "" if nothing is."""
    try:
        with limited():
            TARGETS[name](data)
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return f"{type(error).__name__}: {str(error)[:200]} {_place(error)}"
    return ""


def _place(error: BaseException) -> str:
    place, frame = "", error.__traceback__
    while frame is not None:
        file = frame.tb_frame.f_code.co_filename
        if "desktop_app" in file or not place:
            place = f"({Path(file).name}:{frame.tb_lineno})"
        frame = frame.tb_next
    return place


def try_out(name: str, seeds: range, seconds: float = float("inf")) -> Tried:
    """Try the inputs of these seeds, as many as there is time for; of the faults of one place the first one is told."""
    logging.disable(logging.ERROR)
    tried, samples = Tried(name), SAMPLES_OF[name]()
    fault_of(name, samples[0])  # what it imports at its first use is not counted
    began = time.monotonic()
    try:
        for seed in seeds:
            data = mutated(random.Random(seed), samples) if seed >= len(samples) else samples[seed]
            if fault := fault_of(name, data):
                kind = fault.split(":")[0] + fault.rpartition(" ")[2]
                tried.faults.setdefault(kind, f"seed {seed}: {fault}: {data[:400].hex()}")
            tried.inputs += 1
            if time.monotonic() - began > seconds:
                break
    finally:
        logging.disable(logging.NOTSET)
    tried.seconds = round(time.monotonic() - began, 1)
    return tried


def found_inputs() -> list[tuple[str, Path]]:
    """Every input that is kept, with the name of its target."""
    return [(file.parent.name, file) for file in sorted(FOUND.glob("*/*"))]


def keep(name: str, data: bytes) -> Path:
    """Keep an input as a regression."""
    path = FOUND / name / sha1(data).hexdigest()[:8]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path
