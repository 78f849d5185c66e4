"""The summary without a model (K4): what must not be lost first, then the sentences that tell the most.

Nothing is paraphrased: every line is a sentence that somebody said, or a fact from the ledger. The page is filled
in the order of importance, each kind up to its share, so that one kind cannot crowd out the others; what a kind
leaves over goes to the best of the rest.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from desktop_app.conversation.facts import Fact, Ledger
from desktop_app.conversation.message import Message, Role

from . import page as sections
from .fidelity import open_questions
from .page import Page, lines_of
from .wording import DECISION, RULE, facts_in, sentences

SHARE_OF_RULES = 0.30
SHARE_OF_SAID_FACTS = 0.45
SHARE_OF_FILES = 0.15
SHARE_OF_ERRORS = 0.15
SHARE_OF_EARLIER_PAGE = 0.30
SENTENCES_A_MESSAGE = 60
"""A single pasted text does not make the whole summary."""

_WORD = re.compile(r"\w{2,}|[^\W\d_]")


class Sentence(msgspec.Struct, frozen=True):
    """One sentence of the head: where it was said (`order`), by whom, its distinct words and its facts."""

    text: str
    order: float
    message: Message
    words: frozenset[str]
    facts: tuple[str, ...]

    @property
    def line(self) -> str:
        """The sentence with its speaker."""
        name = self.message.speaker or ("User" if self.message.role is Role.USER else "Assistant")
        return f"{name}: {self.text}"


def extract(
    head: Sequence[Message], earlier_page: str, ledger: Ledger, budget: int, count: Callable[[str], int]
) -> str:
    """A page of at most `budget` tokens that stands for `head` and for the earlier page."""
    page = Page(budget, count)
    said = sentences_of(head)
    _add_intent(page, head, earlier_page)
    _add_texts(page, sections.RULES, ledger.rules, SHARE_OF_RULES)
    _add_questions(page, head)
    _add_files(page, ledger)
    _add_texts(page, sections.ERRORS, ledger.errors[::-1], SHARE_OF_ERRORS)
    _add_earlier(page, earlier_page)
    _add_said_facts(page, said)
    _add_best(page, said)
    _add_bare_facts(page, ledger)
    return page.text()


def sentences_of(head: Sequence[Message]) -> list[Sentence]:
    """What people and the model said, sentence by sentence, in order."""
    found: list[Sentence] = []
    for position, message in enumerate(head):
        if message.role not in (Role.USER, Role.ASSISTANT):
            continue
        for number, text in enumerate(sentences(message.text)[:SENTENCES_A_MESSAGE]):
            facts = tuple(facts_in(text)) if message.role is Role.USER else ()
            words = frozenset(_WORD.findall(text.lower()))
            found.append(Sentence(text, position + number / 1_000, message, words, facts))
    return found


def _add_intent(page: Page, head: Sequence[Message], earlier_page: str) -> None:
    """What the user wanted first, and what the user wanted last."""
    for section, line in lines_of(earlier_page):
        if section == sections.INTENT:
            page.add(section, -1, line)
    asked = [(order, m) for order, m in enumerate(head) if m.role is Role.USER and m.text.strip()]
    for order, message in [*asked[:1], *asked[-1:]]:
        for text in sentences(message.text)[:2]:
            page.add(sections.INTENT, order, text)


def _add_texts(page: Page, section: str, facts: Sequence[Fact], share: float) -> None:
    floor = page.free - share * page.budget
    for order, fact in enumerate(facts):
        if page.free <= floor:
            break
        page.add(section, order, fact.text)


def _add_questions(page: Page, head: Sequence[Message]) -> None:
    for order, (question, _) in enumerate(open_questions(head)):
        page.add(sections.QUESTIONS, order, question)


def _add_files(page: Page, ledger: Ledger) -> None:
    """Paths joined to lines, since a path a line would spend as much on the line as on the path."""
    for label, facts in (("Edited", ledger.files_edited), ("Read", ledger.files_read)):
        floor = page.free - SHARE_OF_FILES * page.budget
        for start in range(0, len(facts), 8):
            if page.free <= floor:
                break
            names = ", ".join(f"`{fact.text}`" for fact in facts[start : start + 8])
            page.add(sections.FILES, 0 if label == "Edited" else 1, f"{label}: {names}")
    for order, fact in enumerate(ledger.commands[-5:]):
        page.add(sections.STATE, order, f"Ran `{fact.text}`")


def _add_earlier(page: Page, earlier_page: str) -> None:
    """Lines of the earlier page stay as they were: a summary is merged, never summarised again."""
    floor = page.free - SHARE_OF_EARLIER_PAGE * page.budget
    for order, (section, line) in enumerate(lines_of(earlier_page)):
        if page.free <= floor:
            break
        if section in (sections.DECISIONS, sections.DETAILS, sections.STATE):
            page.add(sections.DETAILS if section == sections.STATE else section, order - 1e6, line)


def _add_said_facts(page: Page, said: Sequence[Sentence]) -> None:
    """Sentences of the user that carry the most new facts for their length, until each fact is covered."""
    floor = page.free - SHARE_OF_SAID_FACTS * page.budget
    covered: set[str] = set()
    for sentence in sorted(said, key=lambda s: len(s.facts) / (20 + len(s.text)), reverse=True):
        if page.free <= floor:
            break
        if sentence.facts and not covered.issuperset(sentence.facts) and sentence.text not in page:
            section = sections.DECISIONS if DECISION.search(sentence.text) else sections.DETAILS
            if page.add(section, sentence.order, sentence.line):
                covered.update(sentence.facts)


def _add_best(page: Page, said: Sequence[Sentence]) -> None:
    """The best of the rest: sentences with rare words that the page does not have yet, newer ones a little first."""
    spread = Counter(word for sentence in said for word in sentence.words)
    rarity = {word: math.log(len(said) / times) for word, times in spread.items()}
    reach = max(len(said), 1)

    def worth(place: int, sentence: Sentence) -> float:
        told = sum(rarity[word] for word in sentence.words)
        weight = 1.3 if DECISION.search(sentence.text) or RULE.search(sentence.text) else 1.0
        return weight * told / math.sqrt(8 + len(sentence.words)) * (0.8 + 0.2 * place / reach)

    covered: set[str] = set()
    ranked = sorted(((worth(place, s), s) for place, s in enumerate(said)), key=lambda pair: pair[0], reverse=True)
    smallest = 12  # tokens: below this no sentence fits any more
    for _, sentence in ranked:
        if page.free < smallest:
            break
        new = len(sentence.words - covered)
        if sentence.text not in page and new * 2 > len(sentence.words):
            section = sections.DECISIONS if DECISION.search(sentence.text) else sections.DETAILS
            if page.add(section, sentence.order, sentence.line):
                covered |= sentence.words


def _add_bare_facts(page: Page, ledger: Ledger) -> None:
    """With room left over, the names and numbers that no sentence brought."""
    text = page.text()
    missing = [fact.text for fact in (*ledger.urls, *ledger.identifiers) if fact.text not in text]
    for start in range(0, len(missing), 12):
        if not page.add(sections.FILES, 2 + start, "Also named: " + ", ".join(missing[start : start + 12])):
            break
