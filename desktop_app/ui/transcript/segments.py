"""Markdown cut into segments that are laid out one by one, and together show what the whole would.

A message is cut where a block, a list's item or a table's row begins, as a parser of Markdown finds them; what a
segment does not hold itself (a number, a table's head, the address of a link) goes with it. Pure, no Qt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Literal

import msgspec
from msgspec.structs import replace

from .blocks import Carry, Unit, is_dense, split_paragraph
from .readable_text import always, part_clusters

SETTLED = 1_000  # characters after which a segment ends at the next block
SETTLED_INSIDE = 2_000  # the same where only an item of a list or the like begins
CODE_LINES = 120  # lines of code in one segment; a longer block goes on in the next
CODE_CHARACTERS = 8_000
WRITTEN_LINES = 400  # lines of what is shown as it was written
PLAIN = 4_000  # characters of text as it was typed
AT_A_TIME = 10  # pieces of it between two looks at the clock
DENSER = 4  # by how many times pieces are shorter where letters stand without a space between them
MAX_BLOCKS = 80  # blocks in one segment

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
    is_wide: bool = False
    """Whether it is the beginning of a table of many columns, and nothing else."""


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
    """A segment and its start in the text. carry: what parsing from there has to know. is_heavy: see `Unit`."""

    segment: MarkdownSegment
    start: int
    carry: Carry | None = None
    is_heavy: bool = False


def place_units(text: str, units: Sequence[Unit]) -> Iterator[PlacedSegment]:
    """Yield the segments of a text that has these units."""
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
    if first.is_alone or unit.is_alone or unit.is_heavy or unit.is_wide:
        return True
    if (is_table or first.is_wide) and unit.carry is None:
        return True
    weight = starts[unit.start] - starts[first.start] + sum(one.weight for one in held)
    is_full = weight > (SETTLED if unit.carry is None else SETTLED_INSIDE) or len(held) >= MAX_BLOCKS
    return unit.is_cut and is_full


def _segments_of(text: str, held: Sequence[Unit], end: int, starts: Sequence[int]) -> Iterator[PlacedSegment]:
    first, start = held[0], starts[held[0].start]
    shown = text[start:end].strip("\n")
    if first.kind == "fence":
        yield from _code_segments(text, first, starts)
    elif first.kind == "paragraph":
        yield from _paragraph_segments(text[start : starts[first.end]].rstrip("\n"), start, first.carry)
    elif first.carry is not None and first.carry.table:
        is_heavy = any(unit.is_heavy for unit in held)
        yield PlacedSegment(TableSegment(shown, first.carry.table), start, first.carry, is_heavy)
    elif shown.strip():
        number = first.carry.number if first.carry is not None else None
        prose = ProseSegment(shown, "block" if first.carry is not None else "", number, is_wide=first.is_wide)
        yield PlacedSegment(prose, start, first.carry, any(unit.is_heavy for unit in held))


def _paragraph_segments(text: str, start: int, carry: Carry | None) -> Iterator[PlacedSegment]:
    is_within = carry is not None and carry.paragraph is not None
    for number, (at, piece) in enumerate(split_paragraph(text)):
        if number:
            carry = Carry(paragraph=" " if text[at - 1] in " \n" else "")
        goes_on: GoesOn = ""
        if carry is not None and (number or is_within):
            goes_on = "paragraph" if carry.paragraph else "word"
        yield PlacedSegment(ProseSegment(piece, goes_on), start + at, carry)


def _code_segments(text: str, fence: Unit, starts: Sequence[int]) -> Iterator[PlacedSegment]:
    """Yield a fence's lines in pieces that are short enough to be laid out at once."""
    is_written = fence.carry is not None and bool(fence.carry.written)
    is_first = fence.carry is None or fence.carry.written == "begins"
    most_lines = WRITTEN_LINES if is_written else CODE_LINES
    pieces: list[tuple[int, list[str], str]] = []
    length, begun = 0, fence.carry.joint if fence.carry is not None else "\n"
    for number in range(fence.start + (fence.carry is None), fence.end):
        line = text[starts[number] : starts[number + 1] - 1]
        most = CODE_CHARACTERS // DENSER if is_dense(line) else CODE_CHARACTERS
        for at in range(0, max(len(line), 1), most):
            part = line[at : at + most]
            is_full = not pieces or len(pieces[-1][1]) >= most_lines or length + len(part) > most
            if at or is_full:
                pieces.append((starts[number] + at, [], "" if at else "\n" if pieces else begun))
                length = 0
            pieces[-1][1].append(part)
            length += len(part) + 1
    pieces = pieces or [(starts[fence.start], [], "\n")]
    further = Carry(written="goes on") if is_written else Carry(fence=fence.fence)
    for count, (at, lines, joint) in enumerate(pieces):
        begins = is_first and count == 0
        is_last = count == len(pieces) - 1
        code = CodeSegment("\n".join(lines), fence.language, begins, is_last, joint, fence.is_open)
        carry = fence.carry if begins else replace(further, joint=joint)
        yield PlacedSegment(code, starts[fence.start] if begins else at, carry)


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
    return GrowingPlainText().pieces_of(text)[0]


class GrowingPlainText:
    """A text as it was typed that grows at its end; the pieces before its end are not made again."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._pieces: list[tuple[str, str]] = []
        self._text, self._joint = "", ""  # what the pieces are of, and what joins the next one

    def pieces_of(self, text: str, has_time: Callable[[], bool] = always) -> tuple[list[tuple[str, str]], int]:
        """Return the pieces, see `split_plain_text`, and how many characters at the end there was no time for."""
        if not text.startswith(self._text):
            self._forget()
        at = len(self._text)
        while len(text) - at > PLAIN and has_time():
            for _ in range(AT_A_TIME):
                at = self._go_on(text, at)
                if len(text) - at <= PLAIN:
                    break
        self._text = text[:at]
        if len(text) - at > PLAIN:
            return self._pieces, len(text) - at
        return [*self._pieces, *_pieces_of(text[at:], self._joint)], 0

    def _go_on(self, text: str, at: int) -> int:
        """Add the pieces of some lines, or of a part of a line; return where they end."""
        cut = text.rfind("\n", at + 1, at + PLAIN)
        self._pieces += _pieces_of(text[at : cut if cut > 0 else at + PLAIN], self._joint)
        self._joint = "\n" if cut > 0 else ""
        return cut + 1 if cut > 0 else at + PLAIN


def _pieces_of(text: str, joint: str) -> Iterator[tuple[str, str]]:
    """Yield a text in pieces: it is longer than one where long clusters are parted."""
    text = part_clusters(text)
    most = PLAIN // DENSER if is_dense(text) else PLAIN
    for at in range(0, max(len(text), 1), most):
        yield "" if at else joint, text[at : at + most]
