"""Ranking of messages found by full-text search. Pure.

Okapi BM25 (Robertson and Zaragoza, 2009) over the candidates; FTS5's own function would count words in the entire
index. Phrases close together, an exact occurrence of the typed text, and decisions that a question asks for raise the
score.
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
"""Share of the score that is added if all phrases are close together."""
NEAR = 160
"""Characters within which phrases are close together: about a snippet."""
LITERAL = 2.0
"""Factor for a message that contains the typed text exactly, if that has punctuation."""
DECISION = 3.0
"""Share of the score that is added for a sentence that certainly states a decision, if the question asks for one."""
ASKED_BACK = 0.6
"""Factor for a message that only asks something itself, if the query is a question."""
SHORT = 400
"""Characters of a message whose sentences are assumed to have a single subject."""
OF_A_TOOL = 0.6
"""Factor for a tool's output if the query is a question: messages of people and models count more."""
MAX_JUDGED = 120
"""The best messages whose sentences are classified, 10 µs each."""
MAX_SENTENCES = 30
MAX_HITS = 200
"""Hits that are counted in one message."""
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
    """A message that contains the words, or some of them."""

    number: int
    text: str
    is_of_tool: bool = False


class Wanted(NamedTuple):
    """The search query: phrases with their weights, and properties of a question."""

    phrases: tuple[str, ...]
    weights: tuple[float, ...]
    literal: str = ""
    is_question: bool = False
    asks_decision: bool = False
    holds_all: bool = False
    """Whether each candidate contains each phrase, perhaps in a form that is not recognized here."""


def rank(candidates: Sequence[Candidate], wanted: Wanted) -> list[tuple[float, int]]:
    """Return scores and numbers of the candidates, best first; of equal scores, the newest first."""
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
    """Return the BM25 score of a text, with a bonus for phrases close together. length: relative to the average."""
    hits = _hits(text, pattern)
    counts = Counter(phrase for _, phrase in hits)
    score = 0.0
    for phrase, weight in enumerate(wanted.weights):
        count = max(counts[phrase], wanted.holds_all)
        score += weight * count * (K1 + 1) / (count + K1 * (1 - B + B * length))
    together = _max_together(hits) / len(wanted.phrases) if len(wanted.phrases) > 1 else 0.0
    return score * (1 + TOGETHER * together)


def _hits(text: str, pattern: re.Pattern[str] | None) -> list[tuple[int, int]]:
    """Return the positions of the first hits, each with the index of its phrase."""
    hits: list[tuple[int, int]] = []
    for found in pattern.finditer(text) if pattern is not None else ():
        hits.append((found.start(), (found.lastindex or 1) - 1))
        if len(hits) == MAX_HITS:
            break
    return hits


def _max_together(hits: Sequence[tuple[int, int]]) -> int:
    """Return the largest number of different phrases within NEAR characters."""
    within: Counter[int] = Counter()
    best = first = 0
    for start, phrase in hits:
        within[phrase] += 1
        while start - hits[first][0] > NEAR:
            within[hits[first][1]] -= 1
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
    """Return how likely a text states a decision, 0 to 1; in a long text, a sentence without the words counts half.

    The classifier mistakes many options for decisions, so its result alone counts half.
    """
    best = 0.0
    for sentence in _SENTENCE.findall(text)[:MAX_SENTENCES]:
        likely = 1.0 if _DECIDED.search(sentence) else kinds_of(sentence.strip()).decision / 2
        is_about = len(text) <= SHORT or (pattern is not None and pattern.search(same_letters(sentence)) is not None)
        best = max(best, likely * (1.0 if is_about else 0.5) * (0.2 if _UNDECIDED.search(sentence) else 1.0))
    return best


def weight_of(count: int, messages: int) -> float:
    """Return the weight of a phrase that `count` of `messages` messages contain (inverse document frequency)."""
    return max(math.log(1 + (messages - count + 0.5) / (count + 0.5)), 0.05)
