"""The panes of the window: the chat, the widgets below it, and drawers for the sidebar and the context panel."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QStackedWidget, QWidget
from shiboken6 import isValid

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.setup import Project

from .projects.project_page import ProjectPage
from .request_view.request_view import RequestView
from .transcript.transcript_model import TranscriptModel
from .transcript.transcript_view import COLUMN, SIDE
from .transcript.transcript_widget import TranscriptWidget
from .translation import tr
from .welcome import WelcomePage
from .widgets.look import Corner, colour, paint_box, scale

MIN_HEIGHT = 32  # pixels of the conversation that stay visible above the bottom pane
MIN_CARD_HEIGHT, LOW_CARD_HEIGHT = 84, 52  # pixels
EDGE, GAP = 14, 12  # pixels above and below the column, and between its widgets
LOW_EDGE, LOW_GAP = 8, 6  # the same in a low window
SPEECHES = ((0.38, 0), (0.96, 3), (0.3, 1), (0.88, 2))
"""The messages that the skeleton draws: the width of the last line as a share, and the number of lines above it."""


class Skeleton(QWidget):
    """A placeholder for a conversation that is being read; blank until `is_drawn`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.is_drawn = False
        self.setAccessibleName(tr("The conversation is being opened"))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("paper"))
        if not self.is_drawn:
            return
        column = max(min(scale(COLUMN), self.width() - 2 * SIDE), 120)
        x, y = (self.width() - column) / 2, float(scale(26))
        for share, above in SPEECHES * (self.height() // scale(280) + 1):
            widths = [0.12, *[1.0] * above, share]
            for width in widths:
                paint_box(painter, QRectF(x, y, column * width, scale(10)), colour("line_soft"), None, Corner.TAG)
                y += scale(24)
            y += scale(20)


class Pages(QStackedWidget):
    """The chat, and pages that are shown in its place."""

    def __init__(self, chat: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chat = chat
        self.addWidget(chat)

    def show_chat(self) -> None:
        """Show the conversation in place of another page."""
        self.setCurrentWidget(self._chat)


class ChatPane(QStackedWidget):
    """Shows the transcript, or the request in its place; the welcome page or the project's page while the conversation
    is empty; the skeleton while it is read.

    Signals: escape_pressed, if no widget in it takes the key; request_switched(is_shown), before the request is shown
    or left.
    """

    escape_pressed = Signal()
    request_switched = Signal(bool)

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.welcome = WelcomePage(self)
        self.project = ProjectPage(self)
        self._is_in_project = False
        self.transcript = TranscriptWidget(model, self)
        self.request = RequestView(self)
        self.is_request_shown = False
        self.skeleton = Skeleton(self)
        self.addWidget(self.skeleton)
        self.addWidget(self.request)
        self.addWidget(self.welcome)
        self.addWidget(self.project)
        self.addWidget(self.transcript)
        model.modelReset.connect(self._choose)
        model.rowsInserted.connect(self._choose)
        model.rowsRemoved.connect(self._choose)

    def minimumSizeHint(self) -> QSize:
        """Return a height of 0: the pages scroll, and a card below may need the space."""
        page = self.currentWidget()
        return QSize(page.minimumSizeHint().width() if page is not None else 0, 0)

    def hasHeightForWidth(self) -> bool:
        """Return False: otherwise a page whose buttons wrap would claim their height."""
        return False

    def await_conversation(self) -> None:
        """Show the skeleton until the conversation has arrived."""
        self.skeleton.is_drawn = True
        self.skeleton.update()
        self.setCurrentWidget(self.skeleton)

    def show_conversation(self) -> None:
        """Show the model again: the awaited conversation has arrived, or will not."""
        self._choose()

    def show_project(self, project: Project | None, conversations: Sequence[ConversationInfo] = ()) -> None:
        """Let an empty conversation show this project in place of the welcome page. conversations: the project's."""
        self._is_in_project = project is not None
        if project is not None:
            self.project.show_project(project, conversations)
        self._choose()

    def show_request(self, is_shown: bool) -> None:
        """Show the request in place of the transcript and the welcome page, or these again."""
        self.request_switched.emit(is_shown)
        self.is_request_shown = is_shown
        self._choose()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escape_pressed.emit()
        event.ignore()  # so that the window gets it

    def _choose(self) -> None:
        self.updateGeometry()
        empty = self.project if self._is_in_project else self.welcome
        page = empty if self.model.is_blank else self.transcript
        self.setCurrentWidget(self.request if self.is_request_shown else page)


class BottomPane(QWidget):
    """The composer, the gauge and the cards below the chat, in a column as wide as the transcript's.

    Cards are shown and hidden, and scroll if the space is too small; the fixed widgets keep their height.
    """

    def __init__(self, cards: tuple[QWidget, ...], fixed: tuple[QWidget, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cards, self._fixed = cards, fixed
        self._edge, self._gap, self._card = EDGE, GAP, MIN_CARD_HEIGHT
        for widget in (*cards, *fixed):
            widget.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)

    def set_low(self, is_low: bool) -> None:
        """Use less height, for a low window."""
        low, usual = (LOW_EDGE, LOW_GAP, LOW_CARD_HEIGHT), (EDGE, GAP, MIN_CARD_HEIGHT)
        self._edge, self._gap, self._card = low if is_low else usual
        self.updateGeometry()
        self._place()

    def sizeHint(self) -> QSize:
        wanted = [height for _, height in self._wanted_heights()]
        return QSize(COLUMN, sum(wanted) + self._spaces(len(wanted)))

    def minimumSizeHint(self) -> QSize:
        """Return the size of the fixed widgets and of a part of one card."""
        wanted = self._wanted_heights()
        cards = [min(height, scale(self._card)) for widget, height in wanted if widget in self._cards]
        fixed = sum(_wanted_height(widget, self._column()) for widget in self._fixed)
        width = max(widget.minimumSizeHint().width() for widget in self._fixed)
        return QSize(width + 2 * SIDE, fixed + max(cards, default=0) + self._spaces(len(wanted)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_way()
        self._place()
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._make_way()
            self.updateGeometry()
            parent = self.parentWidget()
            around = parent.layout() if parent is not None else None
            if around is not None:
                around.activate()  # at once, so that no widget is painted outside the pane
            self._place()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("paper"))
        painter.fillRect(0, 0, self.width(), 1, colour("line"))

    def _make_way(self) -> None:
        """Hide the fixed widgets while a card would otherwise be too low to be answered."""
        parent = self.parentWidget()
        if parent is None:
            return
        width = self._column()
        cards = [card for card in self._cards if not card.isHidden()]
        need = max((_least_height(card, width) for card in cards), default=0)
        fixed = sum(_wanted_height(widget, width) for widget in self._fixed)
        available = parent.height() - MIN_HEIGHT - self._spaces(len(cards) + len(self._fixed))
        for widget in self._fixed:
            widget.setVisible(not cards or available >= fixed + need)

    def _column(self) -> int:
        return max(min(self.width() - 2 * SIDE, scale(COLUMN)), 0)

    def _spaces(self, widgets: int) -> int:
        return 2 * self._edge + self._gap * max(widgets - 1, 0)

    def _wanted_heights(self) -> list[tuple[QWidget, int]]:
        """Return the visible widgets from top to bottom, each with the height that it would like."""
        width = self._column()
        visible = [widget for widget in (*self._cards, *self._fixed) if not widget.isHidden()]
        return [(widget, _wanted_height(widget, width)) for widget in visible]

    def _place(self) -> None:
        wanted = self._wanted_heights()
        left = self.height() - self._spaces(len(wanted)) - sum(h for w, h in wanted if w not in self._cards)
        heights = dict(wanted)
        for index, card in enumerate(cards := [widget for widget, _ in wanted if widget in self._cards]):
            others = sum(min(heights[other], scale(self._card)) for other in cards[index + 1 :])
            heights[card] = max(min(heights[card], left - others), 0)
            left -= heights[card]
        y = self._edge
        for widget, _ in wanted:
            widget.setGeometry((self.width() - self._column()) // 2, y, self._column(), heights[widget])
            y += heights[widget] + self._gap


def _least_height(widget: QWidget, width: int) -> int:
    """Return the height below which a part of the widget is cut off."""
    layout = widget.layout()
    if layout is None:
        return widget.minimumSizeHint().height()
    return layout.minimumHeightForWidth(width) if layout.hasHeightForWidth() else layout.totalMinimumSize().height()


def _wanted_height(widget: QWidget, width: int) -> int:
    """Return the height that a widget would like at that width; a scroll area knows it only once it has the width."""
    layout = widget.layout()
    if widget.width() != width:
        widget.resize(width, widget.height())
    if layout is None:
        return widget.sizeHint().height()
    layout.activate()
    height = layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.totalSizeHint().height()
    return max(min(height, widget.maximumHeight()), widget.minimumHeight())


MIDDLE = 400
"""Pixels of the content's width below which the drawer is no longer next to it."""
VEIL = QColor(30, 24, 14, 60)


class Veil(QWidget):
    """Dims the content behind an open drawer; a click on it closes the drawer."""

    def __init__(self, pane: DrawerPane) -> None:
        super().__init__(pane)
        self._pane = pane
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), VEIL)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pane.close_drawer()


class DrawerPane(QWidget):
    """The content, and a drawer at one side. The drawer never changes the minimum size of the window.

    A drawer that does not fit next to the content is closed until it does; if the user opens it there, it lies over the
    content. Signal: beside_changed(is_beside).
    """

    beside_changed = Signal(bool)

    def __init__(
        self, content: QWidget, drawer: QWidget, *, is_first: bool = False, closes_behind: bool = False
    ) -> None:
        """is_first: the drawer is on the side where reading begins. closes_behind: a drawer that lies over the content
        closes when the content gets the keyboard focus."""
        super().__init__()
        self._content, self._drawer, self._is_first = content, drawer, is_first
        self._was_narrow = self._is_tucked = False
        self._was_beside: bool | None = None
        self._focused_before: QWidget | None = None
        content.setParent(self)
        self._veil = Veil(self)
        drawer.setParent(self)
        drawer.installEventFilter(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        application = QApplication.instance()
        if closes_behind and isinstance(application, QApplication):
            application.focusChanged.connect(self._follow_focus)

    @property
    def is_narrow(self) -> bool:
        """Whether the drawer does not fit next to the content."""
        return self.width() < scale(MIDDLE) + self._drawer.width()

    @property
    def is_wanted(self) -> bool:
        """Whether the drawer is open, or would be in a wider window."""
        return not self._drawer.isHidden() or self._is_tucked

    @property
    def is_beside(self) -> bool:
        """Whether the drawer is open next to the content, not over it."""
        return not self._drawer.isHidden() and not self.is_narrow

    def close_drawer(self) -> None:
        """Close the drawer if it lies over the content."""
        if not self.is_narrow or self._drawer.isHidden():
            return
        before, self._focused_before = self._focused_before, None
        self._drawer.hide()
        if before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)

    def toggle(self) -> None:
        """Open the drawer, or close it, whether it lies over the content or next to it."""
        if self._drawer.isHidden():
            self._drawer.show()
        elif self.is_narrow:
            self.close_drawer()
        else:
            self._drawer.hide()

    def minimumSizeHint(self) -> QSize:
        return self._content.minimumSizeHint()

    def sizeHint(self) -> QSize:
        return self._content.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tuck()
        self._place()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._tuck()
            self._place()
        elif event.type() == QEvent.Type.LayoutDirectionChange:
            self._place()
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShowToParent and self.is_narrow:
            self._focused_before = self.window().focusWidget()
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent, QEvent.Type.Resize):
            self._place()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close, on Escape, a drawer that lies over the content."""
        if event.key() == Qt.Key.Key_Escape and self.is_narrow and self._drawer.isVisible():
            self.close_drawer()
        else:
            super().keyPressEvent(event)

    def _follow_focus(self, before: QWidget | None, now: QWidget | None) -> None:
        if now is not None and before is not None and self._content.isAncestorOf(now):
            self._focused_before = None
            self.close_drawer()

    def _tuck(self) -> None:
        was_narrow, self._was_narrow = self._was_narrow, self.is_narrow
        if self.is_narrow and not was_narrow and not self._drawer.isHidden():
            self._is_tucked = True
            self._drawer.hide()
        elif not self.is_narrow and self._is_tucked:
            self._is_tucked = False
            self._drawer.show()

    def _place(self) -> None:
        width, height, wide = self.width(), self.height(), self._drawer.width()
        is_open = not self._drawer.isHidden()
        is_left = self._is_first != self.isRightToLeft()
        taken = wide if self.is_beside else 0
        self._content.setGeometry(taken if is_left else 0, 0, width - taken, height)
        self._drawer.setGeometry(0 if is_left else width - wide, 0, wide, height)
        self._veil.setVisible(is_open and self.is_narrow)
        self._veil.setGeometry(self.rect())
        self._veil.raise_()
        self._drawer.raise_()
        if self._was_beside is not self.is_beside:
            self._was_beside = self.is_beside
            self.beside_changed.emit(self.is_beside)
