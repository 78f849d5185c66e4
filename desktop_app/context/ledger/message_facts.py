"""Find the sentences and facts of messages, each message once; in tool output, the lines that report an error.

Error lines are those of compilers, interpreters, tests, shells and servers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from desktop_app.conversation.message import Message, Role, Text, ToolResult

from .facts import facts_in
from .own_words import own_words, without_quotations
from .prose import MAX_READ, MAX_SENTENCE, SHORT_MESSAGE, Paragraph, paragraphs, sentences_of, without_stamp
from .user_rules import announces_rules, is_rule, may_supersede

_STEMS = (
    "error", "exception", "fatal", "panic", "fail", "traceback", "denied", "no such file", "not found", "cannot",
    "can't", "refused", "timed out", "timeout", "unable to", "undefined", "exit", "grep:", "unresolved", "err!",
    "http/", '"status', "status code", "segmentation", "core dumped", "could not", "not ok ", "e   ", "killed",
    "imported and not used", "out of memory", "fehler", "nicht gefunden",
)  # fmt: skip
_OTHER_STEMS = ("✕", "✗", "错误", "失败", "エラー")
"""Every error line contains one of these in lowercase: a cheap first test."""
_ERROR_LINE = re.compile(
    r"(?:^|[\s(\[\"'])[\w.]{0,80}(?:Error|Exception|Warning as error)\b\s*(?:[:(]|\[\w+\]:|\)|$)"
    r"|\b(?:error|fatal|panic|failure)\b\"?\s*[:!]|(?<!\b0 )\bfailed\b|\berror(?: [A-Z]+\d+|\[[A-Z]\d+\])"
    r"|^\s*(?:npm )?(?:ERR!|(?:error|fatal|(?:-+ )?FAIL(?:ED)?)\b)"
    r"|^E\s{2,}\S|\bTraceback \(most recent|\b(?:permission|access) denied\b|\bno such file|\bcommand not found\b"
    r"|\b(?:could )?not found\b|\bcannot (?:find|open|read|access|import|stat|be|load|resolve)|\bunable to\b"
    r"|\btimed out\b|\bconnection refused\b|\bundefined (?:reference|symbol|variable|name)|:\d+:\d+: undefined: "
    r"|\bexit(?:ed)?(?: with)?(?: code| status)?[: ]+[1-9]\d{0,2}\b"
    r"|\bhttp/[\d.]+ [45]\d\d\b|\"(?:status|status_?code|code)\"\s?:\s?\"?[45]\d\d\b|\bstatus code:? [45]\d\d\b"
    r"|\bsegmentation fault|\bcore dumped\b|\bpanicked at\b|\bcould not \w+|^\s*not ok \d|^\s*[✕✗] \S"
    r"|\bimported and not used\b|^\s*\d+:\d+\s+error\s|\bunresolved (?:reference|import|symbol|name)"
    r"|^\s*[1-9]\d* failing\b|\bout of memory\b|^Killed\b|\b(?:datei )?nicht gefunden\b|\bFehler:|错误[:：]|失败|エラー"
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
    r"|\"(?:error|message|detail|reason)\"\s?:\s?\"[^\"]{0,400}\s[^\"]{0,400}\"|\"(?:status|status_?code|code)\"\s?:\s?[45]\d\d"
    r"|^\s*\d+:\d+\s+error\s|:\d+:\d+: undefined: |panicked at |\) ?Unresolved reference"
)
"""Formats of compilers, interpreters and servers, which may quote code."""


def error_lines(text: str, most: int = 3, width: int = 240) -> list[str]:
    """Return the first and the last lines that report an error, at most `most`, without code that mentions errors."""
    lowered = text.lower()
    stems = [stem for stem in (_STEMS if text.isascii() else _STEMS + _OTHER_STEMS) if stem in lowered]
    found: dict[str, None] = {}
    for line in text.splitlines() if stems else ():
        told = line[: 4 * width].strip()
        if len(told) > 3 and any(map(line.lower().__contains__, stems)) and _is_error_line(told):
            found.setdefault(told[:width])
    lines = list(found)
    return lines if len(lines) <= most else [lines[0], *lines[len(lines) - most + 1 :]]


def _is_error_line(line: str) -> bool:
    """Whether the line reports an error, and is not code that mentions one."""
    if not _ERROR_LINE.search(line):
        return False
    return not _CODE_LINE.search(line) or _SURELY_ERROR.search(line) is not None


MAX_FACTS_OF_MESSAGE = 10_000
"""A message with more names is a table of data."""
MAX_ERRORS_OF_RESULT = 60
LISTED = re.compile(r"^[ \t]*(\d{1,6})[:|│]", re.MULTILINE)
"""The numbers of a listing's lines."""


