"""What of the archived messages survives, and where (K7). Exact about what it looks for, whoever summarised."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from desktop_app.conversation.facts import Fidelity
from desktop_app.conversation.message import Message, Role

from .wording import QUESTION, RULE, facts_in, sentences

LOST_NAMED = 20
"""How many lost facts a report names."""


def facts_to_keep(head: Sequence[Message]) -> dict[str, str]:
    """What a reader who continues would miss, by text, with the message that it stands in: what people said
    of paths, URLs, identifiers, numbers and names, their rules, and the questions still open at the end."""
    facts: dict[str, str] = {}
    for message in head:
        if message.role is Role.USER:
            for fact in facts_in(message.text):
                facts.setdefault(fact, message.id)
            for sentence in sentences(message.text):
                if RULE.search(sentence):
                    facts.setdefault(sentence, message.id)
    for question, message_id in open_questions(head):
        facts.setdefault(question, message_id)
    return facts


def open_questions(head: Sequence[Message], within: int = 3) -> list[tuple[str, str]]:
    """Questions in the last messages that were said aloud, with their messages' ids: nothing after them answers."""
    spoken = [message for message in head if message.role in (Role.USER, Role.ASSISTANT) and message.text]
    return [
        (sentence, message.id)
        for message in spoken[-within:]
        for sentence in sentences(message.text)
        if QUESTION.search(sentence)
    ]


def fidelity(head: Sequence[Message], summary: str, tail: Sequence[Message], archive: Collection[str]) -> Fidelity:
    """Where each fact of `head` is found now. `tail`: the messages that stay; `archive`: ids that can be recalled."""
    kept_text = "\n".join(message.text for message in tail)
    places = {"verbatim": 0, "in_summary": 0, "recallable": 0, "lost": 0}
    lost: list[str] = []
    for fact, message_id in facts_to_keep(head).items():
        if fact in kept_text:
            places["verbatim"] += 1
        elif fact in summary:
            places["in_summary"] += 1
        elif message_id in archive:
            places["recallable"] += 1
        else:
            places["lost"] += 1
            lost.append(fact)
    return Fidelity(**places, lost_facts=tuple(lost[:LOST_NAMED]))
