"""The transcript for screen readers: the visible rows as widgets that paint nothing, and buttons to the other rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QApplication, QGroupBox, QLabel, QPushButton, QScrollBar, QWidget

from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.accessibility import PRESS, SHOW_MENU, Role, WithRole, announce, bring_in_order

from .row_painter import Action, RowLayout
from .row_text import RowPart, RowPartKind, accessible_text, name_of_row, parts_of_row, spoken_name
from .transcript_items import FailureItem, ReplyItem
from .transcript_view import TranscriptView

Perform = Callable[[Action, str], None]
PartKey = tuple[RowPartKind, str, Action | None, str]


class AccessibleLink(WithRole, QWidget):
    """A link in a text."""

    accessible_role = Role.Link

    def __init__(self, follow: Callable[[], None], parent: QWidget) -> None:
        super().__init__(parent)
        self._follow = follow

    def accessible_actions(self) -> Mapping[str, Callable[[], object]]:
        return {PRESS: self._follow}


class AccessiblePicture(WithRole, QWidget):
    """A picture."""

    accessible_role = Role.Graphic


class AccessibleParts:
    """The widgets of some parts, within their holder. A part that stays keeps its widget, which may be in use.

    A button never changes its meaning: a user who has heard its name must get what it said.
    """

    def __init__(self, holder: QWidget, perform: Perform, follow: Callable[[str], None]) -> None:
        self._holder, self._perform, self._follow = holder, perform, follow
        self._widgets: dict[PartKey, list[QWidget]] = {}
        self._within: dict[QWidget, AccessibleParts] = {}

    def show_parts(self, parts: Sequence[RowPart], top_left: QRectF) -> None:
        """Show the parts. top_left: a box whose top left corner is where the holder begins in the row."""
        before, self._widgets = self._widgets, {}
        order: list[QWidget] = []
        for part in parts:
            kept = before.get(_key_of(part))
            widget = kept.pop(0) if kept else self._make(part)
            self._update(widget, part)
            widget.setGeometry(part.box.translated(-top_left.topLeft()).toAlignedRect())
            self._widgets.setdefault(_key_of(part), []).append(widget)
            order.append(widget)
        for widget in (widget for widgets in before.values() for widget in widgets):
            self._within.pop(widget, None)
            widget.hide()
            widget.deleteLater()
        bring_in_order(self._holder, order)

    def clear(self) -> None:
        self.show_parts((), QRectF())

    def _make(self, part: RowPart) -> QWidget:
        widget = self._new(part)
        widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        widget.show()
        return widget

    def _new(self, part: RowPart) -> QWidget:
        match part.kind:
            case RowPartKind.TEXT:
                label = QLabel(self._holder)
                label.setTextFormat(Qt.TextFormat.PlainText)
                return label
            case RowPartKind.BUTTON:
                button = QPushButton(part.name.replace("&", "&&"), self._holder)
                button.setAccessibleName(part.name)
                button.setAutoDefault(False)
                assert part.action is not None
                button.clicked.connect(partial(self._perform, part.action, part.argument))
                return button
            case RowPartKind.LINK:
                link = AccessibleLink(partial(self._follow, part.argument), self._holder)
                link.setAccessibleName(part.name)
                link.setAccessibleDescription(part.argument)
                return link
            case RowPartKind.PICTURE:
                picture = AccessiblePicture(self._holder)
                picture.setAccessibleName(part.name)
                return picture
            case RowPartKind.CODE:
                group = QGroupBox(part.name, self._holder)
                self._within[group] = AccessibleParts(group, self._perform, self._follow)
                return group

    def _update(self, widget: QWidget, part: RowPart) -> None:
        if isinstance(widget, QLabel) and widget.text() != part.name:
            widget.setText(part.name)
        if widget in self._within:
            self._within[widget].show_parts(part.parts, part.box)


class AccessibleRow(WithRole, QWidget):
    """A row. Screen readers read its name first."""

    accessible_role = Role.ListItem
    is_marked = False

    def __init__(self, perform: Perform, follow: Callable[[str], None], parent: QWidget) -> None:
        super().__init__(parent)
        self.parts = AccessibleParts(self, perform, follow)
        self.open_menu: Callable[[], object] | None = None

    def accessible_actions(self) -> Mapping[str, Callable[[], object]]:
        return {SHOW_MENU: self.open_menu} if self.open_menu is not None else {}


def _key_of(part: RowPart) -> PartKey:
    """Return the identity of a part. A text's content is not part of it, since it grows while it is written."""
    return part.kind, "" if part.kind is RowPartKind.TEXT else part.name, part.action, part.argument


