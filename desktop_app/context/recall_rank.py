"""Which messages of a conversation answer a query: how much each counts, by its words, its place and its speaker.

All numbers of this file are in units of information (natural logarithm): a word that one message in fifty holds
counts 4. They were chosen on one chat of 419 messages and 197 questions, and hold on another of 369 and 105.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from heapq import nlargest

import msgspec

from desktop_app.conversation.message import Role

from .recall_dates import days_in
from .recall_outline import Outline
from .recall_query import FEEDBACK_MOST, FEEDBACK_WEIGHT, Term, Wanted
from .wording import lexicon, words_of

SATURATION, BY_LENGTH, LONGEST = 1.2, 0.5, 4.0
"""BM25's k1 and b, for a word that counts once; and the times of the average length from which on a message counts as
equally long: one long output is still worth looking into."""
NEAR, FARTHER = 0.6, 0.35
"""The share of a message's words that counts for the message beside it, and for the one behind that: an answer stands
beside its question."""
BY_SPEAKER = 1.0
BY_DAY = 2.0
BY_TELLING = 1.0
BY_TIME = 0.5
"""For a message of a speaker whom the query names; of a day that it names; times the chance that a message tells
something; for one that tells of a time, when that is asked."""
CANDIDATES = 160
CHARACTERS = 400_000
"""Messages, and characters of them, that are looked at closely."""
OPEN_MOST, SPREAD_MOST = 1_000, 300
"""Messages after which a commoner word finds no more; those that count for the messages beside them."""
OFTEN_MOST = 100
WORDS_LEAST = 2
_TELLING_LEAST = -1.9
"""Of `chance_to_matter`: its constant, and three words that were never said before: which ones were is unknown here."""

_TIME = lexicon(
    "yesterday today tonight tomorrow last next ago since week weeks weekend month months year years recently birthday"
    " monday tuesday wednesday thursday friday saturday sunday january february march april june july august september"
    " october november december"
)
_TIME_CJK = re.compile("昨天|今天|明天|上周|下周|去年|明年|月|周末|昨日|今日|明日|先週|来週")
_OWN = lexicon("i my me mine we our us")
_OWN_CJK = re.compile("我|私|僕")
_DIGIT = re.compile(r"\d")
_NAME = re.compile(r" ([A-Z][a-z]{2})")
_BEFORE_A_NAME = frozenset("abcdefghijklmnopqrstuvwxyz,;")
SIGNS_KEPT = 4_096
"""Texts, of at most 800 characters each, whose signs are kept at hand."""
_QUOTED = re.compile(r"[\"“`《]\w")


Postings = Mapping[str, Sequence[int]]
"""The indexes of the messages that hold a term, by its text, ascending."""


class Ranked(msgspec.Struct, frozen=True):
    """Messages by what they count before their text was read: index and score, best first.

    bearing: how much of the query's matter stands in one of them, in nats, times the share of it that this is.
    """

    scores: tuple[tuple[int, float], ...] = ()
    bearing: float = 0.0


def rank(
    wanted: Wanted,
    outline: Outline,
    postings: Postings,
    own: Mapping[int, float],
    among: Container[int] | None = None,
) -> Ranked:
    """The messages that may answer, best first.

    own: what their own words count. among: the only ones that are asked for; None for all.
    """
    scores = _with_neighbours(dict(best_of(own, SPREAD_MOST)), outline)
    for index, bonus in _by_day(wanted, outline).items():
        scores[index] = scores.get(index, 0.0) + bonus
    if among is not None:
        scores = {index: score for index, score in scores.items() if index in among}
    speakers = _asked_about(wanted)
    for index in scores if speakers else ():
        if outline.speakers[index] in speakers:
            scores[index] += BY_SPEAKER
    best = _affordable(best_of(scores, CANDIDATES), outline)
    return Ranked(tuple(best), _bearing(wanted, postings, len(outline.speakers), scores))


def by_words(terms: Sequence[Term], outline: Outline, postings: Postings) -> dict[int, float]:
    """What each message's own words count: the sum over the terms that it holds, in BM25's way.

    The rarest come first. Of a large conversation, a word that many messages hold only adds to those that hold a
    rarer one too. Terms held by exactly the same messages, such as two forms of one word, count once.
    """
    messages = len(outline.lengths)
    average = outline.average
    lengths, scores = outline.lengths, dict[int, float]()
    for held, weight in sorted(_different(terms, postings), key=lambda pair: len(pair[0])):
        worth = weight * information(len(held), messages) * (1 + SATURATION)
        for index in held if len(scores) < OPEN_MOST else scores.keys() & set(held):
            length = min(lengths[index] / average, LONGEST)
            share = worth / (1 + SATURATION * (1 - BY_LENGTH + BY_LENGTH * length))
            scores[index] = scores.get(index, 0.0) + share
    return scores


def best_of(scores: Mapping[int, float], most: int) -> list[tuple[int, float]]:
    """The highest scores, best first; of equals the newest message."""
    return nlargest(most, scores.items(), key=lambda pair: (pair[1], pair[0]))


def with_feedback(own: Mapping[int, float], words: Sequence[str], outline: Outline, held: Postings) -> dict[int, float]:
    """What the messages' own words count when words of those found first are taken into the query: such as several
    messages hold, and not many."""
    often = often_in(len(outline.lengths))
    kept = [word for word in words if 2 <= len(held.get(word, ())) <= often][:FEEDBACK_MOST]
    scores = dict(own)
    for index, score in by_words([Term(word, FEEDBACK_WEIGHT) for word in kept], outline, held).items():
        scores[index] = scores.get(index, 0.0) + score
    return scores


def often_in(messages: int) -> int:
    """The most messages that may hold a word that is particular to a matter: a twentieth, and never many."""
    return min(max(messages // 20, 2), OFTEN_MOST)


def telling_most(messages: int) -> int:
    """The most messages that may hold a word that tells something: a fifth of a large conversation."""
    return max(messages // 5, OPEN_MOST)


def telling(wanted: Wanted, text: str, speakers: frozenset[str]) -> float:
    """What a message's text adds to its score: whether it tells something; and of a time, if that is asked.

    The signs and their weights are those of `tone.chance_to_matter`, read off the whole text at once: 160 messages are
    looked at for a query, and sentence by sentence that takes five times as long.
    """
    chance, tells_time = _signs(text, speakers)
    return BY_TELLING * chance + (BY_TIME if wanted.asks_when and tells_time else 0.0)


@lru_cache(SIGNS_KEPT)
def _signs(text: str, speakers: frozenset[str]) -> tuple[float, bool]:
    """The chance that the text tells something, and whether it tells of a time; the same texts come again and again."""
    words, is_ascii = words_of(text), text.isascii()
    tells_time = not _TIME.isdisjoint(words) or _DIGIT.search(text) is not None
    tells_time = tells_time or not (is_ascii or _TIME_CJK.search(text) is None)
    score = _TELLING_LEAST
    score += 2.4 if _QUOTED.search(text) or _names_somebody_else(text, speakers) else 0.0
    score += 1.2 if tells_time else 0.0
    score += 1.0 if not _OWN.isdisjoint(words) or not (is_ascii or _OWN_CJK.search(text) is None) else 0.0
    return 1.0 / (1.0 + math.exp(-score)), tells_time


def _names_somebody_else(text: str, speakers: frozenset[str]) -> bool:
    for found in _NAME.finditer(text, 1):
        if text[found.start() - 1] in _BEFORE_A_NAME and not any(name.startswith(found[1]) for name in speakers):
            return True
    return False


def information(held: int, messages: int) -> float:
    """How much a term says that so many of the messages hold (BM25's)."""
    return math.log(1.0 + (messages - held + 0.5) / (held + 0.5))


def _asked_about(wanted: Wanted) -> frozenset[str]:
    """The speakers whom the query names; who asks for what they said themselves is the user."""
    return wanted.names | {Role.USER.value} if wanted.is_own else wanted.names


def _different(terms: Sequence[Term], postings: Postings) -> list[tuple[Sequence[int], float]]:
    seen: set[tuple[bool, tuple[int, ...]]] = set()
    found: list[tuple[Sequence[int], float]] = []
    for term in terms:
        held = postings.get(term.text, ())
        key = (" " in term.text, tuple(held))
        if held and key not in seen:
            seen.add(key)
            found.append((held, term.weight))
    return found


def _with_neighbours(own: Mapping[int, float], outline: Outline) -> dict[int, float]:
    """Each message's own score and a share of the best one beside it, within a session."""
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


def _by_day(wanted: Wanted, outline: Outline) -> dict[int, float]:
    """What counts for the messages of the days that the query names, if those are not most of the conversation."""
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


def _affordable(best: Sequence[tuple[int, float]], outline: Outline) -> list[tuple[int, float]]:
    """As many of the best as can be read, at least one."""
    kept: list[tuple[int, float]] = []
    room = CHARACTERS
    for index, score in best:
        room -= outline.lengths[index]
        if kept and room < 0:
            break
        kept.append((index, score))
    return kept


def _bearing(wanted: Wanted, postings: Postings, messages: int, among: Container[int]) -> float:
    """How much the one message that holds the most of the query's matter says of it, times the share that it holds.

    A word that none holds counts as one that a single message does. What neither asks nor names anything, such as
    "let's try something else", must have two words in common with it: one is too often there by chance.
    """
    asked = 0.0
    held_by: dict[int, tuple[float, int]] = {}
    for term in wanted.matter:
        held = postings.get(term.text, ())
        rarity = math.log(max(messages, 1) / max(len(held), 1))
        asked += rarity
        for index in held:
            if index in among:
                told, words = held_by.get(index, (0.0, 0))
                held_by[index] = told + rarity, words + 1
    least = 1 if wanted.is_pointed else WORDS_LEAST
    most = max([told for told, words in held_by.values() if words >= least], default=0.0)
    return most * most / asked if asked else 0.0
