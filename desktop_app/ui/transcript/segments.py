"""Markdown cut into segments that are laid out one by one, also while the text grows. Pure, no Qt.

A message is cut where a block, a list item or a table row begins, as a Markdown parser finds them. What a segment needs
from elsewhere (a number, a table's head, the address of a link) is passed with it, so that the segments together show
what the whole would. The cuts depend on the text before them: only the end of a grown text is parsed and laid out
again. A text that would take long to parse or lay out, which nobody writes, is shown as plain text from there on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Literal

import msgspec
from msgspec.structs import replace

from .blocks import (
    Carry,
    ParsedBlocks,
    Unit,
    code_within_line,
    find_wide_table,
    is_dense,
    parse_blocks,
    split_paragraph,
)
from .readable_text import ReadableText, always, part_clusters

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


STRETCH, STRETCH_LINES = 6_000, 180  # characters and lines that are parsed at a time, to the end of a line
LONG_LINE, LONG_LINES = 16_000, 2_400  # characters and lines of one paragraph that are
NOTHING, NOTHING_LINES = 2_000, 200  # the same of empty lines and definitions, which end what is before them
MAX_TOKENS, OF_LINE = 1_500, 4  # of a block that cannot be cut; as many as a line of it costs
MAX_STRETCH = 8  # stretches that it may be long
MAX_CODE_BLOCKS = 200  # in a message
UNSETTLED = 2  # segments at the end that further text may change

_LABEL = re.compile(r"\[((?:\\.|[^\[\]\\]){1,999})\]")  # CommonMark's most


def segments_of(text: str) -> list[MarkdownSegment]:
    """Return the segments of a Markdown text. A fence that is not closed reaches to the end."""
    return GrowingText().segments_of(text)[0]


class GrowingText:
    """A text that grows at its end and is parsed piece by piece; settled segments are not parsed again."""

    def __init__(self) -> None:
        self._newest: tuple[str, list[MarkdownSegment]] = ("", [])
        self._source = ReadableText()
        self._forget()

    def _forget(self) -> None:
        self._settled: list[MarkdownSegment] = []
        self._code_blocks = 0
        self._references: dict[str, str] = {}
        self._linked: list[MarkdownSegment] = []  # the settled ones, with the definitions that they use
        self._text = ""  # all that is settled
        self._carry: Carry | None = None
        self._stretch = STRETCH  # longer while nothing in it can be settled

    def segments_of(self, text: str, has_time: Callable[[], bool] = always) -> tuple[list[MarkdownSegment], int]:
        """Return the segments of any text, and how many characters at its end there was no time for."""
        was_too_deep, (text, unread) = self._source.is_too_deep, self._source.read(text, has_time)
        if self._newest[0] == text:
            return self._newest[1], unread
        if self._source.is_too_deep != was_too_deep or not text.startswith(self._text):
            self._forget()
        open_end, left = self._advance(text, has_time)
        segments = self._link(open_end)
        if not left:
            self._newest = text, segments
        return segments, left + unread

    def _link(self, open_end: Sequence[MarkdownSegment]) -> list[MarkdownSegment]:
        """Return all segments with the definitions that they use."""
        if not self._references:
            return [*self._settled, *open_end]
        unlinked = self._settled[len(self._linked) :]
        self._linked += [_with_references(segment, self._references) for segment in unlinked]
        return [*self._linked, *(_with_references(segment, self._references) for segment in open_end)]

    def _advance(self, text: str, has_time: Callable[[], bool]) -> tuple[list[MarkdownSegment], int]:
        """Settle what can be; return the segments behind that, and how much was not looked at."""
        while True:
            begun, end = len(self._text), self._end_of_stretch(text)
            is_last = end == len(text) and end - begun <= self._stretch
            if not is_last and not has_time():
                return [], len(text) - begun
            wide = None if self._is_in_code else find_wide_table(text, begun, end)
            if wide is not None:
                end = wide
            if wide == begun:
                self._settle(text, [], begun, Carry(written="begins"))
                continue
            before = self._progress
            end, parsed = self._parse(text, begun, end)
            placed = [*place_units(text[begun:end], parsed.units)]
            if not parsed.references.items() <= self._references.items():
                self._references.update(parsed.references)
                self._linked = []
            if wide is None and end == len(text) and not any(one.is_heavy for one in placed):
                return [one.segment for one in placed], 0
            self._go_on(text, begun, end, parsed, placed, wide)
            if self._progress <= before:  # it would stand still
                self._settle(text, placed, end, Carry(written="begins"))

    @property
    def _progress(self) -> tuple[int, bool, int]:
        """What grows with each stretch: text that is settled, else the last resort, else the stretch."""
        return len(self._text), self._carry is not None and bool(self._carry.written), self._stretch

    def _go_on(
        self, text: str, begun: int, end: int, parsed: ParsedBlocks, placed: Sequence[PlacedSegment], wide: int | None
    ) -> None:
        """Settle what further text does not change; what is too much to be laid out is shown as it was written."""
        heavy = next((number for number, one in enumerate(placed) if one.is_heavy), None)
        if heavy is not None or wide is not None:
            rest = begun + placed[heavy].start if heavy is not None else end
            self._settle(text, placed[:heavy], rest, Carry(written="begins"))
        elif (nothing := _start_of_nothing(text, begun, end, parsed)) is not None:
            self._settle(text, placed, nothing, None)
        elif len(placed) > UNSETTLED:
            first = placed[-UNSETTLED]
            self._settle(text, placed[:-UNSETTLED], begun + first.start, first.carry)
        elif _cost(parsed) > MAX_TOKENS or self._stretch >= MAX_STRETCH * STRETCH:
            first = placed[-1] if len(placed) > 1 and placed[-1].start < (end - begun) / 2 else None
            rest = begun + (first.start if first is not None else 0)
            self._settle(text, placed[:-1] if first is not None else [], rest, Carry(written="begins"))
        else:
            self._stretch *= 2

    @property
    def _is_in_code(self) -> bool:
        return self._carry is not None and bool(self._carry.fence or self._carry.written)

    def _settle(self, text: str, placed: Sequence[PlacedSegment], end: int, carry: Carry | None) -> None:
        """Settle the segments before that position, where what is carried begins."""
        self._settled += [one.segment for one in placed]
        self._text, self._carry, self._stretch = text[:end], carry, STRETCH
        self._code_blocks += sum(isinstance(one.segment, CodeSegment) and one.segment.is_first for one in placed)
        if self._code_blocks > MAX_CODE_BLOCKS and not self._is_in_code:
            self._carry = Carry(written="begins")

    def _end_of_stretch(self, text: str) -> int:
        begun = end = len(self._text)
        for _ in range(STRETCH_LINES * self._stretch // STRETCH):
            end = text.find("\n", end) + 1
            if not end:
                return len(text)
            if end >= begun + self._stretch:
                break
        return end

    def _parse(self, text: str, begun: int, end: int) -> tuple[int, ParsedBlocks]:
        """Return the blocks and where they end: within a paragraph or a line of code if that is long."""
        if self._carry is not None and self._is_in_code:
            most = begun + 2 * LONG_LINE
            if most < end and text.find("\n", begun, most) < 0:
                return most, ParsedBlocks(code_within_line(self._carry), {})
            return end, parse_blocks(text[begun:end], self._carry)
        longer = max(1, self._stretch // (4 * STRETCH))
        most = min(begun + longer * LONG_LINE, _end_of_lines(text, begun, longer * LONG_LINES))
        is_whole = text.find("\n\n", begun, most) < 0
        if most < end and (is_whole or any(text.find(fence, begun, most) >= 0 for fence in ("```", "~~~"))):
            parsed = parse_blocks(text[begun:most], self._carry)
            if parsed.units and parsed.units[-1].is_open:
                return most, parsed
            if is_whole and [unit.kind for unit in parsed.units] == ["paragraph"]:
                return most, parsed
            if is_whole and text.find("\n", begun, begun + 2 * LONG_LINE) < 0 and end - begun > 2 * LONG_LINE:
                return most, ParsedBlocks([Unit(0, 1, is_heavy=True)], {})
        return end, parse_blocks(text[begun:end], self._carry)


def _end_of_lines(text: str, start: int, count: int) -> int:
    for _ in range(count):
        start = text.find("\n", start) + 1
        if not start:
            return len(text)
    return start


def _cost(parsed: ParsedBlocks) -> int:
    """Return what it costs to lay out what was parsed, in tokens. Paragraphs cost little, and code is cut anywhere."""
    lines = sum(unit.end - unit.start for unit in parsed.units if not unit.kind)
    return parsed.tokens + OF_LINE * lines


def _start_of_nothing(text: str, begun: int, end: int, parsed: ParsedBlocks) -> int | None:
    """Return from where to go on if the stretch ends with many lines of which nothing is shown."""
    start = _end_of_lines(text, begun, parsed.units[-1].end) if parsed.units else begun
    if end - start <= NOTHING and text.count("\n", start, end) <= NOTHING_LINES:
        return None
    if not text[start:end].strip():
        return end
    last = text.rfind("\n[", start, end) + 1
    return last if last > start else None


def _with_references(segment: MarkdownSegment, references: dict[str, str]) -> MarkdownSegment:
    """Return the segment with the definitions that it uses, wherever in the message they are."""
    if isinstance(segment, CodeSegment) or "[" not in segment.text:
        return segment
    labels = dict.fromkeys(" ".join(label.split()).casefold() for label in _LABEL.findall(segment.text))
    used = [references[label] for label in labels if label in references]
    return msgspec.structs.replace(segment, references="\n\n".join(used)) if used else segment
