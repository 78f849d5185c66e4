"""Parse a query in plain words: words to look up, people, times and what a question is about. Pure.

Of Chinese and the like, pairs of characters are looked up. Inflected forms are matched by the index, which stems both
sides (porter).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import date
from functools import lru_cache
from typing import get_args

import msgspec

from desktop_app.conversation.setup import RecallScope
from desktop_app.conversation.words import lexicon

from .outline import Outline
from .times import TimeSpan, time_in

MAX_QUERY = 2_000
"""Characters of a query that are read: a query may be a pasted page."""
MAX_WORDS = 24
"""Words of a query that are looked up: the longest, which are the most specific."""

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
_POINTED = re.compile(
    r"^\W*(?:when|where|who|whom|whose|which|what|why|how|did|was|were|had)\b"
    r"|\b(?:remember|recall|remind|earlier|last time|back then)\b"
    r"|什么|哪|谁|多少|几|怎么|为何|记得|上次|之前|以前",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Z][a-z]{2}|\d|\w[-_./:@]\w")
_MARKS = "\"'`“”‘’«»()[]{}<>,;:!?。，！？；：、…"
MIN_WORDS = 3
"""Minimum words of a question; "what index" are words to look up."""
_ASKS = re.compile(
    r"^\W*(?:what|when|where|who|whom|whose|which|why|how|did|do|does|was|were|is|are|has|have|had|can|could|should"
    r"|remind|was|wann|wo|wer|wen|wem|welche[rsnm]?|warum|wieso|wie|worauf|wozu|womit|hat|haben|hatten?|gab)\b",
    re.IGNORECASE,
)
_ASKS_CJK = re.compile("什么|哪|谁|多少|怎么|为何|为什么|何时|どこ|いつ|なぜ|誰|何|언제|어디|무엇|왜|누가")
_DECIDING = re.compile(
    r"\b(?:which (?:way|one|option|of them) did (?:we|i|you) (?:go|take|pick|want)|did (?:we|i) (?:go|end up) with"
    r"|what was the (?:plan|outcome|result|verdict)"
    r"|deci(?:de[ds]?|ding|sions?)|agree(?:d|ment)?|settled?|cho(?:ose|se|sen|ice)|conclu(?:de[ds]?|sions?)|opt(?:ed)?"
    r"|entschieden|entschied|entscheiden|entscheidung(?:en)?|beschlossen|beschluss|geeinigt|einigten|vereinbart)\b"
    r"|决定|定下|选择|選択|決め|결정",
    re.IGNORECASE,
)
DECISION_WORDS = ("decided", "decision", "agreed", "settled", "entschieden", "beschlossen", "Entscheidung")
"""Words that are looked up if a question asks for decisions without a subject."""
_ASKING = lexicon(
    "remember recall remind know find think thought talk talked talking mention mentioned discuss discussed discussion"
    " conversation chat happen happened erinnerst erinnern weißt gesagt gesprochen besprochen"
)
"""Words of a question about a conversation, which its messages need not contain."""
_GERMAN_STOP = lexicon(
    "aber alle als also am an auch auf aus bei bin bis da damals dann das dass dem den der des die dies diese dieser"
    " doch dort du durch ein eine einem einen einer eines er es für gab gegen gibt hab habe haben hat hatte hatten hier"
    " ich ihr im in ist ja jetzt kann kein keine man mehr mein meine mich mir mit nach nicht noch nun nur ob oder ohne"
    " schon sein sich sie sind so über um und uns unser unsere unter vom von vor wann war waren warum was wegen welche"
    " welchem welchen welcher welches wem wen wenn wer werden wie wieso wir wird wo wozu wurde wurden zu zum zur"
)


class RecallQuery(msgspec.Struct, frozen=True):
    """The words and people of a query."""

    words: tuple[str, ...]
    names: frozenset[str] = frozenset()
    """Speakers that the query names."""
    is_pointed: bool = False
    """Whether it asks for something or names it, so that one word in common is enough for a match."""


def parse_query(query: str, speakers: Collection[str] = ()) -> RecallQuery:
    """Parse a query. speakers: the names of the people in the conversation."""
    text = query[:MAX_QUERY].replace("’", "'")
    names = frozenset(speaker for speaker in speakers if _is_named(speaker, text))
    pieces = [piece for piece in map(_bare, _PIECE.findall(_UNSPACED.sub(" ", text))) if piece]
    words = _longest([word for piece in pieces for word in _words(piece) if not _is_part_of_name(word, names)])
    asked = [*words, *_character_pairs(text)]
    if not asked and names:
        asked = sorted(names)  # the query asks only who that is
    is_pointed = bool(names or _POINTED.search(text) or any(map(_is_name, pieces[1:])))
    return RecallQuery(tuple({word.lower(): word for word in reversed(asked)}.values())[::-1], names, is_pointed)


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


def _character_pairs(text: str) -> list[str]:
    """Return pairs of characters of text in Chinese, Japanese, Korean and the like, without question words."""
    pairs: list[str] = []
    for run in _UNSPACED.findall(text):
        for piece in _ASKING_CJK.sub(" ", run).split():
            pairs += [piece[at : at + 2] for at in range(len(piece) - 1)] if len(piece) > 1 else [piece]
    return list(dict.fromkeys(pairs))[:MAX_WORDS]


class Question(msgspec.Struct, frozen=True):
    """The subject of a query, and whether it is a question."""

    words: tuple[str, ...]
    """Words of its subject: without stop words, and without words that ask for a decision."""
    is_question: bool = False
    """Whether it is a sentence that asks, and not words to look up."""
    asks_decision: bool = False


def question_of(query: str) -> Question:
    """Return the subject of a query, and whether it is a question."""
    is_question = _asks(query)
    asks_decision = _DECIDING.search(query) is not None
    about = _DECIDING.sub(" ", query) if is_question and asks_decision else query
    words = parse_query(about).words
    kept = tuple(word for word in words if word.lower() not in _GERMAN_STOP | (_ASKING if is_question else set()))
    if is_question and asks_decision and not kept:
        return Question(DECISION_WORDS, is_question, asks_decision)
    return Question(kept or words, is_question, asks_decision)


def _asks(query: str) -> bool:
    if _ASKS_CJK.search(query):
        return True
    asks = _ASKS.search(query) or query.rstrip().endswith("?")
    return bool(asks) and len(_WORD.findall(query)) >= MIN_WORDS


class QueryReading(msgspec.Struct, frozen=True):
    """An interpretation of a query."""

    words: str
    span: TimeSpan | None = None
    """The days of the messages; None for any."""


def readings_of(query: str, today: date) -> tuple[QueryReading, ...]:
    """Return the interpretations of a query, the likeliest first: with its time as a filter, and unchanged.

    A date such as 8 May 2023 is not a filter, but "before 2023" is: a date is mostly when something happened, and the
    messages about it are from another day.
    """
    text = query[:MAX_QUERY]
    span = time_in(text, today)
    if span is None or span.is_date:
        return (QueryReading(query),)
    return QueryReading(f"{text[: span.start]} {text[span.end :]}", span), QueryReading(query)


def readings_of_message(text: str, today: date) -> tuple[QueryReading, ...]:
    """Return the interpretations of a user's message: only a question may ask for messages of a time."""
    return readings_of(text, today) if question_of(text).is_question else (QueryReading(text),)


def indexes_within(outline: Outline, span: TimeSpan) -> frozenset[int]:
    """Return the indexes of the messages whose session began within the span."""
    first, last = span.first or date.min, span.last or date.max
    days = [_day_of(text) for text in outline.days]
    sessions = {session for session, day in enumerate(days) if day is not None and first <= day <= last}
    return frozenset(index for index, session in enumerate(outline.sessions) if session in sessions)


def indexes_named(outline: Outline, query: str) -> frozenset[int]:
    """Return the indexes of the messages of the days that the query names, unless they are most of the conversation.

    A day without a year is the last one before the end of the conversation.
    """
    end = next((day for text in reversed(outline.days) if (day := _day_of(text)) is not None), None)
    span = time_in(query[:MAX_QUERY], end) if end else None
    found = indexes_within(outline, span) if span else frozenset[int]()
    return found if 2 * len({outline.sessions[index] for index in found}) <= len(outline.days) else frozenset()


@lru_cache(maxsize=4_096)
def _day_of(text: str) -> date | None:
    """Return the day of a session, which is written like "8 May, 2023" or "2026-11-22"."""
    span = time_in(f"on {text}", date.max)
    return span.first if span else None


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
