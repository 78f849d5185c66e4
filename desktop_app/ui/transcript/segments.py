"""Cut Markdown into segments that are laid out one by one, also while the text grows. Pure, without Qt.

A message is cut where a Markdown parser finds the beginning of a block, a list item or a table row. Context that a
segment needs (a number, a table's head, the definition of a link) is passed with it, so that the segments together look
like the complete text. The cuts depend only on the text before them: when a text grows, only its end is parsed and laid
out again. From a place on that would take long to parse or lay out, a text is shown as plain text: people do not write
such texts.
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
    end_of_words,
    find_wide_table,
    is_dense,
    parse_blocks,
    split_paragraph,
)
from .readable_text import ReadableText, always, part_clusters

SETTLED = 1_000  # characters after which a segment ends at the next block
SETTLED_INSIDE = 2_000  # characters after which it ends within a block, for example at the next list item
CODE_LINES = 120  # lines of code in one segment; a longer block continues in the next
CODE_CHARACTERS = 8_000
WRITTEN_LINES = 400  # lines in one segment of plain text, see `Carry.written`
PLAIN = 4_000  # characters in a piece of typed text
AT_A_TIME = 10  # pieces between two checks of the clock
DENSER = 4  # the factor by which pieces of dense text are shorter
MAX_BLOCKS = 80  # blocks in one segment

GoesOn = Literal["", "block", "paragraph", "word"]


class ProseSegment(msgspec.Struct, frozen=True):
    """Markdown without fenced code at its outermost level.

    goes_on: what it continues: a list or a quote ("block"), a paragraph after a space, or a word; "" for nothing.
    number: the number of the first item, if it continues a numbered list. references: the definitions of its links.
    """

    text: str
    goes_on: GoesOn = ""
    number: int | None = None
    references: str = ""
    is_wide: bool = False
    """Whether it consists of the beginning of a table with many columns."""


class TableSegment(msgspec.Struct, frozen=True):
    """Further rows of the table in the previous segment. head: the table's head, which is not shown again."""

    text: str
    head: str
    references: str = ""


class CodeSegment(msgspec.Struct, frozen=True):
    """Lines of a fenced block. is_first, is_last: whether the block begins and ends here.

    joint: the text between it and the previous lines; "" within a line that is too long. is_open: whether the fence is
    not closed, so that more may follow.
    """

    text: str
    language: str
    is_first: bool = True
    is_last: bool = True
    joint: str = "\n"
    is_open: bool = False


MarkdownSegment = ProseSegment | TableSegment | CodeSegment


class PlacedSegment(msgspec.Struct, frozen=True):
    """A segment and its start in the text. carry: the context for parsing from there. is_heavy: see `Unit`."""

    segment: MarkdownSegment
    start: int
    carry: Carry | None = None
    is_heavy: bool = False


def place_units(text: str, units: Sequence[Unit]) -> Iterator[PlacedSegment]:
    """Yield the segments of a text with these units."""
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
    weight = starts[unit.start] - starts[first.start] + sum(other.weight for other in held)
    is_full = weight > (SETTLED if unit.carry is None else SETTLED_INSIDE) or len(held) >= MAX_BLOCKS
    return unit.is_cut and is_full


def _segments_of(text: str, held: Sequence[Unit], end: int, starts: Sequence[int]) -> Iterator[PlacedSegment]:
    first, start = held[0], starts[held[0].start]
    content = text[start:end].strip("\n")
    if first.kind == "fence":
        yield from _code_segments(text, first, starts)
    elif first.kind == "paragraph":
        yield from _paragraph_segments(text[start : starts[first.end]].rstrip("\n"), start, first.carry)
    elif first.carry is not None and first.carry.table:
        is_heavy = any(unit.is_heavy for unit in held)
        yield PlacedSegment(TableSegment(content, first.carry.table), start, first.carry, is_heavy)
    elif content.strip():
        number = first.carry.number if first.carry is not None else None
        prose = ProseSegment(content, "block" if first.carry is not None else "", number, is_wide=first.is_wide)
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
    length, first_joint = 0, fence.carry.joint if fence.carry is not None else "\n"
    for number in range(fence.start + (fence.carry is None), fence.end):
        line = text[starts[number] : starts[number + 1] - 1]
        most = CODE_CHARACTERS // DENSER if is_dense(line) else CODE_CHARACTERS
        for at in range(0, max(len(line), 1), most):
            part = line[at : at + most]
            is_full = not pieces or len(pieces[-1][1]) >= most_lines or length + len(part) > most
            if at or is_full:
                pieces.append((starts[number] + at, [], "" if at else "\n" if pieces else first_joint))
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
    """Return plain text in pieces that can be laid out one by one, each with the text that joins it to the previous."""
    return GrowingPlainText().pieces_of(text)[0]


