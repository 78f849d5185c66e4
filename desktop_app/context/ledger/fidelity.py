"""Measure where the facts of archived messages are found now: verbatim, in the summary, recallable, lost (K7)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from itertools import islice

from desktop_app.conversation.facts import Fact, Fidelity, Ledger
from desktop_app.conversation.message import Message, Role

from .ledger import open_questions
from .message_facts import Reading

MAX_LOST = 20
"""How many lost facts a report names."""
MAX_KEPT = 40
"""How many of the verbatim facts, and of those in the summary, a report names."""
MAX_RECALLABLE = 200
"""How many of the rules, and of the other facts, that only the archive has, a report names."""

_WORD = re.compile(r"\w+")
_TO_WORDS = bytes(sign if chr(sign).isalnum() or sign == ord("_") else ord(" ") for sign in range(256))
"""Maps all ASCII but words to blanks."""
_SIGNS = ".,;:!?…\"'”’“‘`()[]{}*<>"
"""What stands around a name in a text."""


def _words_in(text: str) -> list[str]:
    return text.encode().translate(_TO_WORDS).decode().split() if text.isascii() else _WORD.findall(text)


def _stands_in(fact: str, text: str) -> bool:
    """Return whether the text has the fact between two ends of words: `a.py` does not stand in `a.pyc`."""
    start = text.find(fact)
    while start >= 0:
        end = start + len(fact)
        if not (_joins(text[start - 1 : start], fact[0]) or _joins(fact[-1], text[end : end + 1])):
            return True
        start = text.find(fact, start + 1)
    return False


def _joins(before: str, behind: str) -> bool:
    """Return whether two neighbouring signs, or none, belong to one word."""
    return _WORD.match(before) is not None and _WORD.match(behind) is not None


class FactIndex:
    """A text in which many facts are looked up.

    Whole words and chunks, which are what stands between two blanks, are looked up in sets. The rest is searched in the
    distinct chunks, a small part of a long text; only facts with blanks are searched in the text itself.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._chunks = frozenset(text.split())
        self._sorted = sorted(self._chunks)
        distinct = "\n".join(self._sorted)
        self._words = frozenset(_words_in(distinct))
        self._compound = "\n".join(chunk for chunk in self._chunks if not chunk.isalnum())
        self._names = frozenset(chunk.strip(_SIGNS) for chunk in self._compound.split("\n"))

    def __contains__(self, fact: str) -> bool:
        """Whether the text has that fact, word for word. A number inside of a longer one is not that number."""
        if fact in self._words or fact in self._names or fact in self._chunks:
            return True
        parts = fact.split()
        if len(parts) > 1 and not (all(map(self._chunks.__contains__, parts[1:-1])) and self._begins(parts[-1])):
            return False
        if not all(map(self._words.__contains__, _words_in(fact))):
            return False
        return _stands_in(fact, self._compound if parts == [fact] else self._text)

    def _begins(self, part: str) -> bool:
        """Whether a chunk begins with that."""
        index = bisect_left(self._sorted, part)
        return index < len(self._sorted) and self._sorted[index].startswith(part)

    def lacks(self, facts: Iterable[str]) -> list[str]:
        """Return those of the facts that the text does not have."""
        return [fact for fact in facts if fact not in self]


def facts_to_keep(head: Sequence[Message], reading: Reading) -> dict[str, str]:
    """Return the facts that a reader who continues would miss, with the ids of their messages.

    These are paths, URLs, identifiers, numbers, names and rules of people, and the questions open at the end.
    """
    facts: dict[str, str] = {}
    for message in head:
        if message.role is Role.USER:
            read = reading.of(message)
            for fact in (*read.facts, *read.rules):
                facts.setdefault(fact, message.id)
    for question, message_id in open_questions(head, reading):
        facts.setdefault(question, message_id)
    return facts


def holding_rules(head: Sequence[Message], ledger: Ledger, reading: Reading) -> list[Fact]:
    """Return the rules that hold: the ledger's, and those of `head` that it had no room for."""
    ended = {old.text for old in ledger.superseded}
    said = (Fact(rule, m.id) for m in head if m.role is Role.USER for rule in reading.of(m).rules if rule not in ended)
    return list({rule.text: rule for rule in (*said, *ledger.rules)}.values())


def fidelity(
    head: Sequence[Message],
    summary: str,
    tail: Sequence[Message],
    archive: Collection[str],
    reading: Reading | None = None,
    rules: Sequence[Fact] = (),
) -> Fidelity:
    """Return where each fact of `head`, and each rule that holds, is found now.

    tail: all that is sent beside the summary. archive: ids of messages that can be recalled.
    """
    facts = {rule.text: rule.message_id for rule in rules}
    holding = set(facts)
    for fact, message_id in facts_to_keep(head, reading or Reading()).items():
        facts.setdefault(fact, message_id)
    not_kept = FactIndex("\n".join(message.text for message in tail)).lacks(facts)
    missing = FactIndex(summary).lacks(not_kept)
    lost = [fact for fact in missing if facts[fact] not in archive]
    recallable = [fact for fact in missing if facts[fact] in archive]
    return Fidelity(
        verbatim=len(facts) - len(not_kept),
        in_summary=len(not_kept) - len(missing),
        recallable=len(recallable),
        lost=len(lost),
        lost_facts=tuple(lost[:MAX_LOST]),
        recallable_rules=tuple([fact for fact in recallable if fact in holding][:MAX_RECALLABLE]),
        recallable_facts=tuple([fact for fact in recallable if fact not in holding][:MAX_RECALLABLE]),
        rules=len(holding),
        rules_kept=len(holding.difference(missing)),
        verbatim_facts=_some(facts, without=not_kept),
        summary_facts=_some(not_kept, without=missing),
    )


def _some(facts: Iterable[str], without: Collection[str]) -> tuple[str, ...]:
    left_out = set(without)
    return tuple(islice((fact for fact in facts if fact not in left_out), MAX_KEPT))
