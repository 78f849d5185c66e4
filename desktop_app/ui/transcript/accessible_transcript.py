"""The transcript for screen readers: the rows in sight, and the ways to those that are not."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QApplication, QPushButton, QScrollBar, QWidget

from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.accessibility import Role, WithRole, announce
from desktop_app.ui.widgets.accessible_lines import bring_in_order

from .accessible_rows import AccessibleRow, Perform
from .display_list import RowLayout
from .items import FailureItem
from .row_parts import name_of_row, parts_of_row
from .row_text import accessible_text
from .transcript_view import TranscriptView

ENDINGS = {"finished": translatable("The reply is finished"), "stopped": translatable("The reply was stopped")}
PAUSE = 80  # milliseconds from a change of what is in sight to that of what is told


class AccessibleTranscript(WithRole, QWidget):
    """A list of the rows in sight, over what is painted of them. Nothing is made while nobody listens."""

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
        view.transcript.turn_ended.connect(self._tell_end)
        view.selectionModel().currentChanged.connect(self.show_soon)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self.show_soon)

    def show_soon(self) -> None:
        """Show what is in sight now, if a screen reader listens."""
        if QAccessible.isActive() and not self._pause.isActive():
            self._pause.start()

    def show_rows(self) -> None:
        """Show what is in sight now."""
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

    def _tell_end(self, reason: str) -> None:
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
        name = name_of_row(layout) or accessible_text(item)
        if widget.accessibleName() != name:
            widget.setAccessibleName(name)
        widget.open_menu = partial(self._open_menu, row)
        widget.setGeometry(view.visualRect(view.transcript.index(row)))
        widget.parts.show_parts(parts_of_row(layout, view.cache.is_unfolded(item.key)), QRectF())

    def _put_away(self, widget: AccessibleRow) -> None:
        widget.parts.clear()
        widget.is_marked = False
        widget.hide()
        self._spare.append(widget)

    def _mark_current(self) -> None:
        """Tell which row the keyboard is on, once it is another one."""
        index = self._view.currentIndex()
        has_keyboard = self._view.hasFocus() and index.isValid()
        key = self._view.transcript.item(index.row()).key if has_keyboard else ""
        for other, widget in self._rows.items():
            widget.is_marked = other == key
        if key != self._marked and key in self._rows:
            QAccessible.updateAccessibility(QAccessibleEvent(self._rows[key], QAccessible.Event.Focus))
        self._marked = key
