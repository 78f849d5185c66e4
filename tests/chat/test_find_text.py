"""Which messages have a text."""

from __future__ import annotations

from desktop_app.chat.find import find_messages
from desktop_app.conversation.message import Message, Role, Text, ToolCall

SAID = [
    Message(id="system", role=Role.SYSTEM, parts=(Text("Straße"),)),
    Message(id="a", role=Role.USER, parts=(Text("In der STRASSE 100%"),)),
    Message(id="b", role=Role.ASSISTANT, parts=(ToolCall("c", "read", '{"path": "src/strasse.py"}'),)),
    Message(id="c", role=Role.USER, parts=(Text("100 of them"),)),
]


def test_of_either_case_as_it_stands_and_in_arguments():
    assert find_messages(SAID, "straße") == [1, 2]
    assert find_messages(SAID, "0%") == [1]
    assert find_messages(SAID, "") == []


def test_the_newest_are_returned():
    assert find_messages(SAID, "100") == [1, 3]
    assert find_messages(SAID, "100", most=1) == [3]
