"""Which messages have a text."""

from __future__ import annotations

from builders import model, system, user
from desktop_app.chat.find import find_text
from desktop_app.conversation.message import ToolCall

SAID = [
    system("Straße", id="system"),
    user("In der STRASSE 100%", id="a"),
    model(ToolCall("c", "read", '{"path": "src/strasse.py"}'), id="b"),
    user("100 of them", id="c"),
]


def test_of_either_case_as_it_stands_and_in_arguments():
    assert find_text(SAID, "straße") == [(1, 1), (2, 1)]
    assert find_text(SAID, "0%") == [(1, 1)]
    assert find_text(SAID, "") == []


def test_each_place_in_a_message_is_counted():
    often = user("tides, Tides and TIDES", ToolCall("e", "read", "tides"), id="d")
    assert find_text([*SAID, often], "tides") == [(4, 4)]


def test_the_newest_are_returned():
    assert find_text(SAID, "100") == [(1, 1), (3, 1)]
    assert find_text(SAID, "100", limit=1) == [(3, 1)]
