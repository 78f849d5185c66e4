"""A row that was laid out: what is painted where, and what a click does."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QPointF, QRectF, Qt
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

from desktop_app.conversation.words import translatable
from desktop_app.ui.widgets.graphics import graphics
from desktop_app.ui.widgets.look import colour, paint_box
from desktop_app.ui.widgets.pictures import paint_picture

MAX_MARKS = 200  # in one document, which is short


class Action(StrEnum):
    """What a click does, in the words that are shown for it, translated."""

    COPY = translatable("Copy")
    COPY_CODE = translatable("Copy code")
    SAVE_CODE = translatable("Save code…")
    SHOW_CODE = translatable("Show code")
    REGENERATE = translatable("Regenerate")
    PIN = translatable("Pin")
    UNPIN = translatable("Unpin")
    BRING_BACK = translatable("Bring back")
    FOLD = translatable("Fold")
    READ = translatable("Open as text")
    SHOW_OPERATION = translatable("Show")
    UNDO_OPERATION = translatable("Undo")
    OPEN_CONVERSATION = translatable("Open")
    STOP = translatable("Stop")
    OPEN_ATTACHMENT = translatable("Open attachment")
    SHOW_IN_REQUEST = translatable("Show in the request")
    SHOW_REQUEST = translatable("What the model saw")
    OPEN_WHOLE = translatable("Open whole output")
    TRY_AGAIN = translatable("Try again")
    GO_ON = translatable("Go on")
    OPTIMIZE_AND_RETRY = translatable("Optimize and retry")
    SEND_ANYWAY = translatable("Send anyway")
    USE_OWN_WINDOW = translatable("Use the full window")
    START_FRESH = translatable("Start fresh with the summary")
    SWITCH_MODEL = translatable("Switch model…")
    EXPORT = translatable("Export…")
    OPEN_SETTINGS = translatable("Open settings")
    EARLIER = translatable("Previous version")
    LATER = translatable("Next version")
    FORK = translatable("Fork to a new conversation")
    MORE = translatable("More…")
    EDIT_MESSAGE = translatable("Edit your message")
    SEND_AS_FILE = translatable("Attach it as a file")
    SEND_CUT = translatable("Cut it")


class Fill(msgspec.Struct, frozen=True):
    """A box. radius: of all corners, unless the top is square."""

    box: QRectF
    fill: QColor | None = None
    border: QColor | None = None
    radius: float = 0
    has_square_top: bool = False


class TextLine(msgspec.Struct, frozen=True):
    """Text on one line, with an ellipsis if it is too long."""

    box: QRectF
    text: str
    font: QFont
    ink: QColor
    is_right_aligned: bool = False


class Flow(msgspec.Struct, frozen=True):
    """A document at a position. language: of code to be highlighted. joint: what separates it from the text before."""

    top_left: QPointF
    document: QTextDocument
    language: str = ""
    is_code: bool = False
    joint: str = "\n"

    @property
    def box(self) -> QRectF:
        size = self.document.size()
        return QRectF(self.top_left.x(), self.top_left.y(), self.document.textWidth(), size.height())


class Picture(msgspec.Struct, frozen=True):
    """An attached image, by its data URL."""

    box: QRectF
    url: str
    radius: float = 0


class DrawnGraphic(msgspec.Struct, frozen=True):
    """A diagram, by its name."""

    box: QRectF
    name: str


class DashedRule(msgspec.Struct, frozen=True):
    """A dashed horizontal rule."""

    left: QPointF
    length: float
    ink: QColor


class HitRegion(msgspec.Struct, frozen=True):
    """A region that can be clicked. argument: what the action is about. is_on_hover: shown while the row is hovered."""

    box: QRectF
    action: Action
    argument: str
    words: TextLine | None = None
    is_on_hover: bool = False


DisplayItem = Fill | TextLine | Flow | DashedRule | Picture | DrawnGraphic


class RowLayout(msgspec.Struct):
    """A row, laid out from (0, 0) in a column.

    opacity: below 1 for what the model does not see. is_complete: whether all of it was laid out.
    """

    drawn: list[DisplayItem] = []
    hit_regions: list[HitRegion] = []
    height: float = 0
    opacity: float = 1.0
    message_id: str = ""
    is_complete: bool = True

    @property
    def flows(self) -> list[Flow]:
        """The documents, top to bottom."""
        return [drawn for drawn in self.drawn if isinstance(drawn, Flow)]

    def region_at(self, point: QPointF, is_hovered: bool) -> HitRegion | None:
        return next((h for h in self.hit_regions if h.box.contains(point) and (is_hovered or not h.is_on_hover)), None)


def mirror(layout: RowLayout, width: float) -> None:
    """Turn the row around, for a window that is read from right to left; inside a document nothing moves."""

    def turned(drawn: DisplayItem) -> DisplayItem:
        match drawn:
            case Flow(top_left):
                return replace(drawn, top_left=QPointF(width - drawn.box.right(), top_left.y()))
            case DashedRule(left, length):
                return replace(drawn, left=QPointF(width - left.x() - length, left.y()))
            case _:
                return replace(drawn, box=turned_box(drawn.box))

    def turned_box(box: QRectF) -> QRectF:
        return QRectF(width - box.right(), box.top(), box.width(), box.height())

    layout.drawn = [turned(drawn) for drawn in layout.drawn]
    layout.hit_regions = [
        replace(
            region,
            box=turned_box(region.box),
            words=replace(region.words, box=turned_box(region.words.box)) if region.words else None,
        )
        for region in layout.hit_regions
    ]


def paint_row(
    painter: QPainter,
    layout: RowLayout,
    clip: QRectF,
    is_hovered: bool,
    hot: HitRegion | None,
    marked: Sequence[QTextCursor],
    found: str = "",
) -> None:
    """Paint the row at the painter's origin. clip: its visible part. hot: the region under the mouse.

    marked: what is selected. found: a text that is marked wherever it is.
    """
    painter.setOpacity(1.0 if is_hovered else layout.opacity)
    for drawn in layout.drawn:
        match drawn:
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
        if region.words is not None and (is_hovered or not region.is_on_hover):
            paint_words(painter, region.words, is_underlined=region is hot)


def occurrences(document: QTextDocument, text: str) -> list[QTextCursor]:
    """Return a cursor for each occurrence of the text, of either case, up to MAX_MARKS."""
    cursors: list[QTextCursor] = []
    cursor = document.find(text) if text else QTextCursor()
    while not cursor.isNull() and len(cursors) < MAX_MARKS:
        cursors.append(cursor)
        cursor = document.find(text, cursor)
    return cursors


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


def _marks(document: QTextDocument, marked: Sequence[QTextCursor], found: str) -> list[tuple[QTextCursor, QColor]]:
    """Return what is marked in a document, and the colour behind it."""
    marks = [(cursor, colour("accent", 0.28)) for cursor in marked if cursor.document() == document]
    return marks + [(cursor, colour("warning", 0.28)) for cursor in occurrences(document, found)]


def _paint_flow(painter: QPainter, flow: Flow, clip: QRectF, marks: Sequence[tuple[QTextCursor, QColor]]) -> None:
    context = QAbstractTextDocumentLayout.PaintContext()
    palette = QPalette(context.palette)
    palette.setColor(QPalette.ColorRole.Text, colour("ink"))
    context.palette = palette
    context.clip = clip.translated(-flow.top_left)
    selections = []
    for cursor, ground in marks:
        selection = QAbstractTextDocumentLayout.Selection()
        selection.cursor = cursor
        selection.format.setBackground(ground)
        selections.append(selection)
    context.selections = selections
    painter.save()
    painter.translate(flow.top_left)
    flow.document.documentLayout().draw(painter, context)
    painter.restore()
