"""Separate a user's own words from quoted or pasted text.

A rule in a mail, a page or a tool's output is not the user's. It becomes the user's only by being repeated, or by an
announcement of the quotation as rules ("Follow these rules:").

If the end of pasted text cannot be found, it extends to the end of the message: a user's rule that follows is still in
the message, but the words of others are never taken for the user's.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence

from .user_rules import announces_rules

MIN_QUOTED_WORDS = 3
"""A shorter quotation within a sentence is a name or a term, and is kept."""

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_REPLIED = re.compile(r"\s*(?:>|&gt;)")
_TAG = re.compile(r"\s*<([A-Za-z][\w:-]{0,40})(?:\s[^<>]{0,400})?>")
_OWN_TAG = re.compile(r"rule|instruct|constraint|guideline|requirement|task|style|format|prefer|request|user", re.I)
_CLOSING = {'"""': ('"""',), '"': ('"',), "“": "”", "„": "“”", "«": "»", "「": "」", "『": "』", "‹": "›"}
"""The marks that close a quotation, by the one that opens it."""
_FORWARDED = re.compile(
    r"\s*(?:[-_*=]{3,}\s*(?:original|forwarded|begin|ursprüngliche|weitergeleitete|message|mensaje|messaggio|原始|转发)"
    r"|begin forwarded message\b)",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"\s*[*_]{0,2}(?:from|to|cc|bcc|subject|date|sent|reply-to|message-id|return-path|received|von|an|betreff|gesendet"
    r"|datum|de|à|objet|envoyé|para|asunto|enviado|fecha|da|oggetto|发件人|收件人|主题|日期|差出人|件名|宛先"
    r"|title|url|source|author|published|retrieved)[*_]{0,2}\s*[:：][*_]{0,2}\s*\S",
    re.IGNORECASE,
)
_SURE_HEADER = re.compile(
    r"\W*(?:subject|betreff|objet|asunto|oggetto|主题|件名|message-id|return-path|received)\b", re.I
)
_LOGGED = re.compile(
    r"\s*\[?\d{1,2}:\d\d(?::\d\d)?\s*(?:[ap]\.?m\.?)?\]?\s*[-–]?\s*<?[^\s:<>][^:<>\n]{0,40}>?:\s", re.I
)
_NOUN = (
    r"(?:e-?mails?|mails?|letters?|newsletters?|articles?|blogs?(?: posts?)?|posts?|web ?sites?|web ?pages?|pages?|wiki"
    r"|readme|threads?|tickets?|comments?|reviews?|transcripts?|logs?|outputs?|results?|error messages?|errors?"
    r"|documents?|docs|excerpts?|passages?|paragraphs?|texts?|messages?|chats?|notes?|attachments?|files?|quotes?"
    r"|answers?|responses?|prompts?|stories|story|essay|contract|spec|snippets?)"
)
_PASTES = re.compile(
    r"\b(?:summari[sz]e|translate|proofread|paraphrase|rephrase|tl;?dr|(?:reply|respond) to|pasted?|quot(?:e|ed|ing)"
    r"|copied|what (?:do(?:es)?|is|should|would)\b.{0,40}\b(?:this|mean|think)\b"
    r"|(?:he|she|they|\w+) (?:wrote|writes|said|says|posted|replied|answered|sent (?:me|us|this))"
    r"|(?:this|these|the following|following|here(?:['’]s| is| are)(?: the| an?| my| our| his| her| their)?"
    r"|i (?:got|received)"
    r"(?: the| an?| this)?|from (?:the|an?|this)|contents? of (?:the|an?|this)|of (?:the|this))(?: [\w-]+)? "
    + _NOUN
    + r"\b|the "
    + _NOUN
    + r"(?: is)?\s*[:：]\s*$"
    r"|fasse|übersetze?n?|schreibt|schrieb|sagte?"
    r"|(?:diese|folgende)[rns]? (?:e-?mail|mail|nachricht|seite|artikel|text)"
    r"|résume[rz]?|tradui[srt]\w*|écrit|dit|(?:ce|cet|cette) (?:mail|courriel|lettre|page|article|texte)"
    r"|resume|resumir|traduc\w+|escribió|dice|(?:este|esta) (?:correo|mail|carta|página|artículo|texto))\b"
    r"|\b(?:ha scritto|escreveu|schreef)\b|总结|翻译|(?:这|以下)\S{0,4}(?:邮件|文章|网页|页面|内容)"
    r"|写道|要約|翻訳|のメール",
    re.IGNORECASE,
)
_ADOPTS = re.compile(
    r"\b(?:follow|obey|adopt|apply|stick to|keep to|comply|keep in mind|remember|must|always|never"
    r"|(?:my|our|these are the|here are the) (?:\w+ )?"
    r"(?:rules|constraints|requirements|conventions|guidelines|preferences)"
    r"|halte? dich|befolge|beachte|merk dir|respecte|suis|sigue|cumple)\b|遵守|记住|必须",
    re.IGNORECASE,
)
_MARKS = re.compile(r"^\s*(?:(?:>|&gt;)\s?)+|^\s*(?:`{3,}|~{3,}).*$")
_QUOTATION = re.compile(r"[\"“„«「『‹][^\"”“»」』›\n]{0,2000}[\"”“»」』›]")
_FAR = 200
"""Lines within which an opening quotation mark must be closed."""


def own_words(text: str) -> str:
    """Return the text with a blank line in place of each quoted or pasted part."""
    return "\n".join(_Lines(text.split("\n")).own())


def without_quotations(sentence: str) -> str:
    """Return the sentence without its quotations of `MIN_QUOTED_WORDS` or more words."""
    return _QUOTATION.sub(lambda found: " " if _is_long(found.group()) else found.group(), sentence)


def _is_long(quoted: str) -> bool:
    return len(quoted.split()) >= MIN_QUOTED_WORDS or (not quoted.isascii() and len(quoted) > 4 * MIN_QUOTED_WORDS)


class _Lines:
    """The lines of a text; finds where pasted lines among them end."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._ends = len(lines)
        self._closed: defaultdict[str, list[int]] = defaultdict(list)
        for number, line in enumerate(lines):
            if "</" in line:
                for name in re.findall(r"</([A-Za-z][\w:-]{0,40})\s*>", line):
                    self._closed[name.lower()].append(number)

    def own(self) -> list[str]:
        kept: list[str] = []
        at, announcement = 0, ""
        while at < self._ends:
            end = self._pasted_until(at)
            if end > at:  # announced rules are the user's, without quotation marks
                kept += [_MARKS.sub("", line) for line in self._lines[at:end]] if _announces(announcement) else [""]
                at = end
                continue
            kept.append(self._lines[at])
            announcement = kept[-1] if kept[-1].strip() else announcement
            at += 1
            if _leads_in(kept[-1]):
                at = self._led_in_until(at)
                kept.append("")
        return kept

    def _led_in_until(self, at: int) -> int:
        """Return the end of unmarked pasted text: the end of the message, unless the next line begins marked text."""
        first = self._next(at)
        return first if first < self._ends and self._pasted_until(first) > first else self._ends

    def _next(self, at: int) -> int:
        """Return the index of the next line that is not blank."""
        while at < self._ends and not self._lines[at].strip():
            at += 1
        return at

    def _pasted_until(self, at: int) -> int:
        """Return the index at which the text pasted at `at` ends; `at` if none begins there."""
        line = self._lines[at]
        if fence := _FENCE.match(line):
            return self._fenced_until(at, fence[1])
        if _REPLIED.match(line):
            return self._run(at, _REPLIED)
        if tag := _TAG.match(line):
            return self._tagged_until(at, tag[1].lower())
        if _FORWARDED.match(line) or self._is_header(at):
            return self._ends
        if _LOGGED.match(line) and (end := self._run(at, _LOGGED)) > at + 1:
            return end
        return self._quoted_until(at)

    def _run(self, at: int, pattern: re.Pattern[str]) -> int:
        while at < self._ends and pattern.match(self._lines[at]):
            at += 1
        return at

    def _is_header(self, at: int) -> bool:
        """Return whether the header of a mail or a page begins at that line."""
        line, following = self._lines[at], self._next(at + 1)
        if not _HEADER.match(line):
            return False
        is_sure = "@" in line or _SURE_HEADER.match(line)
        return bool(is_sure or (following < self._ends and _HEADER.match(self._lines[following])))

    def _fenced_until(self, at: int, fence: str) -> int:
        for number in range(at + 1, self._ends):
            closing = _FENCE.match(self._lines[number])
            if closing and closing[1].startswith(fence) and not self._lines[number].strip(" \t`~"):
                return number + 1
        return self._ends

    def _tagged_until(self, at: int, name: str) -> int:
        closed = self._closed.get(name, [])
        index = bisect_left(closed, at)
        return at if index == len(closed) or _OWN_TAG.search(name) else closed[index] + 1

    def _quoted_until(self, at: int) -> int:
        """Return the index after the line that closes a quotation; `at` if no quotation continues after the line."""
        line = self._lines[at].strip()
        opening = next(filter(line.startswith, _CLOSING), "")
        closing = _CLOSING.get(opening, ())
        if any(mark in line[len(opening) :] for mark in closing):
            return at
        near = range(at + 1, min(at + _FAR, self._ends)) if opening else ()
        return next((number + 1 for number in near if any(map(self._lines[number].__contains__, closing))), at)


def _announces(line: str) -> bool:
    """Return whether a line announces the following text as the user's rules."""
    last = line.rstrip()
    if last[-1:] not in (":", "："):
        return False
    return _ADOPTS.search(last) is not None or (announces_rules(last) and not _PASTES.search(last))


def _leads_in(line: str) -> bool:
    """Return whether a line announces pasted text without marks."""
    line = line.rstrip()
    return line[-1:] in (":", "：") and len(line) <= _FAR and bool(_PASTES.search(line)) and not _ADOPTS.search(line)
