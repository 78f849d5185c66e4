from __future__ import annotations

from conversations_made_up import Letters
from desktop_app.context.counting.tokens import IMAGE_TOKENS, SEPARATOR, Overhead, TokenCounts, count_message
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, ToolResult


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


def test_each_part_counts_in_its_own_segment() -> None:
    message = Message(
        role=Role.ASSISTANT,
        parts=(Reasoning("r" * 8), Text("t" * 12), ToolCall("c", "read", "a" * 16)),
    )
    tokens = count_message(message, Letters())
    assert dict(tokens.parts) == {Segment.ASSISTANT: 4 + 3, Segment.CALLS: 1 + 4}, "reasoning is not sent back"
    assert tokens.total == sum(dict(tokens.parts).values()) == 12


def test_a_result_and_its_frame_count_as_result() -> None:
    message = Message(role=Role.TOOL, parts=(ToolResult("c", "bash", "x" * 20),))
    assert dict(count_message(message, Letters()).parts) == {Segment.RESULTS: 9}


def test_an_image_counts_the_same_whatever_its_size_and_a_file_counts_as_text() -> None:
    image = Attachment("a.png", "image/png", "data:" + "A" * 99_999)
    file = Attachment("a.txt", "text/plain", "x" * 40)
    tokens = count_message(Message(role=Role.USER, parts=(image, file)), Letters())
    assert dict(tokens.parts) == {Segment.USER: 4, Segment.ATTACHMENTS: IMAGE_TOKENS + 12}, "with its name"


def test_a_speakers_name_is_sent_and_counted() -> None:
    named = Message(role=Role.USER, parts=(Text("hi"),), speaker="caroline")
    assert count_message(named, Letters()).total == 4 + 1 + 2


def test_the_chat_format_may_frame_a_reply_differently() -> None:
    assert count_message(Message(role=Role.ASSISTANT), Terse()).total == 7
    assert count_message(Message(role=Role.USER), Terse()).total == 2


def test_a_message_is_counted_once_and_so_is_an_equal_one() -> None:
    watched = Watched()
    counts = TokenCounts(watched)
    message = Message(role=Role.USER, parts=(Text("hello"),))
    assert counts.total(message) == counts.of(message).total == counts.total(message)
    assert watched.asked == ["hello"]
    counts.total(Message(role=Role.USER, parts=(Text("hello"),)))
    assert watched.asked == ["hello"], "a fold makes messages anew that were counted before"


def test_texts_of_one_message_are_counted_with_what_stands_between_them() -> None:
    message = Message(role=Role.USER, parts=(Text("t" * 8), Text("u" * 8)))
    assert count_message(message, Letters()).total == 4 + 2 + Letters().count(SEPARATOR) + 2


def test_a_kept_message_is_not_forgotten_and_its_place_not_given_away() -> None:
    counts = TokenCounts(Letters())
    for number in range(500):
        message = Message(role=Role.USER, parts=(Text("x" * 4 * number),))
        assert counts.total(message) == 4 + number
        del message


def test_loose_text_is_counted_without_a_frame() -> None:
    assert TokenCounts(Letters()).text("12345") == 2
