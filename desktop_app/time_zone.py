"""The system's time zone, followed when it changes: the C library reads it only once."""

from __future__ import annotations

import time


def follow_time_zone() -> bool:
    """Use the system's present time zone from now on, and return whether it is another one. It takes microseconds."""
    before = time.tzname, time.timezone, time.altzone
    if hasattr(time, "tzset"):  # not on Windows
        time.tzset()
    return before != (time.tzname, time.timezone, time.altzone)
