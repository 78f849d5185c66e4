"""Rank the messages of a conversation by a query: by words, neighbours, speaker and day; merge several results. Pure.

All weights are in units of information (natural logarithm): a word that one message in fifty contains counts 4. Those
of one conversation were chosen on two chats of 419 and 369 messages with 302 questions, on a plateau: each may be a
third smaller or larger, and the share of questions that get all their answers changes by one in a hundred at most.
Those that find and merge conversations were chosen with these and 40 questions about made-up chats, asked among 400
conversations (tests/chat/test_recall_everywhere.py).
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from heapq import nlargest

import msgspec

from desktop_app.context.search.times import days_in

from .outline import Outline
from .query import FEEDBACK_WEIGHT, MAX_FEEDBACK, RecallQuery, Term

SATURATION, BY_LENGTH = 1.2, 0.5
"""BM25's k1 and b, for a word that counts once."""
NEAR, FARTHER = 0.6, 0.35
"""The share of a message's words that counts for the message beside it, and for the one behind that: an answer follows
its question."""
BY_SPEAKER = 1.0
BY_DAY = 2.0
"""For a message of a speaker whom the query names, and of a day that it names."""
CANDIDATES = 160
"""Messages that may be recalled: of the shortest, 4,000 tokens hold about so many."""
MAX_OPEN = 1_000
"""Messages after which a more frequent word adds no more of them."""
MAX_OFTEN = 100
"""Messages that may hold a rare word, however long the conversation is."""
MIN_WORDS = 2
"""Words that a message must share with a query that neither asks nor names anything."""

Postings = Mapping[str, Sequence[int]]
"""The indexes of the messages that hold a term, by its text, ascending."""


class Rarity(msgspec.Struct, frozen=True):
    """How many messages there are where it is looked for, and how many of them hold each term."""

    messages: int
    held: Mapping[str, int]

    def worth(self, term: str) -> float:
        """Return the information of a term; 0 for one that none holds."""
        held = self.held.get(term, 0)
        return information(held, self.messages) if held else 0.0


def rarity_of(postings: Postings, outline: Outline) -> Rarity:
    """Return the rarity of the terms within one conversation."""
    return Rarity(len(outline.lengths), {term: len(held) for term, held in postings.items()})


class Ranked(msgspec.Struct, frozen=True):
    """Messages by score."""

    scores: tuple[tuple[int, float], ...] = ()
    """Index and score, best first."""
    bearing: float = 0.0
    """The information that one of them shares with the query, in nats, times its share of the query's."""


def rank(
    wanted: RecallQuery,
    outline: Outline,
    postings: Postings,
    own: Mapping[int, float],
    among: Container[int] | None = None,
    rarity: Rarity | None = None,
) -> Ranked:
    """Return the messages that may answer the query, best first.

    own: the scores of their own words. among: the indexes that may be returned; None for all. rarity: of the terms;
    None for that within this conversation.
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

    The rarest terms come first. In a large conversation, a word that many messages hold only adds to those that hold a
    rarer one too, and one that more than `telling_word_limit` hold only counts where there is no other.
    """
    rarity = rarity or rarity_of(postings, outline)
    shared = shared_information(terms, postings, rarity)
    average, lengths = outline.average, outline.lengths
    return {index: score * length_share(lengths[index], average) for index, score in shared.items()}


def shared_information(terms: Sequence[Term], postings: Postings, rarity: Rarity) -> dict[int, float]:
    """Return the weighted information of the terms that each message holds."""
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
    """Return BM25's factor for a message of that length, in which each term counts once."""
    return (1 + SATURATION) / (1 + SATURATION * (1 - BY_LENGTH + BY_LENGTH * length / average))


def best_of(scores: Mapping[int, float], most: int) -> list[tuple[int, float]]:
    """Return the highest scores, best first; of equal ones the newest message."""
    return nlargest(most, scores.items(), key=lambda pair: (pair[1], pair[0]))


def add_feedback(own: Mapping[int, float], words: Sequence[str], outline: Outline, held: Postings) -> dict[int, float]:
    """Return the scores with those words of the best messages added that several messages hold, but not many."""
    often = rare_word_limit(len(outline.lengths))
    kept = [word for word in words if 2 <= len(held.get(word, ())) <= often][:MAX_FEEDBACK]
    scores = dict(own)
    for index, score in score_words([Term(word, FEEDBACK_WEIGHT) for word in kept], outline, held).items():
        scores[index] = scores.get(index, 0.0) + score
    return scores


