"""Layout of long text in a row, piece by piece: the visible part first, the rest when there is time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QPointF, QRectF

from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.look import MEDIUM, Corner, colour, font, scale

from .code_blocks import CodeBlock, LineEnds, fold_code, line_ends, longest_line
from .diagrams import CODE_HEAD, CODE_PAD, code_head, find_diagram, lay_out_diagram
from .documents import (
    CODE_LINE_HEIGHT,
    LINE_HEIGHT,
    InkDocument,
    code_document,
    code_font,
    plain_document,
    soft_document,
    unwrapped_code_document,
)
from .formulas import NO_FORMULAS, Formulas, drawn_formulas, named_formulas
from .markdown_documents import (
    cell_fonts,
    cell_widths,
    end_of_text,
    markdown_document,
    rows_document,
    table_columns,
    table_width,
)
from .row_builder import ActionLink, RowBuilder, advance
from .row_painter import Action, CodeHead, DisplayItem, Fill, Flow, HitRegion
from .segments import UNSETTLED, CodeSegment, MarkdownSegment, ProseSegment, TableSegment

SEGMENT_GAP = 8
ITEM_GAP = 3  # between items of a list, as within a document
MAX_SEGMENTS = 1_000  # segments of a message, some megabytes of prose: the rest is read in a separate window
MEASURED = 2_000  # characters of a line of code that are measured
TAB = 10  # characters, about as wide as Qt's 80 pixels
MEASURED_ROWS = 40  # pieces of a table that determine the widths of its columns
TABLE_EDGE = 5  # pixels that Qt leaves below and above a table, minus the line between two rows
Documents = list[InkDocument | None]
"""The document of each segment; None if there was no time for it yet."""


class WideTable(NamedTuple):
    """A table that is `beyond` pixels wider than the row. last: the index of its last segment."""

    key: str
    beyond: float
    last: int


class FlowedText(msgspec.Struct, frozen=True):
    """The beginning of a growing text, as it was laid out: further text does not change it.

    look: see `RowBuilder`. top, end: its y. code_blocks: the number of its blocks of code.
    """

    look: object = None
    top: float = 0.0
    end: float = 0.0
    segments: list[MarkdownSegment] = []
    code_blocks: int = 0
    drawn: list[DisplayItem] = []
    hit_regions: list[HitRegion] = []
    code_heads: list[CodeHead] = []

    def fits(self, builder: RowBuilder, segments: Sequence[MarkdownSegment]) -> bool:
        """Return whether a text with these segments begins like this in the row."""
        is_alike = self.look == builder.look and self.top == builder.y
        return is_alike and segments[: len(self.segments)] == self.segments

    def put(self, builder: RowBuilder) -> None:
        """Put it into the row."""
        builder.layout.drawn += self.drawn
        builder.layout.hit_regions += self.hit_regions
        builder.layout.code_heads += self.code_heads
        builder.y = self.end
        builder.cache.use(drawn.document for drawn in self.drawn if isinstance(drawn, Flow))


MAX_GROWING = 8  # texts whose beginnings are kept


def flow_markdown(builder: RowBuilder, key: str, text: str) -> bool:
    """Put Markdown into the row, with its code in boxes; return False if it is too long for that.

    key: the message's key.
    """
    parsed, left = builder.cache.segments_of(key, text)
    begun = builder.cache.flowed.get(key)
    if begun is None or builder.can_fold_code or not begun.fits(builder, parsed):
        begun = FlowedText(builder.look, builder.y, builder.y)
    begin, top = len(begun.segments), (builder.y, *_counts(builder))
    begun.put(builder)
    folded, blocks = fold_code(parsed, key, builder.folds_code, begin, begun.code_blocks)
    segments, blocks = folded[:MAX_SEGMENTS], {n: block for n, block in blocks.items() if n < MAX_SEGMENTS}
    if len(folded) > MAX_SEGMENTS and isinstance(last := segments[-1], CodeSegment):
        segments[-1] = replace(last, is_last=True)
    builder.cache.expect(len(segments))
    heights = [0.0] * begin + [_estimate(segment, builder.width) for segment in segments[begin:]]
    documents, tables = _documents(builder, key, segments, begin, heights, blocks)
    overhangs = _overhangs(builder, segments, blocks)
    starts = list[tuple[float, int, int, int]]()
    for number, segment in enumerate(segments[begin:], start=begin):
        starts.append((builder.y, *_counts(builder)))
        builder.skip(_gap(segments, number))
        drawing = find_diagram(builder, segment, blocks.get(number))
        if isinstance(segment, CodeSegment) and drawing is not None:
            lay_out_diagram(builder, blocks[number], drawing)
        elif isinstance(segment, CodeSegment):
            overhang = overhangs[blocks[number].key]
            _code_box(builder, segment, blocks[number], documents[number], heights[number], overhang)
        else:
            _place(builder, segments, documents, number, heights[number], tables.get(number))
    if builder.look is not None and not builder.can_fold_code and builder.layout.is_complete and not left:
        _keep_beginning(builder, key, begun, segments, starts, top)
    if left and len(segments) == len(folded):
        _put(builder, 0, None, estimated_text_height(text[-left:], builder.width, LINE_HEIGHT), "\n")
    return len(segments) == len(folded)


def _counts(builder: RowBuilder) -> tuple[int, int, int]:
    """Return how much the row has of everything that is painted."""
    layout = builder.layout
    return len(layout.drawn), len(layout.hit_regions), len(layout.code_heads)


def _keep_beginning(
    builder: RowBuilder,
    key: str,
    begun: FlowedText,
    segments: list[MarkdownSegment],
    starts: Sequence[tuple[float, int, int, int]],
    top: tuple[float, int, int, int],
) -> None:
    """Keep what was laid out, except for the last segments, which further text may change."""
    begin = len(begun.segments)
    ends = range(min(len(segments) - UNSETTLED, MAX_SEGMENTS - 1), begin, -1)
    end = next((number for number in ends if _is_begin(segments[number])), begin)
    if end == begin:
        return
    layout, (y, drawn, regions, heads) = builder.layout, starts[end - begin]
    codes = sum(isinstance(one, CodeSegment) and one.is_first for one in segments[begin:end])
    kept = builder.cache.flowed
    kept.pop(key, None)
    kept[key] = FlowedText(
        builder.look, top[0], y, segments[:end], begun.code_blocks + codes,
        layout.drawn[top[1] : drawn], layout.hit_regions[top[2] : regions], layout.code_heads[top[3] : heads],
    )  # fmt: skip
    while len(kept) > MAX_GROWING:
        del kept[next(iter(kept))]


def _is_begin(segment: MarkdownSegment) -> bool:
    """Return whether the segment continues nothing, so that it can be laid out without the ones before it."""
    if isinstance(segment, CodeSegment):
        return segment.is_first
    return isinstance(segment, ProseSegment) and segment.goes_on in ("", "block")


def _documents(
    builder: RowBuilder,
    key: str,
    segments: Sequence[MarkdownSegment],
    begin: int,
    heights: Sequence[float],
    blocks: Mapping[int, CodeBlock],
) -> tuple[Documents, dict[int, WideTable]]:
    """Return the documents of the segments from `begin`, and the tables that are wider than the row."""
    documents: Documents = [None] * len(segments)
    tables: dict[int, WideTable] = {}
    for run in _nearest_first(builder, _runs(segments, begin), heights):
        columns = _columns(builder, segments, run)
        if columns is None:
            continue
        if _is_wide(segments[run[0]]) and (beyond := table_width(columns) - builder.width) > 0:
            tables.update(dict.fromkeys(run, WideTable(f"{key} table {run[0]}", beyond, run[-1])))
        for number in run:
            document = _document(builder, segments, documents, number, columns, blocks.get(number))
            if document is None:
                break
            documents[number] = document
    return documents, tables


def flow_plain(builder: RowBuilder, key: str, text: str, inset: float = 0, is_soft: bool = False) -> None:
    """Put typed text into the row; fenced code in it remains text. key: identifies the text in the cache."""
    pieces, left = builder.cache.plain_pieces_of(key, text)
    builder.cache.expect(len(pieces))
    width, make = builder.width - 2 * inset, soft_document if is_soft else plain_document
    heights = [estimated_text_height(piece, width, LINE_HEIGHT) for _, piece in pieces]
    documents: Documents = [None] * len(pieces)
    for (number,) in _nearest_first(builder, [[number] for number in range(len(pieces))], heights):
        documents[number] = builder.cache.ready(make, pieces[number][1], width)
    for (joint, _), document, height in zip(pieces, documents, heights, strict=True):
        _put(builder, inset, document, height, joint)
    if left:
        _put(builder, 0, None, estimated_text_height(text[-left:], width, LINE_HEIGHT), "\n")


def estimated_text_height(text: str, width: float, line: float) -> float:
    """Return the approximate height of a text, in pixels."""
    lines = len(text) * scale(7) / max(width, 1) + 0.7 * text.count("\n") + 1
    return lines * scale(line)


def _nearest_first(
    builder: RowBuilder, runs: Sequence[Sequence[int]], heights: Sequence[float]
) -> Sequence[Sequence[int]]:
    """Return the runs in the order of their distance from the visible part of the row."""
    tops = list(accumulate(heights, initial=builder.y))
    return sorted(runs, key=lambda run: max(tops[run[0]] - builder.looked_at, builder.looked_at - tops[run[-1] + 1]))


def _runs(segments: Sequence[MarkdownSegment], begin: int) -> list[list[int]]:
    """Return groups of segments that can be laid out independently, by index, from the segment at `begin`."""
    runs: list[list[int]] = []
    for number, segment in enumerate(segments[begin:], start=begin):
        if isinstance(segment, TableSegment) or (
            isinstance(segment, ProseSegment) and segment.goes_on in ("paragraph", "word")
        ):
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _columns(builder: RowBuilder, segments: Sequence[MarkdownSegment], run: Sequence[int]) -> tuple[float, ...] | None:
    """Return the column widths of a table that continues in other segments; () if it does not, and None if there was no
    time to measure them."""
    rows = [segment for number in run if isinstance(segment := segments[number], TableSegment)]
    is_wide = _is_wide(segments[run[0]])
    if not rows and not is_wide:
        return ()
    text = segments[run[0]].text
    head = rows[0].head if rows else "\n".join(text.split("\n")[:2])
    first_rows = text.rpartition(head)[2].strip("\n")
    pieces = [head.split("\n")[0], *filter(None, [first_rows]), *(segment.text for segment in rows[:MEASURED_ROWS])]
    if not all(builder.cache.has_fonts(piece, *cell_fonts()) for piece in pieces):
        return None
    widths = [builder.cache.value(cell_widths, piece) for piece in pieces]
    return None if None in widths else table_columns([*filter(None, widths)], builder.width, is_wide)


def _is_wide(segment: MarkdownSegment) -> bool:
    return isinstance(segment, ProseSegment) and segment.is_wide


def _document(
    builder: RowBuilder,
    segments: Sequence[MarkdownSegment],
    documents: Documents,
    number: int,
    columns: tuple[float, ...],
    block: CodeBlock | None,
) -> InkDocument | None:
    segment, before = segments[number], documents[number - 1] if number else None
    ready = builder.cache.ready
    formulas = _formulas(builder, segment)
    if formulas is None:
        return None
    match segment:
        case CodeSegment():
            make = unwrapped_code_document if block and builder.is_toggled(block.unwrapped) else code_document
            return ready(make, segment.text, builder.width - 2 * scale(CODE_PAD))
        case TableSegment():
            return ready(rows_document, segment, builder.width, columns, formulas)
        case ProseSegment(goes_on=goes_on):
            is_within = goes_on in ("paragraph", "word") and before is not None
            indent = end_of_text(before) if is_within and before is not None else 0.0
            return ready(markdown_document, segment, builder.width, indent, columns, formulas)


def _formulas(builder: RowBuilder, segment: MarkdownSegment) -> Formulas | None:
    """Return the formulas of a segment that are drawn; None if there is no time to find them."""
    if isinstance(segment, CodeSegment) or not ("$" in segment.text or "\\" in segment.text):
        return NO_FORMULAS
    found = builder.cache.value(named_formulas, segment.text)
    return drawn_formulas(found, builder.width) if found is not None else None


def _gap(segments: Sequence[MarkdownSegment], number: int) -> float:
    """Return the unscaled pixels above a segment."""
    segment = segments[number]
    if number == 0 or isinstance(segment, TableSegment) or (isinstance(segment, CodeSegment) and not segment.is_first):
        return 0
    if isinstance(segment, ProseSegment) and segment.goes_on:
        return ITEM_GAP if segment.goes_on == "block" else 0
    return SEGMENT_GAP + (8 if segment.text.startswith("#") else 0)


def _place(
    builder: RowBuilder,
    segments: Sequence[MarkdownSegment],
    documents: Documents,
    number: int,
    height: float,
    table: WideTable | None,
) -> None:
    """Put Markdown at `y`; a paragraph that continues begins on the last line of the previous segment."""
    segment = segments[number]
    document, before = documents[number], documents[number - 1] if number else None
    joint = "\n"
    if isinstance(segment, TableSegment) and before is not None:
        builder.y -= TABLE_EDGE
    if isinstance(segment, ProseSegment) and segment.goes_on in ("paragraph", "word"):
        joint = ""
        if document is not None and before is not None:
            layout = before.lastBlock().layout()
            builder.y -= layout.lineAt(layout.lineCount() - 1).height() if layout.lineCount() else 0
    if table is None or document is None:
        _put(builder, 0, document, height, joint)
        return
    shift = min(builder.shift_of(table.key), table.beyond)
    top_left = QPointF(0, builder.y)
    builder.flow(Flow(top_left, document, joint=joint, shift=shift, max_shift=table.beyond, shift_key=table.key))
    if number == table.last:
        _scroll_mark(builder, table.key, 0, table.beyond)
        builder.skip(6)


def _put(builder: RowBuilder, x: float, document: InkDocument | None, height: float, joint: str) -> None:
    if document is None:
        builder.layout.is_complete = False
        builder.y += height
    else:
        builder.flow(Flow(QPointF(x, builder.y), document, joint=joint))


def _code_box(
    builder: RowBuilder,
    code: CodeSegment,
    block: CodeBlock,
    document: InkDocument | None,
    height: float,
    overhang: float,
) -> None:
    """Put code into a box, with its language, and links that copy or save all of it. overhang: see `_overhangs`."""
    pad, top, index = scale(CODE_PAD), builder.y, len(builder.layout.drawn)
    if document is None:
        _put(builder, pad, None, height + (scale(CODE_HEAD) if code.is_first else 0), code.joint)
        _stretch_head(builder, block)
        return
    if code.is_first:
        code_head(builder, block, pad, *_wrap_link(builder, block, overhang))
        head = CodeHead(block.key, QRectF(0, top, builder.width, builder.y - top), builder.y)
        builder.layout.code_heads.append(head)
    most = max(overhang, 0.0) if builder.is_toggled(block.unwrapped) else 0.0
    shift = builder.shift_of(block.key)
    at = QPointF(pad, builder.y)
    builder.flow(Flow(at, document, code.language, True, code.joint, min(shift, most), most, block.key))
    if code.is_last and block.is_long and builder.can_fold_code:
        label = tr("Show all %n lines", "", block.lines) if block.is_folded else tr("Show less")
        builder.link(pad, ActionLink(Action.FOLD, block.key, label), font(12.5, MEDIUM), scale(26))
        builder.y += scale(26)
    if code.is_last:
        _scroll_mark(builder, block.key, pad, most)
        builder.skip(10)
    _stretch_head(builder, block)
    box = QRectF(0, top, builder.width, builder.y - top)
    radius = Corner.CONTROL if code.is_first and code.is_last else 0
    builder.layout.drawn.insert(index, Fill(box, colour("code"), None, radius))


def _stretch_head(builder: RowBuilder, block: CodeBlock) -> None:
    """Extend the head of the block over its piece that was laid out last."""
    heads = builder.layout.code_heads
    if heads and heads[-1].key == block.key:
        heads[-1].end = builder.y


def _wrap_link(builder: RowBuilder, block: CodeBlock, overhang: float) -> list[ActionLink]:
    """Return the link that stops wrapping lines that are longer than the box, or wraps them again."""
    is_unwrapped = builder.is_toggled(block.unwrapped)
    label = tr("Wrap") if is_unwrapped else tr("Don't wrap")
    return [ActionLink(Action.WRAP_CODE, block.unwrapped, label)] if overhang > 0 else []


def _overhangs(
    builder: RowBuilder, segments: Sequence[MarkdownSegment], blocks: Mapping[int, CodeBlock]
) -> dict[str, float]:
    """Return the pixels by which the longest visible line of each block is longer than the box, by the block's key."""
    pieces: dict[str, list[tuple[str, LineEnds]]] = {}
    for number, block in blocks.items():
        segment = segments[number]
        ends = builder.cache.computed(line_ends, segment.text, segment.text)
        pieces.setdefault(block.key, []).append((segment.joint if isinstance(segment, CodeSegment) else "\n", ends))
    width = builder.width - 2 * scale(CODE_PAD) - scale(8)
    return {key: _width_of_line(*longest_line(several)) - width for key, several in pieces.items()}


def _width_of_line(line: str, length: int) -> float:
    """Return the width of a line of code in pixels. For a very long one, a part is measured: the pitch is fixed."""
    part = line[:MEASURED]
    return advance(code_font(12.5), part.expandtabs(TAB)) * length / max(len(part), 1)


def _scroll_mark(builder: RowBuilder, key: str, pad: float, most: float) -> None:
    """Put a thin bar that shows which part of the lines is visible."""
    width = builder.width - 2 * pad
    if most:
        shift = min(builder.shift_of(key), most)
        total = width + most
        bar = QRectF(pad + width * shift / total, builder.y + scale(3), width * width / total, scale(4))
        builder.layout.drawn.append(Fill(bar, colour("line"), None, Corner.MARK))


def _estimate(segment: MarkdownSegment, width: float) -> float:
    match segment:
        case CodeSegment():
            return (segment.text.count("\n") + 1) * scale(CODE_LINE_HEIGHT)
        case TableSegment():
            return (segment.text.count("\n") + 1) * scale(LINE_HEIGHT + 12)
        case ProseSegment():
            return estimated_text_height(segment.text, width, LINE_HEIGHT)
