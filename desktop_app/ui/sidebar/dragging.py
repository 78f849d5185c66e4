"""Conversations that are dragged onto a project, or out of one."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QModelIndex, QPersistentModelIndex, QPoint, QRectF, Qt
from PySide6.QtGui import (
    QDrag,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFontMetrics,
    QPainter,
    QPixmap,
)
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.formats import shorten
from desktop_app.ui.widgets.look import MEDIUM, Corner, colour, font, paint_box, scale

from .arrangement import Heading, ProjectHeading
from .conversation_delegate import ConversationDelegate
from .conversation_model import ROW_ROLE, ConversationModel
from .list_signals import SignallingList

MIME_TYPE = "application/x-palimpsest-conversations"
MAX_TITLE, NEAR_EDGE = 32, 24  # characters of a title that is dragged; pixels from the edge at which the list scrolls


class DraggingList(SignallingList):
    """A list whose selected conversations can be dragged."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.conversations = ConversationModel(self)
        self.delegate = ConversationDelegate(self.conversations, self)
        self.setModel(self.conversations)
        self.setItemDelegate(self.delegate)
        self._dragged: tuple[str, ...] = ()
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setDropIndicatorShown(False)

    def chosen(self) -> tuple[str, ...]:
        """Return the ids of the selected conversations, in their order."""
        return tuple(info.id for index in sorted(self.selectedIndexes()) if (info := self._info_at(index)) is not None)

    def open_at(self, index: QModelIndex) -> None:
        """Open a conversation by its row."""
        info = self._info_at(index)
        if info is not None:
            self.conversation_chosen.emit(info.id)

    def startDrag(self, supportedActions: Qt.DropAction) -> None:
        """Drag the selected conversations until the mouse is released. Its loop runs below no coroutine."""
        self._dragged = self.chosen()
        drag = QDrag(self)
        data = QMimeData()
        data.setData(MIME_TYPE, "\n".join(self._dragged).encode())
        drag.setMimeData(data)
        drag.setPixmap(self._picture())
        drag.setHotSpot(QPoint(-12, -6))
        drag.exec(Qt.DropAction.MoveAction)
        self._dragged = ()
        self._point_at(None)
        self.show_selection()

    def show_selection(self) -> None:
        """Select what is open again: what was only dragged is not."""

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(MIME_TYPE):
            event.acceptProposedAction()
        else:
            event.ignore()  # the window may have a use for it

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        place = event.position().toPoint()
        project = self.project_at(place)
        self._point_at(project)
        if not NEAR_EDGE < place.y() < self.viewport().height() - NEAR_EDGE:
            self.startAutoScroll()
        event.setAccepted(project is not None and self._is_moved_by(project))

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.stopAutoScroll()
        self._point_at(None)

    def dropEvent(self, event: QDropEvent) -> None:
        self.stopAutoScroll()
        self._point_at(None)
        project = self.project_at(event.position().toPoint())
        if project is None or not self._is_moved_by(project):
            event.ignore()
            return
        event.acceptProposedAction()
        self.move_requested.emit(self._dragged, project)

    def project_at(self, place: QPoint) -> str | None:
        """Return the project of what is shown there, "" where conversations of none are; None among other rows."""
        index = self.indexAt(place)
        row = index.data(ROW_ROLE) if index.isValid() else None
        if isinstance(row, Heading):
            row = index.siblingAtRow(index.row() + 1).data(ROW_ROLE)
        match row:
            case ProjectHeading():
                return row.project.id
            case ConversationInfo() if self.conversations.is_in_project(row):
                return row.project
            case ConversationInfo():
                return None if row.is_pinned or row.is_put_away else ""
            case _:
                return None if index.isValid() else ""

    def _is_moved_by(self, project: str) -> bool:
        """Return whether a conversation that is dragged would come into another project."""
        now = (self.conversations.project_of(name) for name in self._dragged)
        return any((one.id if one is not None else "") != project for one in now)

    def _point_at(self, project: str | None) -> None:
        is_moved = bool(project) and self._is_moved_by(project or "")
        index = self.conversations.index_of(project or "") if is_moved else QModelIndex()
        if self.delegate.target != index:
            self.delegate.target = QPersistentModelIndex(index)
            self.viewport().update()

    def _picture(self) -> QPixmap:
        """Return what hangs at the mouse: a title, or how many there are."""
        one = self.conversations.title_of(self._dragged[0]) if len(self._dragged) == 1 else ""
        words = shorten(one, MAX_TITLE) or tr("%n conversations", "", len(self._dragged))
        shown = font(13, MEDIUM)
        box = QRectF(0, 0, QFontMetrics(shown).horizontalAdvance(words) + scale(24), scale(32))
        ratio = self.devicePixelRatioF()
        picture = QPixmap((box.size() * ratio).toSize())
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        paint_box(painter, box, colour("raised"), colour("line"), Corner.CONTROL)
        painter.setFont(shown)
        painter.setPen(colour("ink"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        painter.end()
        return picture

    def _info_at(self, index: QModelIndex) -> ConversationInfo | None:
        row = index.data(ROW_ROLE) if index.isValid() else None
        return row if isinstance(row, ConversationInfo) else None
