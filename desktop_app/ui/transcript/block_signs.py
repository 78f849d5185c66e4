"""What stands beside the blocks of Markdown: boxes of tasks, which Qt crosses out, dots of lists, which it draws high
and close to the text, and the bars of quotes."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QFontMetrics,
    QPainter,
    QPainterPath,
    QPen,
    QRegion,
    QTextBlock,
    QTextBlockFormat,
    QTextFormat,
    QTextListFormat,
)

from desktop_app.ui.widgets.look import Corner, colour, paint_box, scale

from .documents import InkDocument

QUOTE_INDENT = 16  # pixels
BAR = 3
DOT, DOT_AWAY = 2.5, 12  # pixels: its radius, and how far its middle is from the text
LARGER = 1.5  # pixels by which a box is larger than Qt's, on each side
WIDE = 100_000
Marker = QTextBlockFormat.MarkerType


def quote_level(block: QTextBlock) -> int:
    """Return how many quotes the block is within."""
    return int(block.blockFormat().property(QTextFormat.Property.BlockQuoteLevel) or 0)


def has_sign(block: QTextBlock) -> bool:
    """Return whether something is painted beside the block."""
    return quote_level(block) > 0 or _is_task(block) or _is_bullet(block)


def draw_with_signs(
    painter: QPainter, document: InkDocument, context: QAbstractTextDocumentLayout.PaintContext
) -> None:
    """Draw a document with its signs, without the boxes and dots that Qt draws."""
    layout, signed = document.documentLayout(), map(document.findBlockByNumber, document.signed)
    blocks = [block for block in signed if layout.blockBoundingRect(block).intersects(_whole_lines(context.clip))]
    tasks, bullets = list(filter(_is_task, blocks)), list(filter(_is_bullet, blocks))
    if tasks or bullets:
        region = QRegion(context.clip.toAlignedRect())
        for block in (*tasks, *bullets):
            region -= QRegion(_box_of_qt(block).adjusted(-1, -1, 1, 1).toAlignedRect())
        painter.save()
        painter.setClipRegion(region, Qt.ClipOperation.IntersectClip)
        layout.draw(painter, context)
        painter.restore()
    else:
        layout.draw(painter, context)
    for block in tasks:
        _paint_task(painter, _box(block), block.blockFormat().marker() is Marker.Checked)
    for block in bullets:
        _paint_dot(painter, block)
    for block in blocks:
        _paint_bars(painter, block)


def _is_task(block: QTextBlock) -> bool:
    """Qt's parser leaves the mark of a task on what comes behind the list."""
    return block.textList() is not None and block.blockFormat().marker() is not Marker.NoMarker


def _is_bullet(block: QTextBlock) -> bool:
    listed = block.textList()
    is_dotted = listed is not None and listed.format().style() == QTextListFormat.Style.ListDisc
    return is_dotted and block.blockFormat().marker() is Marker.NoMarker


def _whole_lines(clip: QRectF) -> QRectF:
    """Return the clip as wide as any line: a sign stands beside its block."""
    return clip.adjusted(-WIDE, 0, WIDE, 0)


def _box_of_qt(block: QTextBlock) -> QRectF:
    """Return where Qt draws the box of a task, and crosses it out: before the first line."""
    line, look = block.layout().lineAt(0).naturalTextRect(), QFontMetrics(block.charFormat().font())
    side, around = look.lineSpacing() // 3, look.lineSpacing() // 6
    away = look.horizontalAdvance(" ")
    x = line.right() + away - around if _is_from_right(block) else line.left() - away - around - side
    top_left = block.layout().position() + QPointF(x, line.top() + (look.height() - side) / 2)
    return QRectF(top_left, QSizeF(side, side)).adjusted(-around, -around, around, around)


def _box(block: QTextBlock) -> QRectF:
    """Return where we draw it: a little larger, and a little further from the text."""
    aside = scale(2.5) + LARGER
    box = _box_of_qt(block).adjusted(-LARGER, -LARGER, LARGER, LARGER)
    box.translate(aside + scale(4) if _is_from_right(block) else -aside, 0)  # Qt's touches a text that begins there
    return QRectF(box.toRect())


def _is_from_right(block: QTextBlock) -> bool:
    return block.textDirection() == Qt.LayoutDirection.RightToLeft


def _paint_task(painter: QPainter, box: QRectF, is_done: bool) -> None:
    ground = colour("accent") if is_done else None
    paint_box(painter, box, ground, colour("accent" if is_done else "ink_faint"), Corner.MARK)
    if is_done:
        tick = QPainterPath(box.topLeft() + QPointF(0.24 * box.width(), 0.52 * box.height()))
        tick.lineTo(box.topLeft() + QPointF(0.43 * box.width(), 0.71 * box.height()))
        tick.lineTo(box.topLeft() + QPointF(0.77 * box.width(), 0.31 * box.height()))
        painter.setPen(QPen(colour("accent_ink"), scale(1.6)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(tick)


def _paint_dot(painter: QPainter, block: QTextBlock) -> None:
    """Paint the dot of a list at half the height of the first line's small letters."""
    line = block.layout().lineAt(0)
    text, look = line.naturalTextRect(), QFontMetrics(block.charFormat().font())
    x = text.right() + scale(DOT_AWAY) if _is_from_right(block) else text.left() - scale(DOT_AWAY)
    middle = block.layout().position() + QPointF(x, line.y() + line.ascent() - look.xHeight() / 2)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour("ink"))
    painter.drawEllipse(middle, scale(DOT), scale(DOT))
    painter.restore()


def _paint_bars(painter: QPainter, block: QTextBlock) -> None:
    """Paint a bar for each quote; where the next block goes on with it, it reaches there."""
    after = block.next()
    top, bottom = _top_and_bottom(block)
    for level in range(quote_level(block)):
        x, goes_on = scale(QUOTE_INDENT) * level, quote_level(after) > level
        if _is_from_right(block):
            x = block.document().textWidth() - x - scale(BAR)
        reached = _top_and_bottom(after)[0] if goes_on else bottom
        painter.fillRect(QRectF(x, top, scale(BAR), reached - top), colour("line"))


def _top_and_bottom(block: QTextBlock) -> tuple[float, float]:
    """Return where the first line of a block begins, and where its last one ends."""
    layout = block.layout()
    first, last = layout.lineAt(0).naturalTextRect(), layout.lineAt(max(layout.lineCount() - 1, 0)).naturalTextRect()
    return layout.position().y() + first.top(), layout.position().y() + last.bottom()
