"""The transcript widget: handles the mouse, the keyboard and menus."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QKeyCombination, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from desktop_app.conversation.message import Attachment, Role
from desktop_app.ui.translation import tr

from .accessible_transcript import AccessibleTranscript
from .links import Link, Links, link_at
from .message_editor import MessageReader, choose_code_file
from .row_painter import Action, HitRegion, RowLayout
from .row_text import arguments_summary, copied_text, menu_of, versions_of
from .selecting_view import CopiedRow, SelectingView, kind_of
from .selection import flow_at
from .transcript_items import Item, MessageItem, ToolItem
from .transcript_model import TranscriptModel

COPY_AS_MARKDOWN = QKeyCombination(
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier, Qt.Key.Key_C
)
UP_AND_DOWN = (Qt.Key.Key_Up, Qt.Key.Key_Down)
SIDEWAYS = (Qt.Key.Key_Left, Qt.Key.Key_Right)
KEY_STEP = 60  # pixels by which a key scrolls sideways


class TranscriptWidget(SelectingView):
    """The messages of a conversation. Signals refer to messages and operations by their ids."""

    action_requested = Signal(object, str)  # an Action that is not carried out here, and its argument
    stop_requested = Signal(str, int)  # a running call: the id of the reply that made it, and its index
    whole_requested = Signal(str, str)  # a spill, and a title for it: the tool's name and arguments
    attachment_requested = Signal(str, int, str)  # a message's id, the index of the part, and its file name
    request_requested = Signal(bool, str)  # whether it is the request that the message answered; the message's id

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self._pressed_region: HitRegion | None = None
        self._pressed_link: Link | None = None
        self._pressed_at = QPointF()
        self.links = Links(self, self.copy)
        self.editor.resized.connect(self._make_room_for_editor)
        self.editor.ended.connect(self._end_editing)
        self.setAccessibleName(tr("Conversation"))
        self.accessible_rows = AccessibleTranscript(self, self.perform, self.links.open_target, self._open_menu_of)

    # Actions

    def perform(self, action: Action, argument: str) -> None:
        match action:
            case Action.COPY:
                item = self._item(argument)
                text = copied_text(item)
                self.copy(text, tr("Message copied"), [CopiedRow(text, kind_of(item))])
            case Action.COPY_CODE:
                self.copy(argument.rstrip("\n"), tr("Code copied"))  # pasted into a terminal, a line end would run it
            case Action.SAVE_CODE:
                choose_code_file(self.window(), argument, self.copied.emit)
            case Action.READ:
                self._read(argument)
            case Action.FOLD | Action.SHOW_CODE | Action.WRAP_CODE:
                self.cache.fold(argument)
                self.lay_out_visible()
            case Action.FOLD_RUN:
                self.follows_end = False
                self.transcript.toggle_run(argument)
            case Action.STOP:
                self._stop(argument)
            case Action.SHOW_REQUEST | Action.SHOW_IN_REQUEST:
                self.request_requested.emit(action is Action.SHOW_REQUEST, argument)
            case Action.OPEN_WHOLE:
                self._open_whole(argument)
            case Action.OPEN_ATTACHMENT:
                self._open_attachment(argument)
            case Action.MORE:
                self._open_menu_of(self.transcript.row_of(argument), QCursor.pos())
            case _:
                self.action_requested.emit(action, argument)

    @property
    def current_key(self) -> str:
        """The key of the current message; "" for none."""
        item = self._current_item()
        return item.key if item is not None else ""

    # Editing

    def edit_message(self, message_id: str) -> None:
        """Edit a message in place, if it is loaded."""
        item = self._item(message_id)
        if isinstance(item, MessageItem):
            self.setCurrentIndex(self.transcript.index(self.transcript.row_of(message_id)))
            self.editor.resize(self.column, self.editor.height())
            self.editor.edit(item.row.message)
            self.scrollTo(self.currentIndex())

    def _make_room_for_editor(self) -> None:
        self.cache.leave_room(self.editor.message_id, self.editor.sizeHint().height())
        self.lay_out_visible()

    def _end_editing(self, had_focus: bool) -> None:
        self.cache.leave_room("", 0)
        if had_focus:
            self.setFocus()
        self.lay_out_visible()

    def copy_selection(self) -> None:
        """Copy the selected text, or else the current message."""
        if not self.copy_selected_text() and (current := self.current_key):
            self.perform(Action.COPY, current)

    def _item(self, key: str) -> Item | None:
        row = self.transcript.row_of(key)
        return self.transcript.item(row) if row >= 0 else None

    def _read(self, key: str) -> None:
        item = self._item(key)
        if isinstance(item, MessageItem):
            MessageReader(item.row.message, self.window()).show()

    def _stop(self, key: str) -> None:
        item = self._item(key)
        if isinstance(item, ToolItem):  # otherwise it has ended in the meantime
            self.stop_requested.emit(item.reply_id, item.index)

    def _open_whole(self, key: str) -> None:
        item = self._item(key)
        result = item.row.message.tool_result if isinstance(item, MessageItem) else None
        if isinstance(item, MessageItem) and result is not None:
            words = arguments_summary(item.call) if item.call else ""
            self.whole_requested.emit(result.spill, f"{result.name} {words}".strip())

    def _open_attachment(self, argument: str) -> None:
        key, _, number = argument.rpartition(" ")
        item = self._item(key)
        part = item.row.message.parts[int(number)] if isinstance(item, MessageItem) else None
        if isinstance(part, Attachment):
            self.attachment_requested.emit(key, int(number), part.name)

    # The mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row, layout, point = self._under(event.position())
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.is_keyboard_led = False
        goes_on = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if not goes_on:
            self.text_selection.clear()
        self._pressed_region, self._pressed_link, self._pressed_at = None, None, event.position()
        if layout is not None:
            self.setCurrentIndex(self.transcript.index(row))
            self._pressed_region = layout.region_at(point)
            self._pressed_link = link_at(layout, point)
            if self._pressed_region is None:
                self.begin_selection(row, point, goes_on)
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._is_marking:
            self.extend_selection(event.position())
            return
        row, layout, point = self._under(event.position())
        hot = layout.region_at(point) if layout is not None else None
        if row != self.hovered_row or hot is not self.hovered_region:
            self.hovered_row, self.hovered_region = row, hot
            self.viewport().update()
        shape = Qt.CursorShape.ArrowCursor
        link = link_at(layout, point) if layout is not None else None
        self.links.address.show_link(link)
        if hot is not None or link is not None:
            shape = Qt.CursorShape.PointingHandCursor
        elif layout is not None and flow_at(layout, point) is not None:
            shape = Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Carry out the action that was pressed, unless the mouse has left it.

        A region that has moved away from under a still mouse still counts.
        """
        self.end_selection()
        _, layout, point = self._under(event.position())
        if event.button() != Qt.MouseButton.LeftButton:
            return
        is_still = (event.position() - self._pressed_at).manhattanLength() < QApplication.startDragDistance()
        pressed, link = self._pressed_region, self._pressed_link
        hot = layout.region_at(point) if layout is not None else None
        if pressed is not None:
            if is_still or (hot is not None and (hot.action, hot.argument) == (pressed.action, pressed.argument)):
                self.perform(pressed.action, pressed.argument)
        elif link and self.text_selection.is_empty and (is_still or link == (layout and link_at(layout, point))):
            self.links.open(link)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row, layout, point = self._under(event.position())
        if layout is not None:
            self.select_word(row, point)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll code and tables that are too wide sideways, and everything else vertically."""
        turn = event.angleDelta()
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        sideways = turn.x() or (turn.y() if is_shifted else 0)
        _, layout, point = self._under(event.position())
        flow = flow_at(layout, point) if layout else None
        if flow is not None and flow.max_shift and sideways and abs(sideways) >= abs(turn.y() * (not is_shifted)):
            self.cache.scroll_code(flow, -sideways / 2)
            self.lay_out_visible()
        else:
            super().wheelEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Leave, QEvent.Type.Wheel):
            self.links.address.show_link(None)
        if event.type() == QEvent.Type.Leave:
            self.hovered_row, self.hovered_region = -1, None
            self.viewport().update()
        return super().viewportEvent(event)

    def _under(self, position: QPointF) -> tuple[int, RowLayout | None, QPointF]:
        """Return the row at a position, its layout, and the point in the row; -1 and None without a row."""
        row = self.row_at(position.toPoint())
        if row < 0:
            return -1, None, QPointF()
        layout, origin = self.layout_of(row), self.origin(row)
        return row, layout, layout.point_under(position - origin, -origin.y())

    # The keyboard and the menu

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        # Only the arrow keys: a user who has clicked, copied or scrolled here and then types wants to write a message.
        self.is_keyboard_led |= event.key() in UP_AND_DOWN
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_selection()
        elif event.keyCombination() == COPY_AS_MARKDOWN:
            self.copy_selected_markdown()
        elif event.key() == Qt.Key.Key_PageUp:
            bar.triggerAction(bar.SliderAction.SliderPageStepSub)
        elif event.key() == Qt.Key.Key_PageDown:
            bar.triggerAction(bar.SliderAction.SliderPageStepAdd)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._open_menu_of(self.currentIndex().row())
        elif event.modifiers() & Qt.KeyboardModifier.AltModifier and event.key() in SIDEWAYS:
            self._show_neighbour((event.key() == Qt.Key.Key_Right) != self.isRightToLeft())
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier and event.key() in SIDEWAYS:
            self._scroll_current(KEY_STEP if event.key() == Qt.Key.Key_Right else -KEY_STEP)
        elif event.key() == Qt.Key.Key_E and self.is_keyboard_led and not event.modifiers():
            self._edit_current()
        elif event.key() == Qt.Key.Key_Home:
            self.go_to_start()
        elif event.key() == Qt.Key.Key_End:
            self.follow_end()
        elif event.key() in UP_AND_DOWN:
            super().keyPressEvent(event)
            self.scrollTo(self.currentIndex())
        else:
            event.ignore()

    def _scroll_current(self, pixels: float) -> None:
        """Scroll visible code and tables of the current message sideways."""
        row = self.currentIndex().row()
        if row < 0:
            return
        seen = QRectF(self.viewport().rect()).translated(-self.origin(row))
        for flow in self.layout_of(row).flows:
            if flow.max_shift and flow.box.intersects(seen):
                self.cache.scroll_code(flow, pixels)
        self.lay_out_visible()

    def _show_neighbour(self, is_later: bool) -> None:
        """Show the next or the previous version of the current message."""
        item = self._current_item()
        if isinstance(item, MessageItem):
            versions = versions_of(item.row)
            link = versions.after if is_later else versions.before
            if link.argument:
                self.perform(link.action, link.argument)

    def _edit_current(self) -> None:
        item = self._current_item()
        if isinstance(item, MessageItem) and item.row.message.role is Role.USER:
            self.perform(Action.EDIT_MESSAGE, item.key)

    def _current_item(self) -> Item | None:
        index = self.currentIndex()
        return self.transcript.item(index.row()) if index.isValid() else None

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        is_by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        row = self.currentIndex().row() if is_by_key else self.row_at(event.pos())
        if row >= 0:
            self._open_menu(row, event.globalPos())

    def _open_menu_of(self, row: int, mouse: QPoint | None = None) -> None:
        """Open the menu of a row at the mouse if that is over the row, otherwise near its top left corner."""
        box = self.visualRect(self.transcript.index(row))
        if mouse is None or not box.contains(self.viewport().mapFromGlobal(mouse)):
            mouse = self.viewport().mapToGlobal(box.topLeft() + QPoint(40, 24))
        self._open_menu(row, mouse)

    def _open_menu(self, row: int, point: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        item = self.transcript.item(row)
        if self.has_selection():
            menu.addAction(tr("Copy selected text"), self.copy_selection)
            menu.addAction(
                tr("Copy selection as Markdown"), QKeySequence(COPY_AS_MARKDOWN), self.copy_selected_markdown
            )
            menu.addAction(tr("Quote selected text"), self.quote_selection)
        for link in menu_of(item, self.layout_of(row).hit_regions):
            menu.addAction(link.label, partial(self.perform, link.action, link.argument))
        menu.popup(point)
