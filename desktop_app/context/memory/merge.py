"""Decides what becomes of a new memory: it says the same as an old one, takes its place, or is new.

Careful rather than clever: two notes are the same if they have the same words but for small ones, or one begins with
the other. One replaces another only where both name a thing that has one value ("name", "lives in"), where they say the
opposite of each other, or where the new one says that something changes. Notes that only disagree stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from desktop_app.context.ledger.facts import words_of
from desktop_app.context.ledger.rules import is_alternative, superseded_by
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.words import lexicon

MIN_OPPOSITE_SHARE = 0.75
"""Of the words besides "not" and the like: from there on one note is the other's opposite."""
MAX_CACHED_NOTES = 4_096
"""Notes of which it is kept at hand what they say: each is held against all others."""
MIN_MEANT_SHARE = 0.5
"""Of the words of what is to be replaced: less than that may mean any note."""

_ATTRIBUTION = re.compile(
    r"^\s*(?:noted in a conversation|the user (?:said|says|wrote|told(?: you| me)?|mentioned)(?: that)?)\s*[:,]?\s*",
    re.IGNORECASE,
)
_SMALL = lexicon(
    "a an the and or but of to in on at for with from by as is are was were be been am it its this that these those i"
    " we you he she they my mine our your his her their me us user users s really very just also please"
    " has have had do does did currently usually often generally typically now"
    " ist sind bin und oder ich mein meine meinen mir mich der die das ein eine le la les un"
    " une mon ma mes je suis est el los las mi mis yo soy es y et"
)
_NEGATIONS = lexicon(
    "not no never none without nor cannot don doesn didn isn aren wasn won t can't don't doesn't didn't isn't aren't"
    " wasn't won't longer anymore nicht nie niemals kein keine keinen ne pas jamais nunca jamás stopped"
    " hates dislikes hate dislike"
)
_BOUND = lexicon("always never only must every without immer nie niemals nur toujours jamais siempre nunca solo")
"""A rule with fewer words is a wider one, and no shorter form of the other."""
_ONE_VALUE = lexicon(
    "name surname nickname age birthday birthdate address email number timezone zone city country employer"
    " profession role title pronouns language deadline editor favourite favorite preferred username handle height size"
    " geburtstag lieblings nombre nom anniversaire cumpleaños edad âge alter"
)
_COPULA = re.compile(r"\b(?:is|are|was|=|ist|est|es)\b|[:=]", re.IGNORECASE)
_SLOTS = (
    re.compile(r"\b(?:lives?|living|moved|resides?) (?:in|to|at|near)\b|\bwohn\w* in\b|\bvis\b à|\bvivo en\b"),
    re.compile(r"\b(?:works?|working) (?:at|for)\b|\barbeite\w* (?:bei|für)\b|\btrabajo (?:en|para)\b"),
    re.compile(r"\b(?:works?|working) as\b|\barbeite\w* als\b"),
    re.compile(
        r"\b(?:is|am|are) (?:called|named)\b|\bheiß\w*\b|\bheisse\w*\b|\bm['’]appelle\b|\bme llamo\b|\bcall me\b"
    ),
    re.compile(r"\b\d{1,3} (?:years old|jahre alt|ans|años)\b"),
)
_MANY_VALUES = lexicon(
    "like likes love loves enjoy enjoys know knows speak speaks learn learns learning own owns study"
)
_FEELINGS = lexicon("like love enjoy")
_COMPARES = re.compile(r"\b(?:over|than|to|before|after|from|instead|of|lieber|als|plutôt|que)\b")
_WORD = re.compile(r"\w+")


def find_same(existing: Sequence[Memory], text: str) -> Memory | None:
    """Return the newest memory that says all of that text; None if there is none."""
    return next((one for one in reversed(existing) if not one.is_deleted and is_same(one.text, text)), None)


def find_replaced(existing: Sequence[Memory], text: str) -> list[Memory]:
    """Return the memories that cannot hold beside that text, which none of them says already."""
    kept = [memory for memory in existing if not memory.is_deleted]
    changed = set(superseded_by(_plain(text), [_plain(memory.text) for memory in kept]))
    return [memory for memory in kept if _plain(memory.text) in changed or is_replaced(memory.text, text)]


