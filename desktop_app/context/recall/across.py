"""Find the conversations that a query may be about, and merge what was found in each of them. Pure.

The numbers were chosen with 302 questions about two real chats and 40 about made-up ones, asked among 400 conversations
(tests/chat/test_recall_everywhere.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest

import msgspec

from .query import RecallQuery
from .rank import Postings, Ranked, Rarity

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
