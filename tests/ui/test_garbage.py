from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from desktop_app.ui.garbage import YOUNG, GarbageCollector


class Knot:
    """What only the collector can find."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def collector() -> Iterator[GarbageCollector]:
    owner = QObject()
    collector = GarbageCollector(owner)
    yield collector
    collector.stop()
    gc.unfreeze()


@pytest.mark.long
def test_garbage_is_collected_in_the_windows_thread_however_busy_another_one_is(
    qtbot: QtBot, collector: GarbageCollector
) -> None:
    threads: list[int] = []
    weakref.finalize(Knot(), lambda: threads.append(threading.get_ident()))
    busy = threading.Thread(target=lambda: [[n] for n in range(100 * YOUNG)])
    busy.start()
    busy.join()
    assert not threads
    kept = [[n] for n in range(2 * YOUNG)]
    qtbot.waitUntil(lambda: bool(threads))
    assert threads == [threading.get_ident()]
    assert kept


def test_no_other_thread_of_the_tests_collects_garbage() -> None:
    """One of a server has collected a loop of Qt's that an earlier test had left: its timers crashed Qt."""
    threads: list[int] = []
    weakref.finalize(Knot(), lambda: threads.append(threading.get_ident()))
    busy = threading.Thread(target=lambda: [[n] for n in range(100 * YOUNG)])
    busy.start()
    busy.join()
    assert not threads
    gc.collect()
    assert threads == [threading.get_ident()]


def test_python_collects_again_once_the_window_is_closed(collector: GarbageCollector) -> None:
    assert not gc.isenabled()
    collector.stop()
    assert gc.isenabled()
