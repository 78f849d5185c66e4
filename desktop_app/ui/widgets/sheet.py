"""A dialog inside its window, over a scrim: it looks the same under every window manager, and in a screenshot.

Its ground covers the window between its round corners. It asks before it discards what the user has written in it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QRegion,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QBoxLayout, QDialog, QWidget
from shiboken6 import isValid

from desktop_app.ui.translation import tr

from .accessibility import Role, WithRole, announce
from .boxes import ScrollColumn
from .buttons import Button, ButtonKind
from .layouts import FooterLayout, horizontal, set_margins, vertical, walk_as_read
from .look import BOLD, MEDIUM, Corner, colour, paint_box, scale
from .text_label import TextLabel

SHADOW, DROP = 20, 4  # pixels by which the shadow extends beyond the sheet, and by which it is moved down


class Scrim(QWidget):
    """Dims the window behind a sheet, and keeps the mouse from it. Signal: pressed."""

    pressed = Signal()

    def __init__(self, window: QWidget, sheet: QWidget) -> None:
        super().__init__(window)
        self._sheet = sheet
        self.hide()

    def cover(self, area: QRect, before: QRect) -> None:
        """Cover that area, and repaint only where the sheet was before, and where it is now."""
        if area != self.geometry():
            self.setGeometry(area)
            self.update()
        for sheet in (before, self._sheet.geometry()):
            self.update(sheet.adjusted(-SHADOW, -SHADOW, SHADOW, SHADOW + DROP))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        covered = self._sheet.geometry().adjusted(Corner.SHEET, Corner.SHEET, -Corner.SHEET, -Corner.SHEET)
        painter.setClipRegion(event.region().subtracted(QRegion(covered)))
        painter.fillRect(self.rect(), QColor(30, 24, 14, 97))
        around = QRectF(self._sheet.geometry()).translated(0, DROP)
        for reach in range(SHADOW, 0, -2):
            box = around.adjusted(-reach, -reach, reach, reach)
            paint_box(painter, box, QColor(0, 0, 0, 5), None, Corner.SHEET + reach)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()


def paint_ground(painter: QPainter, sheet: QWidget, radius: float, footer: QWidget | None) -> None:
    """Paint the background of the sheet, a different one for its footer, and its border."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    box = QRectF(sheet.rect())
    paint_box(painter, box, colour("paper"), None, radius)
    if footer is not None:
        shape = QPainterPath()
        shape.addRoundedRect(box, radius, radius)
        below = QPainterPath()
        below.addRect(box.adjusted(0, footer.y(), 0, 0))
        painter.fillPath(shape.intersected(below), colour("side"))
        painter.fillRect(QRectF(0, footer.y(), box.width(), 1), colour("line"))
    paint_box(painter, box, None, colour("line"), radius)


class OpaqueGround(QWidget):
    """The opaque background of a sheet between its round corners."""

    def __init__(self, sheet: QWidget) -> None:
        super().__init__(sheet)
        self._sheet = sheet
        self.footer: QWidget | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def fit(self) -> None:
        """Cover the sheet except for its border and the strips with its corners."""
        self.setGeometry(self._sheet.rect().adjusted(1, Corner.SHEET, -1, -Corner.SHEET))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.translate(-self.pos())
        paint_ground(painter, self._sheet, 0, self.footer)


class DiscardQuestion(QWidget):
    """A question that replaces a sheet's buttons. Every answer but Discard keeps what was written."""

    def __init__(self, instead_of: QWidget, keep: Callable[[], None]) -> None:
        """instead_of: hidden while the question is shown. keep: called when the user goes on editing."""
        super().__init__()
        self._hidden, self._keep = instead_of, keep
        self._then: Callable[[], object] = lambda: None
        self.words = TextLabel(size=14, weight=MEDIUM, wraps=True)
        self.keep, self.discard = Button(tr("Keep editing"), ButtonKind.PRIMARY), Button(tr("Discard"))
        horizontal((self.words, 1), self.discard, self.keep, holder=self, spacing=10)
        self.keep.clicked.connect(self.withdraw)
        self.discard.clicked.connect(lambda _=False: self._then())
        self.hide()

    @property
    def is_asked(self) -> bool:
        return not self.isHidden()

    def ask(self, words: str, then: Callable[[], object]) -> None:
        """Show the question. then: called if the user chooses Discard."""
        self._then = then
        self.words.set_text(words)
        self.show()
        self._hidden.hide()
        self.keep.setFocus(Qt.FocusReason.OtherFocusReason)
        announce(self, words)

    def withdraw(self) -> None:
        """Hide the question, and show the buttons again."""
        self._hidden.show()
        self._keep()  # before the focused button is hidden, which would move the focus as Tab does, selecting all
        self.hide()


