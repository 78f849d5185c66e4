"""How text is read without a model: sentences, and the things in them that must not be paraphrased."""

from __future__ import annotations

import re

SENTENCE_MOST = 400
"""Characters; longer "sentences" are logs, data or pasted code, which a summary does not quote."""

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+(?=[\"'“(\[]?[A-Z0-9À-Þ`*])|(?<=[。！？])|\n+")
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*•>]+|\d+[.)])\s+")

_EXTENSIONS = (
    "py|pyi|ts|tsx|js|jsx|mjs|json|md|toml|ya?ml|sql|sh|go|rs|c|h|cc|cpp|hpp|java|kt|rb|php|css|html?|txt|cfg|ini"
    "|lock|csv|xml|ipynb|vue|swift|scala|proto|tf|log|diff|patch|env"
)
FACT = re.compile(
    r"`(?P<name>[^`\n]{1,120})`"
    r"|(?P<url>\bhttps?://[^\s<>\"'`)\]}]+)"
    r"|(?P<mail>\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+)"
    r"|(?P<path>(?<![\w/])(?:~|\.{1,2}|[\w.@-]{1,80})?(?:/[\w.@+-]{1,120})+/?|\b[\w-]{1,80}\.(?:"
    + _EXTENSIONS
    + r")\b)"
    r"|(?P<identifier>\b(?:[a-z][a-z0-9]{0,40}(?:[A-Z][a-z0-9]{0,40}){1,8}|(?:[A-Z][a-z0-9]{1,40}){2,8}"
    r"|[A-Za-z]\w{0,60}_\w{1,60}|[A-Z]{2,10}-?\d[\w-]{0,30}|[A-Za-z_][\w]{0,60}(?:\.[A-Za-z_]\w{0,60}){1,6}\(\))\b)"
    r"|(?P<number>(?<![\w.])[#$€£]?\d[\d,.:/-]{0,30}\d\b%?|(?<![\w.])[#$€£]\d\b|\b\d%)"
)

STRONG_RULE = re.compile(
    r"\b(?:always|never|must|don['’]?t|do not|not allowed|constraint|requirement|rule|policy)\b"
    r"|必须|不要|不得|禁止|总是|永远|规则",
    re.IGNORECASE,
)
RULE = re.compile(
    STRONG_RULE.pattern + r"|\b(?:should|prefer|avoid|only ever|make sure|ensure)\b|应该|最好|尽量", re.IGNORECASE
)
DECISION = re.compile(
    r"\b(?:decided?|decision|chose|choose|instead of|because|so that|root cause|turns out|agreed?|settled|will use"
    r"|we use|switch(?:ed)? to|fixed|implemented|added|removed|renamed|migrated|completed|confirmed|booked"
    r"|cancelled)\b|决定|因为|改为",
    re.IGNORECASE,
)
ERROR = re.compile(
    r"(?:\b\w*(?:Error|Exception)\b\s*[:(]|\b(?:error|fatal|panic|failed|failure)\b\s*[:!]|\bTraceback\b|\bE\s{2,}\w"
    r"|\bFAILED\b|\b(?:permission denied|no such file|command not found|not found|cannot)\b|\berror TS\d+)",
    re.IGNORECASE,
)
QUESTION = re.compile(r"[?？]\s*$")


def sentences(text: str) -> list[str]:
    """The sentences and list points of a text, without fenced code and without what is too long to quote."""
    prose = _FENCE.sub("\n", text)
    found = (_BULLET.sub("", piece).strip() for piece in _SENTENCE_END.split(prose))
    return [piece for piece in found if 2 < len(piece) <= SENTENCE_MOST]


def facts_in(text: str) -> list[str]:
    """Paths, URLs, addresses, identifiers, numbers and names in back-ticks, in their order, without repeats."""
    seen: dict[str, None] = {}
    for match in FACT.finditer(text):
        fact = match.group(match.lastgroup or 0).strip().rstrip(".,;:!?")
        if len(fact) > 1:
            seen.setdefault(fact)
    return list(seen)


def error_lines(text: str, most: int = 3, width: int = 240) -> list[str]:
    """The lines that tell of an error: the first one, then the last ones, at most `most`."""
    found: dict[str, None] = {}
    for match in ERROR.finditer(text):
        start = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end())
        line = text[start : len(text) if end < 0 else end].strip()
        if len(line) > 3:
            found.setdefault(line[:width])
    lines = list(found)
    return lines if len(lines) <= most else [lines[0], *lines[len(lines) - most + 1 :]]
