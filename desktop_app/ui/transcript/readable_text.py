"""Normalization of a text before it is parsed: line ends, and sequences that take minutes to lay out. Uses no Qt."""

from __future__ import annotations

import re
from collections.abc import Callable

MAX_LEVELS, MAX_INDENT = 25, 100  # nested quotes and lists on one line; spaces before an item
SLICE = 30_000  # characters that are read at a time, to the end of a line
MAX_MARKS = 32  # combining marks on one letter, and characters that are joined: more take long to draw
_RANGES = (
    (0xAD, 0xAD), (0x300, 0x36F), (0x483, 0x489), (0x591, 0x5BD), (0x610, 0x61A), (0x64B, 0x65F), (0x6D6, 0x6DC),
    (0x8D3, 0x903), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F),
    (0x20D0, 0x20FF), (0xFE00, 0xFE0F), (0xFE20, 0xFE2F), (0xFEFF, 0xFEFF), (0x1F3FB, 0x1F3FF), (0xE0020, 0xE007F),
)  # fmt: skip
_JOINER = "\u200d"
_MARKS = "".join(f"{chr(first)}-{chr(last)}" for first, last in _RANGES)
_MANY_MARKS = re.compile(rf"[{_MARKS}]{{{MAX_MARKS},}}")
_MANY_JOINED = re.compile(rf"(?:[^\s{_MARKS}]?[{_MARKS}]*{_JOINER}){{{MAX_MARKS},}}")
_ESCAPED = {chr(sign): f"‹U+{sign:04X}›" for first, last in _RANGES for sign in range(first, last + 1)}

_IN_WORD = re.compile(r"[^\W\d_]{2}")  # between two letters there is no cluster, and no markup of a line's beginning

# A thematic break, such as "- - -", is not too deep.
_TOO_DEEP = re.compile(
    rf"^(?!(?:[-*_][ \t]*)+$)(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{{1,9}}[.)](?=[ \t]))){{{MAX_LEVELS},}}"
    rf"|^ {{{MAX_INDENT},}}(?:[-*+]|\d{{1,9}}[.)])[ \t]",
    re.MULTILINE,
)


def always() -> bool:
    """Return True: there is no time limit."""
    return True


class ReadableText:
    """A text that grows at its end; its known part is not read again.

    is_too_deep: whether it is nested so deeply that it is shown as code.
    """

    def __init__(self) -> None:
        self._newest = "", ""  # the newest complete text, and its normalized form
        self._forget()

    def _forget(self) -> None:
        self._known, self._read, self.is_too_deep = "", "", False  # whole lines

    def read(self, text: str, has_time: Callable[[], bool] = always) -> tuple[str, int]:
        """Return the text with normalized line ends and with long clusters escaped; as code if it is nested too deeply.

        The end of a long text may be left out if there is no time; the second value is the number of its characters.
        """
        if text == self._newest[0]:
            return self._newest[1], 0
        if not text.startswith(self._known):
            self._forget()
        read, end = self._read_on(text, self._end_of_slice(text))
        while end < len(text) and has_time():
            read, end = self._read_on(text, self._end_of_slice(text))
        result = _fenced(read) if self.is_too_deep else read
        if end == len(text):
            self._newest = text, result
        return result, len(text) - end

    def _end_of_slice(self, text: str) -> int:
        """Return the end of the slice after the known part: the end of a line, or a place within a word."""
        least = len(self._known) + SLICE
        if end := text.find("\n", least, least + SLICE) + 1:
            return end
        within = _IN_WORD.search(text, least)
        return min(within.start() + 1, text.find("\n", least) + 1 or len(text)) if within else len(text)

    def _read_on(self, text: str, end: int) -> tuple[str, int]:
        """Read up to a position; the part that further text does not change becomes the known part."""
        start = len(self._known)
        further = part_clusters(text[start:end].replace("\r\n", "\n").replace("\r", "\n"))
        self.is_too_deep = self.is_too_deep or _TOO_DEEP.search(further) is not None
        read = self._read + further
        if end < len(text):
            self._known, self._read = text[:end], read
        elif (line := text.rfind("\n", start, end) + 1) > start:
            self._known, self._read = text[:line], read[: read.rfind("\n") + 1]
        return read, end


def _fenced(text: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}\n{text}\n{fence}"


def part_clusters(text: str) -> str:
    """Return the text with the marks and joiners of overlong clusters escaped, as in ‹U+0301›."""
    if text.isascii():
        return text
    text = _MANY_MARKS.sub(_escape, text)
    return _MANY_JOINED.sub(_escape, text) if text.count(_JOINER) >= MAX_MARKS else text


def _escape(found: re.Match[str]) -> str:
    return "".join(_ESCAPED.get(sign, sign) for sign in found[0])
