"""Markdown as documents that Qt can lay out, for a complete text or one segment, and as a widget.

Documents load nothing from outside a message: images become links, and HTML stays text. Task boxes, list dots and the
bars of quotes are painted here: Qt crosses out checked boxes, and draws dots too high and too close to the text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QBrush,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPalette,
    QPen,
    QRegion,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextList,
    QTextListFormat,
    QTextTable,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from desktop_app.conversation.markdown_html import to_qt_markdown
from desktop_app.conversation.markdown_source import FOOTNOTE, free_marks
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.look import (
    BOLD,
    TRANSPARENT,
    Corner,
    StyleAware,
    Tint,
    colour,
    font,
    paint_box,
    recolour,
    scale,
)
from desktop_app.ui.widgets.number_formats import MARKDOWN

from .documents import LINE_HEIGHT, InkDocument, code_font
from .formulas import FORMULA, NO_FORMULAS, TEXT_SIZE, Formulas, arrange_formulas, formula_painter
from .segments import ProseSegment, TableSegment

QUOTE_INDENT = 16  # pixels
BAR = 3
DOT, DOT_AWAY = 2.5, 12  # pixels: the radius of a dot, and the distance of its centre from the text
LARGER = 1.5  # pixels by which a task's box is larger than Qt's, on each side
WIDE = 100_000
BELOW = 6  # pixels
Marker = QTextBlockFormat.MarkerType


def quote_level(block: QTextBlock) -> int:
    """Return the number of quotes that the block is within."""
    return int(block.blockFormat().property(QTextFormat.Property.BlockQuoteLevel) or 0)


def has_sign(block: QTextBlock) -> bool:
    """Return whether a sign is painted next to the block: a bar, a box or a dot."""
    return quote_level(block) > 0 or _is_task(block) or _is_bullet(block)


def draw_with_signs(
    painter: QPainter, document: InkDocument, context: QAbstractTextDocumentLayout.PaintContext
) -> None:
    """Draw a document with our signs in place of Qt's boxes and dots."""
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
    """Return whether the block is a task. Qt's parser leaves a task's marker on the block after the list."""
    return block.textList() is not None and block.blockFormat().marker() is not Marker.NoMarker


def _is_bullet(block: QTextBlock) -> bool:
    listed = block.textList()
    is_dotted = listed is not None and listed.format().style() == QTextListFormat.Style.ListDisc
    return is_dotted and block.blockFormat().marker() is Marker.NoMarker


def _whole_lines(clip: QRectF) -> QRectF:
    """Return the clip widened to include the signs at the sides of the blocks: Qt's box of a line with a fixed height
    ends some pixels above its text."""
    return clip.adjusted(-WIDE, -scale(BELOW), WIDE, 0)


def _box_of_qt(block: QTextBlock) -> QRectF:
    """Return the box that Qt draws for a task, before the first line."""
    line, look = block.layout().lineAt(0).naturalTextRect(), QFontMetrics(block.charFormat().font())
    side, around = look.lineSpacing() // 3, look.lineSpacing() // 6
    away = look.horizontalAdvance(" ")
    x = line.right() + away - around if _is_from_right(block) else line.left() - away - around - side
    top_left = block.layout().position() + QPointF(x, line.top() + (look.height() - side) / 2)
    return QRectF(top_left, QSizeF(side, side)).adjusted(-around, -around, around, around)


def _box(block: QTextBlock) -> QRectF:
    """Return the box that we draw: a little larger, and a little further from the text."""
    aside = scale(2.5) + LARGER
    box = _box_of_qt(block).adjusted(-LARGER, -LARGER, LARGER, LARGER)
    box.translate(
        aside + scale(4) if _is_from_right(block) else -aside, 0
    )  # Qt's box touches a text that begins on the right
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
    """Paint the dot of a list item at half the x-height of the first line."""
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
    """Paint a bar for each quote; it extends to the next block if that continues the quote."""
    after = block.next()
    top, bottom = _top_and_bottom(block)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for level in range(quote_level(block)):
        x, goes_on = scale(QUOTE_INDENT) * level, quote_level(after) > level
        if _is_from_right(block):
            x = block.document().textWidth() - x - scale(BAR)
        end = _top_and_bottom(after)[0] if goes_on else bottom
        painter.fillRect(QRectF(x, top, scale(BAR), end - top).toRect(), colour("line"))  # not cut by a clip in a pixel


def _top_and_bottom(block: QTextBlock) -> tuple[float, float]:
    """Return the top of a block's first line and the bottom of its last one."""
    layout = block.layout()
    first, last = layout.lineAt(0).naturalTextRect(), layout.lineAt(max(layout.lineCount() - 1, 0)).naturalTextRect()
    return layout.position().y() + first.top(), layout.position().y() + last.bottom()


