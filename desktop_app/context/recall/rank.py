"""Rank the messages of a conversation by a query: by words, neighbours, speaker and day; merge several results. Pure.

Words are looked up in passages (passage_cuts.py): a message is as good as its best passage. All weights are in units of
information (natural logarithm): a word that one passage in fifty contains counts 4.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from heapq import nlargest

import msgspec

from .outline import Outline
from .passage_cuts import BITS, count_messages, message_of
from .query import RecallQuery

NEAR = (0.6, 0.35, 0.2, 0.1)
"""Shares of a message's score that count for the messages next to it, and for those farther away: an answer follows its
question."""
BY_SPEAKER = 1.0
BY_DAY = 2.0
"""Added to the score of a message by a speaker, or from a day, that the query names."""
BY_OTHERS = 0.1
"""The share of a message's other passages in its score."""
BY_USER = 1.5
"""Factor for messages of the user in a conversation with a model: questions are about what the user said."""
CANDIDATES = 200
"""Messages that may be recalled: 4,000 tokens contain some 130 lines."""
MAX_OPEN = 4_000
"""Passages found, after which a more frequent word adds only to their scores."""
USER = "user"
MIN_WORDS = 2
"""Words that a message must share with a query that neither asks nor names anything."""

Postings = Mapping[str, Sequence[int]]
"""Ascending numbers of the passages that contain a term, by the term's text. A passage's number is its message's index,
shifted by BITS, plus its place in the message."""


class Rarity(msgspec.Struct, frozen=True):
    """The number of searched texts, and by term how many of them contain it."""

    texts: int
    held: Mapping[str, int]

    def worth(self, term: str) -> float:
        """Return the information of a term; 0 for a term that no text contains."""
        held = self.held.get(term, 0)
        return information(held, self.texts) if held else 0.0


def rarity_of(postings: Postings, passages: int) -> Rarity:
    """Return the rarity of the terms within the passages of one conversation."""
    return Rarity(passages, {term: len(held) for term, held in postings.items()})


class Ranked(msgspec.Struct, frozen=True):
    """Messages by score."""

    scores: tuple[tuple[int, float], ...] = ()
    """Indexes and scores, best first."""
    bearing: float = 0.0
    """Nats of information that the best message shares with the query, times its share of the query's information."""


def rank(
    wanted: RecallQuery,
    outline: Outline,
    postings: Postings,
    own: Mapping[int, float],
    among: Container[int] | None = None,
    rarity: Rarity | None = None,
    of_days: Iterable[int] = (),
) -> Ranked:
    """Return the messages that may answer the query, best first.

    own: the scores of the messages' own words. among: the indexes that may be returned; None for all. rarity: of the
    words in messages; None for their rarity in the messages of this conversation. of_days: the indexes of the messages
    of the days that the query names.
    """
    scores = _with_neighbours(own, outline)
    for index in of_days:
        scores[index] = scores.get(index, 0.0) + BY_DAY
    if among is not None:
        scores = {index: score for index, score in scores.items() if index in among}
    for index in scores if wanted.names else ():
        if outline.speakers[index] in wanted.names:
            scores[index] += BY_SPEAKER
    best = tuple(best_of(scores, CANDIDATES))
    in_messages = rarity or Rarity(
        len(outline.lengths), {term: count_messages(held) for term, held in postings.items()}
    )
    return Ranked(best, _bearing(wanted, postings, in_messages, scores))


def score_words(words: Sequence[str], outline: Outline, postings: Postings, rarity: Rarity) -> dict[int, float]:
    """Return the score of each message's own words: its best passage's, and a share of the others'."""
    best, total = dict[int, float](), dict[int, float]()
    for passage, score in shared_information(words, postings, rarity).items():
        index = passage >> BITS
        best[index] = max(best.get(index, 0.0), score)
        total[index] = total.get(index, 0.0) + score
    return {
        index: (score + BY_OTHERS * (total[index] - score)) * (BY_USER if outline.speakers[index] == USER else 1.0)
        for index, score in best.items()
    }


def shared_information(words: Sequence[str], postings: Postings, rarity: Rarity) -> dict[int, float]:
    """Return the information of the words that each passage contains.

    The rarest words come first. In a large conversation, a frequent word only adds to passages that also contain a
    rarer one, and a word in more than `telling_word_limit` passages only counts if there is no other.
    """
    scores = dict[int, float]()
    most = telling_word_limit(rarity.texts)
    known = sorted([word for word in words if postings.get(word)], key=lambda word: rarity.held.get(word, 0))
    for word in [word for word in known if rarity.held.get(word, 0) <= most] or known:
        held, worth = postings[word], rarity.worth(word)
        for passage in held if len(scores) < MAX_OPEN else scores.keys() & set(held):
            scores[passage] = scores.get(passage, 0.0) + worth
    return scores