ENDINGS = {"finished": translatable("The reply is finished"), "stopped": translatable("The reply was stopped")}
PAUSE = 80  # milliseconds from a change of the visible rows to the update of these widgets


class AccessibleTranscript(WithRole, QWidget):
    """A list of the visible rows, over their painted text. No widget is created while no screen reader is active."""

    accessible_role = Role.List

    def __init__(
        self, view: TranscriptView, perform: Perform, follow: Callable[[str], None], open_menu: Callable[[int], None]
    ) -> None:
        super().__init__(view.viewport())
        self._view, self._perform, self._follow, self._open_menu = view, perform, follow, open_menu
        self._rows: dict[str, AccessibleRow] = {}
        self._spare: list[AccessibleRow] = []
        self._marked = ""
        self._pause = QTimer(self, singleShot=True, interval=PAUSE)
        self._pause.timeout.connect(self.show_rows)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setUpdatesEnabled(False)  # none of these is painted
        self.setAccessibleName(tr("Messages"))
        bar = view.verticalScrollBar()
        self._above = self._page_button(tr("Earlier messages"), bar.SliderAction.SliderPageStepSub, bar)
        self._below = self._page_button(tr("Later messages"), bar.SliderAction.SliderPageStepAdd, bar)
        view.laid_out.connect(self.show_soon)
        view.transcript.turn_ended.connect(self._announce_end)
        view.selectionModel().currentChanged.connect(self.show_soon)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self.show_soon)

    def show_soon(self) -> None:
        """Show the visible rows soon, if a screen reader is active."""
        if QAccessible.isActive() and not self._pause.isActive():
            self._pause.start()

    def show_rows(self) -> None:
        """Show the rows that are visible now."""
        view, bar = self._view, self._view.verticalScrollBar()
        self.setGeometry(view.viewport().rect())
        before, self._rows = self._rows, {}
        for row in view.rows_in_sight():
            item = view.transcript.item(row)
            layout = view.cache.find(item, view.column)
            if layout is not None:
                widget = before.pop(item.key, None) or self._new_row()
                self._rows[item.key] = widget
                self._fill(widget, row, layout)
        for widget in before.values():
            self._put_away(widget)
        self._above.setVisible(bar.value() > bar.minimum())
        self._below.setVisible(bar.value() < bar.maximum())
        bring_in_order(self, [self._above, *self._rows.values(), self._below])
        self._mark_current()

    def _announce_end(self, reason: str) -> None:
        transcript = self._view.transcript
        last = transcript.item(transcript.rowCount() - 1) if transcript.rowCount() else None
        if isinstance(last, FailureItem):
            announce(self._view, accessible_text(last), is_urgent=True)
        elif reason in ENDINGS:
            announce(self._view, tr(ENDINGS[reason]))

    def _page_button(self, name: str, action: QScrollBar.SliderAction, bar: QScrollBar) -> QPushButton:
        button = QPushButton(name, self)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setAutoDefault(False)
        button.clicked.connect(lambda: bar.triggerAction(action))
        return button

    def _new_row(self) -> AccessibleRow:
        widget = self._spare.pop() if self._spare else AccessibleRow(self._perform, self._follow, self)
        widget.show()
        return widget

    def _fill(self, widget: AccessibleRow, row: int, layout: RowLayout) -> None:
        view = self._view
        item = view.transcript.item(row)
        parts = parts_of_row(layout, view.cache.is_unfolded(item.key))
        # The text of a reply that is being written would be said again with each change of the name.
        name = name_of_row(layout) if isinstance(item, ReplyItem) else spoken_name(layout, parts)
        name = name or accessible_text(item)
        if widget.accessibleName() != name:
            widget.setAccessibleName(name)
        widget.open_menu = partial(self._open_menu, row)
        widget.setGeometry(view.visualRect(view.transcript.index(row)))
        widget.parts.show_parts(parts, QRectF())

    def _put_away(self, widget: AccessibleRow) -> None:
        widget.parts.clear()
        widget.is_marked = False
        widget.hide()
        self._spare.append(widget)

    def _mark_current(self) -> None:
        """Notify the screen reader if the row with the keyboard focus has changed."""
        index = self._view.currentIndex()
        has_keyboard = self._view.hasFocus() and index.isValid()
        key = self._view.transcript.item(index.row()).key if has_keyboard else ""
        for other, widget in self._rows.items():
            widget.is_marked = other == key
        if key != self._marked and key in self._rows:
            QAccessible.updateAccessibility(QAccessibleEvent(self._rows[key], QAccessible.Event.Focus))
        self._marked = key
