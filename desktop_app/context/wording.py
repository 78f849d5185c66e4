"""What in a text must not be paraphrased, found without a model: facts, rules, decisions, errors, questions.

Every search is linear, also on text without a space: words are taken apart first, and long ones are not facts.
"""

from __future__ import annotations

import re

FACT_MOST = 300
"""Characters; a longer word without a space is data, such as base64. No URL worth saying aloud is longer."""

_EXTENSIONS = (
    "py|pyi|ts|tsx|js|jsx|mjs|json|jsonl|md|rst|toml|ya?ml|sql|sh|go|rs|c|h|cc|cpp|hpp|java|kt|rb|php|css|scss|html?"
    "|txt|cfg|conf|ini|lock|csv|xml|ipynb|vue|svelte|swift|scala|proto|tf|log|diff|patch|env|pdf|docx?|xlsx?|png|jpe?g"
)


def lexicon(words: str) -> frozenset[str]:
    """Words to look up, from one text."""
    return frozenset(words.split())


_FACT = re.compile(
    r"(?P<url>\bhttps?://[^\s<>\"'`)\]}]+)"
    r"|(?P<mail>\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+)"
    r"|(?P<path>(?<![\w/])(?:~|\.{1,2}|[\w.@-]{1,80})?(?:/[\w.@+-]{1,120})+/?|\b[\w-]{1,80}(?:\.[\w-]{1,40}){0,3}\.(?:"
    + _EXTENSIONS
    + r")\b)"
    r"|(?P<number>(?<![\w.])[#$€£]?\d[\d,.:/-]{0,40}\d\b%?|(?<![\w.])[#$€£]\d\b|\b\d%)"
    r"|(?P<identifier>\b(?:[a-z][a-z0-9]{0,40}(?:[A-Z][a-z0-9]{0,40}){1,8}|(?:[A-Z][a-z0-9]{1,40}){2,8}"
    r"|[vV]\d{1,4}(?:\.\d{1,6}){1,4}|[A-Za-z]\w{0,60}_\w{1,60}|[A-Z]{2,10}-\d[\w-]{0,30}|(?=[a-zA-Z]{0,40}\d)\w{2,80})(?!\w))"
)
_QUOTED_NAME = re.compile(r"`([^`\n]{1,120})`")
_PLAIN_WORD = re.compile(r"[a-z]+[a-z'’-]*|[A-Z][a-z'’-]*|[^\w/]+")
_TRAILING = ".,;:!?…\"'”’)]}*"
_LEADING = "\"'“‘([{*<"
_SIGNS = _LEADING + _TRAILING

STRONG_RULE = re.compile(
    r"\b(?:always|never|must(?:n['’]t)?|don['’]?t|do not|not allowed|forbidden|under no circumstances|constraints?"
    r"|requirements?|rules?|policy)\b(?!\.\w)|必须|务必|不要|不得|不能|禁止|规则|[请要都]总是|永远不"
    r"|\b(?:niemals|immer|darf nicht|jamais|toujours|nunca|siempre)\b",
    re.IGNORECASE,
)
RULE = re.compile(
    STRONG_RULE.pattern
    + r"|\b(?:should(?:n['’]t)?|prefer(?:red|ably)?|avoid|only ever|make sure|ensure|be sure to|stick to|from now on"
    r"|instead of|please (?:keep|use|do|don)|only (?:use|change|touch|edit|write|run|commit)|use only|without asking"
    r"|ask (?:me )?(?:first|before)|every \w+ (?:needs|gets|has to)|no \w+ (?:anywhere|ever|at all)"
    r"|not even|ha(?:s|ve) to be|at (?:most|least))\b|[你们都]应该|最好|尽量"
    r"|\b(?:bitte|sollte|muss|müssen|il faut|debe)\b",
    re.IGNORECASE,
)
_RULE_WORDS = lexicon(
    "always never must mustn don dont do not forbidden circumstances constraint constraints requirement requirements"
    " rule rules policy asking ask should shouldn prefer preferred preferably avoid only make ensure sure stick from"
    " instead please use every anywhere ever even least most has have all niemals immer darf jamais toujours nunca"
    " siempre bitte sollte muss faut debe"
)
"""One of these is in every rule in Latin letters: to look words up is cheaper than the search."""
_RULES_FOLLOW = re.compile(
    r"(?:\b(?:rules?|constraints?|requirements?|conventions?|guidelines?|polic(?:y|ies)|must|always|never|keep in mind"
    r"|remember|please)\b|规则|要求|必须|注意)[^.!?。！？]{0,120}[:：]\s*$",
    re.IGNORECASE,
)
_NO_RULE = re.compile(
    r"\b(?:I|we) (?:really |just |still |also )?(?:do not|don['’]?t) (?:really |even |quite )?(?:t?h?ink|understand"
    r"|have|see|get it|believe|remember|recall|mind|care)\b|\b(?:do not|don['’]?t) know\b"
    r"|\b(?:I['’]ve|I (?:have|had)|he|she|they) never\b|\bnever (?:mind|seen|heard|thought|knew|been)\b"
    r"|\bmust(?:['’]ve| have| be (?:so|the|such|a|an|very|really|nice|hard|fun|great))\b|\bdon['’]?t worry\b"
    r"|\b(?:they|those|these|things|people|kids|some) don['’]?t\b"
    r"|\bshould (?:be (?:fine|ok|okay|good|fun|great)|I|we)\b|\bas a rule\b|\bI should\b"
    r"|\bI(?:['’]ll| will| can)? (?:be sure|make sure|ensure)\b",
    re.IGNORECASE,
)
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
    found: dict[str, None] = {}
    if "`" in text:
        found.update((name.strip(), None) for name in _QUOTED_NAME.findall(text) if len(name.strip()) > 1)
    for word in dict.fromkeys(text.split()):
        # Most words are plain; to find out so is cheaper than to search them.
        if (word.isalpha() and word[1:].islower()) or len(word) > FACT_MOST:
            continue
        bare = word.strip(_SIGNS)
        if (bare.isalpha() and bare[1:].islower()) or _PLAIN_WORD.fullmatch(bare):
            continue
        for match in _FACT.finditer(word.lstrip(_LEADING)):
            fact = match.group().rstrip(_TRAILING)
            if len(fact) > 1:
                found.setdefault(fact)
    return list(found)


def words_of(text: str) -> frozenset[str]:
    """The distinct words of a text; Chinese and Japanese in pairs of characters."""
    return frozenset(_WORD.findall(text.lower()))


def is_rule(sentence: str, words: frozenset[str] | None = None) -> bool:
    """Whether somebody says how it is to be done, and not only how it is. words: of the sentence, if they are known."""
    if sentence.isascii() and _RULE_WORDS.isdisjoint(words_of(sentence) if words is None else words):
        return False
    return bool(RULE.search(sentence)) and not (QUESTION.search(sentence) or _NO_RULE.search(sentence))


def announces_rules(paragraph: str) -> bool:
    """Whether a list of rules follows."""
    return _RULES_FOLLOW.search(paragraph) is not None


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
    for line in text.splitlines():
        told = line[: 4 * width].strip()
        low = told.lower()
        if any(stem in low for stem in stems) and len(told) > 3 and is_error_line(told):
            found.setdefault(told[:width])
    lines = list(found)
    return lines if len(lines) <= most else [lines[0], *lines[len(lines) - most + 1 :]]


def is_error_line(line: str) -> bool:
    """Whether the line reports an error."""
    if not _ERROR_LINE.search(line):
        return False
    return not _CODE_LINE.search(line) or _SURELY_ERROR.search(line) is not None
