"""Rank the messages of a conversation by a query: by words, neighbours, speaker and day; merge several results. Pure.

All weights are in units of information (natural logarithm): a word that one message in fifty contains counts 4. The
weights within a conversation were chosen on two chats of 419 and 369 messages with 302 questions, on a plateau: each
may be a third smaller or larger, and the share of questions that get all their answers changes by one in a hundred at
most. The weights that find and merge conversations were chosen with the same questions and 40 about made-up chats,
asked among 400 conversations (tests/chat/test_recall_everywhere.py).
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from heapq import nlargest

import msgspec

from .outline import Outline
from .query import FEEDBACK_WEIGHT, MAX_FEEDBACK, RecallQuery, Term
from .times import days_in

SATURATION, BY_LENGTH = 1.2, 0.5
"""BM25's k1 and b, for a word that counts once."""
NEAR, FARTHER = 0.6, 0.35
"""Shares of a message's score that count for the messages next to it, and for those at a distance of two: an answer
follows its question."""
BY_SPEAKER = 1.0
BY_DAY = 2.0
"""Added to the score of a message by a speaker, or from a day, that the query names."""
CANDIDATES = 160
"""Messages that may be recalled: 4,000 tokens contain about as many of the shortest ones."""
MAX_OPEN = 1_000
"""Messages found, after which a more frequent word adds only to their scores."""
MAX_OFTEN = 100
"""Maximum messages that contain a rare word, for a conversation of any length."""
MIN_WORDS = 2
"""Words that a message must share with a query that neither asks nor names anything."""

Postings = Mapping[str, Sequence[int]]
"""Ascending indexes of the messages that contain a term, by the term's text."""


class Rarity(msgspec.Struct, frozen=True):
    """The number of searched messages, and by term how many of them contain it."""

    messages: int
    held: Mapping[str, int]

    def worth(self, term: str) -> float:
        """Return the information of a term; 0 for a term that no message contains."""
        held = self.held.get(term, 0)
        return information(held, self.messages) if held else 0.0


def rarity_of(postings: Postings, outline: Outline) -> Rarity:
    """Return the rarity of the terms within one conversation."""
    return Rarity(len(outline.lengths), {term: len(held) for term, held in postings.items()})


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
) -> Ranked:
    """Return the messages that may answer the query, best first.

    own: the scores of the messages' own words. among: the indexes that may be returned; None for all. rarity: of the
    terms; None for their rarity within this conversation.
    """
    scores = _with_neighbours(own, outline)
    for index, bonus in _by_day(wanted, outline).items():
        scores[index] = scores.get(index, 0.0) + bonus
    if among is not None:
        scores = {index: score for index, score in scores.items() if index in among}
    for index in scores if wanted.names else ():
        if outline.speakers[index] in wanted.names:
            scores[index] += BY_SPEAKER
    best = tuple(best_of(scores, CANDIDATES))
    return Ranked(best, _bearing(wanted, postings, rarity or rarity_of(postings, outline), scores))


def score_words(
    terms: Sequence[Term], outline: Outline, postings: Postings, rarity: Rarity | None = None
) -> dict[int, float]:
    """Return the BM25 score of each message's own words. rarity: as in `rank`.

    The rarest terms come first. In a large conversation, a frequent word only adds to messages that also contain a
    rarer one, and a word in more than `telling_word_limit` messages only counts if there is no other.
    """
    rarity = rarity or rarity_of(postings, outline)
    shared = shared_information(terms, postings, rarity)
    average, lengths = outline.average, outline.lengths
    return {index: score * length_share(lengths[index], average) for index, score in shared.items()}


def shared_information(terms: Sequence[Term], postings: Postings, rarity: Rarity) -> dict[int, float]:
    """Return the weighted information of the terms that each message contains."""
    scores = dict[int, float]()
    most = telling_word_limit(rarity.messages)
    known = [term for term in terms if postings.get(term.text)]
    known.sort(key=lambda term: rarity.held.get(term.text, 0))
    for term in [term for term in known if rarity.held.get(term.text, 0) <= most] or known:
        held, worth = postings[term.text], term.weight * rarity.worth(term.text)
        for index in held if len(scores) < MAX_OPEN else scores.keys() & set(held):
            scores[index] = scores.get(index, 0.0) + worth
    return scores


