"""Find the facts of a text that must not be paraphrased, without a model: paths, links, identifiers, numbers.

Every search is linear, even on text without a space: words are split first, and long ones are not facts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

from desktop_app.conversation.words import lexicon

MAX_FACT = 300
"""Characters; a longer word is data, such as base64."""
WORDS_REMEMBERED = 32_768
"""Distinct words whose facts are cached: about the words of one language and a few projects."""

_EXTENSIONS = (
    "py|pyi|ts|tsx|js|jsx|mjs|json|jsonl|md|rst|toml|ya?ml|sql|sh|go|rs|c|h|cc|cpp|hpp|java|kt|rb|php|css|scss|html?"
    "|txt|cfg|conf|ini|lock|csv|xml|ipynb|vue|svelte|swift|scala|proto|tf|log|diff|patch|env|pdf|docx?|xlsx?|png|jpe?g"
)


_NUMBER_OR_NAME = (
    r"(?P<number>(?<![\w.])[#$€£]?\d[\d,.:/-]{0,40}\d\b%?|(?<![\w.])[#$€£]\d\b|\b\d%)"
    r"|(?P<identifier>\b(?:[a-z][a-z0-9]{0,40}(?:[A-Z][a-z0-9]{0,40}){1,8}|(?:[A-Z][a-z0-9]{1,40}){2,8}"
    r"|[vV]\d{1,4}(?:\.\d{1,6}){1,4}|[A-Za-z]\w{0,60}_\w{1,60}|[A-Z]{2,10}-\d[\w-]{0,30}|(?=[a-zA-Z]{0,40}\d)\w{2,80})(?!\w))"
)
_FACT = re.compile(
    r"(?P<url>\bhttps?://[^\s<>\"'`)\]}]+)"
    r"|(?P<mail>\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+)"
    r"|(?P<path>(?<![\w/])(?:~|\.{1,2}|[\w.@-]{1,80})?(?:/[\w.@+-]{1,120})+/?|\b[\w-]{1,80}(?:\.[\w-]{1,40}){0,3}\.(?:"
    + _EXTENSIONS
    + r")\b)"
    r"|" + _NUMBER_OR_NAME
)
_SHORT_FACT = re.compile(_NUMBER_OR_NAME)
"""The same for words without a point, a slash or an at sign."""
_QUOTED_NAME = re.compile(r"`([^`\n]{1,120})`")
_PLAIN_WORD = re.compile(r"[a-z]+[a-z'’-]*|[A-Z][a-z'’-]*|[^\w/]+")
_TRAILING = ".,;:!?…\"'”’)]}*"
_LEADING = "\"'“‘([{*<"
_SIGNS = _LEADING + _TRAILING

_WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff]+|[\u3040-\u30ff\u3400-\u9fff]{2}")
_TO_WORDS = bytes(
    ord(sign.lower()) if sign.isascii() and (sign.isalnum() or sign == "_") else ord(" ")
    for sign in map(chr, range(256))
)
"""Maps ASCII letters to lowercase and separators to spaces: three times as fast as a pattern."""
FUNCTION_WORDS = lexicon(
    "a an the and or but of to in on at for with from by as is are be it its this that these those i we you my"
    " our your me us please always never must should would could can may will do does don dont doesn not no t s"
    " use using used make sure ensure prefer avoid only need needs have has had want actually instead rather than"
    " now longer anymore any more forget ignore disregard scrap drop said told about what rule rules instruction"
    " instructions changed change mind second thought on all everything when if before after every each so just"
    " let lets go ahead keep from switch earlier previous requirement hold holds still again thing things one ones"
    " there here then too also ok okay fine feel free der die das und oder nicht mehr bitte immer nie doch lieber"
    " stattdessen le la les de des et ne pas plus toujours plutôt el los las y siempre nunca en lugar vez ya"
    " user said says wants likes without asking ask asks first may allowed they he she his her their freely directly"
    " time prefers whenever needed"
)
"""Words that name nothing, also in sentences about rules."""
QUESTION = re.compile(r"[?？][\"'”)\]*_]*\s*$")


def facts_in(text: str) -> list[str]:
    """Return paths, URLs, addresses, identifiers, numbers and names in backticks, in order, without repeats."""
    quoted = [name for name in map(str.strip, _QUOTED_NAME.findall(text)) if len(name) > 1] if "`" in text else []
    named = chain.from_iterable(map(_facts_of_word, dict.fromkeys(text.split())))
    return list(dict.fromkeys([*quoted, *named]))


@lru_cache(WORDS_REMEMBERED)
def _facts_of_word(word: str) -> tuple[str, ...]:
    """Return the facts in one word. Most words are plain and frequent, so cheap tests and the cache come first."""
    if (word.isalpha() and word[1:].islower()) or len(word) > MAX_FACT:
        return ()
    bare = word.strip(_SIGNS)
    if (bare.isalpha() and bare[1:].islower()) or _PLAIN_WORD.fullmatch(bare):
        return ()
    search = _FACT if "." in bare or "/" in bare or "@" in bare else _SHORT_FACT
    facts = (match.group().rstrip(_TRAILING) for match in search.finditer(word.lstrip(_LEADING)))
    return tuple(fact for fact in facts if len(fact) > 1)


def words_of(text: str) -> frozenset[str]:
    """Return the distinct words of a text, and pairs of characters for Chinese and Japanese."""
    if text.isascii():
        return frozenset(text.encode().translate(_TO_WORDS).decode().split())
    return frozenset(_WORD.findall(text.lower()))


@lru_cache(4_096)
def topic_of(text: str) -> frozenset[str]:
    """Return the stems of the words that name something."""
    return frozenset(map(_stem, words_of(text.lower()) - FUNCTION_WORDS))


def _stem(word: str) -> str:
    for ending in ("ies", "ing", "es", "ed", "s", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
