"""How somebody says how it is to be done: rules, and the announcement of a list of them.

The searches below are slow, and most sentences are no rules: first it is looked up whether the sentence has the words
that a rule needs. Text in other scripts than Latin without accents is always searched.
"""

from __future__ import annotations

import re

from .facts import QUESTION, lexicon, words_of

# All of these are searched in small letters.
_STRONG = (
    r"\b(?:always|never|must(?:n['’]t)?|don['’]?t|do not|not allowed|forbidden|under no circumstances|constraints?"
    r"|requirements?|rules?|policy)\b(?!\.\w)|必须|务必|不要|不得|不能|禁止|规则|[请要都]总是|永远不"
    r"|\b(?:niemals|immer|darf nicht|jamais|toujours|nunca|siempre)\b"
)
_STRONG_RULE = re.compile(_STRONG)
_RULE = re.compile(
    _STRONG + r"|\b(?:should(?:n['’]t)?|prefer(?:red|ably)?|avoid|only ever|make sure|ensure|be sure to|stick to"
    r"|from now on|instead of|please (?:keep|use|do|don)|only (?:use|change|touch|edit|write|run|commit)|use only"
    r"|without asking|ask (?:me )?(?:first|before)|every \w+ (?:needs|gets|has to)|no \w+ (?:anywhere|ever|at all)"
    r"|not even|ha(?:s|ve) to be|at (?:most|least))\b|[你们都]应该|最好|尽量"
    r"|\b(?:bitte|sollte|muss|müssen|il faut|debe)\b"
)
_OF_STRONG = lexicon(
    "always never must mustn don dont allowed forbidden circumstances constraint constraints requirement requirements"
    " rule rules policy niemals immer darf jamais toujours nunca siempre"
)
_DO_NOT = lexicon("do not")
_OF_RULES = _OF_STRONG | lexicon(
    "should shouldn prefer preferred preferably avoid ensure stick asking ask even bitte sollte muss faut debe"
)
"""One of these words is in every rule, unless it has one of the pairs below."""
_SURELY = lexicon("should prefer preferred preferably avoid ensure bitte sollte muss debe")
"""One of these alone makes a rule: there is nothing left to search for."""
_PAIRS = tuple(
    frozenset(pair.split())
    for pair in (
        "do not", "only ever", "only use", "only change", "only touch", "only edit", "only write", "only run",
        "only commit", "make sure", "be sure", "from now", "instead of", "please keep", "please use", "please do",
        "every needs", "every gets", "every has", "no anywhere", "no ever", "no all", "be has", "be have", "at most",
        "at least",
    )
)  # fmt: skip
_OF_PAIRS = lexicon("not only sure now instead please every no be most least")
_FOLLOW = re.compile(
    r"(?:\b(?:rules?|constraints?|requirements?|conventions?|guidelines?|polic(?:y|ies)|must|always|never|keep in mind"
    r"|remember|please)\b|规则|要求|必须|注意)[^.!?。！？]{0,120}[:：]\s*$"
)
_NONE = re.compile(
    r"\b(?:i|we) (?:really |just |still |also )?(?:do not|don['’]?t) (?:really |even |quite )?(?:t?h?ink|understand"
    r"|have|see|get it|believe|remember|recall|mind|care)\b|\b(?:do not|don['’]?t) know\b"
    r"|\b(?:i['’]ve|i (?:have|had)|he|she|they) never\b|\bnever (?:mind|seen|heard|thought|knew|been)\b"
    r"|\bmust(?:['’]ve| have| be (?:so|the|such|a|an|very|really|nice|hard|fun|great))\b|\bdon['’]?t worry\b"
    r"|\b(?:they|those|these|things|people|kids|some) don['’]?t\b"
    r"|\bshould (?:be (?:fine|ok|okay|good|fun|great)|i|we)\b|\bas a rule\b|\bi should\b"
    r"|\bi(?:['’]ll| will| can)? (?:be sure|make sure|ensure)\b"
)
_OF_NONE = lexicon(
    "i we know he she they mind seen heard thought knew been ve have be worry those these things people kids some as"
)
"""One of these words is in everything that only sounds like a rule."""


def is_rule(sentence: str, words: frozenset[str] | None = None) -> bool:
    """Whether somebody says how it is to be done, and not only how it is. words: of the sentence, if they are known."""
    is_latin = sentence.isascii()
    words = words_of(sentence) if words is None and is_latin else words or frozenset()
    if is_latin and not _may_be_rule(words):
        return False
    lowered = sentence.lower()
    if (_SURELY.isdisjoint(words) or not is_latin) and not _RULE.search(lowered):
        return False
    if ("?" in sentence or "？" in sentence) and QUESTION.search(sentence):
        return False
    return (is_latin and _OF_NONE.isdisjoint(words)) or not _NONE.search(lowered)


def _may_be_rule(words: frozenset[str]) -> bool:
    if not _OF_RULES.isdisjoint(words):
        return True
    return not _OF_PAIRS.isdisjoint(words) and any(pair <= words for pair in _PAIRS)


def is_strong_rule(rule: str) -> bool:
    """Whether a rule says always, never or must: it outlives those that say should."""
    if rule.isascii():
        words = words_of(rule)
        if _OF_STRONG.isdisjoint(words) and not words >= _DO_NOT:
            return False
    return _STRONG_RULE.search(rule.lower()) is not None


def announces_rules(paragraph: str) -> bool:
    """Whether a list of rules follows."""
    return paragraph.rstrip()[-1:] in (":", "：") and _FOLLOW.search(paragraph.lower()) is not None
