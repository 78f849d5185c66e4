"""Parse a recall query in plain words into weighted terms, people and days, and limit where recall may search. Pure.

A term is a word, or several that must be adjacent: a path, an identifier, two neighbouring words, a pair of Chinese
characters. Inflected forms are matched by the index, which stems both sides (porter).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import get_args

import msgspec

from desktop_app.conversation.setup import RecallScope
from desktop_app.conversation.words import lexicon

from .times import Day, days_in

MAX_QUERY = 2_000
"""Characters of a query that are read: a query may be a pasted page."""
MAX_WORDS = 24
"""Words of a query that are looked up: the longest, which are the most specific."""
TOGETHER_WEIGHT = 0.5
"""Weight of a phrase of the query, in addition to the weights of its words, which have 1."""
MAX_BETWEEN = 2
"""Stop words between two words of a phrase."""

_STOP = lexicon(
    "a about above after again all also am an and any are as at be because been before being between both but by"
    " can could did do does doing done down during each few for from further get gets getting go going gone got"
    " had has have having he her here hers herself him himself his how i if in into is it its itself just let like"
    " lot me more most much my myself no nor not now of off ok okay on once only or other our ours out over own"
    " please really same say says said she should so some such tell tells than thank thanks that the their theirs"
    " them then there these they thing things this those through to told too under until up us use used very was"
    " we were what when where which while who whom whose why will with would yes yeah you your yours re ve ll don"
    " doesn didn isn wasn can"
)
"""Stop words."""
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7a3\U00020000-\U0003ffff\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]+"
)
"""Runs of scripts without spaces between words (archive/tables.py separates their characters for the index)."""
_ASKING_CJK = re.compile(
    "为什么|什么时候|什么|怎么样|怎么|怎样|哪些|哪个|哪里|哪儿|多少|几个|是否|有没有|是不是|可以|能不能|告诉|记得|曾经|之前"
    "|我们|你们|他们|她们|谢谢|不客气|你好|继续|好的|请问|一下|一些|[我你他她它的了吗呢吧啊呀是在有和与也都就还很对把被这那]"
)
_PIECE = re.compile(r"\S+")
_ASKS = re.compile(
    r"^\W*(?:when|where|who|whom|whose|which|what|why|how|did|was|were|had)\b"
    r"|\b(?:remember|recall|remind|earlier|last time|back then)\b"
    r"|什么|哪|谁|多少|几|怎么|为何|记得|上次|之前|以前",
    re.IGNORECASE,
)
_OVERVIEW = re.compile(
    r"\b(?:in (?:what|which) order|in order|the order (?:in|of)|sequence of|chronolog\w+|timeline|summar\w+|overview"
    r"|recap|throughout|across (?:our|my|all|the)|over time|walk me through"
    r"|how (?:did|has|have) .{0,80}(?:evolve|develop|progress|change)\w*|how many (?:different|distinct|kinds)"
    r"|reihenfolge|zusammenfass\w+|überblick|im laufe|verlauf)\b|总结|概括|顺序|先后",
    re.IGNORECASE,
)
"""Questions about the whole conversation."""
_NAME = re.compile(r"[A-Z][a-z]{2}|\d|\w[-_./:@]\w")
_MARKS = "\"'`“”‘’«»()[]{}<>,;:!?。，！？；：、…"


class Term(msgspec.Struct, frozen=True, gc=False):
    """A word, or several adjacent ones."""

    text: str
    weight: float
    is_asked: bool = False
    """Whether it is a separate word of the query itself."""


class RecallQuery(msgspec.Struct, frozen=True):
    """The terms, people and days of a query."""

    terms: tuple[Term, ...]
    names: frozenset[str] = frozenset()
    """Speakers that the query names."""
    days: tuple[Day, ...] = ()
    is_pointed: bool = False
    """Whether it asks for something or names it, so that one word in common is enough for a match."""
    is_overview: bool = False
    """Whether it asks for an order of events, a summary or a number of things that were mentioned in many places."""


def parse_query(query: str, speakers: Collection[str] = ()) -> RecallQuery:
    """Parse a query. speakers: the names of the people in the conversation."""
    text = query[:MAX_QUERY].replace("’", "'")
    names = frozenset(speaker for speaker in speakers if _is_named(speaker, text))
    pieces = [piece for piece in map(_bare, _PIECE.findall(_UNSPACED.sub(" ", text))) if piece]
    words = _longest([word for piece in pieces for word in _words(piece) if not _is_part_of_name(word, names)])
    asked = [*words, *_character_pairs(text)]
    if not asked and names:
        asked = sorted(names)  # the query asks only who that is
    phrases = _phrases(pieces, {word.lower() for word in words})
    terms = [Term(word, 1.0, is_asked=True) for word in asked] + [Term(phrase, TOGETHER_WEIGHT) for phrase in phrases]
    distinct: dict[str, Term] = {}
    for term in terms:  # the query's own words come first
        distinct.setdefault(term.text.lower(), term)
    days = days_in(text)
    is_pointed = bool(names or days or _ASKS.search(text) or any(map(_is_name, pieces[1:])))
    return RecallQuery(tuple(distinct.values()), names, days, is_pointed, _OVERVIEW.search(text) is not None)


def _is_named(speaker: str, text: str) -> bool:
    """Return whether the text contains a speaker's first name or a short form of it: "Mel" for Melanie."""
    first_name = speaker.split()[0] if speaker.split() else ""
    if not first_name.isascii():
        return bool(first_name) and first_name in text
    return any(_is_short_form(word, first_name) for word in _WORD.findall(text) if word[:1].isupper())


