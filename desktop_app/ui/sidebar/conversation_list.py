"""The list of conversations: mouse, keyboard, menus, and dragging into and out of projects."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QMimeData,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRectF,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QDrag,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
)
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QMenu, QToolTip, QWidget

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.accessibility import announce
from desktop_app.ui.widgets.buttons import KEYBOARD
from desktop_app.ui.widgets.look import MEDIUM, Corner, colour, font, paint_box, reading_x, scale
from desktop_app.ui.widgets.number_formats import shorten
from desktop_app.ui.widgets.row_list import ENTER, TransparentList

from .arrangement import (
    AllProjectsRow,
    ArchivedHeading,
    Arrangement,
    Heading,
    ProjectHeading,
    ProjectsHeading,
    SidebarRow,
)
from .conversation_delegate import ConversationDelegate, HeadingButton, buttons_of, hint_of
from .conversation_model import ROW_ROLE, ConversationModel, key_of


class SignallingList(TransparentList):
    """Signals, with tuples of ids: conversation_chosen(id), duplicate_requested(id), delete_requested(ids),
    pin_requested(ids, is_pinned), put_away_requested(ids, is_put_away), move_requested(ids, project), "" for none;
    project_choice_requested(ids), to ask where they are to be moved.

    For projects, with their ids: begin_requested(id), for a new conversation in it; settings_requested(id);
    project_delete_requested(id); new_project_requested; all_projects_requested; query_left, when a project is chosen
    among the results of a query.
    """

    conversation_chosen = Signal(str)
    duplicate_requested = Signal(str)
    delete_requested = Signal(tuple)
    pin_requested = Signal(tuple, bool)
    put_away_requested = Signal(tuple, bool)
    project_choice_requested = Signal(tuple)
    begin_requested = Signal(str)
    settings_requested = Signal(str)
    project_delete_requested = Signal(str)
    new_project_requested = Signal()
    all_projects_requested = Signal()
    query_left = Signal()
    move_requested = Signal(tuple, str)


MIME_TYPE = "application/x-palimpsest-conversations"
MAX_TITLE, NEAR_EDGE = 32, 24  # characters of a dragged title; pixels from the edge at which the list scrolls


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
        """Return the ids of the selected conversations, in the order of the list."""
        return tuple(info.id for index in sorted(self.selectedIndexes()) if (info := self._info_at(index)) is not None)

    def open_at(self, index: QModelIndex) -> None:
        """Open a conversation by its row."""
        info = self._info_at(index)
        if info is not None:
            self.conversation_chosen.emit(info.id)

    def startDrag(self, supportedActions: Qt.DropAction) -> None:
        """Drag the selected conversations until the mouse is released. No coroutine may run its nested event loop."""
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
        """Select the open conversation again after another one was dragged."""

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(MIME_TYPE):
            event.acceptProposedAction()
        else:
            event.ignore()  # the window may accept it

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
        """Return the project at a position, "" among conversations without one; None among other rows."""
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
        """Return whether a drop would change the project of a dragged conversation."""
        current = (self.conversations.project_of(name) for name in self._dragged)
        return any((known.id if known is not None else "") != project for known in current)

    def _point_at(self, project: str | None) -> None:
        is_moved = bool(project) and self._is_moved_by(project or "")
        index = self.conversations.index_of(project or "") if is_moved else QModelIndex()
        if self.delegate.target != index:
            self.delegate.target = QPersistentModelIndex(index)
            self.viewport().update()

    def _picture(self) -> QPixmap:
        """Return the picture to drag: a title, or the number of conversations."""
        title = self.conversations.title_of(self._dragged[0]) if len(self._dragged) == 1 else ""
        words = shorten(title, MAX_TITLE) or tr("%n conversations", "", len(self._dragged))
        look = font(13, MEDIUM)
        box = QRectF(0, 0, QFontMetrics(look).horizontalAdvance(words) + scale(24), scale(32))
        ratio = self.devicePixelRatioF()
        picture = QPixmap((box.size() * ratio).toSize())
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        paint_box(painter, box, colour("raised"), colour("line"), Corner.CONTROL)
        painter.setFont(look)
        painter.setPen(colour("ink"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        painter.end()
        return picture

    def _info_at(self, index: QModelIndex) -> ConversationInfo | None:
        row = index.data(ROW_ROLE) if index.isValid() else None
        return row if isinstance(row, ConversationInfo) else None


def fill_menu(menu: QMenu, listed: DraggingList, info: ConversationInfo) -> None:
    """Add the actions for all selected conversations, or for `info` alone if it is not selected.

    The list may change while the menu is open: rows are looked up once something is chosen.
    """
    ids = listed.chosen() if info.id in listed.chosen() else (info.id,)
    if len(ids) == 1:
        menu.addAction(tr("Open"), lambda: listed.conversation_chosen.emit(info.id))
        menu.addAction(tr("Rename"), lambda: listed.edit(listed.conversations.index_of(info.id)))
        copy = menu.addAction(tr("Duplicate"), lambda: listed.duplicate_requested.emit(info.id))
        copy.setEnabled(info.messages > 0)
        menu.addSeparator()
    pin, away = not info.is_pinned, not info.is_put_away
    menu.addAction(tr("Pin") if pin else tr("Unpin"), lambda: listed.pin_requested.emit(ids, pin))
    menu.addAction(tr("Move to project…"), lambda: listed.project_choice_requested.emit(ids))
    put = tr("Archive") if away else tr("Unarchive")
    menu.addAction(put, lambda: listed.put_away_requested.emit(ids, away))
    menu.addSeparator()
    menu.addAction(tr("Delete"), lambda: listed.delete_requested.emit(ids))


def fill_project_menu(menu: QMenu, listed: DraggingList, project: str) -> None:
    """Add the actions for a project."""
    menu.addAction(tr("New conversation"), lambda: listed.begin_requested.emit(project))
    menu.addAction(tr("Settings…"), lambda: listed.settings_requested.emit(project))
    menu.addAction(tr("Rename"), lambda: listed.edit(listed.conversations.index_of(project)))
    menu.addSeparator()
    menu.addAction(tr("Delete"), lambda: listed.project_delete_requested.emit(project))


REFRESH_PAUSE = 30_000  # milliseconds between two updates of the ages
TOP = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
ADDING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
NO_UPDATE = QItemSelectionModel.SelectionFlag.NoUpdate
ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right)


class ConversationList(DraggingList):
    """Handles selection, folding, editing and menus by mouse and keyboard."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open = ""
        self._kept: tuple[str, ...] = ()
        self._kept_heading = ""  # the key of the current row if it is a heading
        self._edited, self._written = "", ""  # the row whose title is being edited, and the typed text
        self._pressed = QPersistentModelIndex()
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setAccessibleName(tr("Conversations"))
        self.conversations.modelAboutToBeReset.connect(self._keep_selection)
        self.conversations.modelReset.connect(self._select_again)
        self._refresh = QTimer(self, interval=REFRESH_PAUSE)
        self._refresh.timeout.connect(self.conversations.rearrange)
        self._refresh.start()

    def show_open(self, conversation: str) -> None:
        """Select the open conversation, "" for none, and unfold its project."""
        project = self.conversations.project_of(conversation)
        if conversation != self._open and project is not None:
            now = self.conversations.arrangement
            self.arrange(replace(now, folded=now.folded - {project.id}, open_project=project.id))
        self._open = conversation
        self.conversations.reveal(conversation)
        self.show_selection()

    def arrange(self, arrangement: Arrangement) -> None:
        """Change the filter or the order."""
        if arrangement != self.conversations.arrangement:
            self.conversations.arrange(arrangement)

    def fold(self, project: str, is_folded: bool) -> None:
        """Hide or show the conversations of a project, keeping the scroll position."""
        now = self.conversations.arrangement
        folded = now.folded | {project} if is_folded else now.folded - {project}
        self._refold(replace(now, folded=folded), is_folded=is_folded)

    def fold_archived(self, is_folded: bool) -> None:
        """Hide or show the archived conversations below their heading."""
        self._refold(replace(self.conversations.arrangement, shows_put_away=not is_folded), is_folded=is_folded)

    def _refold(self, arrangement: Arrangement, *, is_folded: bool) -> None:
        top = self.verticalScrollBar().value()
        self.arrange(arrangement)
        self.executeDelayedItemsLayout()
        self.verticalScrollBar().setValue(top)
        announce(self, tr("collapsed") if is_folded else tr("expanded"))

    def show_project(self, project: str) -> None:
        """Scroll to a project and its conversations, and clear the query."""
        now = self.conversations.arrangement
        self.arrange(replace(now, query="", folded=now.folded - {project}, open_project=project))
        self.query_left.emit()
        index = self.conversations.index_of(project)
        self.selectionModel().setCurrentIndex(index, NO_UPDATE)
        self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtTop)

    def choose_first(self) -> None:
        """Make the first conversation current."""
        first = next((n for n in range(self.conversations.rowCount()) if not self.conversations.is_heading(n)), -1)
        self.setCurrentIndex(self.conversations.index(first))

    def open_current(self) -> None:
        """Open the current conversation."""
        self.open_at(self.currentIndex())

    def rename(self) -> None:
        """Let the user edit the title or the name of the current row in place."""
        if self.currentIndex().isValid():
            self.edit(self.currentIndex())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.conversations.rowCount() and self.conversations.arrangement.query.strip():
            painter = QPainter(self.viewport())
            painter.setFont(font(13))
            painter.setPen(colour("ink_faint"))
            painter.drawText(self.viewport().rect().adjusted(10, 12, -10, 0), TOP, tr("No title contains these words."))

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.delegate.shows_focus = event.reason() in KEYBOARD
        super().focusInEvent(event)

    def selectionCommand(
        self, index: QModelIndex | QPersistentModelIndex, event: QEvent | None = None
    ) -> QItemSelectionModel.SelectionFlag:
        """Keep the selection when a heading becomes current."""
        is_heading = index.isValid() and self.conversations.is_heading(index.row())
        return NO_UPDATE if is_heading else super().selectionCommand(index, event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.delegate.shows_focus = False
        index = self.indexAt(event.position().toPoint())
        self._pressed = QPersistentModelIndex(index)
        is_heading = index.isValid() and self.conversations.is_heading(index.row())
        if event.button() == Qt.MouseButton.LeftButton and not is_heading:  # the right button only opens a menu
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.delegate.pointed = event.position()
        if (index := self.indexAt(event.position().toPoint())).isValid() and self.conversations.is_heading(index.row()):
            self.update(index)
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() != Qt.MouseButton.LeftButton or event.modifiers() & ADDING:
            return
        place = event.position().toPoint()
        index = self.indexAt(place)
        button = self._button_at(index, place)
        if button is HeadingButton.MENU:
            self._open_menu(index, self.viewport().mapToGlobal(place))
        elif self._info_at(index) is not None:
            self.open_at(index)
        elif self._pressed == index:
            self._press_heading(index, is_new=button is HeadingButton.NEW)

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the tooltips of headings' buttons, and unmark them when the mouse leaves."""
        if event.type() == QEvent.Type.Leave:
            self.delegate.pointed = None
            self.viewport().update()
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self.indexAt(event.pos())
            button = self._button_at(index, event.pos())
            if button is not None:
                QToolTip.showText(event.globalPos(), hint_of(button, index.data(ROW_ROLE)), self)
                return True
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.delegate.shows_focus = True
        row = self._row_at(self.currentIndex())
        if self.state() == QAbstractItemView.State.EditingState:
            event.accept()  # passed on by the title's editor, whose Enter stores the title and opens nothing
        elif event.key() in ENTER:
            self.open_at(self.currentIndex())
            self._press_heading(self.currentIndex())
        elif event.key() in ARROWS:
            self._fold_by_key(row, is_folded=(event.key() == Qt.Key.Key_Left) is not self.isRightToLeft())
        elif event.key() == Qt.Key.Key_Delete and isinstance(row, ProjectHeading):
            self.project_delete_requested.emit(row.project.id)
        elif event.key() == Qt.Key.Key_Delete and self.chosen():
            self.delete_requested.emit(self.chosen())
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        is_keyboard = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if is_keyboard else self.indexAt(event.pos())
        where = self.visualRect(index).center() if is_keyboard else event.pos()
        self._open_menu(index, self.viewport().mapToGlobal(where))

    def _press_heading(self, index: QModelIndex, *, is_new: bool = False) -> None:
        """Handle a click on a heading. is_new: whether it was on its "+" button."""
        match self._row_at(index):
            case ProjectHeading(project, count, is_folded):
                if self.conversations.arrangement.query.strip() and not is_new:
                    self.show_project(project.id)
                elif is_new or not count:
                    self.begin_requested.emit(project.id)
                else:
                    self.fold(project.id, not is_folded)
            case ArchivedHeading(_, is_folded):
                self.fold_archived(not is_folded)
            case ProjectsHeading():
                self.new_project_requested.emit()
            case AllProjectsRow():
                self.all_projects_requested.emit()
            case _:
                pass

    def _fold_by_key(self, row: SidebarRow | None, *, is_folded: bool) -> None:
        """Fold or unfold a project; from a conversation, go to its project."""
        if isinstance(row, ProjectHeading) and row.count:
            self.fold(row.project.id, is_folded)
        elif isinstance(row, ArchivedHeading):
            self.fold_archived(is_folded)
        elif isinstance(row, ConversationInfo) and is_folded and self.conversations.is_in_project(row):
            self.selectionModel().setCurrentIndex(self.conversations.index_of(row.project), NO_UPDATE)

    def _open_menu(self, index: QModelIndex, position: QPoint) -> None:
        row = self._row_at(index)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if isinstance(row, ConversationInfo):
            fill_menu(menu, self, row)
        elif isinstance(row, ProjectHeading):
            fill_project_menu(menu, self, row.project.id)
        else:
            menu.deleteLater()
            return
        menu.aboutToHide.connect(lambda: self._mark(QModelIndex()))
        self._mark(index)
        menu.popup(position)

    def _mark(self, index: QModelIndex) -> None:
        self.delegate.marked = QPersistentModelIndex(index)
        self.viewport().update()

    def _button_at(self, index: QModelIndex, place: QPoint) -> HeadingButton | None:
        """Return the heading's button at a position; None if there is none."""
        row = self._row_at(index)
        if row is None:
            return None
        point = QPointF(reading_x(place.x(), self.viewport()), place.y())
        boxes = buttons_of(row, QRectF(self.visualRect(index)))
        return next((button for button, box in boxes.items() if box.contains(point)), None)

    def _row_at(self, index: QModelIndex) -> SidebarRow | None:
        return index.data(ROW_ROLE) if index.isValid() else None

    def show_selection(self) -> None:
        index = self.conversations.index_of(self._open)
        if index.isValid():
            self.setCurrentIndex(index)
        else:
            self.clearSelection()

    def _editor(self) -> QLineEdit | None:
        """Return the field in which a title is being edited; None if there is none."""
        is_editing = self.state() == QAbstractItemView.State.EditingState
        fields = self.viewport().findChildren(QLineEdit) if is_editing else ()
        return next((field for field in fields if field.isVisible()), None)

    def _keep_selection(self) -> None:
        editor = self._editor()
        row = self._row_at(self.currentIndex())
        self._edited, self._written = (_key_of(row), editor.text()) if editor is not None else ("", "")
        self._kept = self.chosen()
        self._kept_heading = "" if row is None or isinstance(row, ConversationInfo) else key_of(row)

    def _select_again(self) -> None:
        """Restore a selection of several rows after a change of the list; otherwise, select the open conversation."""
        kept = [index for name in self._kept if (index := self.conversations.index_of(name)).isValid()]
        if len(self._kept) < 2 or not kept:
            self.show_selection()
        else:
            self.selectionModel().setCurrentIndex(kept[0], NO_UPDATE)
            for index in kept:
                self.selectionModel().select(index, QItemSelectionModel.SelectionFlag.Select)
        if (heading := self.conversations.index_of(self._kept_heading)).isValid():
            self.selectionModel().setCurrentIndex(heading, NO_UPDATE)
        if (index := self.conversations.index_of(self._edited)).isValid():
            self._edit_on(index)

    def _edit_on(self, index: QModelIndex) -> None:
        """Resume editing a title after a change of the list has closed its field."""
        self.edit(index)
        if (editor := self._editor()) is not None:
            editor.setText(self._written)


def _key_of(row: SidebarRow | None) -> str:
    return row.id if isinstance(row, ConversationInfo) else row.project.id if isinstance(row, ProjectHeading) else ""
