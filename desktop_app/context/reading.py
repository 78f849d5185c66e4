"""What was read of each message, once: its sentences and its facts, kept like the counts of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from desktop_app.conversation.message import Message, Role

from .prose import SENTENCE_MOST, Paragraph, paragraphs, sentences_of, without_stamp
from .wording import announces_rules, facts_in, is_rule

FACTS_A_MESSAGE = 10_000
"""More names than that in one message are a table of data, and nobody's to remember."""


class Read(msgspec.Struct, frozen=True, gc=False):
    """What stands in one message: its sentences in own words; of a user's message the rules, and the facts too.

    day: the date with which the message itself begins, such as "25 May, 2023", or "". text: what follows it.
    """

    day: str
    text: str
    sentences: tuple[str, ...]
    rules: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()


class Reading:
    """Messages read so far, by identity: a message is a value and never changes."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Message, Read]] = {}

    def of(self, message: Message) -> Read:
        """What stands in that message, read at the first call only."""
        kept = self._kept.get(id(message))
        if kept is None:
            kept = self._kept[id(message)] = (message, _read(message))
        return kept[1]


def _read(message: Message) -> Read:
    whole = message.text
    day, text = without_stamp(whole)
    said = paragraphs(text)
    told = tuple(sentences_of(said))
    if message.role is not Role.USER:
        return Read(day, text, told)
    listed = list(_listed_as_rules(said))
    others = [
        rule for rule in told if is_rule(rule) and not (rule[-1] in ":：" or any(rule in point for point in listed))
    ]
    return Read(day, text, told, tuple(dict.fromkeys(listed + others)), tuple(facts_in(whole)[:FACTS_A_MESSAGE]))


def _listed_as_rules(said: Sequence[Paragraph]) -> Iterator[str]:
    """The points of a list that is announced as one of rules, each whole, with its reason."""
    is_listing = False
    for text, is_point in said:
        if not is_point:
            is_listing = announces_rules(text)
        elif is_listing and len(text) <= SENTENCE_MOST:
            yield text
