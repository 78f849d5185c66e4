"""Garbage, which is collected in the thread of the tests alone: Python's own collection runs in any thread."""

from __future__ import annotations

import gc

MANY_OBJECTS = 50_000
"""Made since garbage was collected: 10 MB."""


def is_much() -> bool:
    """Return whether so much was made since garbage was collected."""
    return gc.get_count()[0] > MANY_OBJECTS


def collect_if_much() -> None:
    """Collect it within a test of thousands of examples, which would take gigabytes until its end."""
    if is_much():
        gc.collect()