def length_share(length: int, average: float) -> float:
    """Return BM25's factor for a message of the given length, in which each term counts once."""
    return (1 + SATURATION) / (1 + SATURATION * (1 - BY_LENGTH + BY_LENGTH * length / average))


def best_of(scores: Mapping[int, float], most: int) -> list[tuple[int, float]]:
    """Return the highest scores, best first; of equal ones the newest message."""
    return nlargest(most, scores.items(), key=lambda pair: (pair[1], pair[0]))


def add_feedback(own: Mapping[int, float], words: Sequence[str], outline: Outline, held: Postings) -> dict[int, float]:
    """Return the scores, with those words of the best messages added that are in several messages, but not in many."""
    often = rare_word_limit(len(outline.lengths))
    kept = [word for word in words if 2 <= len(held.get(word, ())) <= often][:MAX_FEEDBACK]
    scores = dict(own)
    for index, score in score_words([Term(word, FEEDBACK_WEIGHT) for word in kept], outline, held).items():
        scores[index] = scores.get(index, 0.0) + score
    return scores


def rare_word_limit(messages: int) -> int:
    """Return the maximum number of messages with a rare word: a twentieth of them, from 2 to `MAX_OFTEN`."""
    return min(max(messages // 20, 2), MAX_OFTEN)


def telling_word_limit(messages: int) -> int:
    """Return the maximum number of messages with a telling word: a fifth, at least `MAX_OPEN`."""
    return max(messages // 5, MAX_OPEN)


def information(held: int, messages: int) -> float:
    """Return the information of a term that `held` of the messages contain (BM25's IDF)."""
    return math.log(1.0 + (messages - held + 0.5) / (held + 0.5))


def _with_neighbours(own: Mapping[int, float], outline: Outline) -> dict[int, float]:
    """Return each message's score plus a share of its best neighbour's score, within a session."""
    sessions = outline.sessions
    scores: dict[int, float] = {}
    for index, score in own.items():
        session = sessions[index]
        for near, share in ((index - 1, NEAR), (index + 1, NEAR), (index - 2, FARTHER), (index + 2, FARTHER)):
            if 0 <= near < len(sessions) and sessions[near] == session and share * score > scores.get(near, 0.0):
                scores[near] = share * score
    for index, score in own.items():
        scores[index] = scores.get(index, 0.0) + score
    return scores


def _by_day(wanted: RecallQuery, outline: Outline) -> dict[int, float]:
    """Return a bonus for the messages of the days that the query names, unless they are most of the conversation."""
    if not wanted.days:
        return {}
    meant = {
        session
        for session, stamp in enumerate(outline.days)
        if any(asked.holds(day) for day in days_in(stamp) for asked in wanted.days)
    }
    if not meant or len(meant) * 2 > len(outline.days):
        return {}
    return {index: BY_DAY for index, session in enumerate(outline.sessions) if session in meant}


def _bearing(wanted: RecallQuery, postings: Postings, rarity: Rarity, among: Container[int]) -> float:
    """Return the information that the best message shares with the query, times its share of the query's information.

    A word that is in no message counts as if it were in one. A query that neither asks nor names anything, such as
    "let's try something else", must have two words in common with the message: one is often a coincidence.
    """
    asked = 0.0
    held_by: dict[int, tuple[float, int]] = {}
    for term in [term for term in wanted.terms if term.is_asked]:
        worth = math.log(max(rarity.messages, 1) / max(rarity.held.get(term.text, 0), 1))
        asked += worth
        for index in postings.get(term.text, ()):
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
    postings: Postings
    """The indexes of its messages that contain each term."""
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


def postings_by_conversation(
    held: Mapping[str, Sequence[int]], owners: Sequence[int], indexes: Sequence[int], chosen: Iterable[int]
) -> dict[int, dict[str, list[int]]]:
    """Return the indexes of the messages that contain each term, by conversation.

    held: the rows that contain each term. owners, indexes: the conversation of each row, and its index there.
    """
    found: dict[int, dict[str, list[int]]] = {conversation: {} for conversation in chosen}
    for term, rows in held.items():
        for row in rows:
            if (own := found.get(owners[row])) is not None:
                own.setdefault(term, []).append(indexes[row])
    for own in found.values():
        for places in own.values():
            places.sort()
    return found
