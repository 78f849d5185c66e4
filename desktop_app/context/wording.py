"""What in a text must not be paraphrased, found without a model: facts, rules, decisions, errors, questions.

Every search is linear, also on text without a space: words are taken apart first, and long ones are not facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

FACT_MOST = 300
"""Characters; a longer word without a space is data, such as base64. No URL worth saying aloud is longer."""
WORDS_REMEMBERED = 32_768
"""Distinct words whose facts are kept at hand: a language's own, and the names of a few projects."""

_EXTENSIONS = (
    "py|pyi|ts|tsx|js|jsx|mjs|json|jsonl|md|rst|toml|ya?ml|sql|sh|go|rs|c|h|cc|cpp|hpp|java|kt|rb|php|css|scss|html?"
    "|txt|cfg|conf|ini|lock|csv|xml|ipynb|vue|svelte|swift|scala|proto|tf|log|diff|patch|env|pdf|docx?|xlsx?|png|jpe?g"
)


def lexicon(words: str) -> frozenset[str]:
    """Words to look up, from one text."""
    return frozenset(words.split())


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

_DECISION_WORDS = lexicon(
    "decided decision decide chose chosen instead agreed agree settled fixed implemented added removed renamed replaced"
    " converted restored migrated completed confirmed confirm booked cancelled"
)
_DECISION_PAIRS = tuple(
    map(frozenset, (("going", "with"), ("go", "with"), ("root", "cause"), ("turns", "out"), ("will", "use")))
)
_PAIRED = frozenset({"with", "root", "turns", "will"})
_DECISION_CJK = re.compile("决定|改为|同意|決め")
_WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff]+|[\u3040-\u30ff\u3400-\u9fff]{2}")
_TO_WORDS = bytes(
    ord(sign.lower()) if sign.isascii() and (sign.isalnum() or sign == "_") else ord(" ")
    for sign in map(chr, range(256))
)
"""ASCII signs as small letters, and blanks between words: three times as fast as the search for words."""
QUESTION = re.compile(r"[?？][\"'”)\]*_]*\s*$")

_ERROR_STEMS = (
    "error", "exception", "fatal", "panic", "fail", "traceback", "denied", "no such file", "not found", "cannot",
    "can't", "refused", "timed out", "timeout", "unable to", "undefined", "exit", "grep:", "unresolved", "err!",
)  # fmt: skip
_ERROR_LINE = re.compile(
    r"(?:^|[\s(\[\"'])[\w.]{0,80}(?:Error|Exception|Warning as error)\b\s*[:(]"
    r"|\b(?:error|fatal|panic|failure)\b\"?\s*[:!]|\bfailed\b|\berror(?: [A-Z]+\d+|\[[A-Z]\d+\])"
    r"|^\s*(?:npm )?(?:ERR!|(?:error|fatal|FAIL(?:ED)?)\b)"
    r"|^E\s{2,}\S|\bTraceback \(most recent|\b(?:permission|access) denied\b|\bno such file|\bcommand not found\b"
    r"|\b(?:could )?not found\b|\bcannot (?:find|open|read|access|import|stat|be|load|resolve)|\bunable to\b"
    r"|\btimed out\b|\bconnection refused\b|\bundefined (?:reference|symbol|variable|name)"
    r"|\bexit(?:ed)?(?: with)?(?: code| status)?[: ]+[1-9]\d{0,2}\b"
    r"|^(?:grep|rg|sed|awk|find|ls|cat|cp|mv|rm|cd|tar|bash|sh|zsh|git|python\d?|node|npm|npx|make|curl|ssh): \S",
    re.IGNORECASE,
)
_CODE_LINE = re.compile(
    r"^\s*(?:\d{1,6}(?:[:|│→\t]|\s{2})|//|/\*|\*\s|#[ :]|\||[+-]\s{2}|[{}\]]"
    r"|(?:raise|throw|except|catch|if|elif|else|return|const|let|var|def|class|function|import|from|export|case|await"
    r"|this\.|self\.|assert|new|private|public|type|interface)\b"
    r"|[\w.$]+(?:\(|\s?=[^=])|[\"'][\w.-]+[\"']\s?:|\w+\??:\s?[\w.|<>\[\]]+[,;]$|[a-z]+[A-Z]\w*\??:|[:?]\s)"
    r"|[{;]\s*$|=>|\)\s*:\s*$"
)
_SURELY_ERROR = re.compile(
    r"^Traceback|^(?:\w{1,40}\.){0,8}(?:[A-Z]\w{0,80})?(?:Error|Exception): \S|\berror(?: [A-Z]+\d+|\[[A-Z]\d+\])\s*:"
    r"|\"(?:error|message|detail|reason)\"\s?:\s?\"[^\"]{0,400}\s[^\"]{0,400}\""
)
"""The shapes of compilers, interpreters and servers, which may quote code."""


