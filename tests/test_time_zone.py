"""A change of the system's time zone while the program runs."""

from __future__ import annotations

import sys
import time

import pytest

from desktop_app.time_zone import follow_time_zone

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the C library follows it there")


def test_a_changed_time_zone_counts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC0")
    follow_time_zone()
    assert not follow_time_zone()
    monkeypatch.setenv("TZ", "XYZ-9")
    assert time.localtime(0).tm_hour == 0, "the C library goes on with the zone that it has read"
    assert follow_time_zone()
    assert time.localtime(0).tm_hour == 9
    monkeypatch.undo()
    follow_time_zone()