class MessageFacts(msgspec.Struct, frozen=True, gc=False):
    """What one message contains; rules and facts are those of a user's message."""

    day: str
    """The date with which the message itself begins, such as "25 May, 2023", or ""."""
    text: str
    """What follows the date."""
    sentences: tuple[str, ...]
    """In own words."""
    rules: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    """Facts in own words."""
    pasted: tuple[str, ...] = ()
    """Facts in what was pasted, and in the date with which the message begins."""
    may_change: bool = False
    """A sentence may take back or replace a rule."""
    instructions: tuple[str, ...] = ()
    """Sentences of a user's message neither quoted nor pasted; only those make and change rules."""

    @property
    def facts(self) -> tuple[str, ...]:
        """All facts, those in own words first."""
        return self.own + self.pasted


class Reading:
    """A cache of what was read of messages, by identity: a message is a value and never changes.

    Kept from compaction to compaction, each message is read once. It holds references to all messages read.
    """

    def __init__(self, check: Callable[[], None] | None = None) -> None:
        self._check = check
        self._kept: dict[int, tuple[Message, MessageFacts]] = {}
        self._errors: dict[int, tuple[Message, tuple[str, ...]]] = {}

    def checked(self, check: Callable[[], None]) -> Reading:
        """Return one with the same cache that calls `check` before each message, which may raise to end it."""
        checked = Reading(check)
        checked._kept, checked._errors = self._kept, self._errors
        return checked

    def keep_only(self, messages: Iterable[Message]) -> None:
        """Forget what was read of all others but of the user's own, whose rules are looked for in the whole branch."""
        here = {id(message) for message in messages}
        self._kept = {i: kept for i, kept in self._kept.copy().items() if i in here or kept[0].role is Role.USER}
        self._errors = {i: kept for i, kept in self._errors.copy().items() if i in here}

    def of(self, message: Message) -> MessageFacts:
        """Return what the message contains, read at the first call only."""
        if self._check is not None:
            self._check()
        kept = self._kept.get(id(message))
        if kept is None:
            kept = self._kept[id(message)] = (message, _read(message))
        return kept[1]

    def errors_of(self, message: Message, result: ToolResult) -> tuple[str, ...]:
        """Return the lines of a tool's result that report an error, at most `MAX_ERRORS_OF_RESULT`."""
        kept = self._errors.get(id(message))
        if kept is None:
            kept = self._errors[id(message)] = (message, tuple(error_lines(result.text, MAX_ERRORS_OF_RESULT)))
        return kept[1]


def _read(message: Message) -> MessageFacts:
    whole = message.text
    day, text = without_stamp(whole)
    said = paragraphs(text)
    told = tuple(sentences_of(said))
    if message.role is not Role.USER:
        return MessageFacts(day, text, told)
    typed = without_stamp("\n\n".join(part.text for part in message.parts if isinstance(part, Text) and part.text))[1]
    typed = typed[:MAX_READ]
    own = own_words(typed)
    own_said = said if own == text[:MAX_READ] else paragraphs(own)
    own_told = told if own == text[:MAX_READ] else tuple(sentences_of(own_said))
    rules = _rules(own_said, own_told)
    return MessageFacts(day, text, told, rules, *_facts(whole, day, text, said), may_supersede(own), own_told)


def _rules(said: Sequence[Paragraph], told: Iterable[str]) -> tuple[str, ...]:
    listed = list(_listed_as_rules(said))
    others = [
        rule
        for rule in dict.fromkeys(told)
        if is_rule(rule) and is_own(rule) and rule[-1] not in ":：" and not any(rule in point for point in listed)
    ]
    return tuple(dict.fromkeys(listed + others))


def is_own(rule: str) -> bool:
    """Whether a sentence is still a rule without what it quotes."""
    bare = without_quotations(rule)
    return bare == rule or is_rule(bare)


def _facts(whole: str, day: str, text: str, said: Sequence[Paragraph]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return facts in own words, and the others."""
    facts = facts_in(whole)[:MAX_FACTS_OF_MESSAGE]
    if not (day or "```" in text or (len(text) > SHORT_MESSAGE and LISTED.search(text))):
        return tuple(facts), ()
    own = set(facts_in("\n".join([paragraph for paragraph, _ in said])))
    return tuple([fact for fact in facts if fact in own]), tuple([fact for fact in facts if fact not in own])


def _listed_as_rules(said: Sequence[Paragraph]) -> Iterator[str]:
    """Yield the points of a list that is announced as one of rules, each whole, with its reason."""
    is_listing = False
    for text, is_point in said:
        if not is_point:
            is_listing = announces_rules(text)
        elif is_listing and len(text) <= MAX_SENTENCE:
            yield text
