from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import result, user
from conversations_made_up import Letters, long_conversation
from desktop_app.context.counting.picture_tokens import IMAGE_TOKENS
from desktop_app.context.counting.tokens import RECOUNT_EVERY, GrowingCount, Overhead, TokenCounts, count_message
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall
from desktop_app.models.tokens.tokenizers import tokenizer_for
from slowness import slowness


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


#


TEXT = "\n\n".join(message.text for message in long_conversation(400, seed=3))


def pieces_of(text: str, seed: int, most: int) -> list[str]:
    """The text cut anywhere, in pieces of up to that many characters."""
    dice, cut, pieces = random.Random(seed), 0, []
    while cut < len(text):
        size = dice.randint(1, most)
        pieces.append(text[cut : cut + size])
        cut += size
    return pieces


@pytest.mark.parametrize(
    ("model", "most"), [("gpt-4o", 4), ("gpt-4", 12), ("builtin", 4), ("builtin", 300), ("claude-sonnet-4-5", 12)]
)
def test_after_a_recount_it_is_what_the_whole_text_counts(model: str, most: int) -> None:
    tokenizer = tokenizer_for(model)
    growing, so_far = GrowingCount(tokenizer.count), 0
    for number, piece in enumerate(pieces_of(TEXT[:9_000], most, most)):
        growing.add(piece)
        so_far += len(piece)
        if number % 500 == 0:
            assert growing.recount() == pytest.approx(tokenizer.count(TEXT[:so_far]), rel=0.001, abs=2)
    whole = tokenizer.count(TEXT[:9_000])
    assert whole <= growing.tokens * 1.002
    assert growing.recount() == pytest.approx(whole, rel=0.001)


def test_between_recounts_it_is_not_far_off() -> None:
    tokenizer = tokenizer_for("gpt-4o")
    growing, so_far = GrowingCount(tokenizer.count), ""
    for number, piece in enumerate(pieces_of(TEXT[:12_000], 5, 3)):
        growing.add(piece)
        so_far += piece
        assert number % 37 or abs(growing.tokens - tokenizer.count(so_far)) <= RECOUNT_EVERY


@given(st.lists(st.text(max_size=20), max_size=30), st.integers(1, 20))
def test_nothing_is_counted_twice_or_not_at_all(pieces: list[str], every: int) -> None:
    growing = GrowingCount(len, every)  # with one token a character every border is exact
    for piece in pieces:
        growing.add(piece)
    assert growing.tokens == growing.recount() == len("".join(pieces))


@pytest.mark.slow
def test_endless_data_without_a_blank_stays_cheap() -> None:
    growing = GrowingCount(Letters().count)
    started = time.process_time()
    for _ in range(50_000):
        growing.add("QUJDREVGR0g")
    assert time.process_time() - started < 5 * slowness()
    assert growing.recount() == pytest.approx(50_000 * 11 / 4, rel=0.01)
