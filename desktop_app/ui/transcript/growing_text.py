"""Markdown that is read stretch by stretch, while it grows too.

Where segments are cut depends on the text before: of a text that has grown, only the end is parsed and laid out again.
What would take long to parse or to lay out, which nobody writes, is shown as it was written, with all behind it. No Qt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from .blocks import Carry, ParsedBlocks, Unit, code_within_line, find_wide_table, parse_blocks
from .readable_text import ReadableText, always
from .segments import CodeSegment, MarkdownSegment, PlacedSegment, place_units

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
