"""For the few tests that must judge a time: how much slower than usual this machine is just now."""

from __future__ import annotations

import os
import time

USUAL_SECONDS = 0.0022
"""That a piece of work takes on the two idle slow cores on which this was written."""
PIECES = 8


def slowness() -> float:
    """At least 1. Of the longest piece of some milliseconds of work, and of how many processes wait for each core:
    what others take of the machine, and a slow machine, are no fault of what is measured."""
    longest = max(_seconds_of_work() for _ in range(PIECES))
    return max(1.0, 2 * os.getloadavg()[0] / (os.cpu_count() or 1), longest / USUAL_SECONDS)


def _seconds_of_work() -> float:
    started = time.perf_counter()
    sum(n * n for n in range(25_000))
    return time.perf_counter() - started
