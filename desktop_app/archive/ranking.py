"""Which of the messages that hold the words come first. Pure.

Okapi BM25 (Robertson and Zaragoza, 2009) over the candidates, which FTS5's own would count in the whole index; words
that stand together, text as it was typed, and decisions that were asked for come before others.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from desktop_app.context.sentence_kinds import kinds_of

from .snippets import pattern_of_phrases, same_letters

K1, B = 1.2, 0.75
TOGETHER = 0.5
"""Added, as a share of the score, when all phrases stand together."""
NEAR = 160
"""Characters within which phrases stand together: a snippet."""
LITERAL = 2.0
"""The factor of a message with the text as it was typed, where it has punctuation."""
DECISION = 3.0
"""Added, as a share, for a sentence that surely tells a decision, where one was asked for."""
ASKED_BACK = 0.6
"""The factor of a message that only asks, in the answer to a question."""
SHORT = 400
"""Characters of a message whose sentences are all about the same."""
OF_A_TOOL = 0.6
"""The factor of a tool's output in the answer to a question: what was said counts more."""
MAX_JUDGED = 120
"""The best messages whose sentences are classified, 10 µs each."""
MAX_SENTENCES = 30
MAX_HITS = 200
"""Hits of one message that are counted."""
_SENTENCE = re.compile(r"[^.!?。！？\n]{8,400}[.!?。！？]?")
_DECIDED = re.compile(
    r"\b(?:decided|decision|agreed|settled|let'?s (?:go with|use|keep|take|do)|we(?:'ll| will) (?:go with|use|keep)"
    r"|going with|went with|the plan is|chose|opted|conclusion|it will be|it is:|go ahead|final(?:ly)?:? we"
    r"|entschieden|beschlossen|entscheidung|geeinigt|wir nehmen|dabei bleibt es)\b|决定|定了|就用",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(
    r"\?\s*$|\b(?:should|shall|could|would|might|may|what did we|not (?:yet )?decided|undecided|haven'?t decided"
    r"|(?:no|a) decision (?:about|on)|sollen wir|sollten|könnten?|würden?)\b",
    re.IGNORECASE,
)
_ONLY_ASKS = re.compile(r"^[^.!。！\n]*[?？]\s*$|^\W*(?:what|when|which|who|why|how|was|wann|wer|wie) [^?]*\?")


class Candidate(NamedTuple):
    """A message that holds the words, or some of them."""

    number: int
    text: str
    is_of_tool: bool = False


class Wanted(NamedTuple):
    """What is looked for: phrases with their weights, and what a question asks for."""

    phrases: tuple[str, ...]
    weights: tuple[float, ...]
    literal: str = ""
    is_question: bool = False
    asks_decision: bool = False
    holds_all: bool = False
    """Each candidate holds each phrase, maybe in a form that is not recognised here."""


def rank(candidates: Sequence[Candidate], wanted: Wanted) -> list[tuple[float, int]]:
    """Return scores and numbers of the candidates, best first, the newest first among equals."""
    average = max(sum(len(each.text) for each in candidates) / max(len(candidates), 1), 1.0)
    pattern = pattern_of_phrases(wanted.phrases)
    literal = same_letters(wanted.literal)
    scored: list[tuple[float, int]] = []
    for candidate in candidates:
        text = same_letters(candidate.text)
        score = _score(text, pattern, wanted, len(text) / average)
        score *= LITERAL if literal and literal in text else 1.0
        if wanted.is_question:
            score *= OF_A_TOOL if candidate.is_of_tool else ASKED_BACK if _ONLY_ASKS.search(candidate.text) else 1.0
        scored.append((score, candidate.number))
    scored.sort(reverse=True)
    return _decisions_first(scored, candidates, pattern) if wanted.asks_decision else scored


def _score(text: str, pattern: re.Pattern[str] | None, wanted: Wanted, length: float) -> float:
    """Return the BM25 of a text, with a bonus for phrases that stand together. length: of the average."""
    places = _places(text, pattern)
    counts = Counter(which for _, which in places)
    score = 0.0
    for which, weight in enumerate(wanted.weights):
        count = max(counts[which], wanted.holds_all)
        score += weight * count * (K1 + 1) / (count + K1 * (1 - B + B * length))
    together = _together(places) / len(wanted.phrases) if len(wanted.phrases) > 1 else 0.0
    return score * (1 + TOGETHER * together)


def _places(text: str, pattern: re.Pattern[str] | None) -> list[tuple[int, int]]:
    """Return where the first hits are, and of which phrase each is."""
    places: list[tuple[int, int]] = []
    for found in pattern.finditer(text) if pattern is not None else ():
        places.append((found.start(), (found.lastindex or 1) - 1))
        if len(places) == MAX_HITS:
            break
    return places


def _together(places: Sequence[tuple[int, int]]) -> int:
    """Return how many different phrases stand within NEAR characters at the best place."""
    within: Counter[int] = Counter()
    best = first = 0
    for start, which in places:
        within[which] += 1
        while start - places[first][0] > NEAR:
            within[places[first][1]] -= 1
            within += Counter()
            first += 1
        best = max(best, len(within))
    return best


def _decisions_first(
    scored: list[tuple[float, int]], candidates: Sequence[Candidate], pattern: re.Pattern[str] | None
) -> list[tuple[float, int]]:
    texts = {candidate.number: candidate.text for candidate in candidates}
    judged = [
        (score * (1 + DECISION * decision_in(texts[number], pattern)), number) for score, number in scored[:MAX_JUDGED]
    ]
    return sorted(judged, reverse=True) + scored[MAX_JUDGED:]


def decision_in(text: str, pattern: re.Pattern[str] | None) -> float:
    """Return how likely a text tells a decision, 0 to 1; in a long one, a sentence without the words counts half.

    The classifier takes many options for decisions, so that its word alone counts half.
    """
    best = 0.0
    for sentence in _SENTENCE.findall(text)[:MAX_SENTENCES]:
        likely = 1.0 if _DECIDED.search(sentence) else kinds_of(sentence.strip()).decision / 2
        is_about = len(text) <= SHORT or (pattern is not None and pattern.search(same_letters(sentence)) is not None)
        best = max(best, likely * (1.0 if is_about else 0.5) * (0.2 if _UNDECIDED.search(sentence) else 1.0))
    return best


def weight_of(held: int, messages: int) -> float:
    """Return the weight of a phrase that `held` of so many messages hold (inverse document frequency)."""
    return max(math.log(1 + (messages - held + 0.5) / (held + 0.5)), 0.05)
