"""What all tests share: no screen, no stray exceptions, Hypothesis' profiles, folders of their own."""

from __future__ import annotations

import gc
import inspect
import itertools
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import garbage
from desktop_app.context import sentence_kinds
from desktop_app.paths import SENTENCE_KINDS
from examples import examples

ROOT = Path(__file__).resolve().parent.parent

# Before the first import of Qt. A developer who wants to watch a test sets QT_QPA_PLATFORM=xcb.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Each example's time differs tenfold on a busy machine: time is judged by pytest-timeout, not example by example.
# CI judges a change, so it tries the same examples each time; new ones are found by whoever develops.
settings.register_profile(
    "ours",
    max_examples=examples(),
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ours")

sentence_kinds.load(SENTENCE_KINDS.read_bytes())
_numbers = itertools.count()


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing that a test starts ever touches the data folder of whoever runs it. It is only named here, not made:
    most tests start nothing, and a folder for each of thousands takes longer than they do."""
    folder = tmp_path_factory.getbasetemp() / "palimpsest" / f"{next(_numbers)}"
    monkeypatch.setenv("PALIMPSEST_DATA_DIR", str(folder))
    return folder


WIRE_FOLDERS = ("tests/end_to_end/", "tests/faults/")
"""Real processes that import litellm or load a model, seconds each."""

REAL_PATIENCE = 3_600
"""Seconds for a test in tests/real, which may install its program first."""


def takes_long(name: str) -> bool:
    """Return whether that test is in a file of those that take longest."""
    return name.startswith(WIRE_FOLDERS) or "_by_engine.py::" in name


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by their folder. Of several workers, each begins with what takes long."""
    if hasattr(config, "workerinput"):  # a file that takes long and comes last leaves the other workers idle
        items.sort(key=lambda item: not takes_long(item.nodeid))
    for item in items:
        if item.nodeid.startswith(WIRE_FOLDERS):
            item.add_marker(pytest.mark.wire)
        if item.nodeid.startswith("tests/bench/"):
            item.add_marker(pytest.mark.slow)
        if item.nodeid.startswith("tests/real/"):
            item.add_marker(pytest.mark.real)
            item.add_marker(pytest.mark.timeout(REAL_PATIENCE))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes and sets by the argument and their number: workers that name a test differently run none at all, and
    packed bytes hold the time, a set the order of its hashes."""
    return argname if isinstance(val, bytes | set | frozenset) else None


class KeptRecords(logging.Handler):
    """Keeps what is logged, as text."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(logging.Formatter().format(record))


@pytest.fixture(autouse=True)
def stray_exceptions(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """Fails a test in which a task's exception reached nobody: asyncio only logs it, when the task is collected.

    A test that provokes one on purpose takes this fixture and clears the list.
    """
    # Garbage is collected here alone, in the thread of the tests. Python's own collection runs in any thread: one of a
    # server has collected a loop of Qt's that an earlier test had left, whose timers then crashed Qt.
    gc.disable()
    kept = KeptRecords()
    logger = logging.getLogger("asyncio")
    logger.addHandler(kept)
    yield kept.texts
    is_async = inspect.iscoroutinefunction(getattr(request.node, "obj", None))
    if is_async or "qtbot" in request.fixturenames or garbage.is_much():
        gc.collect()
        gc.freeze()  # what stays is not looked at again: of large libraries that takes 0.2 s for each test
    logger.removeHandler(kept)
    if kept.texts:
        pytest.fail("asyncio reported:\n" + "\n".join(kept.texts), pytrace=False)


@pytest.fixture
def data_folder(own_data_folder: Path) -> Path:
    """The test's own data folder, empty, and the one that PALIMPSEST_DATA_DIR names."""
    own_data_folder.mkdir(parents=True)
    return own_data_folder


@pytest.fixture
def samples() -> Path:
    """The folder of the sample conversations that the project ships."""
    return ROOT / "resources" / "samples"