CELL_PADDING = 6
BESIDE_CELL = 2 * CELL_PADDING
RULE = QTextFormat.Property.BlockTrailingHorizontalRulerWidth
BULLETS = (QTextListFormat.Style.ListDisc, QTextListFormat.Style.ListCircle, QTextListFormat.Style.ListSquare)
"""Qt's styles for items with "-", "*" and "+", which we show alike."""
_HEADING_SIZES = {1: 18, 2: 16, 3: 15}


def markdown_document(
    prose: ProseSegment, indent: float = 0, columns: tuple[float, ...] = (), formulas: Formulas = NO_FORMULAS
) -> InkDocument:
    """Return a document of Markdown with our formats.

    indent: pixels before the first line, if it continues a paragraph. columns: column widths of the table at its end,
    if that continues in another segment. formulas: the ones that are drawn.
    """
    document = _parse(prose.text, prose.references, formulas)
    first = document.begin()
    if prose.number is not None and (listed := first.textList()) is not None:
        shape = listed.format()
        shape.setStart(prose.number)
        listed.setFormat(shape)
    cursor = QTextCursor(first)
    if prose.goes_on == "paragraph":
        cursor.insertText(" ", QTextCharFormat())  # the line may break here
    _dress(document, formulas)
    if indent:
        shape = QTextBlockFormat()
        shape.setTextIndent(indent)
        cursor.mergeBlockFormat(shape)
    if columns and (table := last_table(document)) is not None:
        _fix_columns(table, columns)
        _close_up(table, bottom=0)
    return document


def rows_document(rows: TableSegment, columns: tuple[float, ...], formulas: Formulas = NO_FORMULAS) -> InkDocument:
    """Return a document of table rows without the head. columns: their widths in pixels; () for natural widths."""
    document = _parse(f"{rows.head}\n{rows.text}", rows.references, formulas)
    table = last_table(document)
    if table is None:
        return document
    table.removeRows(0, 1)
    _dress(document, formulas, has_head=False)
    _fix_columns(table, columns)
    _close_up(table, top=0, bottom=0)
    return document


def _fix_columns(table: QTextTable, columns: tuple[float, ...]) -> None:
    if len(columns) == table.columns():
        shape, beside = table.format(), scale(BESIDE_CELL) + 1
        widths = [QTextLength(QTextLength.Type.FixedLength, width + beside) for width in columns]
        shape.setColumnWidthConstraints(widths)
        table.setFormat(shape)


def _close_up(table: QTextTable, top: float | None = None, bottom: float | None = None) -> None:
    """Set the margins of a table that continues in another document."""
    shape = table.format()
    shape.setTopMargin(shape.topMargin() if top is None else top)
    shape.setBottomMargin(shape.bottomMargin() if bottom is None else bottom)
    table.setFormat(shape)


def last_table(document: QTextDocument) -> QTextTable | None:
    """Return the table nearest to the document's end, if it has any."""
    tables = [frame for frame in document.rootFrame().childFrames() if isinstance(frame, QTextTable)]
    return tables[-1] if tables else None


def end_of_text(document: QTextDocument) -> float:
    """Return the end of a paragraph's last line, in pixels from the side where lines begin."""
    layout = document.lastBlock().layout()
    if not layout.lineCount():
        return 0.0
    box = layout.lineAt(layout.lineCount() - 1).naturalTextRect()
    is_from_right = document.lastBlock().textDirection() == Qt.LayoutDirection.RightToLeft
    return document.textWidth() - box.left() if is_from_right else box.right()


def _parse(text: str, references: str, formulas: Formulas) -> InkDocument:
    document = InkDocument(text)
    document.setIndentWidth(scale(26))
    marks = free_marks(text)
    markdown = to_qt_markdown(text, formulas.markdown, marks)
    document.setMarkdown(markdown + (f"\n\n{references}" if references else ""), MARKDOWN)
    if marks is not None and marks.joint in markdown:
        _replace_all(document, marks.joint, "")
    if marks is not None and marks.line_break in markdown:
        _replace_all(document, marks.line_break, "\u2028")
    return document


def _replace_all(document: QTextDocument, mark: str, text: str) -> None:
    cursor = document.find(mark)
    while not cursor.isNull():
        cursor.insertText(text)
        cursor = document.find(mark, cursor)


def _dress(document: InkDocument, formulas: Formulas, has_head: bool = True) -> None:
    if formulas.names:
        document.documentLayout().registerHandler(FORMULA, formula_painter)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    block, signed = document.begin(), list[int]()
    while block.isValid():
        _shape_block(cursor, block, is_first=block.blockNumber() == 0, is_last=not block.next().isValid())
        _ink_fragments(cursor, block, formulas)
        if has_sign(block):
            signed.append(block.blockNumber())
        block = block.next()
    cursor.endEditBlock()
    document.signed = tuple(signed)
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _shape_table(frame, has_head, is_first=frame.firstPosition() <= 1)


