"""What was read of each message, once: its sentences and its facts, kept like the counts of tokens."""

from __future__ import annotations

import msgspec

from desktop_app.conversation.message import Message, Role

from .prose import sentences, without_stamp
from .wording import facts_in, is_rule


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
    told = tuple(sentences(text))
    if message.role is not Role.USER:
        return Read(day, text, told)
    return Read(day, text, told, tuple(filter(is_rule, told)), tuple(facts_in(whole)))
