"""Display lists of rows: the elements to paint, the regions that can be clicked, and their painting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from time import monotonic

import msgspec
from msgspec.structs import replace
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

from desktop_app.conversation.words import either_spelling, spellings_of, translatable
from desktop_app.ui.widgets.look import colour, paint_box
from desktop_app.ui.widgets.pictures import graphics, paint_picture

from .documents import InkDocument, glyph_cache
from .markdown_documents import draw_with_signs


class Action(StrEnum):
    """An action on a click. The value is its label in English, to be translated."""

    COPY = translatable("Copy")
    COPY_CODE = translatable("Copy code")
    SAVE_CODE = translatable("Save code…")
    SHOW_CODE = translatable("Show code")
    WRAP_CODE = translatable("Wrap")
    REGENERATE = translatable("Regenerate")
    PIN = translatable("Pin")
    UNPIN = translatable("Unpin")
    BRING_BACK = translatable("Bring back")
    FOLD = translatable("Collapse")
    FOLD_RUN = translatable("Show or hide the calls")
    READ = translatable("Open as text")
    SHOW_OPERATION = translatable("Show")
    UNDO_OPERATION = translatable("Undo")
    OPEN_CONVERSATION = translatable("Open")
    SHOW_RECALLED = translatable("Show where it was said")
    STOP = translatable("Stop")
    OPEN_ATTACHMENT = translatable("Open attachment")
    SHOW_IN_REQUEST = translatable("Show in the request")
    SHOW_REQUEST = translatable("What the model saw")
    OPEN_WHOLE = translatable("Open whole output")
    TRY_AGAIN = translatable("Try again")
    GO_ON = translatable("Continue")
    CONTINUE_REPLY = translatable("Continue the reply")
    OPTIMIZE_AND_RETRY = translatable("Optimize and retry")
    SEND_ANYWAY = translatable("Send anyway")
    USE_OWN_WINDOW = translatable("Use the full window")
    START_FRESH = translatable("Start fresh with a summary…")
    SWITCH_MODEL = translatable("Switch model…")
    CHOOSE_TOOLS = translatable("Choose tools…")
    SHOW_PINS = translatable("Show pins")
    SHOW_MEMORY = translatable("Show memory")
    EDIT_SETUP = translatable("Edit the system prompt…")
    EXPORT = translatable("Export…")
    OPEN_SETTINGS = translatable("Open settings")
    EARLIER = translatable("Previous version")
    LATER = translatable("Next version")
    FORK = translatable("Branch off into a new conversation")
    MORE = translatable("More…")
    EDIT_MESSAGE = translatable("Edit your message")
    EXPORT_FROM = translatable("Export from here on…")
    EXPORT_TO = translatable("Export up to here…")
    SEND_AS_FILE = translatable("Attach it as a file")
    SEND_CUT = translatable("Cut it")


class Fill(msgspec.Struct, frozen=True):
    """A filled or outlined box. radius: of the corners; the upper ones may be square."""

    box: QRectF
    fill: QColor | None = None
    border: QColor | None = None
    radius: float = 0
    has_square_top: bool = False


class TextLine(msgspec.Struct, frozen=True):
    """Text on one line, which ends in an ellipsis if it is too long."""

    box: QRectF
    text: str
    font: QFont
    ink: QColor
    is_right_aligned: bool = False


class Flow(msgspec.Struct, frozen=True):
    """A document at a position.

    language: the language of code to be highlighted; "" for none. joint: the text between it and the previous document.
    shift: pixels by which its lines are scrolled to the left, up to max_shift. shift_key: the key of that in the cache.
    """

    top_left: QPointF
    document: InkDocument
    language: str = ""
    is_code: bool = False
    joint: str = "\n"
    shift: float = 0
    max_shift: float = 0
    shift_key: str = ""

    def inside(self, point: QPointF) -> QPointF:
        """Return a point of the row in the document's coordinates."""
        return point - self.top_left + QPointF(self.shift, 0)

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
    """A diagram, by its name in `graphics`."""

    box: QRectF
    name: str


class DashedRule(msgspec.Struct, frozen=True):
    """A dashed horizontal rule."""

    left: QPointF
    length: float
    ink: QColor


class HitRegion(msgspec.Struct, frozen=True):
    """A region that can be clicked.

    argument: the object of the action, such as a message's id. is_on_hover: whether it is shown only while the mouse is
    over the row.
    """

    box: QRectF
    action: Action
    argument: str
    words: TextLine | None = None
    is_on_hover: bool = False