def facts_in(text: str) -> list[str]:
    """Paths, URLs, addresses, identifiers, numbers and names in back-ticks, in their order, without repeats."""
    quoted = [name for name in map(str.strip, _QUOTED_NAME.findall(text)) if len(name) > 1] if "`" in text else []
    named = chain.from_iterable(map(_facts_of_word, dict.fromkeys(text.split())))
    return list(dict.fromkeys([*quoted, *named]))


@lru_cache(WORDS_REMEMBERED)
def _facts_of_word(word: str) -> tuple[str, ...]:
    """Most words are plain, and come again and again: to find out so is cheaper than to search them."""
    if (word.isalpha() and word[1:].islower()) or len(word) > FACT_MOST:
        return ()
    bare = word.strip(_SIGNS)
    if (bare.isalpha() and bare[1:].islower()) or _PLAIN_WORD.fullmatch(bare):
        return ()
    search = _FACT if "." in bare or "/" in bare or "@" in bare else _SHORT_FACT
    facts = (match.group().rstrip(_TRAILING) for match in search.finditer(word.lstrip(_LEADING)))
    return tuple(fact for fact in facts if len(fact) > 1)


def words_of(text: str) -> frozenset[str]:
    """The distinct words of a text; Chinese and Japanese in pairs of characters."""
    if text.isascii():
        return frozenset(text.encode().translate(_TO_WORDS).decode().split())
    return frozenset(_WORD.findall(text.lower()))


def is_decision(sentence: str, words: frozenset[str] | None = None) -> bool:
    """Whether something was settled, or done. words: of the sentence, if they are known."""
    words = words_of(sentence) if words is None else words
    return (
        not _DECISION_WORDS.isdisjoint(words)
        or (not _PAIRED.isdisjoint(words) and any(pair <= words for pair in _DECISION_PAIRS))
        or (not sentence.isascii() and _DECISION_CJK.search(sentence) is not None)
    )


def error_lines(text: str, most: int = 3, width: int = 240) -> list[str]:
    """The lines that tell of an error, not code that speaks of errors: the first, then the last, at most `most`."""
    lowered = text.lower()
    stems = [stem for stem in _ERROR_STEMS if stem in lowered]
    if not stems:
        return []
    found: dict[str, None] = {}
    for line in _lines_with(stems, text, lowered):
        told = line[: 4 * width].strip()
        if len(told) > 3 and is_error_line(told):
            found.setdefault(told[:width])
    lines = list(found)
    return lines if len(lines) <= most else [lines[0], *lines[len(lines) - most + 1 :]]


def _lines_with(stems: list[str], text: str, lowered: str) -> Iterator[str]:
    """The lines that have one of those stems. `lowered`: the text in small letters."""
    if len(lowered) != len(text) or "\r" in text:
        yield from (line for line in text.splitlines() if any(map(line.lower().__contains__, stems)))
        return
    begins: set[int] = set()
    for stem in stems:
        place = lowered.find(stem)
        while place >= 0:
            begins.add(text.rfind("\n", 0, place) + 1)
            end = text.find("\n", place)
            place = lowered.find(stem, end) if end >= 0 else -1
    for begin in sorted(begins):
        end = text.find("\n", begin)
        yield text[begin : end if end >= 0 else len(text)]


def is_error_line(line: str) -> bool:
    """Whether the line reports an error."""
    if not _ERROR_LINE.search(line):
        return False
    return not _CODE_LINE.search(line) or _SURELY_ERROR.search(line) is not None
