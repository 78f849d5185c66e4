"""Find the rules that a later sentence of the user's replaces or takes back (K9).

A rule is superseded only if the later sentence says that something changes, and names what the rule names or its
alternative. Not found: a change without such a word ("spaces, please"), one that names nothing of the rule ("the
second rule does not hold"), and nearly all changes in languages other than those below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from desktop_app.conversation.words import lexicon

from .facts import QUESTION, words_of

MIN_SHARED = 0.5
"""Of the words that either says, for a sentence that only corrects: with less it may be about another thing."""
MIN_NAMED = 0.6
"""Of a rule's words, where the sentence allows what the rule forbids."""
FEW = 2
"""Words; a topic this short means every rule about it."""
SHORT = 7
"""Words; in a sentence this short, "instead" refers to the latest rule."""

_CUES = lexicon(
    "actually instead forget ignore disregard longer anymore more changed thought scrap mind rather now switch all drop"
    " needed again stattdessen lieber vergiss mehr oublie ne lugar vez ya"
)
"""In lowercase; only sentences with one of these words, or of the pieces below, are examined."""
_PIECES = ("改用", "不再", "不用再", "plutôt")
_WITH_SIGNS = frozenset(
    form + sign for word in _CUES for form in (word, word.capitalize(), word.upper()) for sign in ("", *".,:;!—")
)
_TAKES_BACK = re.compile(
    r"\b(?:forget|ignore|disregard|scrap|drop)\b.{0,40}\b(?:said|told|rule|instruction|about|requirement|earlier|that)\b"
    r"|\bnever mind\b.{0,30}\b(?:about|rule|said)\b|\bvergiss\b|\boublie"
)
_ENDS = re.compile(
    r"\bno longer\b|\bany ?more\b|\bnot needed\b|\bnicht mehr\b|\bne .{1,30} plus\b|\bya no\b|不再|不用再"
)
_REPLACES = re.compile(
    r"\binstead\b|\bchanged my mind\b|\bsecond thought\b|\brather than\b|\bswitch to\b|改用|\bstattdessen\b"
    r"|\bdoch lieber\b|\bplutôt\b|\ben (?:lugar|vez) de\b"
)
_CORRECTS = re.compile(r"\bactually\b|\bfrom now on\b|\bafter all\b")
_ALLOWS = re.compile(
    r"\b(?:you (?:can|may)|it(?:['’]s| is) (?:ok|okay|fine|allowed)|feel free)\b.*\b(?:now|after all|again)\b"
)
_INSTEAD_OF = re.compile(
    r"\b(?:instead of|rather than|switch from|plutôt que|en lugar de|en vez de|nicht mehr)\b(?P<old>[^,.;!?]{2,60})"
)
_FORBIDS = re.compile(r"\b(?:never|don['’]?t|do not|must ?n[o'’]?t|avoid|forbidden|no)\b")
_ADDS = re.compile(r"\b(?:also|too|as well|in addition|additionally|auch|aussi|también)\b|也|还")

_GENERIC = lexicon(
    "a an the and or but of to in on at for with from by as is are be it its this that these those i we you my"
    " our your me us please always never must should would could can may will do does don dont doesn not no t s"
    " use using used make sure ensure prefer avoid only need needs have has had want actually instead rather than"
    " now longer anymore any more forget ignore disregard scrap drop said told about what rule rules instruction"
    " instructions changed change mind second thought on all everything when if before after every each so just"
    " let lets go ahead keep from switch earlier previous requirement hold holds still again thing things one ones"
    " there here then too also ok okay fine feel free der die das und oder nicht mehr bitte immer nie doch lieber"
    " stattdessen le la les de des et ne pas plus toujours plutôt el los las y siempre nunca en lugar vez ya"
)
_ALTERNATIVES = tuple(
    map(
        lexicon,
        (
            "tab tabs space spaces", "single double", "british american", "camel camelcase snake snake_case kebab",
            "npm yarn pnpm bun", "pip poetry uv conda pipenv", "pytest unittest nose", "jest vitest mocha jasmine",
            "float floats integer integers int ints decimal decimals", "sync async synchronous asynchronous",
            "light dark", "metric imperial", "celsius fahrenheit", "formal informal casual", "merge rebase squash",
            "english german french spanish italian chinese japanese portuguese dutch", "window aisle middle",
            "monday tuesday wednesday thursday friday saturday sunday", "morning afternoon evening night",
            "mysql postgres postgresql sqlite mongodb", "black ruff yapf autopep8", "json yaml toml xml",
            "short long brief detailed", "economy business first", "utc local", "class classes function functions",
        ),
    )
)  # fmt: skip
"""Alternatives: asking for one of a group replaces a rule about another."""


