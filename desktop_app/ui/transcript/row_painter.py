"""Paints rows that were laid out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from time import monotonic

from PySide6.QtCore import QPointF, QRectF, QRegularExpression, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QFont,
    QFontMetricsF,
    QPainter,
    QPalette,
    QPen,
    QTextCursor,
    QTextDocument,
    QTextLine,
)

from desktop_app.ui.widgets.graphics import graphics
from desktop_app.ui.widgets.look import colour, paint_box
from desktop_app.ui.widgets.pictures import paint_picture

from .block_signs import draw_with_signs
from .display_list import DashedRule, DrawnGraphic, Fill, Flow, HitRegion, Picture, RowLayout, TextLine

MAX_MARKS = 200  # in one document, which is short

Found = str | tuple[str, ...]
"""A text that is marked wherever it stands, or several words; nothing if it is empty."""


def paint_row(
    painter: QPainter,
    layout: RowLayout,
    clip: QRectF,
    is_hovered: bool,
    hot: HitRegion | None,
    marked: Sequence[QTextCursor],
    found: Found = "",
    deadline: float = inf,
) -> bool:
    """Paint the row at the painter's origin. clip: its visible part. hot: the region under the mouse.

    marked: what is selected. found: a text that is marked wherever it is; after the deadline, by `monotonic`, only
    where it was looked for before. Return whether all is marked.
    """
    is_whole = True
    painter.setOpacity(1.0 if is_hovered else layout.opacity)
    for drawn in layout.drawn:
        match drawn:
            case Fill(box=box) | TextLine(box=box) if box.bottom() < clip.top() - 1 or box.top() > clip.bottom() + 1:
                pass
            case Fill():
                _paint_fill(painter, drawn)
            case TextLine():
                paint_words(painter, drawn)
            case DashedRule():
                _paint_rule(painter, drawn)
            case _ if not drawn.box.intersects(clip):
                pass
            case Picture(box, url, radius):
                paint_picture(painter, box, url, radius)
            case DrawnGraphic(box, name):
                painter.drawImage(box.topLeft(), graphics.image(name, box.size()))
            case Flow():
                _paint_flow(painter, drawn, clip, marked)
                is_whole = _paint_found(painter, drawn, clip, found, deadline) and is_whole
    painter.setOpacity(1.0)
    for region in layout.hit_regions:
        is_shown = is_hovered or not region.is_on_hover
        if region.words is not None and is_shown and region.words.box.intersects(clip):
            paint_words(painter, region.words, is_underlined=region is hot)
    return is_whole


def occurrences(document: QTextDocument, found: Found) -> list[QTextCursor]:
    """Return a cursor for each occurrence, letters of either case, up to MAX_MARKS."""
    sought = found if isinstance(found, str) else _pattern_of(found)
    cursors: list[QTextCursor] = []
    cursor = document.find(sought) if found else QTextCursor()
    while not cursor.isNull() and len(cursors) < MAX_MARKS:
        cursors.append(cursor)
        cursor = document.find(sought, cursor)
    return cursors


def _pattern_of(words: Sequence[str]) -> QRegularExpression:
    """Return a pattern for any of the words; those of scripts with spaces as whole words."""
    pieces = [r"\s+".join(map(QRegularExpression.escape, word.split())) for word in words]
    bounded = [rf"(?<!\w){piece}(?!\w)" if word.isascii() else piece for word, piece in zip(words, pieces, strict=True)]
    option = QRegularExpression.PatternOption
    return QRegularExpression("|".join(bounded), option.CaseInsensitiveOption | option.UseUnicodePropertiesOption)


def paint_words(painter: QPainter, words: TextLine, is_underlined: bool = False) -> None:
    """Paint text on one line. Code is read from left to right everywhere."""
    font = words.font
    if is_underlined:
        font = QFont(font)
        font.setUnderline(True)
    painter.setFont(font)
    painter.setPen(words.ink)
    text = words.text
    if QFontMetricsF(font).horizontalAdvance(text) > words.box.width() + 1:
        text = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, words.box.width())
    side = Qt.AlignmentFlag.AlignRight if words.is_right_aligned else Qt.AlignmentFlag.AlignLeft
    flags = int(side | Qt.AlignmentFlag.AlignVCenter)
    if font.styleHint() == QFont.StyleHint.Monospace:
        flags |= Qt.TextFlag.TextForceLeftToRight.value
    painter.drawText(words.box, flags, text)


def _paint_fill(painter: QPainter, drawn: Fill) -> None:
    if not drawn.has_square_top:
        paint_box(painter, drawn.box, drawn.fill, drawn.border, drawn.radius)
        return
    painter.save()
    painter.setClipRect(drawn.box, Qt.ClipOperation.IntersectClip)
    taller = drawn.box.adjusted(0, -2 * drawn.radius, 0, 0)
    paint_box(painter, taller, drawn.fill, drawn.border, drawn.radius)
    painter.restore()


def _paint_rule(painter: QPainter, rule: DashedRule) -> None:
    pen = QPen(rule.ink, 1)
    pen.setDashPattern([6, 4])
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(pen)
    painter.drawLine(rule.left, rule.left + QPointF(rule.length, 0))


def _paint_found(painter: QPainter, flow: Flow, clip: QRectF, found: Found, deadline: float) -> bool:
    """Mark what was found, as if behind the text; return False if there was no time to look for it.

    Where it stands is noted: as selections Qt would go through the whole paragraph for each, in each paint.
    """
    document = flow.document
    if document.found[0] != found:
        if monotonic() > deadline:
            return False
        boxes = [box for cursor in occurrences(document, found) for box in boxes_of(cursor)]
        document.found = found, boxes
    if not document.found[1]:
        return True
    is_dark = colour("paper").lightness() < 128
    mode = QPainter.CompositionMode
    painter.save()
    painter.setClipRect(clip.intersected(flow.box), Qt.ClipOperation.IntersectClip)
    painter.translate(flow.top_left - QPointF(flow.shift, 0))
    painter.setCompositionMode(mode.CompositionMode_Screen if is_dark else mode.CompositionMode_Multiply)
    for box in document.found[1]:
        painter.fillRect(box, colour("warning", 0.28))
    painter.restore()
    return True


def boxes_of(cursor: QTextCursor) -> Iterator[QRectF]:
    """Yield where what a cursor selects within a paragraph stands in the document, line by line."""
    block, layout = cursor.block(), cursor.block().layout()
    shown = cursor.document().documentLayout().blockBoundingRect(block).topLeft() - layout.boundingRect().topLeft()
    at, end = cursor.selectionStart() - block.position(), cursor.selectionEnd() - block.position()
    while at < end and (line := layout.lineForTextPosition(at)).isValid():
        stop = min(end, line.textStart() + line.textLength())
        left, right = sorted((_x_of(line, at), _x_of(line, stop)))
        yield QRectF(left, line.y(), right - left, line.height()).translated(shown)
        if stop <= at:
            break
        at = stop


def _x_of(line: QTextLine, position: int) -> float:
    found: object = line.cursorToX(position)  # a pair, whatever the stubs say
    return float(found[0] if isinstance(found, tuple) else found)  # type: ignore[arg-type]


def _paint_flow(painter: QPainter, flow: Flow, clip: QRectF, marked: Sequence[QTextCursor]) -> None:
    context = QAbstractTextDocumentLayout.PaintContext()
    palette = QPalette(context.palette)
    palette.setColor(QPalette.ColorRole.Text, colour("ink"))
    context.palette = palette
    seen = clip.intersected(flow.box) if flow.max_shift else clip
    context.clip = seen.translated(flow.inside(QPointF()))
    selections = []
    for cursor in marked:
        if cursor.document() != flow.document:
            continue
        selection = QAbstractTextDocumentLayout.Selection()
        selection.cursor = cursor
        selection.format.setBackground(colour("accent", 0.28))
        selections.append(selection)
    context.selections = selections
    painter.save()
    if flow.max_shift:
        painter.setClipRect(seen, Qt.ClipOperation.IntersectClip)
    painter.translate(flow.top_left - QPointF(flow.shift, 0))
    draw_with_signs(painter, flow.document, context)
    painter.restore()
