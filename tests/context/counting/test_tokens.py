from __future__ import annotations

import pytest

from builders import result, user
from conversations_made_up import Letters
from desktop_app.context.counting.picture_tokens import IMAGE_TOKENS
from desktop_app.context.counting.tokens import Overhead, TokenCounts, count_message
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall


class Terse(Letters):
    """Frames the model's own messages with more than the others."""

    overhead = Overhead(message=2, assistant=7, priming=1)


class Watched(Letters):
    """Remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text: str) -> int:
        self.asked.append(text)
        return super().count(text)


IMAGE = Attachment("a.png", "image/png", "data:" + "A" * 99_999)
FILE = Attachment("a.txt", "text/plain", "x" * 40)
REPLY = (Reasoning("r" * 8), Text("t" * 12), ToolCall("c", "read", "a" * 16))


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        (Message(role=Role.ASSISTANT, parts=REPLY), {Segment.ASSISTANT: 4 + 3, Segment.CALLS: 1 + 4}),
        (result("x" * 20), {Segment.RESULTS: 4 + 5}),
        (user(IMAGE, FILE), {Segment.USER: 4, Segment.ATTACHMENTS: IMAGE_TOKENS + 17}),
        (user("hi", speaker="caroline"), {Segment.USER: 4 + 1 + 2}),
        (user("t" * 8, "u" * 8), {Segment.USER: 4 + 2 + 1 + 2}),
    ],
    ids=["reasoning is not sent back", "a result", "a file has a name", "a speaker", "a blank line between two texts"],
)
def test_each_part_counts_in_its_own_segment(message: Message, tokens: dict[Segment, int]) -> None:
    counted = count_message(message, Letters())
    assert dict(counted.parts) == tokens
    assert counted.total == sum(tokens.values())


def test_the_chat_format_may_frame_a_reply_differently() -> None:
    assert count_message(Message(role=Role.ASSISTANT), Terse()).total == 7
    assert count_message(Message(role=Role.USER), Terse()).total == 2


def test_a_message_is_counted_once_and_so_is_an_equal_one() -> None:
    watched = Watched()
    counts = TokenCounts(watched)
    message = user("hello")
    assert counts.total(message) == counts.of(message).total == counts.total(message)
    assert watched.asked == ["hello"]
    counts.total(user("hello"))
    assert watched.asked == ["hello"], "a fold makes messages anew that were counted before"


def test_a_kept_message_is_not_forgotten_and_its_place_not_given_away() -> None:
    counts = TokenCounts(Letters())
    for number in range(500):
        message = user("x" * 4 * number)
        assert counts.total(message) == 4 + number
        del message
