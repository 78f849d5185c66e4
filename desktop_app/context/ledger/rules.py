"""Classify sentences as rules and preferences, and find the announcement of a list of them."""

from __future__ import annotations

import re

from desktop_app.context.sentence_kinds import kinds_of

from .facts import QUESTION

MIN_RULE, MIN_PREFERENCE = 0.5, 0.55
"""The probability from which on a sentence is a rule, and from which on it is either of both."""
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


def is_rule(sentence: str) -> bool:
    """Return whether somebody says how it is to be done or what they like, and does not ask."""
    if QUESTION.search(sentence):
        return False
    kinds = kinds_of(sentence)
    if kinds.rule >= MIN_RULE:
        return True
    return kinds.rule + kinds.preference >= MIN_PREFERENCE and len(sentence.encode(errors="replace")) <= MAX_PREFERENCE


def is_strong_rule(rule: str) -> bool:
    """Return whether a rule says always, never or must: it outlives those that say should."""
    return _STRONG.search(rule) is not None


def announces_rules(paragraph: str) -> bool:
    """Return whether a list of rules follows."""
    return paragraph.rstrip()[-1:] in (":", "：") and _ANNOUNCES.search(paragraph) is not None
