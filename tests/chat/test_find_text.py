"""Which messages have a text."""

from __future__ import annotations

from desktop_app.chat.find import find_text
from desktop_app.conversation.message import Message, Role, Text, ToolCall

SAID = [
    Message(id="system", role=Role.SYSTEM, parts=(Text("Straße"),)),
    Message(id="a", role=Role.USER, parts=(Text("In der STRASSE 100%"),)),
    Message(id="b", role=Role.ASSISTANT, parts=(ToolCall("c", "read", '{"path": "src/strasse.py"}'),)),
    Message(id="c", role=Role.USER, parts=(Text("100 of them"),)),
]


def test_of_either_case_as_it_stands_and_in_arguments():
    assert find_text(SAID, "straße") == [(1, 1), (2, 1)]
    assert find_text(SAID, "0%") == [(1, 1)]
    assert find_text(SAID, "") == []


def test_each_place_in_a_message_is_counted():
    often = Message(id="d", role=Role.USER, parts=(Text("tides, Tides and TIDES"), ToolCall("e", "read", "tides")))
    assert find_text([*SAID, often], "tides") == [(4, 4)]


def test_the_newest_are_returned():
    assert find_text(SAID, "100") == [(1, 1), (3, 1)]
    assert find_text(SAID, "100", limit=1) == [(3, 1)]