def _shape_block(cursor: QTextCursor, block: QTextBlock, is_first: bool, is_last: bool) -> None:
    """Set spacing, line height and indent."""
    old = block.blockFormat()
    shape = QTextBlockFormat()
    cursor.setPosition(block.position())
    is_in_table = cursor.currentTable() is not None
    top, bottom = (12, 4) if old.headingLevel() else (0, 0) if is_in_table else (0, 8)
    if _goes_on(block.textList(), block.next().textList()):
        bottom = 3
    shape.setTopMargin(scale(top) if top and not is_first else 0)
    shape.setBottomMargin(scale(bottom) if bottom and not is_last else 0)
    if not is_in_table:
        shape.setLineHeight(scale(LINE_HEIGHT), QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
    if level := quote_level(block):
        sides = [scale(QUOTE_INDENT) * level, 0]
        before, after = sides if block.textDirection() == Qt.LayoutDirection.LeftToRight else sides[::-1]
        shape.setLeftMargin(before)
        shape.setRightMargin(after)
    if old.hasProperty(QTextFormat.Property.BlockCodeFence):
        _shape_code_line(shape, block.next())
    elif old.hasProperty(RULE):
        shape.setBackground(colour("line"))  # Qt draws the rule in this colour
    cursor.mergeBlockFormat(shape)
    if (listed := block.textList()) is not None and listed.format().style() in BULLETS[1:]:
        bullets = listed.format()
        bullets.setStyle(BULLETS[0])
        listed.setFormat(bullets)


def _shape_code_line(shape: QTextBlockFormat, after: QTextBlock) -> None:
    """Let a line of code wrap, and its background touch the next line's."""
    shape.setBackground(colour("code"))
    shape.setNonBreakableLines(False)
    shape.setLineHeight(
        100, QTextBlockFormat.LineHeightTypes.SingleHeight.value
    )  # with any other, Qt does not paint the full background
    if after.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence):
        shape.setBottomMargin(0)


def _goes_on(listed: QTextList | None, after: QTextList | None) -> bool:
    """Return whether a list continues: with another item, or one of a nested or of the enclosing list."""
    return (
        listed is not None
        and after is not None
        and (listed == after or listed.format().indent() != after.format().indent())
    )


def _ink_fragments(cursor: QTextCursor, block: QTextBlock, formulas: Formulas) -> None:
    """Format headings, quotes, code, links, formulas and images."""
    heading = block.blockFormat().headingLevel()
    is_quote, is_code = quote_level(block) > 0, block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence)
    changes: list[tuple[int, int, QTextCharFormat, str]] = []
    drawn: list[QTextCharFormat] = []
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        iterator += 1
        look, text = QTextCharFormat(fragment.charFormat()), ""
        if look.isImageFormat() and look.toImageFormat().name() in formulas.names:
            look, text = formulas.format_of(look.toImageFormat().name(), _HEADING_SIZES.get(heading, TEXT_SIZE)), ""
            drawn.append(look)
        elif look.isImageFormat():
            image = look.toImageFormat()
            text = str(image.property(QTextFormat.Property.ImageAltText) or "") or image.name()
            look, text = _link(QTextCharFormat(), image.name()), tr("[image: {name}]").format(name=text)
        elif look.isAnchor() and look.anchorHref().startswith(FOOTNOTE):
            look, text = QTextCharFormat(), fragment.text().removeprefix("^")
            look.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignSuperScript)
        elif look.isAnchor():
            look = _link(look, look.anchorHref())
        elif is_code or look.fontFixedPitch():  # Qt gives fenced code the system's font, but does not report its pitch
            look.setFont(code_font(13))
        elif heading:
            look.clearProperty(QTextFormat.Property.FontSizeAdjustment)
            look.setFont(font(_HEADING_SIZES.get(heading, 14), BOLD))
        elif is_quote:
            look.setForeground(colour("ink_soft"))
        else:
            continue
        changes.append((fragment.position(), fragment.length(), look, text))
    for start, length, look, text in reversed(changes):
        cursor.setPosition(start)
        cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        if text:
            cursor.insertText(text, look)
        else:
            cursor.setCharFormat(look)
    if drawn:
        arrange_formulas(cursor, drawn)


def _link(look: QTextCharFormat, target: str) -> QTextCharFormat:
    look.setAnchor(True)
    look.setAnchorHref(target)
    look.setForeground(QBrush(colour("accent")))
    look.setFontUnderline(False)
    return look