DisplayItem = Fill | TextLine | Flow | DashedRule | Picture | DrawnGraphic


class CodeHead(msgspec.Struct):
    """The line above the block of code with that key. end: the end of the block, in pixels from the top of the row."""

    key: str
    box: QRectF
    end: float

    def shift_at(self, top: float) -> float:
        """Return the pixels by which it is painted lower, to stay visible while the row is cut off at `top`."""
        return max(min(top, self.end - self.box.height()) - self.box.top(), 0.0) if top < self.end else 0.0


class RowLayout(msgspec.Struct):
    """The layout of a row, with its origin at (0, 0).

    opacity: below 1 for a message that the model does not see. is_complete: whether all of it was laid out.
    """

    drawn: list[DisplayItem] = []
    hit_regions: list[HitRegion] = []
    code_heads: list[CodeHead] = []
    height: float = 0
    opacity: float = 1.0
    message_id: str = ""
    is_complete: bool = True

    @property
    def flows(self) -> list[Flow]:
        """The documents, top to bottom."""
        return [drawn for drawn in self.drawn if isinstance(drawn, Flow)]

    def shifted_head(self, top: float) -> tuple[CodeHead, float] | None:
        """Return the head of the code block that is cut off at `top`, and its shift in pixels; None for none."""
        shifts = ((head, head.shift_at(top)) for head in self.code_heads)
        return next(((head, shift) for head, shift in shifts if shift), None)

    def point_under(self, point: QPointF, top: float) -> QPointF:
        """Return the point whose content is painted at `point`, while the row is cut off at `top`."""
        head = self.shifted_head(top)
        if head is not None and head[0].box.translated(0, head[1]).contains(point):
            return point - QPointF(0, head[1])
        return point

    def region_at(self, point: QPointF) -> HitRegion | None:
        return next((region for region in self.hit_regions if region.box.contains(point)), None)


def mirror(layout: RowLayout, width: float) -> None:
    """Mirror the row, for a right-to-left window; the content of documents does not change."""

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


MAX_MARKS = 200  # matches in one document, which is short
MARKING_SLICE = 0.004  # seconds of searching in one paint

Found = str | tuple[str, ...]
"""A text, or several words, to highlight wherever they occur; empty for none."""


class Marks:
    """The matches to highlight in one paint.

    They are cached in each document: for selections, Qt would traverse the complete paragraph for each one in each
    paint. At least one document is searched, and others until the time is over. is_whole: whether all were searched.
    """

    def __init__(self, found: Found, seconds: float = MARKING_SLICE) -> None:
        self.is_whole = True
        self._found = found
        self._seconds = seconds

    def boxes(self, document: InkDocument) -> list[QRectF]:
        """Return the boxes of the matches in a document; none if there is no time to search it."""
        if document.found[0] != self._found:
            if self._seconds <= 0:
                self.is_whole = False
                return []
            start = monotonic()
            document.found = self._found, boxes_of(occurrences(document, self._found))
            self._seconds -= monotonic() - start
        return document.found[1]


