from __future__ import annotations

import msgspec
import pytest

from desktop_app.conversation.facts import Fidelity
from desktop_app.conversation.gauge import Gauge, Segment, Status


def gauge(total: int, window: int = 1_000, reserve: int = 200) -> Gauge:
    return Gauge({Segment.USER: total}, total, window, reserve, Status.SAFE)


@pytest.mark.parametrize(
    ("shown", "usable", "share", "free"),
    [
        (gauge(0), 800, 0.0, 800),
        (gauge(400), 800, 0.5, 400),
        (gauge(1_200), 800, 1.5, 0),
        (gauge(5, window=100, reserve=100), 0, 1.0, 0),
    ],
)
def test_usable_share_and_free_follow_from_the_figures(shown: Gauge, usable: int, share: float, free: int) -> None:
    assert (shown.usable, shown.share, shown.free) == (usable, share, free)


def test_a_gauge_crosses_the_border_as_json() -> None:
    assert msgspec.json.decode(msgspec.json.encode(gauge(400)), type=Gauge) == gauge(400)


def test_the_counts_of_a_fidelity_report_add_up() -> None:
    assert Fidelity(1, 2, 3, 4).total == 10
    assert Fidelity().total == 0