def rare_word_limit(messages: int) -> int:
    """Return in how many messages a rare word may occur: a twentieth of them, and never many."""
    return min(max(messages // 20, 2), MAX_OFTEN)


def telling_word_limit(messages: int) -> int:
    """Return in how many messages a telling word may occur: a fifth of a large conversation."""
    return max(messages // 5, MAX_OPEN)


def information(held: int, messages: int) -> float:
    """Return the information of a term that `held` of the messages hold (the IDF of BM25)."""
    return math.log(1.0 + (messages - held + 0.5) / (held + 0.5))


def _with_neighbours(own: Mapping[int, float], outline: Outline) -> dict[int, float]:
    """Return each message's score plus a share of the best one beside it, within a session."""
    sessions = outline.sessions
    beside: dict[int, float] = {}
    for index, score in own.items():
        session = sessions[index]
        for near, share in ((index - 1, NEAR), (index + 1, NEAR), (index - 2, FARTHER), (index + 2, FARTHER)):
            if 0 <= near < len(sessions) and sessions[near] == session and share * score > beside.get(near, 0.0):
                beside[near] = share * score
    for index, score in own.items():
        beside[index] = beside.get(index, 0.0) + score
    return beside


def _by_day(wanted: RecallQuery, outline: Outline) -> dict[int, float]:
    """Return a bonus for the messages of the days that the query names, unless those are most of the conversation."""
    if not wanted.days:
        return {}
    meant = {
        session
        for session, told in enumerate(outline.days)
        if any(asked.holds(day) for day in days_in(told) for asked in wanted.days)
    }
    if not meant or len(meant) * 2 > len(outline.days):
        return {}
    return {index: BY_DAY for index, session in enumerate(outline.sessions) if session in meant}


def _bearing(wanted: RecallQuery, postings: Postings, rarity: Rarity, among: Container[int]) -> float:
    """Return the information that the best single message shares with the query, times the share of the query's.

    A word that no message holds counts as if one did. A query that neither asks nor names anything, such as
    "let's try something else", must have two words in common with the message: one is too often there by chance.
    """
    asked = 0.0
    held_by: dict[int, tuple[float, int]] = {}
    for term in [term for term in wanted.terms if term.is_asked]:
        worth = math.log(max(rarity.messages, 1) / max(rarity.held.get(term.text, 0), 1))
        asked += worth
        for index in postings.get(term.text, ()):
            if index in among:
                told, words = held_by.get(index, (0.0, 0))
                held_by[index] = told + worth, words + 1
    least = 1 if wanted.is_pointed else MIN_WORDS
    most = max([told for told, words in held_by.values() if words >= least], default=0.0)
    return most * most / asked if asked else 0.0


CHOSEN = 16
"""Conversations that are looked into."""
OPENED = 1_000
"""Messages with most of the query's words whose lengths are read, to choose the conversations."""
BEST_SHARES = (1.0, 0.5, 0.3, 0.2, 0.1)
"""Of the best messages of a conversation, in its score: one that speaks of a matter does so more than once."""
BY_CONVERSATION = 0.5
"""The share of its conversation's score that is added to a message's own."""
BY_NAMED = 1.0
"""For each of its speakers whom the query names."""


class CandidateConversation(msgspec.Struct, frozen=True):
    """A conversation that may hold what is asked for."""

    id: str
    title: str
    postings: Postings
    """The indexes of its messages that hold each term."""
    score: float


class Candidates(msgspec.Struct, frozen=True):
    """The conversations that may hold what is asked for, best first."""

    conversations: tuple[CandidateConversation, ...] = ()
    rarity: Rarity = Rarity(0, {})
    """In all conversations that were looked in."""


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
    """Return the messages of several conversations, best first. found: the query as it is understood in each."""
    scores: dict[Place, float] = {}
    for candidate, wanted, ranked in found:
        bonus = BY_CONVERSATION * candidate.score + BY_NAMED * len(wanted.names)
        scores |= {Place(candidate.id, index): score + bonus for index, score in ranked.scores}
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


def postings_by_conversation(
    held: Mapping[str, Sequence[int]], owners: Sequence[int], indexes: Sequence[int], chosen: Iterable[int]
) -> dict[int, dict[str, list[int]]]:
    """Return the indexes of the messages that hold each term, by conversation.

    held: the rows that hold each term. owners, indexes: of each row its conversation, and its place there.
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