def may_supersede(text: str) -> bool:
    """Whether something in that text could replace or take back a rule: a cheap test before the exact ones."""
    return not _WITH_SIGNS.isdisjoint(text.split()) or (not text.isascii() and any(map(text.__contains__, _PIECES)))


def superseded_by(sentence: str, rules: Sequence[str]) -> list[str]:
    """Return the rules that the sentence replaces or takes back, oldest first. rules: those said before it."""
    lowered = sentence.lower()
    if not may_supersede(sentence) or QUESTION.search(sentence) or _ADDS.search(lowered):
        return []
    others = [rule for rule in rules if rule != sentence]
    old = _INSTEAD_OF.search(lowered)
    if old and (named := [rule for rule in others if _names(rule, old["old"])]):
        return named
    said, is_meant = _topic(lowered), _test_of(lowered)
    found = [rule for rule in others if is_meant is not None and is_meant(rule, said)]
    if not found and others and _REPLACES.search(lowered) and len(words_of(lowered)) <= SHORT:
        return others[-1:] if _verb(others[-1]) == _verb(sentence) != "" else []
    return found


def _test_of(sentence: str) -> Callable[[str, frozenset[str]], bool] | None:
    """Return the test for rules that this kind of sentence ends; None if it changes nothing."""
    if _TAKES_BACK.search(sentence):
        return _is_named
    if _ENDS.search(sentence):
        return _is_named_twice
    if _ALLOWS.search(sentence):
        return _is_allowed
    if _REPLACES.search(sentence) or _CORRECTS.search(sentence):
        words = words_of(sentence)
        return lambda rule, said: _is_replaced(rule, said, words)
    return None


def _is_named(rule: str, said: frozenset[str]) -> bool:
    topic = _topic(rule.lower())
    shared = topic & said
    return bool(shared) and len(shared) >= MIN_SHARED * min(len(said), len(topic))


def _is_named_twice(rule: str, said: frozenset[str]) -> bool:
    """Whether two words are shared: with one, "no longer" may end a fact and not a rule."""
    return len(_topic(rule.lower()) & said) > 1 and _is_named(rule, said)


def _is_allowed(rule: str, said: frozenset[str]) -> bool:
    topic = _topic(rule.lower())
    return bool(_FORBIDS.search(rule.lower())) and len(topic & said) >= MIN_NAMED * len(topic) > 0


def _is_replaced(rule: str, said: frozenset[str], words: frozenset[str]) -> bool:
    topic = _topic(rule.lower())
    if _is_alternative(words_of(rule), words):
        return bool(topic & said) or min(len(topic), len(said)) <= FEW
    return len(topic & said) >= MIN_SHARED * len(topic | said) > 0


def _is_alternative(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether each has a word for which the other has an alternative."""
    return any(one & group and other & group and not one & other & group for group in _ALTERNATIVES)


def _names(rule: str, old: str) -> bool:
    """Whether the rule has all that is to be given up."""
    topic = _topic(old)
    return bool(topic) and topic <= _topic(rule.lower())


@lru_cache(2_048)
def _topic(lowered: str) -> frozenset[str]:
    """Return the stems of a sentence's words without function words."""
    return frozenset(_stem(word) for word in words_of(lowered) - _GENERIC)


def _stem(word: str) -> str:
    for ending in ("ies", "ing", "es", "ed", "s", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _verb(sentence: str) -> str:
    """Return the first word that is not only an opening, such as "use" in "Please use tabs"."""
    words: Iterable[str] = re.findall(r"[a-z]+", sentence.lower())
    return next((word for word in words if word not in ("please", "always", "actually", "ok", "no", "then", "and")), "")
