"""The list of a request's parts. Its rows are equally high, so that ten thousand cost no more than ten."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QMenu, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.conversation.gauge import PartChange
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.look import BOLD, MEDIUM, Corner, Tint, colour, font, in_reading_order, paint_box, scale
from desktop_app.ui.widgets.row_list import ENTER, LEFT, RIGHT, ROW, AnyIndex, TransparentList, WordsModel

from .part_rows import PartAction, PartRow, actions_of, lines_of, tags_of, title_of, tokens_of

HEIGHT, LINE_HEIGHT, BAND = 76, 18, 21  # pixels of a row, of a line in it, and of the band that marks the cache
SIDE, TEXT_LEFT, GAP = 16, 40, 14  # pixels


class PartModel(WordsModel[PartRow]):
    """The parts of a request."""

    def set_rows(self, rows: Sequence[PartRow]) -> None:
        """Show these rows; equal rows at both ends stay, so that the scroll position does."""
        old, new = self.rows, list(rows)
        same = min(len(old), len(new))
        start = next((n for n in range(same) if old[n] != new[n]), same)
        end = next((n for n in range(same - start) if old[-1 - n] != new[-1 - n]), same - start)
        paired = min(len(old), len(new)) - start - end
        if paired:
            old[start : start + paired] = new[start : start + paired]
            self.dataChanged.emit(self.index(start), self.index(start + paired - 1))
            start += paired
        if surplus := len(old) - start - end:
            self.beginRemoveRows(QModelIndex(), start, start + surplus - 1)
            del old[start : start + surplus]
            self.endRemoveRows()
        if more := new[start : len(new) - end]:
            self.beginInsertRows(QModelIndex(), start, start + len(more) - 1)
            old[start:start] = more
            self.endInsertRows()


class PartDelegate(QStyledItemDelegate):
    """Paints a part: the colour of its segment, its role, labels, tokens, and the beginning of its text."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(120, scale(HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: PartRow = index.data(ROW)
        box = QRectF(option.rect)  # type: ignore[attr-defined]
        state = option.state  # type: ignore[attr-defined]
        is_near = bool(state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver))
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, colour("accent_soft"))
        elif is_near:
            painter.fillRect(box, colour("line_soft", 0.5))
        painter.fillRect(QRectF(box.left(), box.bottom() - 1, box.width(), 1), colour("line_soft"))
        strip = QRectF(box.left() + SIDE, box.top() + scale(11), 4, scale(18))
        paint_box(painter, in_reading_order(painter, box, strip), colour(row.part.segment), None, Corner.MARK)
        self._paint_head(painter, box, row, is_near)
        self._paint_body(painter, box, row)
        painter.restore()

    def _paint_head(self, painter: QPainter, box: QRectF, row: PartRow, is_near: bool) -> None:
        line = QRectF(box.left() + TEXT_LEFT, box.top() + scale(10), box.width() - TEXT_LEFT - SIDE, scale(20))
        tokens = tokens_of(row)
        _draw(painter, box, line, tokens, 12, "ink_faint", alignment=RIGHT)
        right = line.right() - _advance(12, tokens) - GAP
        if is_near:
            for action, link in links_of(row, box):
                _draw(painter, box, link, tr(action.value), 12, "accent", MEDIUM)
                right = min(right, link.left() - GAP)
        tags = tags_of(row)
        taken = sum(_advance(11, text, MEDIUM) + scale(20) for text, _ in tags)
        title_box = QRectF(line.left(), line.top(), max(right - taken - line.left(), scale(60)), line.height())
        x = _draw(painter, box, title_box, title_of(row.part), 12, "ink_soft", BOLD)
        for text, tint in tags:
            x = _paint_tag(painter, box, QPointF(x + scale(8), line.center().y()), text, tint, right)

    def _paint_body(self, painter: QPainter, box: QRectF, row: PartRow) -> None:
        top = box.top() + scale(32)
        lines = lines_of(row.part)[: 1 if row.cached_tokens else None]
        tint = "ink" if row.part.text and row.change is not PartChange.REMOVED else "ink_faint"
        for number, text in enumerate(lines):
            line_box = QRectF(box.left() + TEXT_LEFT, top, box.width() - TEXT_LEFT - SIDE, scale(LINE_HEIGHT))
            line_box.translate(0, number * scale(LINE_HEIGHT))
            _draw(painter, box, line_box, text, 12.5, tint, is_mono=True)
        if row.cached_tokens:
            band = QRectF(box.left(), box.bottom() - scale(BAND), box.width(), scale(BAND))
            painter.fillRect(band, colour("accent_soft"))
            text = tr("Cached: %n tokens up to here were read from the provider’s cache", "", row.cached_tokens)
            _draw(painter, box, band.adjusted(SIDE, 0, -SIDE, 0), text, 11, "accent", MEDIUM)


def links_of(row: PartRow, box: QRectF) -> list[tuple[PartAction, QRectF]]:
    """Return the actions on a row that have a link, with the links' boxes."""
    x = box.right() - SIDE - _advance(12, tokens_of(row))
    links: list[tuple[PartAction, QRectF]] = []
    for action in reversed(offered_actions(row)):
        width = _advance(12, tr(action.value), MEDIUM) + 2
        x -= width + GAP
        if x < box.left() + TEXT_LEFT + scale(90):
            break  # the menu contains all of them
        links.append((action, QRectF(x, box.top() + scale(10), width, scale(20))))
    return links