def _shape_table(table: QTextTable, has_head: bool, is_first: bool) -> None:
    shape = table.format()
    shape.setBorder(1)
    shape.setBorderBrush(QBrush(colour("line")))
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    shape.setBorderCollapse(True)
    shape.setCellSpacing(0)
    shape.setCellPadding(scale(CELL_PADDING))
    shape.setTopMargin(scale(4 if is_first else 10))  # Qt omits the margin of the previous paragraph,
    shape.setBottomMargin(0)  # and adds an empty paragraph after the table
    shape.setWidth(QTextLength())
    shape.setHeaderRowCount(int(has_head))
    table.setFormat(shape)
    for column in range(table.columns() if has_head else 0):
        cell = table.cellAt(0, column)
        look = cell.format()
        look.setBackground(colour("code"))
        cell.setFormat(look)


NARROWEST, WIDEST = 96, 280  # pixels of a column: if narrower, the table scrolls; and its maximum then
STEP = 16  # pixels to which widths are rounded up, so that the columns of a growing table seldom change
_MARKS = re.compile(r"[*~`\\]|\]\([^)]*\)|\[")


def table_columns(wanted: Sequence[tuple[float, ...]], width: float, is_wide: bool = False) -> tuple[float, ...]:
    """Return the width of each column's text, in pixels, for a table with that maximum width.

    wanted: the natural widths of its head and of each piece of its rows. is_wide: whether it may be wider.
    """
    count = len(wanted[0])
    natural = [max(row[column] if column < len(row) else 0 for row in wanted) for column in range(count)]
    if is_wide:
        return wide_columns(natural, width)
    return _share_width(natural, width - count * (scale(BESIDE_CELL) + 1) - 1)


def wide_columns(natural: Sequence[float], width: float) -> tuple[float, ...]:
    """Return the width of each column's text for a table that may be wider than `width`, and then scrolls.

    If sharing would leave a column less than a word or two, each gets its natural width, up to a comfortable line.
    """
    shared = _share_width(natural, width - len(natural) * (scale(BESIDE_CELL) + 1) - 1)
    if all(share >= min(wanted, scale(NARROWEST)) for share, wanted in zip(shared, natural, strict=True)):
        return shared
    return tuple(min(wanted, scale(WIDEST)) for wanted in natural)


def table_width(columns: Sequence[float]) -> float:
    """Return the width of a table whose columns have texts of these widths."""
    return sum(columns) + len(columns) * (scale(BESIDE_CELL) + 1) + 1


def _share_width(natural: Sequence[float], available: float) -> tuple[float, ...]:
    """Return the natural widths if they fit; otherwise narrow columns get theirs, and the others share the rest."""
    widths = [0.0] * len(natural)
    left = max(available, len(natural))
    for rank, column in enumerate(sorted(range(len(natural)), key=lambda n: natural[n])):
        widths[column] = min(natural[column], left / (len(natural) - rank))
        left -= widths[column]
    return tuple(widths)


def cell_fonts() -> tuple[QFont, QFont]:
    """Return the widest fonts of a cell."""
    return font(14, BOLD), code_font(13)


def cell_widths(rows: str) -> tuple[float, ...]:
    """Return the width of the widest cell in each column of a table's head or of some rows."""
    longest: list[str] = []
    for line in rows.split("\n"):
        cells = [_MARKS.sub("", cell).strip() for cell in line.strip().strip("|").split("|")]
        longest += [""] * (len(cells) - len(longest))
        longest[: len(cells)] = [max(pair, key=len) for pair in zip(longest, cells, strict=False)]
    looks = [QFontMetricsF(look) for look in cell_fonts()]
    widest = [max(look.horizontalAdvance(cell) for look in looks) for cell in longest]
    return tuple(-(-width // STEP) * STEP for width in widest)


class MarkdownText(StyleAware, QTextBrowser):
    """A widget with Markdown to be read and copied, as high as its text. Its links are not opened."""

    def __init__(self, text: str, parent: QWidget | None = None, *, tint: Tint = "ink_soft") -> None:
        super().__init__(parent)
        self._source = text
        self._tint: Tint = tint
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.refresh_style()

    def show_text(self, text: str) -> None:
        """Show another text."""
        if text != self._source:
            self._source = text
            self.refresh_style()

    def sizeHint(self) -> QSize:
        return QSize(240, math.ceil(self.document().size().height()) + 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def refresh_style(self) -> None:
        recolour(self, {QPalette.ColorRole.Base: TRANSPARENT, QPalette.ColorRole.Text: colour(self._tint)})
        document = markdown_document(ProseSegment(self._source))
        document.setParent(self)
        self.setDocument(document)
        self._fit()

    def _fit(self) -> None:
        self.document().setTextWidth(self.viewport().width())
        if self.height() != self.sizeHint().height():
            self.setFixedHeight(self.sizeHint().height())
