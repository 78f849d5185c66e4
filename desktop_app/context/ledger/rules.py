"""Classify sentences as rules and preferences, and find those that a later sentence replaces or takes back (K9).

A rule is superseded only if the later sentence says that something changes, and names what the rule names or its
alternative. Not found: a change without such a word ("spaces, please"), one that names nothing of the rule ("the
second rule does not hold"), and nearly all changes in languages other than those below.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from desktop_app.context.sentence_kinds import kinds_of
from desktop_app.conversation.words import lexicon

from .directives import is_directive
from .facts import QUESTION, topic_of, words_of

MAX_PREFERENCE = 160
"""Bytes; a longer sentence about what somebody likes is a story."""

_STRONG = re.compile(
    r"\b(?:always|never|must(?:n['’]t)?|don['’]?t|do not|not allowed|forbidden|under no circumstances|constraints?"
    r"|requirements?|rules?|policy|niemals|immer|darf nicht|muss|jamais|toujours|nunca|siempre)\b(?!\.\w)"
    r"|必须|务必|不要|不得|不能|禁止|规则|[请要都]总是|永远不|絶対に|必ず|ないで",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"(?:\b(?:rules?|constraints?|requirements?|conventions?|guidelines?|polic(?:y|ies)|must|always|never|keep in mind"
    r"|remember|please)\b|规则|要求|必须|注意)[^.!?。！？]{0,120}[:：]\s*$",
    re.IGNORECASE,
)

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


def is_rule(sentence: str) -> bool:
    """Return whether somebody says how it is to be done from now on, or what they prefer, and does not ask."""
    if QUESTION.search(sentence):
        return False
    kinds = kinds_of(sentence)
    is_story = kinds.preference > kinds.rule and len(sentence.encode(errors="replace")) > MAX_PREFERENCE
    return not is_story and is_directive(sentence, kinds)


def is_strong_rule(rule: str) -> bool:
    """Return whether a rule says always, never or must: it outlives those that say should."""
    return _STRONG.search(rule) is not None


def announces_rules(paragraph: str) -> bool:
    """Return whether a list of rules follows."""
    return paragraph.rstrip()[-1:] in (":", "：") and _ANNOUNCES.search(paragraph) is not None


def may_supersede(text: str) -> bool:
    """Whether something in that text could replace or take back a rule: a cheap test before the exact ones."""
    return not _CUES.isdisjoint(words_of(text)) or any(map(text.__contains__, _PIECES))


def superseded_by(sentence: str, rules: Sequence[str]) -> list[str]:
    """Return the rules that the sentence replaces or takes back, oldest first. rules: those said before it."""
    lowered = sentence.lower()
    if not may_supersede(sentence) or QUESTION.search(sentence) or _ADDS.search(lowered):
        return []
    others = [rule for rule in rules if rule != sentence]
    if old := _INSTEAD_OF.search(lowered):
        given_up = topic_of(old["old"])
        if named := [rule for rule in others if given_up and given_up <= topic_of(rule)]:
            return named
    change = _change_of(lowered)
    found = [rule for rule in others if _ends(change, rule)]
    if not found and others and _REPLACES.search(lowered) and len(words_of(lowered)) <= SHORT:
        return others[-1:] if _verb(others[-1]) == _verb(sentence) != "" else []
    return found


_ChangeKind = Literal["takes back", "ends", "allows", "corrects", ""]


class _Change(NamedTuple):
    """What a sentence does to the rules that it names: read once, and not again for each of a hundred rules."""

    kind: _ChangeKind
    words: frozenset[str]
    topic: frozenset[str]


def _change_of(lowered: str) -> _Change:
    kind: _ChangeKind = ""
    if _TAKES_BACK.search(lowered):
        kind = "takes back"
    elif _ENDS.search(lowered):
        kind = "ends"
    elif _ALLOWS.search(lowered):
        kind = "allows"
    elif _REPLACES.search(lowered) or _CORRECTS.search(lowered):
        kind = "corrects"
    return _Change(kind, words_of(lowered), topic_of(lowered))


def _ends(change: _Change, rule: str) -> bool:
    """Whether the sentence ends that rule."""
    said, topic = change.topic, topic_of(rule)
    shared = said & topic
    match change.kind:
        case "takes back" | "ends":
            # With one word in common, "no longer" may end a fact and not a rule.
            least = 1 if change.kind == "takes back" else 2
            return len(shared) >= max(least, MIN_SHARED * min(len(said), len(topic)))
        case "allows":
            return _FORBIDS.search(rule.lower()) is not None and len(shared) >= MIN_NAMED * len(topic) > 0
        case "corrects" if is_alternative(words_of(rule), change.words):
            return bool(shared) or min(len(topic), len(said)) <= FEW
        case "corrects":
            return len(shared) >= MIN_SHARED * len(topic | said) > 0
        case _:
            return False


def is_alternative(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether each has a word for which the other has an alternative."""
    return any(one & group and other & group and not one & other & group for group in _ALTERNATIVES)


def _verb(sentence: str) -> str:
    """Return the first word that is not only an opening, such as "use" in "Please use tabs"."""
    words: Sequence[str] = re.findall(r"[a-z]+", sentence.lower())
    return next((word for word in words if word not in ("please", "always", "actually", "ok", "no", "then", "and")), "")
