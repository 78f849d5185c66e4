"""Recorded sessions of agents, cut to a quarter: what the request says of their work, against labels by hand."""

from __future__ import annotations

from typing import Any

import pytest

from work_sessions import SHARE, Sent, labels, session

MISSED = {
    ("tau-airline-46-3", "send_certificate"),
    ("tau-airline-46-3", "proceed with the compensation for this reservation"),
    ("tau-airline-46-3", "The correct total, including additional fees, is $1,047"),
    ("pi", "Make a class Depot in depot/__init__.py with a list of shelves"),
    ("pi", "Add a method add(shelf) which refuses a second shelf"),
    ("sweagent-12", "solving the following CTF challenge"),
}
"""Items that are not stated, or not correctly. The ones of pi and sweagent-12 were held out, and nothing was changed
for them: a request before a plan without check boxes counts as talk, a page of 500 tokens has no room for all that is
finished, and an agent without calls of tools ends no turn."""


@pytest.mark.parametrize("label", labels(), ids=lambda label: label["name"])
def test_each_piece_of_work_is_stated_with_its_state(label: dict[str, Any]) -> None:
    messages = session(label)
    sent = Sent(messages)
    missed = {(label["name"], item[1]) for item in label["items"] if not sent.states_correctly(*item)}
    assert missed == {pair for pair in MISSED if pair[0] == label["name"]}
    assert len(sent.kept) < SHARE * len(messages)