def _is_short_form(word: str, name: str) -> bool:
    return len(word) >= min(3, len(name)) and name.lower().startswith(word.lower())


def _is_part_of_name(word: str, names: Iterable[str]) -> bool:
    return any(word[:1].isupper() and _is_short_form(word, part) for name in names for part in name.split())


def _is_name(piece: str) -> bool:
    """Return whether a word within a sentence is a name, a number, a path or an identifier."""
    return _NAME.search(piece) is not None and bool(_words(piece))


def _bare(piece: str) -> str:
    bare = piece.strip(_MARKS).rstrip(".")
    return bare[:-2] if bare.endswith("'s") else bare


def _words(piece: str) -> list[str]:
    return [word for word in _WORD.findall(piece) if word.lower() not in _STOP and (len(word) > 1 or word.isdigit())]


def _longest(words: list[str]) -> list[str]:
    """Return the distinct words in the order of the query; the longest if there are too many."""
    distinct = list({word.lower(): word for word in reversed(words)}.values())[::-1]
    kept = set(sorted(distinct, key=len, reverse=True)[:MAX_WORDS])
    return [word for word in distinct if word in kept]


def _phrases(pieces: Sequence[str], words: Collection[str]) -> list[str]:
    """Return compound words such as paths, and phrases of neighbouring words of the query.

    Phrases include the stop words between: "does not exist".
    """
    joined = [piece for piece in pieces if len(_WORD.findall(piece)) > 1 and _words(piece)]
    indexes = [index for index, piece in enumerate(pieces) if piece.lower() in words]
    neighbours = [
        " ".join(pieces[left : right + 1]) for left, right in pairwise(indexes) if right - left <= MAX_BETWEEN + 1
    ]
    return (joined + neighbours)[:MAX_WORDS]


def _character_pairs(text: str) -> list[str]:
    """Return pairs of characters of text in Chinese, Japanese, Korean and the like, without question words."""
    pairs: list[str] = []
    for run in _UNSPACED.findall(text):
        for piece in _ASKING_CJK.sub(" ", run).split():
            pairs += [piece[at : at + 2] for at in range(len(piece) - 1)] if len(piece) > 1 else [piece]
    return list(dict.fromkeys(pairs))[:MAX_WORDS]


_NARROW_TO_WIDE: tuple[RecallScope, ...] = get_args(RecallScope)


class RecallReach(msgspec.Struct, frozen=True):
    """The scope in which recall may search from a conversation."""

    widest: RecallScope = "conversation"
    """The widest scope that needs no permission."""
    project: str = ""
    """The id of the conversation's project; "" for none."""

    def includes(self, where: RecallScope) -> bool:
        """Return whether recall may search the scope without permission."""
        return _NARROW_TO_WIDE.index(where) <= _NARROW_TO_WIDE.index(self.widest)

    def has(self, where: RecallScope) -> bool:
        """Return whether the scope exists: a conversation may have no project."""
        return where != "project" or bool(self.project)

    def project_in(self, where: RecallScope) -> str | None:
        """Return the id of the project that limits a search of the scope; None for no limit."""
        return self.project if where == "project" else None


class KnownConversation(msgspec.Struct, frozen=True):
    """A conversation that can be searched."""

    id: str
    title: str
    project: str = ""
    """The id of its project; "" for none."""
