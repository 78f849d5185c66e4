"""Markdown cut into segments that are laid out one by one, and together show what the whole would.

A message is cut where a block, a list's item or a table's row begins, as a parser of Markdown finds them; what a
segment does not hold itself (a number, a table's head, the address of a link) goes with it. The cuts depend on the
text before them: while a reply grows, only its end is parsed and laid out again. Pure, no Qt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Literal

import msgspec

from .blocks import Carry, ParsedBlocks, Unit, parse_blocks, split_paragraph

SETTLED = 1_000  # characters after which a segment ends at the next block
SETTLED_INSIDE = 2_000  # the same where only an item of a list or the like begins
CODE_LINES = 120  # lines of code in one segment; a longer block goes on in the next
CODE_CHARACTERS = 8_000
PLAIN = 4_000  # characters of text as it was typed
STRETCH = 6_000  # characters that are parsed at a time, to the end of a line
LONG_LINE = 24_000  # characters of one paragraph's line that are
MAX_LEVELS, MAX_INDENT = 25, 100  # quotes and lists within each other on one line; spaces before an item
UNSETTLED = 2  # segments at the end that further text may change

# Not a rule, as "- - -" is.
_TOO_DEEP = re.compile(
    rf"^(?!(?:[-*_][ \t]*)+$)(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{{1,9}}[.)](?=[ \t]))){{{MAX_LEVELS},}}"
    rf"|^ {{{MAX_INDENT},}}(?:[-*+]|\d{{1,9}}[.)])[ \t]",
    re.MULTILINE,
)
_LABEL = re.compile(r"\[((?:\\.|[^\[\]\\]){1,999})\]")  # CommonMark's most
GoesOn = Literal["", "block", "paragraph", "word"]


class ProseSegment(msgspec.Struct, frozen=True):
    """Markdown without fenced code at its outermost level.

    goes_on: what it continues: a list or a quote ("block"), a paragraph after a space, or a word. number: of the first
    item, where a numbered list continues. references: definitions of the links used here.
    """

    text: str
    goes_on: GoesOn = ""
    number: int | None = None
    references: str = ""


class TableSegment(msgspec.Struct, frozen=True):
    """Further rows of the table at the end of the segment before. head: the table's head, which is not shown again."""

    text: str
    head: str
    references: str = ""


class CodeSegment(msgspec.Struct, frozen=True):
    """Lines of a fenced block. is_first, is_last: whether the block begins and ends here.

    joint: what separates it from the lines before; "" within a line that is too long. is_open: whether more may come.
    """

    text: str
    language: str
    is_first: bool = True
    is_last: bool = True
    joint: str = "\n"
    is_open: bool = False


MarkdownSegment = ProseSegment | TableSegment | CodeSegment


class PlacedSegment(msgspec.Struct, frozen=True):
    """A segment and its start in the text. carry: what parsing from there has to know."""

    segment: MarkdownSegment
    start: int
    carry: Carry | None = None


def segments_of(text: str) -> list[MarkdownSegment]:
    """Return the segments of a Markdown text. A fence that is not closed reaches to the end."""
    return GrowingText().segments_of(text)[0]


