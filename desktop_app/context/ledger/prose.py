"""Find the prose of a message: sentences without pasted code, logs, listings and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

MAX_SENTENCE = 600
"""Characters; a longer "sentence" is data without line breaks, which a summary does not quote."""
SHORT_MESSAGE = 400
"""Characters; in a message this short, every line without the marks of a log or of code is prose."""
WRAPPED_FROM = 50
"""Characters; a shorter line was ended on purpose and does not continue in the next one."""
MAX_READ = 40_000
"""Characters from the beginning of a message that are searched for sentences; a longer message contains a file."""

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE_END = re.compile(
    r"[.!?…][\"'”)\]*_]{0,3}\s+(?=[\"'“(\[*_`]{0,3}[A-Z0-9À-Þ\u3040-\u9fff])|[。！？](?![」』”）。！？])"
)
_SENTENCE_END_ASCII = re.compile(r"[.!?][\"')\]*_]{0,3}\s+(?=[\"'(\[*_`]{0,3}[A-Z0-9])")
"""The same for ASCII text: a search that begins with one set of characters is several times as fast."""
_BULLET = re.compile(r"^\s*(?:(?:[-*•>]+|\d{1,3}[.)]|[a-z][.)])\s+|/[a-z][a-z-]{1,14}\s+(?=\S))")
"""The mark of a list point, or a command of the chat program before the text."""
_HEADING = re.compile(r"^\s*(?:#{1,6}\s.*|\*\*[^*]+\*\*:?|[^\s.!?]+(?: [^\s.!?]+){0,5}:)\s*$")

_MATERIAL = re.compile(
    r"\s*(?:"
    r"\d{2,6}[:|│](?:\s|$)|\d{1,6}[:|│]\s{2,}|\d{1,6}[:|│][^\s\d]"  # a numbered listing of a file
    r"|@@ |diff --git|index [0-9a-f]{7}|--- [\w/.]|\+\+\+ |<{5,}|={5,}|>{5,}|[-+]\s{3,}\S"  # a patch
    r"|(?:\$|➜|>>>|\.\.\.|#!|[\w.-]+@[\w.-]+:\S*[$#])\s|bash-?[\d.]*\$"  # a terminal
    r"|/[a-z][\w-]*\s*$"  # a command of the program
    r"|File \"|at \S+ ?\(|Traceback \(most|Caused by:"  # a stack
    r"|\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d|\[?\d\d:\d\d:\d\d"  # a log
    r"|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|TRACE|FATAL|CRITICAL)\b[\]:\s|]"
    r"|\|.*\|\s*$|[\W_]+$|</?[A-Za-z!?][^>]*>|\[[^\]]*\]\s*$|\([^)]*\)\s*$"  # a table, a ruler, markup, an annotation
    r"|(?:import|from|export|package|using|#include|return|const|let|var|def|class|public|private|static|async|await"
    r"|function|if|elif|else|for|while|try|except|catch|finally|with|switch|case|end)\b[^.?!]*[;{}):,]\s*$"  # code
    r")"
)
_CODE_SIGNS = ("{", "}", "=", "<", ">", "\\", "|", ";", "__", "::")
MIN_COLUMNS = 2
"""Gaps of three or more spaces between words in a row of a table."""
_COLUMNS = re.compile(r"(?<=\S)[ \t]{3,}(?=\S)")
_CALL = re.compile(r"\w\(")
_QUOTED_NAME = re.compile(r"`[^`\n]*`")
_PLAIN_WORD = re.compile(r"(?<!\S)[(\"'“*]{0,3}[^\W\d_]+(?:['’/-][^\W\d_]+){0,5}[)\"'”*.,;:!?…]{0,4}(?!\S)")
_STAMP = re.compile(r"\s*\[([^\[\]\n]{0,40}\b(?:19|20)\d\d\b[^\[\]\n]{0,40})\]\s*")
_CLOCK = re.compile(r"\d{1,2}:\d\d(?::\d\d)?\s*(?:[ap]\.?m\.?)?(?:\s+on)?[,T]?\s*|T\d\d:.*", re.IGNORECASE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Paragraph(NamedTuple):
    """A paragraph of prose, or a point of a list without its mark."""

    text: str
    is_point: bool


def paragraphs(text: str) -> list[Paragraph]:
    """Return the prose of a text, with hard-wrapped lines joined. List points are paragraphs of their own."""
    body = text[:MAX_READ]
    if "```" in body:
        body = _FENCE.sub("\n\n", body)
    is_short = len(body) <= SHORT_MESSAGE
    found: list[Paragraph] = []
    is_wrapped = False
    for line in body.splitlines():
        mark = _BULLET.match(line)
        piece = line[mark.end() if mark else 0 :].strip() if is_prose(line, is_short) else ""
        if is_wrapped and piece and piece[0].islower() and not mark:
            found[-1] = Paragraph(f"{found[-1].text} {piece}", found[-1].is_point)
        elif piece:
            found.append(Paragraph(piece, mark is not None))
        is_wrapped = len(line) > WRAPPED_FROM and piece[-1:] not in ".!?:;。！？…"
    return found


def sentences(text: str) -> list[str]:
    """Return the sentences of a text's prose, without headings and without sentences too long to quote."""
    return sentences_of(paragraphs(text))


def sentences_of(prose: Iterable[Paragraph]) -> list[str]:
    """Return the sentences of the paragraphs, without headings and without sentences too long to quote."""
    found: list[str] = []
    for paragraph, _ in prose:
        if not _is_heading(paragraph):
            ends = _SENTENCE_END_ASCII if paragraph.isascii() else _SENTENCE_END
            start = 0
            for match in ends.finditer(paragraph):
                end = match.end()
                found.append(paragraph[start:end].rstrip())
                start = end
            found.append(paragraph[start:])
    return [sentence for sentence in found if 1 < len(sentence) <= MAX_SENTENCE]


def _is_heading(paragraph: str) -> bool:
    return (paragraph[0] in "#*" or paragraph[-1] == ":") and _HEADING.match(paragraph) is not None


def is_prose(line: str, is_short: bool = False) -> bool:
    """Return whether a line is prose. is_short: its message is too short to contain much pasted text."""
    if _MATERIAL.match(line) or ("   " in line and len(_COLUMNS.findall(line)) >= MIN_COLUMNS):
        return False
    if is_short or not _has_code_sign(line):
        return True
    plain = _QUOTED_NAME.sub("it", line) if "`" in line else line
    words = len(_PLAIN_WORD.findall(plain))
    return (words > 2 and words * 2 >= len(plain.split())) or len(_CJK.findall(plain)) > 3


def _has_code_sign(line: str) -> bool:
    return any(map(line.__contains__, _CODE_SIGNS)) or ("(" in line and _CALL.search(line) is not None)


def without_stamp(text: str) -> tuple[str, str]:
    """Return the bracketed date at the beginning of a message, without its time, or ""; and the rest of the text."""
    stamp = _STAMP.match(text)
    return (_CLOCK.sub("", stamp.group(1)).strip(), text[stamp.end() :]) if stamp else ("", text)