def offered_actions(row: PartRow) -> list[PartAction]:
    """Return the actions on a row; a part that only the earlier request had cannot be pinned or left out."""
    actions = actions_of(row.part)
    if row.change is not PartChange.REMOVED:
        return actions
    return [action for action in actions if action in (PartAction.SHOW_IN_CHAT, PartAction.OPEN)]


def _paint_tag(painter: QPainter, row: QRectF, left: QPointF, text: str, tint: Tint, right: float) -> float:
    width, height = _advance(11, text, MEDIUM) + scale(12), scale(18)
    box = QRectF(left.x(), left.y() - height / 2, width, height)
    if box.right() > right:
        return left.x()
    paint_box(painter, in_reading_order(painter, row, box), None, colour(tint, 0.6), Corner.TAG)
    _draw(painter, row, box.adjusted(scale(6), 0, 0, 0), text, 11, tint, MEDIUM)
    return box.right()


def _advance(size: float, text: str, weight: int = 400) -> float:
    return QFontMetricsF(font(size, weight)).horizontalAdvance(text)


def _draw(
    painter: QPainter,
    row: QRectF,
    box: QRectF,
    text: str,
    size: float,
    tint: Tint,
    weight: int = 400,
    *,
    is_mono: bool = False,
    alignment: Qt.AlignmentFlag = LEFT,
) -> float:
    """Draw text on one line, with an ellipsis if it does not fit; return the x where it ends.

    row, box: in a left-to-right layout; they are mirrored in a right-to-left window. is_mono: use the fixed-pitch font,
    and lay the text out from left to right, like code.
    """
    text_font = font(size, weight, is_mono=is_mono)
    metrics = QFontMetricsF(text_font)
    text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width() + 1)
    painter.setFont(text_font)
    painter.setPen(colour(tint))
    painted_box = in_reading_order(painter, row, box.adjusted(0, 0, 1, 0))
    painter.save()
    if is_mono:
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    painter.drawText(painted_box, alignment, text)
    painter.restore()
    return box.left() + metrics.horizontalAdvance(text)


class PartList(TransparentList):
    """A list of parts. Signal: action_requested(PartAction, PartRow), by a link, the menu, Enter or a double click."""

    action_requested = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.parts = PartModel(self)
        self.setModel(self.parts)
        self.setItemDelegate(PartDelegate(self))
        self.setUniformItemSizes(True)
        self.setAccessibleName(tr("Parts of the request"))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, scale(40))

    def choose(self, number: int) -> None:
        """Select a row, and scroll to it."""
        index = self.parts.index(number)
        self.setCurrentIndex(index)
        self.scrollTo(index, self.ScrollHint.PositionAtCenter)

    def link_box(self, number: int, action: PartAction) -> QRectF:
        """Return the box of an action's link in a row; an empty box if there is none."""
        index = self.parts.index(number)
        links = links_of(index.data(ROW), QRectF(self.visualRect(index)))
        box = next((box for found, box in links if found is action), QRectF())
        return self._turned(box, index) if self.isRightToLeft() else box

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        action = self._link_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and action is not None:
            self.action_requested.emit(action, self.currentIndex().data(ROW))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._link_at(event.position().toPoint()) is None:
            self._open()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        is_link = self._link_at(event.position().toPoint()) is not None
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.ArrowCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER:
            self._open()
        elif event.key() == Qt.Key.Key_Home:
            self.choose(0)
        elif event.key() == Qt.Key.Key_End:
            self.choose(self.parts.rowCount() - 1)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        is_keyboard = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if is_keyboard else self.indexAt(event.pos())
        if index.isValid():
            box = self.visualRect(index)
            point = box.topLeft() + QPoint(TEXT_LEFT, box.height() // 2) if is_keyboard else event.pos()
            self._open_menu(index.data(ROW), self.viewport().mapToGlobal(point))

    def _open_menu(self, row: PartRow, point: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for action in dict.fromkeys((*offered_actions(row), PartAction.OPEN)):
            menu.addAction(tr(action.value), lambda action=action: self.action_requested.emit(action, row))
        menu.popup(point)

    def _open(self) -> None:
        if self.currentIndex().isValid():
            self.action_requested.emit(PartAction.OPEN, self.currentIndex().data(ROW))

    def _link_at(self, point: QPoint) -> PartAction | None:
        index = self.indexAt(point)
        if not index.isValid():
            return None
        links = links_of(index.data(ROW), QRectF(self.visualRect(index)))
        boxes = ((action, self._turned(box, index) if self.isRightToLeft() else box) for action, box in links)
        return next((action for action, box in boxes if box.contains(QPointF(point))), None)

    def _turned(self, box: QRectF, index: AnyIndex) -> QRectF:
        """Return the box mirrored within its row."""
        row = QRectF(self.visualRect(index))
        return box.translated(row.left() + row.right() - box.right() - box.left(), 0)