def _readable(text: str) -> str:
    """Return the text with ends of lines as parsers read them; as code if it is nested deeper than anyone writes: to
    lay that out takes minutes."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _TOO_DEEP.search(text) is None:
        return text
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}\n{text}\n{fence}"


def _always() -> bool:
    return True


class GrowingText:
    """A text that grows at its end and is parsed piece by piece; settled segments are not parsed again."""

    def __init__(self) -> None:
        self._newest: tuple[str, list[MarkdownSegment]] = ("", [])
        self._forget()

    def _forget(self) -> None:
        self._settled: list[MarkdownSegment] = []
        self._references: dict[str, str] = {}
        self._text = ""  # all that is settled
        self._carry: Carry | None = None
        self._stretch = STRETCH  # longer while nothing in it can be settled

    def segments_of(self, text: str, has_time: Callable[[], bool] = _always) -> tuple[list[MarkdownSegment], int]:
        """Return the segments of any text, and how many characters at its end there was no time for."""
        text = _readable(text)
        if self._newest[0] == text:
            return self._newest[1], 0
        if not text.startswith(self._text):
            self._forget()
        open_end, left = self._advance(text, has_time)
        segments = [*self._settled, *open_end]
        if self._references:
            segments = [_with_references(segment, self._references) for segment in segments]
        if not left:
            self._newest = text, segments
        return segments, left

    def _advance(self, text: str, has_time: Callable[[], bool]) -> tuple[list[MarkdownSegment], int]:
        """Settle what can be; return the segments behind that, and how much was not looked at."""
        while True:
            begun, is_last = len(self._text), len(text) - len(self._text) <= self._stretch
            if not is_last and not has_time():
                return [], len(text) - begun
            end = len(text) if is_last else (text.find("\n", begun + self._stretch) + 1 or len(text))
            end, parsed = self._parse(text, begun, end)
            placed = list(_place_units(text[begun:end], parsed.units))
            self._references.update(parsed.references)
            settled = max(len(placed) - UNSETTLED, 0)
            if settled:
                self._settled += [one.segment for one in placed[:settled]]
                self._text, self._carry = text[: begun + placed[settled].start], placed[settled].carry
            if end == len(text):
                return [one.segment for one in placed[settled:]], 0
            self._stretch = STRETCH if settled else 2 * self._stretch

    def _parse(self, text: str, begun: int, end: int) -> tuple[int, ParsedBlocks]:
        """Return the blocks and where they end: within a line if that is a long paragraph."""
        if end - begun > LONG_LINE and text.find("\n", begun, begun + LONG_LINE) < 0:
            parsed = parse_blocks(text[begun : begun + LONG_LINE], self._carry)
            if [unit.kind for unit in parsed.units] == ["paragraph"]:
                return begun + LONG_LINE, parsed
        return end, parse_blocks(text[begun:end], self._carry)


def _with_references(segment: MarkdownSegment, references: dict[str, str]) -> MarkdownSegment:
    """Return the segment with the definitions that it uses, wherever in the message they are."""
    if isinstance(segment, CodeSegment) or "[" not in segment.text:
        return segment
    labels = dict.fromkeys(" ".join(label.split()).casefold() for label in _LABEL.findall(segment.text))
    used = [references[label] for label in labels if label in references]
    return msgspec.structs.replace(segment, references="\n\n".join(used)) if used else segment


def _place_units(text: str, units: Sequence[Unit]) -> Iterator[PlacedSegment]:
    starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    held: list[Unit] = []
    for unit in units:
        if held and _ends_before(unit, held, starts):
            yield from _segments_of(text, held, starts[unit.start], starts)
            held = []
        held.append(unit)
    if held:
        yield from _segments_of(text, held, len(text), starts)


def _ends_before(unit: Unit, held: Sequence[Unit], starts: Sequence[int]) -> bool:
    """Return whether the segment of the held units ends where this unit begins."""
    first = held[0]
    is_table = first.carry is not None and bool(first.carry.table)
    if first.is_alone or unit.is_alone or (is_table and unit.carry is None):
        return True
    weight = starts[unit.start] - starts[first.start] + sum(one.weight for one in held)
    return unit.is_cut and weight > (SETTLED if unit.carry is None else SETTLED_INSIDE)


def _segments_of(text: str, held: Sequence[Unit], end: int, starts: Sequence[int]) -> Iterator[PlacedSegment]:
    first, start = held[0], starts[held[0].start]
    shown = text[start:end].strip("\n")
    if first.kind == "fence":
        yield from _code_segments(text, first, starts)
    elif first.kind == "paragraph":
        yield from _paragraph_segments(text[start : starts[first.end]].rstrip("\n"), start, first.carry)
    elif first.carry is not None and first.carry.table:
        yield PlacedSegment(TableSegment(shown, first.carry.table), start, first.carry)
    elif shown.strip():
        number = first.carry.number if first.carry is not None else None
        yield PlacedSegment(ProseSegment(shown, "block" if first.carry is not None else "", number), start, first.carry)


def _paragraph_segments(text: str, start: int, carry: Carry | None) -> Iterator[PlacedSegment]:
    is_within = carry is not None and carry.paragraph is not None
    for number, (at, piece) in enumerate(split_paragraph(text)):
        if number:
            carry = Carry(paragraph=text[at - 1] if text[at - 1] == " " else "")
        goes_on: GoesOn = ""
        if carry is not None and (number or is_within):
            goes_on = "paragraph" if carry.paragraph else "word"
        yield PlacedSegment(ProseSegment(piece, goes_on), start + at, carry)


def _code_segments(text: str, fence: Unit, starts: Sequence[int]) -> Iterator[PlacedSegment]:
    """Yield a fence's lines in pieces that are short enough to be laid out at once."""
    is_first = fence.carry is None
    pieces: list[tuple[int, list[str], str]] = []
    length = 0
    for number in range(fence.start + is_first, fence.end):
        line = text[starts[number] : starts[number + 1] - 1]
        for at in range(0, max(len(line), 1), CODE_CHARACTERS):
            part = line[at : at + CODE_CHARACTERS]
            is_full = not pieces or len(pieces[-1][1]) >= CODE_LINES or length + len(part) > CODE_CHARACTERS
            if at or is_full:
                pieces.append((starts[number] + at, [], "" if at else "\n"))
                length = 0
            pieces[-1][1].append(part)
            length += len(part) + 1
    pieces = pieces or [(starts[fence.start], [], "\n")]
    for count, (at, lines, joint) in enumerate(pieces):
        begins = is_first and count == 0
        is_last = count == len(pieces) - 1
        code = CodeSegment("\n".join(lines), fence.language, begins, is_last, joint, fence.is_open)
        yield PlacedSegment(code, starts[fence.start] if begins else at, None if begins else Carry(fence=fence.fence))


def code_of_block(segments: Sequence[MarkdownSegment], first: int) -> str:
    """Return all lines of the fenced block that begins with that segment."""
    text = ""
    for number in range(first, len(segments)):
        code = segments[number]
        if not isinstance(code, CodeSegment):
            break
        text += (code.joint if number > first else "") + code.text
        if code.is_last:
            break
    return text


def split_plain_text(text: str) -> list[tuple[str, str]]:
    """Return plain text in pieces that can be laid out one by one, each after what joins it to the one before."""
    pieces: list[tuple[str, str]] = []
    position, joint = 0, ""
    while len(text) - position > PLAIN:
        cut = text.rfind("\n", position + 1, position + PLAIN)
        pieces.append((joint, text[position : cut if cut > 0 else position + PLAIN]))
        joint = "\n" if cut > 0 else ""
        position = cut + 1 if cut > 0 else position + PLAIN
    return [*pieces, (joint, text[position:])]
