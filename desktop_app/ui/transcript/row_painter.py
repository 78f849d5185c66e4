"""Paints rows that were laid out."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QRegularExpression, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPalette,
    QPen,
    QTextCursor,
    QTextDocument,
)

from desktop_app.ui.widgets.graphics import graphics
from desktop_app.ui.widgets.look import colour, paint_box
from desktop_app.ui.widgets.pictures import paint_picture

from .block_signs import draw_with_signs
from .display_list import DashedRule, DrawnGraphic, Fill, Flow, HitRegion, Picture, RowLayout, TextLine
from .documents import InkDocument

MAX_MARKS = 200  # in one document, which is short
MAX_PAINTED = 120_000  # characters: for each mark Qt goes through its paragraph

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
) -> None:
    """Paint the row at the painter's origin. clip: its visible part. hot: the region under the mouse.

    marked: what is selected. found: a text that is marked wherever it is.
    """
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
                _paint_flow(painter, drawn, clip, _marks(drawn.document, marked, found))
    painter.setOpacity(1.0)
    for region in layout.hit_regions:
        is_shown = is_hovered or not region.is_on_hover
        if region.words is not None and is_shown and region.words.box.intersects(clip):
            paint_words(painter, region.words, is_underlined=region is hot)


def occurrences(document: QTextDocument, found: Found) -> list[QTextCursor]:
    """Return a cursor for each occurrence, letters of either case, up to MAX_MARKS; fewer in long paragraphs."""
    sought = found if isinstance(found, str) else _pattern_of(found)
    cursors: list[QTextCursor] = []
    cursor, painted = document.find(sought) if found else QTextCursor(), 0
    while not cursor.isNull() and len(cursors) < MAX_MARKS and painted < MAX_PAINTED:
        cursors.append(cursor)
        painted += cursor.block().length()
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


def _marks(document: InkDocument, marked: Sequence[QTextCursor], found: Found) -> list[tuple[QTextCursor, QColor]]:
    """Return what is marked in a document, and the colour behind it."""
    marks = [(cursor, colour("accent", 0.28)) for cursor in marked if cursor.document() == document]
    if document.found[0] != found:
        document.found = found, _merge_adjacent(occurrences(document, found))
    return marks + [(cursor, colour("warning", 0.28)) for cursor in document.found[1]]


def _merge_adjacent(cursors: Sequence[QTextCursor]) -> list[QTextCursor]:
    """Return the cursors with those made one that follow upon each other: each costs time."""
    merged: list[QTextCursor] = []
    for cursor in cursors:
        if merged and merged[-1].selectionEnd() == cursor.selectionStart():
            merged[-1].setPosition(cursor.selectionEnd(), QTextCursor.MoveMode.KeepAnchor)
        else:
            merged.append(cursor)
    return merged


def _paint_flow(painter: QPainter, flow: Flow, clip: QRectF, marks: Sequence[tuple[QTextCursor, QColor]]) -> None:
    context = QAbstractTextDocumentLayout.PaintContext()
    palette = QPalette(context.palette)
    palette.setColor(QPalette.ColorRole.Text, colour("ink"))
    context.palette = palette
    seen = clip.intersected(flow.box) if flow.max_shift else clip
    context.clip = seen.translated(flow.inside(QPointF()))
    selections = []
    for cursor, ground in marks:
        selection = QAbstractTextDocumentLayout.Selection()
        selection.cursor = cursor
        selection.format.setBackground(ground)
        selections.append(selection)
    context.selections = selections
    painter.save()
    if flow.max_shift:
        painter.setClipRect(seen, Qt.ClipOperation.IntersectClip)
    painter.translate(flow.top_left - QPointF(flow.shift, 0))
    draw_with_signs(painter, flow.document, context)
    painter.restore()
