"""Search by meaning: find messages with words that mean nearly the same as the words of a query.

Each word of the query is looked up together with the words most like it (context/meanings.py), in the index of
passages: nothing is stored for each message. A word counts by its rarity times its likeness, once for each word of the
query, and a message is as good as its best passage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from heapq import nlargest

import msgspec
from peewee import SqliteDatabase

from desktop_app.context.meanings import Meanings
from desktop_app.context.recall.passage_cuts import BITS
from desktop_app.context.recall.rank import information
from desktop_app.paths import WORD_MEANINGS

from .search_filters import Selection
from .tables import phrase_of, rows_for

MAX_WORDS = 6
"""Words of a query that are compared, the longest first."""
MAX_HELD = 2_000
"""The newest passages with one word that are read."""
SHARE = 0.5
"""The minimum score of a message, as a share of the best one's."""
PASSAGES = 4
"""Passages of a message, on average."""
HELD = """SELECT rowid FROM passage_words WHERE passage_words MATCH ? AND rowid BETWEEN ? AND ?
    ORDER BY rowid DESC LIMIT ?"""
LAST = "SELECT COALESCE(MAX(number), 0) FROM passages"
SELECTED = """SELECT e.number FROM entries e JOIN conversations c ON c.id = e.conversation
    WHERE {} AND e.number IN ({{}})"""


class Alike(msgspec.Struct, frozen=True):
    """The messages found, best first, and the words by which they were found."""

    messages: tuple[tuple[float, int], ...] = ()
    """Scores and numbers."""
    words: tuple[str, ...] = ()
    own: frozenset[int] = frozenset()
    """The numbers of those that contain a word of the query itself."""


@cache
def meanings() -> Meanings:
    """Return the table, which is read when it is first needed."""
    return Meanings(WORD_MEANINGS.read_bytes())


def messages_alike(database: SqliteDatabase, words: Sequence[str], selection: Selection, limit: int) -> Alike:
    """Return messages with words that mean nearly the same as the given ones."""
    asked = sorted({word.lower() for word in words if word.isascii() and word.isalpha()}, key=len)[-MAX_WORDS:]
    groups = meanings().alike(asked) if asked else ()
    if not any(len(group) > 1 for group in groups):
        return Alike()
    held = {word: _held(database, word, selection) for word in {word: 0 for group in groups for word in group}}
    (last,) = database.execute_sql(LAST).fetchone()
    total = max((last >> BITS) * PASSAGES, 1)
    scores: dict[int, float] = {}
    for number, group in enumerate(groups):
        times = 1 if number < len(asked) else len(asked)  # the last group is for all of the words together
        for passage, score in _scores_of(group, held, total).items():
            scores[passage] = scores.get(passage, 0.0) + times * score
    best: dict[int, float] = {}
    for passage, score in scores.items():
        best[passage >> BITS] = max(best.get(passage >> BITS, 0.0), score)
    least = SHARE * max(best.values(), default=0.0)
    chosen = nlargest(8 * limit, [(score, number) for number, score in best.items() if score >= least])
    kept = _selected(database, [number for _, number in chosen], selection)
    own = {passage >> BITS for word in asked for passage in held[word]}
    messages = [(score, number) for score, number in chosen if number in kept][:limit]
    return Alike(tuple(messages), tuple(word for word, found in held.items() if found), frozenset(own))


def _held(database: SqliteDatabase, word: str, selection: Selection) -> list[int]:
    within = selection.first << BITS, min(selection.last, 2**50) + 1 << BITS
    return [number for (number,) in database.execute_sql(HELD, (phrase_of(word), *within, MAX_HELD)).fetchall()]


def _scores_of(group: Mapping[str, float], held: Mapping[str, Sequence[int]], total: int) -> dict[int, float]:
    """Return the score of each passage with one of the words, by the best of them."""
    scores: dict[int, float] = {}
    for word, likeness in group.items():
        worth = likeness * information(len(held[word]), total)
        for passage in held[word]:
            scores[passage] = max(scores.get(passage, 0.0), worth)
    return scores


def _selected(database: SqliteDatabase, numbers: Sequence[int], selection: Selection) -> set[int]:
    sql = SELECTED.format(selection.conditions("e.number"))
    return {number for (number,) in rows_for(database, sql, numbers, *selection.parameters)}
