"""Long text in a row: piece by piece, what is seen first, and the rest when there is time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from PySide6.QtCore import QPointF, QRectF

from desktop_app.ui.widgets.look import MEDIUM, colour, font, scaled

from .display_list import Action, Fill, Flow
from .documents import CODE_LINE_HEIGHT, LINE_HEIGHT, InkDocument, code_document, plain_document, soft_document
from .markdown_documents import end_of_text, markdown_document, rows_document
from .page import Link, Page, advance
from .segments import Code, Prose, Rows, Segment, plain_pieces, whole_code
from .table_columns import table_columns

SEGMENT_GAP = 8
ITEM_GAP = 3  # between items of a list, as within a document
CODE_PAD = 14
TABLE_EDGE = 5  # pixels that Qt leaves below and above a table, less the one line between two rows
Documents = list[InkDocument | None]
"""Of each segment; None while there was no time for it."""


def flow_markdown(page: Page, key: str, text: str) -> None:
    """Put Markdown on the page, with its code in boxes. key: names the message."""
    segments, left = page.shelf.segments_of(key, text)
    page.shelf.expect(len(segments))
    heights = [_estimate(segment, page.width) for segment in segments]
    documents: Documents = [None] * len(segments)
    for run in _nearest_first(page, _runs(segments), heights):
        columns = _columns(segments, run, page.width)
        for number in run:
            document = _document(page, segments, documents, number, columns)
            if document is None:
                break
            documents[number] = document
    for number, segment in enumerate(segments):
        page.skip(_gap(segments, number))
        if isinstance(segment, Code):
            _code_box(page, segments, number, documents[number], heights[number])
        else:
            _place(page, segments, documents, number, heights[number])
    if left:
        _put(page, 0, None, estimated_text_height(text[-left:], page.width, LINE_HEIGHT), "\n")


def flow_plain(page: Page, text: str, inset: float = 0, is_soft: bool = False) -> None:
    """Put text on the page as it was typed; fenced code in it stays text."""
    pieces = plain_pieces(text)
    page.shelf.expect(len(pieces))
    width, make = page.width - 2 * inset, soft_document if is_soft else plain_document
    heights = [estimated_text_height(piece, width, LINE_HEIGHT) for _, piece in pieces]
    documents: Documents = [None] * len(pieces)
    for (number,) in _nearest_first(page, [[number] for number in range(len(pieces))], heights):
        documents[number] = page.shelf.ready(make, pieces[number][1], width)
    for (joint, _), document, height in zip(pieces, documents, heights, strict=True):
        _put(page, inset, document, height, joint)


def estimated_text_height(text: str, width: float, line: float) -> float:
    """Return about how tall the text will be: good enough until it is laid out."""
    lines = len(text) * scaled(7) / max(width, 1) + 0.7 * text.count("\n") + 1
    return lines * scaled(line)


def _nearest_first(page: Page, runs: Sequence[Sequence[int]], heights: Sequence[float]) -> Sequence[Sequence[int]]:
    """The runs in the order in which they are wanted: what is looked at comes first."""
    tops = list(accumulate(heights, initial=page.y))
    return sorted(runs, key=lambda run: max(tops[run[0]] - page.looked_at, page.looked_at - tops[run[-1] + 1]))


def _runs(segments: Sequence[Segment]) -> list[list[int]]:
    """Segments that can be laid out for themselves, each with those that need to know how it was laid out."""
    runs: list[list[int]] = []
    for number, segment in enumerate(segments):
        if isinstance(segment, Rows) or (isinstance(segment, Prose) and segment.goes_on in ("paragraph", "word")):
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _columns(segments: Sequence[Segment], run: Sequence[int], width: float) -> tuple[float, ...]:
    """How wide those of a table are that goes on in other segments; nothing for one in one piece."""
    rows = [one for number in run if isinstance(one := segments[number], Rows)]
    if not rows:
        return ()
    begun = segments[run[0]].text.rpartition(rows[0].head)[2].strip("\n")
    return table_columns(rows[0].head, [*filter(None, [begun]), *(one.text for one in rows)], width)


def _document(
    page: Page, segments: Sequence[Segment], documents: Documents, number: int, columns: tuple[float, ...]
) -> InkDocument | None:
    segment, before = segments[number], documents[number - 1] if number else None
    ready = page.shelf.ready
    match segment:
        case Code():
            return ready(code_document, segment.text, page.width - 2 * scaled(CODE_PAD))
        case Rows():
            return ready(rows_document, segment, page.width, columns)
        case Prose(goes_on=goes_on):
            is_within = goes_on in ("paragraph", "word") and before is not None
            indent = end_of_text(before) if is_within and before is not None else 0.0
            return ready(markdown_document, segment, page.width, indent, columns)


def _gap(segments: Sequence[Segment], number: int) -> float:
    """Pixels above a segment, before they are scaled."""
    segment = segments[number]
    if number == 0 or isinstance(segment, Rows) or (isinstance(segment, Code) and not segment.is_first):
        return 0
    if isinstance(segment, Prose) and segment.goes_on:
        return ITEM_GAP if segment.goes_on == "block" else 0
    return SEGMENT_GAP + (8 if segment.text.startswith("#") else 0)


def _place(page: Page, segments: Sequence[Segment], documents: Documents, number: int, height: float) -> None:
    """Markdown at `y`; a paragraph that goes on begins in the line in which the one before ended."""
    segment = segments[number]
    document, before = documents[number], documents[number - 1] if number else None
    joint = "\n"
    if isinstance(segment, Rows) and before is not None:
        page.y -= TABLE_EDGE
    if isinstance(segment, Prose) and segment.goes_on in ("paragraph", "word"):
        joint = ""
        if document is not None and before is not None:
            layout = before.lastBlock().layout()
            page.y -= layout.lineAt(layout.lineCount() - 1).height() if layout.lineCount() else 0
    _put(page, 0, document, height, joint)


def _put(page: Page, x: float, document: InkDocument | None, height: float, joint: str, language: str | None = None):
    if document is None:
        page.layout.is_complete = False
        page.y += height
    else:
        is_code = language is not None
        page.flow(Flow(QPointF(x, page.y), document, language or "", is_code=is_code, joint=joint))


def _code_box(
    page: Page, segments: Sequence[Segment], number: int, document: InkDocument | None, height: float
) -> None:
    """Code on its own ground, with its language and a link that copies all of it."""
    code = segments[number]
    assert isinstance(code, Code)
    pad, top, index = scaled(CODE_PAD), page.y, len(page.layout.drawn)
    if code.is_first:
        line, small = scaled(28), font(11, MEDIUM)
        page.words(pad, code.language, font(11), "ink_faint", line)
        x = page.width - pad - advance(small, "Copy") - 1
        page.link(x, Link(Action.COPY_CODE, whole_code(segments, number), "Copy"), small, line)
        page.y += line
    _put(page, pad, document, height, code.joint, code.language)
    if code.is_last:
        page.skip(10)
    box = QRectF(0, top, page.width, page.y - top)
    radius = scaled(8) if code.is_first and code.is_last else 0
    page.layout.drawn.insert(index, Fill(box, colour("code"), None, radius))


def _estimate(segment: Segment, width: float) -> float:
    match segment:
        case Code():
            return (segment.text.count("\n") + 1) * scaled(CODE_LINE_HEIGHT)
        case Rows():
            return (segment.text.count("\n") + 1) * scaled(LINE_HEIGHT + 12)
        case Prose():
            return estimated_text_height(segment.text, width, LINE_HEIGHT)
