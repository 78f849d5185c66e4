"""What of the archived messages survives, and where (K7). Exact about what it looks for, whoever summarised."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from desktop_app.conversation.facts import Fidelity
from desktop_app.conversation.message import Message, Role

from .ledger import open_questions
from .reading import Reading

LOST_NAMED = 20
"""How many lost facts a report names."""

_WORD = re.compile(r"\w+")
_SIGNS = ".,;:!?…\"'”’“‘`()[]{}*<>"
"""What stands around a name in a text."""


class Said:
    """A text that is asked for many facts. Whole words and whole chunks are looked up; only the rest is searched.

    A chunk is what stands between two blanks. The distinct ones are a small part of a long text, so that all but
    facts with blanks are looked for in those alone.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._chunks = frozenset(text.split())
        distinct = "\n".join(self._chunks)
        self._words = frozenset(_WORD.findall(distinct))
        self._compound = "\n".join(chunk for chunk in self._chunks if not chunk.isalnum())
        self._names = frozenset(chunk.strip(_SIGNS) for chunk in self._compound.split("\n"))

    def __contains__(self, fact: str) -> bool:
        """Whether the text has that fact, word for word. A number inside of a longer one is not that number."""
        if fact in self._words or fact in self._names or fact in self._chunks:
            return True
        parts = fact.split()
        if len(parts) > 1 and not self._chunks.issuperset(parts[1:-1]):
            return False
        if not self._words.issuperset(_WORD.findall(fact)):
            return False
        return fact in (self._compound if parts == [fact] else self._text)


def facts_to_keep(head: Sequence[Message], reading: Reading) -> dict[str, str]:
    """What a reader who continues would miss, by text, with the message that it stands in: what people said
    of paths, URLs, identifiers, numbers and names, their rules, and the questions still open at the end."""
    facts: dict[str, str] = {}
    for message in head:
        if message.role is Role.USER:
            read = reading.of(message)
            for fact in (*read.facts, *read.rules):
                facts.setdefault(fact, message.id)
    for question, message_id in open_questions(head, reading):
        facts.setdefault(question, message_id)
    return facts


def fidelity(
    head: Sequence[Message],
    summary: str,
    tail: Sequence[Message],
    archive: Collection[str],
    reading: Reading | None = None,
) -> Fidelity:
    """Where each fact of `head` is found now. `tail`: the messages that stay; `archive`: ids that can be recalled."""
    kept, summarised = Said("\n".join(message.text for message in tail)), Said(summary)
    places = {"verbatim": 0, "in_summary": 0, "recallable": 0, "lost": 0}
    lost: list[str] = []
    for fact, message_id in facts_to_keep(head, reading or Reading()).items():
        if fact in kept:
            places["verbatim"] += 1
        elif fact in summarised:
            places["in_summary"] += 1
        elif message_id in archive:
            places["recallable"] += 1
        else:
            places["lost"] += 1
            lost.append(fact)
    return Fidelity(**places, lost_facts=tuple(lost[:LOST_NAMED]))
