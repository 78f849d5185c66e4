"""Find and cache the sentences and facts of messages; in tool output, the lines that report an error.

Error lines come from compilers, interpreters, tests, shells and servers.
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

_PHRASES = (
    "permission denied", "access denied", "no such file", "no such column", "no such table", "no such target",
    "no such option", "command not found", "not found", "unable to ", "timed out", "connection refused",
    "segmentation fault", "core dumped", "panicked at", "out of memory", "oomkilled", "unreachable!", "could not ",
    "imported and not used", "can't locate", "no matches found", "attempt to index", "attempt to call", "parse error",
    "merge conflict in", "does not apply", "no replacement was", "did not appear", "has not been read",
    "not authenticated", "service unavailable", "too many requests", "invalid argument", "invalid param", "[emerg]",
    "[crit]", "error at ", "nicht gefunden", "fehler:", "erreur :", "erreur:", "error :",
)  # fmt: skip
_OTHER_PHRASES = ("错误:", "错误：", "失败", "エラー")
"""In lowercase: a line of a tool's output with one of these reports an error."""
_STEMS = (
    *_PHRASES, "error", "exception", "fatal", "panic", "fail", "traceback", "cannot", "undefined", "exit", "grep:",
    "unresolved", "err!", "http", '"status', "status code", "not ok ", "e   ", "killed", "expected", ", want ",
)  # fmt: skip
_OTHER_STEMS = (*_OTHER_PHRASES, "✕", "✗")
"""Every error line contains one of these stems in lowercase: a cheap first test."""
_ERROR_LINE = re.compile(
    r"(?:^|[\s(\[\"'])[\w.]{0,80}(?:Error|Exception|Warning as error)\b\s*(?:[:(]|\[\w+\]:|\)|$)"
    r"|\b(?:error|fatal|panic|failure)\b\"?\s*[:!]|(?<!\b0 )\bfailed\b|\berror(?: [A-Z]+\d+|\[[A-Z]\d+\]| -?\d+:)"
    r"|^\s*(?:npm )?(?:ERR!|(?:error|fatal|(?:-+ )?FAIL(?:ED)?)\b)"
    r"|^E\s{2,}\S|\bTraceback \(most recent"
    r"|\bcannot (?:find|open|read|access|import|stat|be|load|resolve)"
    r"|\bundefined (?:reference|symbol|variable|name)|:\d+:\d+: undefined: "
    r"|\bexit(?:ed)?(?: with)?(?: code| status)?[: ]+[1-9]\d{0,2}\b"
    r"|\bhttp(?:/[\d.]+)? [45]\d\d\b|\"(?:status|status_?code|code)\"\s?:\s?\"?[45]\d\d\b|\bstatus code:? [45]\d\d\b"
    r"|^\s*not ok \d|^\s*[✕✗] \S|^\s*\d+:\d+\s+error\s|\bunresolved (?:reference|import|symbol|name)"
    r"|^\s*[1-9]\d* failing\b|^Killed\b|^expected: |\bgot .{1,80}, want "
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
    """Return the first and the last error lines, at most `most`; code that mentions errors is not an error line."""
    lowered = text.lower()
    stems = [stem for stem in (_STEMS if text.isascii() else _STEMS + _OTHER_STEMS) if stem in lowered]
    found: dict[str, None] = {}
    for line in text.splitlines() if stems else ():
        beginning = line[: 4 * width].strip()
        if len(beginning) > 3 and any(map(line.lower().__contains__, stems)) and _is_error_line(beginning):
            found.setdefault(beginning[:width])
    lines = list(found)
    return lines if len(lines) <= most else [lines[0], *lines[len(lines) - most + 1 :]]


def _is_error_line(line: str) -> bool:
    """Return whether the line reports an error and is not code that mentions one."""
    lowered = line.lower()
    phrases = _PHRASES if line.isascii() else _PHRASES + _OTHER_PHRASES
    if not (any(map(lowered.__contains__, phrases)) or _ERROR_LINE.search(line)):
        return False
    return not _CODE_LINE.search(line) or _SURELY_ERROR.search(line) is not None


MAX_FACTS_OF_MESSAGE = 10_000
"""A message with more facts is a table of data."""
MAX_ERRORS_OF_RESULT = 60
LISTED = re.compile(r"^[ \t]*(\d{1,6})[:|│]", re.MULTILINE)
"""A line number in a listing."""


class MessageFacts(msgspec.Struct, frozen=True, gc=False):
    """The sentences of a message, and the rules and facts of a user's message."""

    day: str
    """The date with which the message itself begins, such as "25 May, 2023", or ""."""
    text: str
    """The text after the date."""
    sentences: tuple[str, ...]
    """Sentences of prose, without pasted code, logs and tables."""
    rules: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    """Facts in prose."""
    pasted: tuple[str, ...] = ()
    """Facts in pasted text, and in the date with which the message begins."""
    may_change: bool = False
    """Whether a sentence may take back or replace a rule."""
    instructions: tuple[str, ...] = ()
    """Sentences of a user's message that are neither quoted nor pasted; only these make and change rules."""

    @property
    def facts(self) -> tuple[str, ...]:
        """All facts, those from prose first."""
        return self.own + self.pasted


class Reading:
    """Cache of the facts of messages by identity, since a message never changes.

    It lives from compaction to compaction, so that each message is parsed once. It references all parsed messages.
    """

    def __init__(self, check: Callable[[], None] | None = None) -> None:
        self._check = check
        self._kept: dict[int, tuple[Message, MessageFacts]] = {}
        self._errors: dict[int, tuple[Message, tuple[str, ...]]] = {}

    def checked(self, check: Callable[[], None]) -> Reading:
        """Return a view of the same cache that calls `check` before each message; `check` may raise to end the work."""
        checked = Reading(check)
        checked._kept, checked._errors = self._kept, self._errors
        return checked

    def keep_only(self, messages: Iterable[Message]) -> None:
        """Drop the facts of other messages, except user messages, since rules are looked for in the entire branch."""
        kept_ids = {id(message) for message in messages}
        self._kept = {i: kept for i, kept in self._kept.copy().items() if i in kept_ids or kept[0].role is Role.USER}
        self._errors = {i: kept for i, kept in self._errors.copy().items() if i in kept_ids}

    def of(self, message: Message) -> MessageFacts:
        """Return the facts of the message, which is parsed at the first call only."""
        if self._check is not None:
            self._check()
        kept = self._kept.get(id(message))
        if kept is None:
            kept = self._kept[id(message)] = (message, _read(message))
        return kept[1]

    def errors_of(self, message: Message, result: ToolResult) -> tuple[str, ...]:
        """Return the lines of a tool result that report an error, at most `MAX_ERRORS_OF_RESULT`."""
        kept = self._errors.get(id(message))
        if kept is None:
            kept = self._errors[id(message)] = (message, tuple(error_lines(result.text, MAX_ERRORS_OF_RESULT)))
        return kept[1]


def _read(message: Message) -> MessageFacts:
    full_text = message.text
    day, text = without_stamp(full_text)
    prose = paragraphs(text)
    sentences = tuple(sentences_of(prose))
    if message.role is not Role.USER:
        return MessageFacts(day, text, sentences)
    typed = without_stamp("\n\n".join(part.text for part in message.parts if isinstance(part, Text) and part.text))[1]
    typed = typed[:MAX_READ]
    own = own_words(typed)
    own_prose = prose if own == text[:MAX_READ] else paragraphs(own)
    own_sentences = sentences if own == text[:MAX_READ] else tuple(sentences_of(own_prose))
    rules = _rules(own_prose, own_sentences)
    return MessageFacts(
        day, text, sentences, rules, *_facts(full_text, day, text, prose), may_supersede(own), own_sentences
    )


def _rules(prose: Sequence[Paragraph], sentences: Iterable[str]) -> tuple[str, ...]:
    listed = list(_listed_as_rules(prose))
    others = [
        rule
        for rule in dict.fromkeys(sentences)
        if is_rule(rule) and is_own(rule) and rule[-1] not in ":：" and not any(rule in point for point in listed)
    ]
    return tuple(dict.fromkeys(listed + others))


def is_own(rule: str) -> bool:
    """Return whether a sentence is still a rule without its quotations."""
    bare = without_quotations(rule)
    return bare == rule or is_rule(bare)


def _facts(full_text: str, day: str, text: str, prose: Sequence[Paragraph]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the facts in prose, and the others."""
    facts = facts_in(full_text)[:MAX_FACTS_OF_MESSAGE]
    if not (day or "```" in text or (len(text) > SHORT_MESSAGE and LISTED.search(text))):
        return tuple(facts), ()
    own = set(facts_in("\n".join([paragraph for paragraph, _ in prose])))
    return tuple([fact for fact in facts if fact in own]), tuple([fact for fact in facts if fact not in own])


def _listed_as_rules(prose: Sequence[Paragraph]) -> Iterator[str]:
    """Yield the points of a list that is announced as rules, each with its reason."""
    is_listing = False
    for text, is_point in prose:
        if not is_point:
            is_listing = announces_rules(text)
        elif is_listing and len(text) <= MAX_SENTENCE:
            yield text