MARGIN = 24  # pixels between the sheet and the window's edges
PAINT_PAUSE = 0.01  # seconds for the window to paint a change before the next one


class Sheet(WithRole, QDialog):
    """A dialog that is opened with `open` or `open_gradually`, never with exec(). Without a parent, it is a window.

    A large sheet builds its content in `steps`, so that `open_gradually` can give the window's event loop a turn
    after each of them.

    low, narrow: pixels of height and width, before the font scale, below which the head scrolls with the content, so
    that only the title and the buttons stay in place.
    """

    accessible_role = Role.Dialog
    is_modal = True
    low, narrow = 300, 0

    def __init__(
        self,
        parent: QWidget | None,
        *,
        width: int,
        top: float | None = None,
        closes_outside: bool = False,
        title: str = "",
    ) -> None:
        """width: pixels before the font scale, less in a small window. top: the space above, as a share of the window's
        height; None centres the sheet. closes_outside: whether a click outside the sheet closes it."""
        window = parent.window() if parent else None
        # In a sub-window, Tab stays among its own widgets.
        kind = Qt.WindowType.SubWindow if window else Qt.WindowType.Dialog
        super().__init__(window, kind)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.closes_outside = closes_outside
        self.steps: Iterator[QWidget | None] = iter(())  # each builds a part, and yields it or None if nothing is shown
        self._wanted_width, self._top = width, top
        self._focused_before: QWidget | None = None
        self._head: tuple[QWidget, ...] = ()
        self._above: QBoxLayout | None = None
        self._area: ScrollColumn | None = None
        self.is_low = False
        self._first: QWidget | None = None
        self._last_focused: QWidget | None = None
        self.question: DiscardQuestion | None = None
        self._last_before_question: QWidget | None = None
        self._early_keys: list[QKeyEvent] = []
        self._is_growing = False  # while `open_gradually` shows one widget after the other
        self._scrim = Scrim(window, self) if window else None
        self._ground = OpaqueGround(self)
        if window and self._scrim:
            self._scrim.pressed.connect(self._leave)
            window.installEventFilter(self)
            application = QApplication.instance()
            assert isinstance(application, QApplication)
            application.focusChanged.connect(self._keep_focus)
        self.finished.connect(self._close)

    @property
    def is_complete(self) -> bool:
        """Whether the sheet is open with its complete content."""
        return self.isVisible() and not self._is_growing

    def lay_out(
        self,
        area: ScrollColumn,
        *buttons: QWidget,
        leading: tuple[QWidget, ...] = (),
        head: tuple[QWidget, ...] = (),
        spacing: int = 14,
    ) -> None:
        """Arrange the title and the head above a scrolling area, and a row of buttons below it.

        leading: buttons at the beginning of the row.
        """
        area.viewport().setAutoFillBackground(True)  # opaque, so that a repaint skips what is behind it
        title = TextLabel(self.windowTitle(), size=17, weight=BOLD)
        above = vertical(title, spacing=4, margins=(24, 18, 24, 0))
        body = horizontal(area, margins=(24, 0, 8, 0))
        set_margins(area.column, 0, 0, 16, 4)
        vertical(above, (body, 1), self.make_footer(*buttons, leading=leading), holder=self, spacing=spacing)
        self.let_scroll(head, above, area)

    def make_footer(self, *buttons: QWidget, leading: tuple[QWidget, ...] = (), note: QWidget | None = None) -> QWidget:
        """Return the footer: a row of buttons, which wraps if necessary, below a note."""
        footer = self._ground.footer = QWidget()
        row = QWidget()
        row.setLayout(FooterLayout(*leading, *buttons, leading=len(leading)))
        question = self.question = DiscardQuestion(row, self._go_on)
        vertical(*((note,) if note else ()), row, question, holder=footer, margins=(24, 14, 24, 14), spacing=10)
        return footer

    def unsaved(self) -> str:
        """Return the question to ask before unsaved changes are discarded; "" if there are none."""
        return ""

    def reject(self) -> None:
        self.leave()

    def leave(self, then: Callable[[], object] = lambda: None) -> None:
        """Close without saving and call `then`, but ask first if changes would be lost.

        While the question is shown, another call, as by Escape, withdraws it.
        """
        question = self.question
        if question is not None and question.is_asked:
            question.withdraw()
            return

        def leave() -> None:
            self.discard()
            then()

        if question is not None and self.is_complete and (words := self.unsaved()):
            self._last_before_question = self.focusWidget()
            question.ask(words, leave)
        else:
            leave()

    def discard(self) -> None:
        """Close without saving and without asking."""
        super().reject()

    def _go_on(self) -> None:
        """Give the focus back to the widget that had it before the question."""
        before = self._last_before_question
        if before is not None and isValid(before) and before.isVisibleTo(self):
            before.setFocus(Qt.FocusReason.ActiveWindowFocusReason)

    def let_scroll(self, head: tuple[QWidget, ...], above: QBoxLayout, area: ScrollColumn) -> None:
        """Put the head above an area, and let it scroll with the area in a low window."""
        self._head, self._above, self._area = head, above, area
        for widget in head:
            above.addWidget(widget)

    def set_first(self, widget: QWidget) -> None:
        """Give the focus to this widget when the sheet opens."""
        self._first = widget

    def fit(self) -> None:
        """Resize to the content, as far as the window allows."""
        if self._is_growing and self.isVisible():
            return
        window = self.parentWidget()
        if window is None:
            self.resize(self._size_within(QSize(4_000, 4_000)))
            return
        size = self._size_within(window.size() - QSize(2 * MARGIN, 2 * MARGIN))
        left = (window.width() - size.width()) // 2
        middle = (window.height() - size.height()) // 2
        top = middle if self._top is None else min(round(window.height() * self._top), middle)
        geometry = QRect(QPoint(left, max(top, 0)), size)
        if self._scrim and (geometry != self.geometry() or window.rect() != self._scrim.geometry()):
            before = self.geometry()
            self.setGeometry(geometry)
            self._scrim.cover(window.rect(), before)

    def build(self) -> None:
        """Run the remaining steps at once."""
        for _ in self.steps:
            pass

    def open(self) -> None:
        # Inside a window, the scrim blocks what is behind. Qt's modality, which is for windows, would leave the
        # application without an active one.
        self.build()
        if self._scrim is None:
            super().open()
            return
        self.setResult(0)
        self.show()

    async def open_gradually(self) -> None:
        """Build and show the sheet in steps, with a pass of the event loop after each.

        It has its final size from the first visible step.
        """
        built: list[QWidget] = []
        for widget in self.steps:
            if widget is not None:
                _prepare(widget)
                built.append(widget)
            await asyncio.sleep(0)
        self._is_growing = True
        for _ in range(2):  # height-for-width is known once the layouts have their width
            self.fit()
            if (layout := self.layout()) is not None:
                layout.activate()
            for area in self.findChildren(ScrollColumn):
                area.column.activate()
            await asyncio.sleep(0)
        for widget in built:
            widget.hide()
        if self._scrim:
            self._scrim.show()
            await asyncio.sleep(PAINT_PAUSE)
        self.open()
        await asyncio.sleep(PAINT_PAUSE)
        for widget in built:
            await asyncio.sleep(0)
            if not isValid(self):
                return
            widget.show()
        self._is_growing = False
        self.fit()
        self._repeat_early_keys()

    def _repeat_early_keys(self) -> None:
        """Give the keys that were typed while the sheet was opening to the widget that has the focus first."""
        if self.hasFocus():
            self._focus_first()
        keys, self._early_keys = self._early_keys, []
        for key in keys:
            QApplication.sendEvent(self.focusWidget() or self, key)

    def showEvent(self, event: QShowEvent) -> None:
        window = self.parentWidget()
        focused = window.focusWidget() if window else None
        if focused is None or not self.isAncestorOf(focused):
            self._focused_before = focused
        super().showEvent(event)
        self.fit()
        if self._scrim:
            self._scrim.show()
            self._scrim.raise_()
        self.raise_()
        self._focus_first()

    def _focus_first(self) -> None:
        first = self._first if self._first and self._first.isEnabledTo(self) and self._first.isVisibleTo(self) else self
        first.setFocus(Qt.FocusReason.ActiveWindowFocusReason)

    def focusNextPrevChild(self, next: bool) -> bool:
        """Let Tab follow the layouts, including widgets that were added later."""
        walk_as_read(self)
        return super().focusNextPrevChild(next)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._is_growing and event.text().isprintable() and event.text():
            self._early_keys.append(event.clone())
        else:
            super().keyPressEvent(event)
        event.accept()  # no key reaches the window behind

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_ground(QPainter(self), self, Corner.SHEET if self.parentWidget() else 0, self._ground.footer)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._ground.fit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and self._scrim:
            event.accept()  # disables the shortcuts of the window behind the sheet
            return True
        if event.type() == QEvent.Type.LayoutRequest and self.isVisible():
            handled = super().event(event)
            self.fit()
            return handled
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self.fit()
        return super().eventFilter(watched, event)

    def _keep_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        """Take the focus back if it leaves the sheet for its window; menus and other windows may have it.

        Qt moves the focus when its widget is disabled, hidden or deleted, and a widget behind the sheet may request it.
        """
        if not self.isVisible() or QApplication.activeWindow() is not self.window():
            return
        if now is not None and self.isAncestorOf(now):
            self._last_focused = now
        elif now is None or (now is not self and now.window() is self.window() and not _is_in_sheet(now)):
            last = self._last_focused if self._last_focused is not None and isValid(self._last_focused) else None
            target = last if last is not None and last.isEnabledTo(self) and last.isVisibleTo(self) else self
            target.setFocus(Qt.FocusReason.ActiveWindowFocusReason)

    def set_low(self, is_low: bool) -> None:
        """Let the head scroll with the content in a low window."""
        if self._above is None or self._area is None:
            return
        for index, widget in enumerate(self._head):
            is_hidden = widget.isHidden()
            if is_low:
                self._area.column.insertWidget(index, widget)
            else:
                self._above.addWidget(widget)
            widget.setHidden(is_hidden)

    def _size_within(self, limit: QSize) -> QSize:
        is_low = limit.height() < scale(self.low) or limit.width() < scale(self.narrow)
        if is_low is not self.is_low:
            self.is_low = is_low
            self.set_low(is_low)
        return self._wanted_size(limit)

    def _wanted_size(self, limit: QSize) -> QSize:
        width = min(scale(self._wanted_width), limit.width())
        layout = self.layout()
        wanted = self.sizeHint().height()
        if layout is not None and layout.hasHeightForWidth():
            wanted = layout.totalHeightForWidth(width)
        return QSize(width, min(wanted, limit.height()))

    def _leave(self) -> None:
        if self.closes_outside:
            self.reject()

    def _close(self) -> None:
        if self._scrim:
            self._scrim.hide()
        before, self._focused_before = self._focused_before, None
        if before is not None and isValid(before):
            before.setFocus(Qt.FocusReason.ActiveWindowFocusReason)


def _prepare(widget: QWidget) -> None:
    """Style and measure a widget in advance, so that showing it takes less time."""
    for part in (widget, *widget.findChildren(QWidget)):
        part.ensurePolished()
    widget.sizeHint()


def _is_in_sheet(widget: QWidget | None) -> bool:
    while widget is not None and not isinstance(widget, Sheet):
        widget = widget.parentWidget()
    return widget is not None