def paint_row(
    painter: QPainter,
    layout: RowLayout,
    clip: QRectF,
    is_hovered: bool,
    hot: HitRegion | None,
    marked: Sequence[QTextCursor],
    found: Marks,
) -> None:
    """Paint the row at the painter's origin. clip: its visible part. hot: the region under the mouse.

    marked: the selections. found: the matches to highlight.
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
                _paint_flow(painter, drawn, clip, marked)
                _paint_found(painter, drawn, clip, found.boxes(drawn.document))
    painter.setOpacity(1.0)
    for region in layout.hit_regions:
        is_shown = is_hovered or not region.is_on_hover
        if region.words is not None and is_shown and region.words.box.intersects(clip):
            paint_words(painter, region.words, is_underlined=region is hot)


def paint_code_head(painter: QPainter, layout: RowLayout, top: float, hot: HitRegion | None) -> None:
    """Paint the head of the code block that is cut off at `top`, over its code."""
    found = layout.shifted_head(top)
    if found is None:
        return
    head, shift = found
    painter.save()
    painter.translate(0, shift)
    paint_box(painter, head.box, colour("code"), None, 0)
    paint_box(painter, QRectF(0, head.box.bottom() - 1, head.box.width(), 1), colour("line_soft"), None, 0)
    for drawn in layout.drawn:
        if isinstance(drawn, TextLine) and head.box.contains(drawn.box.center()):
            paint_words(painter, drawn)
    for region in layout.hit_regions:
        if region.words is not None and head.box.contains(region.words.box.center()):
            paint_words(painter, region.words, is_underlined=region is hot)
    painter.restore()


def occurrences(document: QTextDocument, found: Found) -> list[QTextCursor]:
    """Return a cursor for each occurrence, ignoring case, up to MAX_MARKS."""
    sought = _spelled(found) if isinstance(found, str) else _pattern_of(found)
    cursors: list[QTextCursor] = []
    cursor = document.find(sought) if found else QTextCursor()
    while not cursor.isNull() and len(cursors) < MAX_MARKS:
        cursors.append(cursor)
        cursor = document.find(sought, cursor)
    return cursors


def _spelled(text: str) -> str | QRegularExpression:
    """Return the text; a pattern if a letter of it has two spellings, as in "Straße"."""
    if len(spellings_of(text)) == 1:
        return text
    option = QRegularExpression.PatternOption
    pattern = either_spelling(text, QRegularExpression.escape)
    return QRegularExpression(pattern, option.CaseInsensitiveOption | option.UseUnicodePropertiesOption)


def _pattern_of(words: Sequence[str]) -> QRegularExpression:
    """Return a pattern for any of the words; ASCII words match only as complete words."""
    pieces = [r"\s+".join(map(QRegularExpression.escape, word.split())) for word in words]
    bounded = [rf"(?<!\w){piece}(?!\w)" if word.isascii() else piece for word, piece in zip(words, pieces, strict=True)]
    option = QRegularExpression.PatternOption
    return QRegularExpression("|".join(bounded), option.CaseInsensitiveOption | option.UseUnicodePropertiesOption)


def paint_words(painter: QPainter, words: TextLine, is_underlined: bool = False) -> None:
    """Paint text on one line. Code is always laid out from left to right."""
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


def _paint_found(painter: QPainter, flow: Flow, clip: QRectF, boxes: Sequence[QRectF]) -> None:
    """Highlight the matches, as if behind the text."""
    if not boxes:
        return
    is_dark = colour("paper").lightness() < 128
    mode = QPainter.CompositionMode
    painter.save()
    painter.setClipRect(clip.intersected(flow.box), Qt.ClipOperation.IntersectClip)
    painter.translate(flow.top_left - QPointF(flow.shift, 0))
    painter.setCompositionMode(mode.CompositionMode_Screen if is_dark else mode.CompositionMode_Multiply)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour("warning", 0.28))
    painter.drawRects(boxes)
    painter.restore()


def boxes_of(cursors: Iterable[QTextCursor]) -> list[QRectF]:
    """Return the boxes of these selections, each within a paragraph, in the document. Touching boxes are merged."""
    lines: dict[tuple[float, float], list[QRectF]] = {}
    for cursor in cursors:
        for box in _pieces_of(cursor):
            lines.setdefault((box.top(), box.height()), []).append(box)
    joined: list[QRectF] = []
    for boxes in lines.values():
        boxes.sort(key=QRectF.left)
        for number, box in enumerate(boxes):
            if number and box.left() <= joined[-1].right() + 1:
                joined[-1] |= box
            else:
                joined.append(box)
    return joined


def _pieces_of(cursor: QTextCursor) -> Iterator[QRectF]:
    """Yield a box for each glyph run, of one line, direction and font: runs of a selection may be apart."""
    block, layout = cursor.block(), cursor.block().layout()
    origin = cursor.document().documentLayout().blockBoundingRect(block).topLeft()
    at, end = cursor.selectionStart() - block.position(), cursor.selectionEnd() - block.position()
    while at < end and (line := layout.lineForTextPosition(at)).isValid():
        stop = min(end, line.textStart() + line.textLength())
        for run in line.glyphRuns(at, stop - at):
            box = run.boundingRect().normalized()  # combining marks may have a negative width
            yield QRectF(box.left(), line.y(), box.width(), line.height()).translated(origin)
        if stop <= at:
            break
        at = stop


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
    glyph_cache().keep(flow.document)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # whatever else was painted before
    if flow.max_shift:
        painter.setClipRect(seen, Qt.ClipOperation.IntersectClip)
    painter.translate(flow.top_left - QPointF(flow.shift, 0))
    draw_with_signs(painter, flow.document, context)
    painter.restore()
