"""Read the sentences and facts of messages, each message once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from desktop_app.conversation.message import Message, Role, Text, ToolResult

from .error_lines import error_lines
from .facts import facts_in
from .own_words import own_words, without_quotations
from .prose import MAX_READ, MAX_SENTENCE, SHORT_MESSAGE, Paragraph, paragraphs, sentences_of, without_stamp
from .rules import announces_rules, is_rule, may_supersede

MAX_FACTS_OF_MESSAGE = 10_000
"""A message with more names is a table of data."""
MAX_ERRORS_OF_RESULT = 60
LISTED = re.compile(r"^[ \t]*(\d{1,6})[:|│]", re.MULTILINE)
"""The numbers of a listing's lines."""


class MessageFacts(msgspec.Struct, frozen=True, gc=False):
    """What one message contains; rules and facts are those of a user's message."""

    day: str
    """The date with which the message itself begins, such as "25 May, 2023", or ""."""
    text: str
    """What follows the date."""
    sentences: tuple[str, ...]
    """In own words."""
    rules: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    """Facts in own words."""
    pasted: tuple[str, ...] = ()
    """Facts in what was pasted, and in the date with which the message begins."""
    may_change: bool = False
    """A sentence may take back or replace a rule."""
    instructions: tuple[str, ...] = ()
    """Sentences of a user's message neither quoted nor pasted; only those make and change rules."""

    @property
    def facts(self) -> tuple[str, ...]:
        """All facts, those in own words first."""
        return self.own + self.pasted


class Reading:
    """A cache of what was read of messages, by identity: a message is a value and never changes.

    Kept from compaction to compaction, each message is read once. It holds references to all messages read.
    """

    def __init__(self, check: Callable[[], None] | None = None) -> None:
        self._check = check
        self._kept: dict[int, tuple[Message, MessageFacts]] = {}
        self._errors: dict[int, tuple[Message, tuple[str, ...]]] = {}

    def checked(self, check: Callable[[], None]) -> Reading:
        """Return one with the same cache that calls `check` before each message, which may raise to end it."""
        checked = Reading(check)
        checked._kept, checked._errors = self._kept, self._errors
        return checked

    def keep_only(self, messages: Iterable[Message]) -> None:
        """Forget what was read of all others but of the user's own, whose rules are looked for in the whole branch."""
        here = {id(message) for message in messages}
        self._kept = {i: kept for i, kept in self._kept.copy().items() if i in here or kept[0].role is Role.USER}
        self._errors = {i: kept for i, kept in self._errors.copy().items() if i in here}

    def of(self, message: Message) -> MessageFacts:
        """Return what the message contains, read at the first call only."""
        if self._check is not None:
            self._check()
        kept = self._kept.get(id(message))
        if kept is None:
            kept = self._kept[id(message)] = (message, _read(message))
        return kept[1]

    def errors_of(self, message: Message, result: ToolResult) -> tuple[str, ...]:
        """Return the lines of a tool's result that report an error, at most `MAX_ERRORS_OF_RESULT`."""
        kept = self._errors.get(id(message))
        if kept is None:
            kept = self._errors[id(message)] = (message, tuple(error_lines(result.text, MAX_ERRORS_OF_RESULT)))
        return kept[1]


def _read(message: Message) -> MessageFacts:
    whole = message.text
    day, text = without_stamp(whole)
    said = paragraphs(text)
    told = tuple(sentences_of(said))
    if message.role is not Role.USER:
        return MessageFacts(day, text, told)
    typed = without_stamp("\n\n".join(part.text for part in message.parts if isinstance(part, Text) and part.text))[1]
    typed = typed[:MAX_READ]
    own = own_words(typed)
    own_said = said if own == text[:MAX_READ] else paragraphs(own)
    own_told = told if own == text[:MAX_READ] else tuple(sentences_of(own_said))
    rules = _rules(own_said, own_told)
    return MessageFacts(day, text, told, rules, *_facts(whole, day, text, said), may_supersede(own), own_told)


def _rules(said: Sequence[Paragraph], told: Iterable[str]) -> tuple[str, ...]:
    listed = list(_listed_as_rules(said))
    others = [
        rule
        for rule in dict.fromkeys(told)
        if is_rule(rule) and is_own(rule) and rule[-1] not in ":：" and not any(rule in point for point in listed)
    ]
    return tuple(dict.fromkeys(listed + others))


def is_own(rule: str) -> bool:
    """Whether a sentence is still a rule without what it quotes."""
    bare = without_quotations(rule)
    return bare == rule or is_rule(bare)


def _facts(whole: str, day: str, text: str, said: Sequence[Paragraph]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return facts in own words, and the others."""
    facts = facts_in(whole)[:MAX_FACTS_OF_MESSAGE]
    if not (day or "```" in text or (len(text) > SHORT_MESSAGE and LISTED.search(text))):
        return tuple(facts), ()
    own = set(facts_in("\n".join([paragraph for paragraph, _ in said])))
    return tuple([fact for fact in facts if fact in own]), tuple([fact for fact in facts if fact not in own])


def _listed_as_rules(said: Sequence[Paragraph]) -> Iterator[str]:
    """Yield the points of a list that is announced as one of rules, each whole, with its reason."""
    is_listing = False
    for text, is_point in said:
        if not is_point:
            is_listing = announces_rules(text)
        elif is_listing and len(text) <= MAX_SENTENCE:
            yield text