def is_same(old: str, new: str) -> bool:
    """Return whether the old note already says all of the new one."""
    was, now = _words(old), _words(new)
    if not (was and now):
        return _text(old) == _text(new)
    if was == now:
        return _words_in_order(old) == _words_in_order(new) or not _COMPARES.search(_text(new))
    return _begins_with(old, new) and len(now) > 1


def is_replaced(old: str, new: str) -> bool:
    """Return whether the old note cannot hold beside the new one, or is all said in it."""
    was, now = _words(old), _words(new)
    if not (was and now):
        return False
    if was == now:
        return not is_same(old, new)
    if was & _NEGATIONS != now & _NEGATIONS:
        return _is_opposite(was, now)
    has_another_value = _things(old) is not None and _things(old) == _things(new)
    return (_begins_with(new, old) and len(was) > 1) or has_another_value or _is_alternative(was, now)


def find_meant(existing: Sequence[Memory], words: str) -> Memory | None:
    """Return the memory that those words name best, as a model quotes one to be replaced; None if none is meant."""
    wanted = _words(words)
    if not wanted:
        return None
    scored = [(len(_words(m.text) & wanted) / len(_words(m.text) | wanted), m) for m in existing if not m.is_deleted]
    best = max(scored, key=lambda pair: pair[0], default=None)
    return best[1] if best and best[0] >= MIN_MEANT_SHARE else None


def has_words(text: str) -> bool:
    """Return whether a note says anything at all."""
    return bool(_words(text))


def _begins_with(long: str, short: str) -> bool:
    """Return whether the long note says what the short one says, and then more. A longer rule is a narrower one."""
    whole, start = _text(long), _text(short)
    is_rule = not (_words(long) | _words(short)).isdisjoint(_BOUND | _NEGATIONS)
    return whole.startswith(start) and not whole[len(start) : len(start) + 1].isalnum() and not is_rule


def _is_opposite(was: frozenset[str], now: frozenset[str]) -> bool:
    """Return whether the same is said with "not" and without."""
    one, other = was - _NEGATIONS - _BOUND, now - _NEGATIONS - _BOUND
    if _FEELINGS & (one | other):
        one, other = one - _FEELINGS, other - _FEELINGS
    return bool(one and other) and len(one & other) >= MIN_OPPOSITE_SHARE * len(one | other)


@lru_cache(MAX_CACHED_NOTES)
def _things(text: str) -> tuple[int, frozenset[str]] | None:
    """Return what a note gives the one value of: the kind of thing, and whose it is; None if it gives none."""
    lowered = _text(text)
    for kind, slot in enumerate(_SLOTS):
        if found := slot.search(lowered):
            return kind, _subject(lowered[: found.start()])
    found = _COPULA.search(lowered)
    subject = _subject(lowered[: found.start()]) if found else frozenset[str]()
    return (len(_SLOTS), subject) if subject & _ONE_VALUE else None


def _is_alternative(was: frozenset[str], now: frozenset[str]) -> bool:
    """Return whether the two differ in one word each, and one stands for the other, such as tabs and spaces."""
    left, right = was - now, now - was
    has_more = bool(was & now) and not was & _MANY_VALUES
    return has_more and len(left) == len(right) == 1 and is_alternative(left, right)


def _subject(text: str) -> frozenset[str]:
    return frozenset(word for word in words_of(text) if word not in _SMALL)


def _stem(word: str) -> str:
    is_plural = word.endswith("s") and len(word) > 3 and word not in _BOUND and word not in _NEGATIONS
    return word[:-1] if is_plural else word


@lru_cache(MAX_CACHED_NOTES)
def _words(text: str) -> frozenset[str]:
    """Return the words that count, in lower case and without a plural's or a verb's "s"."""
    return frozenset(_stem(word) for word in words_of(_plain(text)) if word not in _SMALL)


def _words_in_order(text: str) -> list[str]:
    """Return the same words in the order in which they stand there."""
    return [word for word in map(_stem, _WORD.findall(_text(text))) if word in _words(text)]


@lru_cache(MAX_CACHED_NOTES)
def _text(text: str) -> str:
    return " ".join(_plain(text).casefold().split())


@lru_cache(MAX_CACHED_NOTES)
def _plain(text: str) -> str:
    """Return what is noted, without who said it and without the marks of a quotation."""
    return _ATTRIBUTION.sub("", text).strip(" \t\n\"“”«»'.!。！")