class GrowingPlainText:
    """A typed text that grows at its end; earlier pieces are not made again."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._pieces: list[tuple[str, str]] = []
        self._text, self._joint = "", ""  # the text of the pieces, and the joint before the next one

    def pieces_of(self, text: str, has_time: Callable[[], bool] = always) -> tuple[list[tuple[str, str]], int]:
        """Return the pieces, see `split_plain_text`, and the number of characters at the end without time for them."""
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
        """Add the pieces of some lines, or of a part of a line; return the position after them."""
        cut = text.rfind("\n", at + 1, at + PLAIN)
        cut = cut if cut > 0 else end_of_words(text, at, at + PLAIN, at + PLAIN)
        self._pieces += _pieces_of(text[at:cut], self._joint)
        self._joint = text[cut] if text[cut] in " \n" else ""
        return cut + len(self._joint)


def _pieces_of(text: str, joint: str) -> Iterator[tuple[str, str]]:
    """Yield a text in pieces: escaping its long clusters may have made it longer than one."""
    text = part_clusters(text)
    most = PLAIN // DENSER if is_dense(text) else PLAIN
    at = 0
    while len(text) - at > most:
        cut = end_of_words(text, at, at + most, at + most)
        yield joint, text[at:cut]
        joint = " " if text[cut] == " " else ""
        at = cut + len(joint)
    yield joint, text[at:]


STRETCH, STRETCH_LINES = 6_000, 180  # characters and lines that are parsed at a time, up to the end of a line
LONG_LINE, LONG_LINES = 16_000, 2_400  # characters and lines of one paragraph that are parsed at a time
NOTHING, NOTHING_LINES = 2_000, 200  # characters and lines of blanks and definitions that settle the text before them
MAX_TOKENS, OF_LINE = (
    1_500,
    4,
)  # the maximum cost of a block that cannot be cut, in tokens; the cost of one of its lines
MAX_STRETCH = 8  # the maximum length of such a block, in stretches
MAX_CODE_BLOCKS = 200  # blocks of code in a message
UNSETTLED = 2  # segments at the end that further text may change

_LABEL = re.compile(r"\[((?:\\.|[^\[\]\\]){1,999})\]")  # 999 characters are CommonMark's limit


def segments_of(text: str) -> list[MarkdownSegment]:
    """Return the segments of a Markdown text. A fence that is not closed extends to the end."""
    return GrowingText().segments_of(text)[0]


class GrowingBlocks:
    """The parsed blocks of a text that grows at its end: the ones that further text does not change are kept.

    A block after a blank line is parsed without the ones before it, and the first line of the block behind it is
    complete: neither a list that goes on, nor a formula, nor a table reaches across it.
    """

    def __init__(self) -> None:
        self._forget(None)

    def _forget(self, carry: Carry | None) -> None:
        self._text, self._carry, self._known = "", carry, ParsedBlocks([], {})

    def parse(self, text: str, carry: Carry | None) -> ParsedBlocks:
        """Return what `parse_blocks` returns."""
        if carry != self._carry or not text.startswith(self._text):
            self._forget(carry)
        rest, begun = text[len(self._text) :], None if self._text else carry
        parsed = parse_blocks(rest, begun)
        whole = self._with(parsed)
        if settled := _unchanging(rest, parsed.units):
            self._known = self._with(parse_blocks(settled, begun))
            self._text += settled
        return whole

    def _with(self, further: ParsedBlocks) -> ParsedBlocks:
        """Return the known blocks and the ones behind them."""
        lines = self._text.count("\n")
        units = (replace(unit, start=unit.start + lines, end=unit.end + lines) for unit in further.units)
        references = further.references | self._known.references
        return ParsedBlocks([*self._known.units, *units], references, self._known.tokens + further.tokens)


def _unchanging(text: str, units: Sequence[Unit]) -> str:
    """Return the beginning of a text with the blocks that further text does not change; "" if there are none."""
    lines, blocks = text.split("\n"), [unit.start for unit in units if unit.carry is None]
    start = next((start for start in reversed(blocks[1:-1]) if not lines[start - 1].strip()), 0)
    return "".join(f"{line}\n" for line in lines[:start])


class GrowingText:
    """A text that grows at its end and is parsed piece by piece; settled segments are not parsed again."""

    def __init__(self) -> None:
        self._newest: tuple[str, list[MarkdownSegment]] = ("", [])
        self._blocks = GrowingBlocks()
        self._source = ReadableText()
        self._forget()

    def _forget(self) -> None:
        self._settled: list[MarkdownSegment] = []
        self._code_blocks = 0
        self._references: dict[str, str] = {}
        self._linked: list[MarkdownSegment] = []  # settled segments with the definitions that they use
        self._text = ""  # the text that is settled
        self._carry: Carry | None = None
        self._stretch = STRETCH  # characters to parse; more while none of them can be settled

    def segments_of(self, text: str, has_time: Callable[[], bool] = always) -> tuple[list[MarkdownSegment], int]:
        """Return the segments of any text, and the number of characters at its end that there was no time for."""
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
        """Settle what can be; return the segments after that, and the number of characters that were not parsed."""
        while True:
            start, end = len(self._text), self._end_of_stretch(text)
            is_last = end == len(text) and end - start <= self._stretch
            if not is_last and not has_time():
                return [], len(text) - start
            wide = None if self._is_in_code else find_wide_table(text, start, end)
            if wide is not None:
                end = wide
            if wide == start:
                self._settle(text, [], start, Carry(written="begins"))
                continue
            before = self._progress
            end, parsed = self._parse(text, start, end)
            placed = [*place_units(text[start:end], parsed.units)]
            if not parsed.references.items() <= self._references.items():
                self._references.update(parsed.references)
                self._linked = []
            if wide is None and end == len(text) and not any(item.is_heavy for item in placed):
                return [item.segment for item in placed], 0
            self._go_on(text, start, end, parsed, placed, wide)
            if self._progress <= before:  # it would loop forever
                self._settle(text, placed, end, Carry(written="begins"))

    @property
    def _progress(self) -> tuple[int, bool, int]:
        """A measure that grows with each stretch: the settled text, then the last resort, then the stretch's length."""
        return len(self._text), self._carry is not None and bool(self._carry.written), self._stretch

    def _go_on(
        self, text: str, start: int, end: int, parsed: ParsedBlocks, placed: Sequence[PlacedSegment], wide: int | None
    ) -> None:
        """Settle what further text does not change; a part that is too heavy to be laid out begins plain text."""
        heavy = next((number for number, item in enumerate(placed) if item.is_heavy), None)
        if heavy is not None or wide is not None:
            rest = start + placed[heavy].start if heavy is not None else end
            self._settle(text, placed[:heavy], rest, Carry(written="begins"))
        elif (nothing := _start_of_nothing(text, start, end, parsed)) is not None:
            self._settle(text, placed, nothing, None)
        elif len(placed) > UNSETTLED:
            first = placed[-UNSETTLED]
            self._settle(text, placed[:-UNSETTLED], start + first.start, first.carry)
        elif _cost(parsed) > MAX_TOKENS or self._stretch >= MAX_STRETCH * STRETCH:
            first = placed[-1] if len(placed) > 1 and placed[-1].start < (end - start) / 2 else None
            rest = start + (first.start if first is not None else 0)
            self._settle(text, placed[:-1] if first is not None else [], rest, Carry(written="begins"))
        else:
            self._stretch *= 2

    @property
    def _is_in_code(self) -> bool:
        return self._carry is not None and bool(self._carry.fence or self._carry.written)

    def _settle(self, text: str, placed: Sequence[PlacedSegment], end: int, carry: Carry | None) -> None:
        """Settle the segments before a position. carry: the context for parsing from there."""
        self._settled += [item.segment for item in placed]
        self._text, self._carry, self._stretch = text[:end], carry, STRETCH
        self._code_blocks += sum(isinstance(item.segment, CodeSegment) and item.segment.is_first for item in placed)
        if self._code_blocks > MAX_CODE_BLOCKS and not self._is_in_code:
            self._carry = Carry(written="begins")

    def _end_of_stretch(self, text: str) -> int:
        start = end = len(self._text)
        for _ in range(STRETCH_LINES * self._stretch // STRETCH):
            end = text.find("\n", end) + 1
            if not end:
                return len(text)
            if end >= start + self._stretch:
                break
        return end

    def _parse(self, text: str, start: int, end: int) -> tuple[int, ParsedBlocks]:
        """Return the end of the parsed text, within a paragraph or a line of code if that is long, and its blocks."""
        if self._carry is not None and self._is_in_code:
            most = start + 2 * LONG_LINE
            if most < end and text.find("\n", start, most) < 0:
                return most, ParsedBlocks(code_within_line(self._carry), {})
            return end, parse_blocks(text[start:end], self._carry)
        longer = max(1, self._stretch // (4 * STRETCH))
        most = min(start + longer * LONG_LINE, _end_of_lines(text, start, longer * LONG_LINES))
        is_whole = text.find("\n\n", start, most) < 0
        if most < end and (is_whole or any(text.find(fence, start, most) >= 0 for fence in ("```", "~~~"))):
            parsed = parse_blocks(text[start:most], self._carry)
            if parsed.units and parsed.units[-1].is_open:
                return most, parsed
            if is_whole and [unit.kind for unit in parsed.units] == ["paragraph"]:
                return most, parsed
            if is_whole and text.find("\n", start, start + 2 * LONG_LINE) < 0 and end - start > 2 * LONG_LINE:
                return most, ParsedBlocks([Unit(0, 1, is_heavy=True)], {})
        return end, self._blocks.parse(text[start:end], self._carry)


def _end_of_lines(text: str, start: int, count: int) -> int:
    for _ in range(count):
        start = text.find("\n", start) + 1
        if not start:
            return len(text)
    return start


def _cost(parsed: ParsedBlocks) -> int:
    """Return the cost of laying out parsed blocks, in tokens. Paragraphs cost little, and code can be cut anywhere."""
    lines = sum(unit.end - unit.start for unit in parsed.units if not unit.kind)
    return parsed.tokens + OF_LINE * lines


def _start_of_nothing(text: str, begin: int, end: int, parsed: ParsedBlocks) -> int | None:
    """Return where to continue if the stretch ends with many lines that show nothing; None if it does not."""
    start = _end_of_lines(text, begin, parsed.units[-1].end) if parsed.units else begin
    if end - start <= NOTHING and text.count("\n", start, end) <= NOTHING_LINES:
        return None
    if not text[start:end].strip():
        return end
    last = text.rfind("\n[", start, end) + 1
    return last if last > start else None


def _with_references(segment: MarkdownSegment, references: dict[str, str]) -> MarkdownSegment:
    """Return the segment with the link definitions that it uses, from anywhere in the message."""
    if isinstance(segment, CodeSegment) or "[" not in segment.text:
        return segment
    labels = dict.fromkeys(" ".join(label.split()).casefold() for label in _LABEL.findall(segment.text))
    used = [references[label] for label in labels if label in references]
    return msgspec.structs.replace(segment, references="\n\n".join(used)) if used else segment