def best_of(scores: Mapping[int, float], most: int) -> list[tuple[int, float]]:
    """Return the highest scores, best first; of equal ones the newest message."""
    return nlargest(most, scores.items(), key=lambda pair: (pair[1], pair[0]))


def telling_word_limit(texts: int) -> int:
    """Return the maximum number of texts with a telling word: a fifth, at least 1,000."""
    return max(texts // 5, 1_000)


def information(held: int, texts: int) -> float:
    """Return the information of a term that `held` of the texts contain (BM25's IDF)."""
    return math.log(1.0 + (texts - held + 0.5) / (held + 0.5))


def _with_neighbours(own: Mapping[int, float], outline: Outline) -> dict[int, float]:
    """Return each message's score plus a share of its best neighbour's score, within a session."""
    sessions = outline.sessions
    scores: dict[int, float] = {}
    for index, score in own.items():
        session = sessions[index]
        for near, share in [(index + side * far, share) for far, share in enumerate(NEAR, 1) for side in (-1, 1)]:
            if 0 <= near < len(sessions) and sessions[near] == session and share * score > scores.get(near, 0.0):
                scores[near] = share * score
    for index, score in own.items():
        scores[index] = scores.get(index, 0.0) + score
    return scores


def _bearing(wanted: RecallQuery, postings: Postings, rarity: Rarity, among: Container[int]) -> float:
    """Return the information that the best message shares with the query, times its share of the query's information.

    A word that is in no message counts as if it were in one. A query that neither asks nor names anything, such as
    "let's try something else", must have two words in common with the message: one is often a coincidence.
    """
    asked = 0.0
    held_by: dict[int, tuple[float, int]] = {}
    for word in wanted.words:
        worth = math.log(max(rarity.texts, 1) / max(rarity.held.get(word, 0), 1))
        asked += worth
        for index in dict.fromkeys(map(message_of, postings.get(word, ()))):
            if index in among:
                shared, words = held_by.get(index, (0.0, 0))
                held_by[index] = shared + worth, words + 1
    least = 1 if wanted.is_pointed else MIN_WORDS
    most = max([shared for shared, words in held_by.values() if words >= least], default=0.0)
    return most * most / asked if asked else 0.0


CHOSEN = 16
"""Conversations that are searched."""
OPENED = 1_000
"""Messages with most of the query's words whose lengths are read to choose conversations."""
SATURATION, BY_LENGTH = 1.2, 0.5
"""BM25's k1 and b, for a word that counts once in a message."""
BEST_SHARES = (1.0, 0.5, 0.3, 0.2, 0.1)
"""Shares of a conversation's best messages in its score: a conversation about a subject has several messages on it."""
BY_CONVERSATION = 0.5
"""The share of its conversation's score that is added to a message's own."""
BY_NAMED = 1.0
"""Added for each speaker of a conversation whom the query names."""


class CandidateConversation(msgspec.Struct, frozen=True):
    """A conversation that may contain the answer."""

    id: str
    title: str
    score: float


class Candidates(msgspec.Struct, frozen=True):
    """The conversations that may contain the answer, best first."""

    conversations: tuple[CandidateConversation, ...] = ()
    rarity: Rarity = Rarity(0, {})
    """In all searched conversations."""


class Place(msgspec.Struct, frozen=True, order=True):
    """A message of one of several conversations."""

    conversation: str
    index: int


def choose_conversations(scores: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
    """Return the conversations with the highest scores, best first. scores: of messages, each with its conversation."""
    grouped: dict[int, list[float]] = {}
    for conversation, score in scores:
        grouped.setdefault(conversation, []).append(score)
    totals = {conversation: _total(several) for conversation, several in grouped.items()}
    return nlargest(CHOSEN, totals.items(), key=lambda pair: (pair[1], pair[0]))


def length_share(length: int, average: float) -> float:
    """Return BM25's factor for a message of the given length, in which each term counts once."""
    return (1 + SATURATION) / (1 + SATURATION * (1 - BY_LENGTH + BY_LENGTH * length / average))


def _total(scores: list[float]) -> float:
    best = nlargest(len(BEST_SHARES), scores)
    return sum(share * score for share, score in zip(BEST_SHARES, best, strict=False))


def merge(found: Sequence[tuple[CandidateConversation, RecallQuery, Ranked]]) -> list[tuple[Place, float]]:
    """Return the messages of several conversations, best first. found: by conversation, with its parsed query."""
    scores: dict[Place, float] = {}
    for candidate, wanted, ranked in found:
        bonus = BY_CONVERSATION * candidate.score + BY_NAMED * len(wanted.names)
        scores |= {Place(candidate.id, index): score + bonus for index, score in ranked.scores}
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
