"""Markdown cut into segments that are laid out one by one.

While a reply grows only its last segment changes, so that nothing above it is parsed or laid out again. The cuts
depend on the text before them alone: a finished reply looks exactly as it did while it streamed. Pure, no Qt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

SETTLED = 1_000  # characters after which a text segment ends at the next safe blank line
UNBROKEN = 4_000  # characters after which a paragraph without an end is cut at a space
CODE_LINES = 120  # lines of code in one segment; a longer block goes on in the next

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`\n]*)$")
# A line that may belong to what stood before the blank line: an indent, a list item, a quote, a table row.
_CONTINUES = re.compile(r"[ \t]|[-*+>|]|\d+[.)]")


class Prose(msgspec.Struct, frozen=True):
    """Markdown without fenced code."""

    text: str


class Code(msgspec.Struct, frozen=True):
    """Lines of a fenced block. is_first, is_last: whether the block begins and ends here."""

    text: str
    language: str
    is_first: bool = True
    is_last: bool = True


Segment = Prose | Code


def segments_of(text: str) -> list[Segment]:
    """The segments of a Markdown text in their order. A fence that is not closed yet reaches to the end."""
    segments: list[Segment] = []
    prose: list[str] = []
    lines = text.split("\n")
    position = 0
    while position < len(lines):
        fence = _FENCE.match(lines[position])
        if fence is None:
            prose.append(lines[position])
            position += 1
            continue
        segments += _prose_segments(prose)
        prose = []
        end = _closing_line(lines, position + 1, fence[1])
        segments += _code_segments(lines[position + 1 : end], fence[2].split(" ")[0].strip())
        position = end + 1
    segments += _prose_segments(prose)
    return segments


def _closing_line(lines: list[str], start: int, fence: str) -> int:
    closing = re.compile(rf" {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
    return next((n for n in range(start, len(lines)) if closing.match(lines[n])), len(lines))


def _code_segments(lines: list[str], language: str) -> Iterator[Segment]:
    for start in range(0, max(len(lines), 1), CODE_LINES):
        end = start + CODE_LINES
        yield Code("\n".join(lines[start:end]), language, is_first=start == 0, is_last=end >= len(lines))


def _prose_segments(lines: list[str]) -> Iterator[Segment]:
    held: list[str] = []
    length = 0
    for line in lines:
        is_safe = bool(held) and not held[-1].strip() and bool(line.strip()) and not _CONTINUES.match(line)
        if is_safe and length > SETTLED:
            yield from _prose(held)
            held, length = [], 0
        while length + len(line) > UNBROKEN:
            cut = line.rfind(" ", 0, max(UNBROKEN - length, 1)) + 1 or min(UNBROKEN, len(line))
            yield from _prose([*held, line[:cut]])
            held, length, line = [], 0, line[cut:]
        held.append(line)
        length += len(line) + 1
    yield from _prose(held)


def _prose(lines: list[str]) -> Iterator[Segment]:
    text = "\n".join(lines).strip("\n")
    if text.strip():
        yield Prose(text)
