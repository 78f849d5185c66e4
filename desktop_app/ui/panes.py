"""The panes of the window: the chat, what stands below it, and the context panel beside it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.setup import Project

from .projects.project_page import ProjectPage
from .request_view.request_view import RequestView
from .transcript.row_view import COLUMN, SIDE
from .transcript.transcript_model import TranscriptModel
from .transcript.transcript_widget import TranscriptWidget
from .translation import tr
from .welcome import WelcomePage
from .widgets.look import Corner, colour, paint_box, scale

MIN_HEIGHT = 32  # pixels of the conversation that stay in sight beside what can make way
MIN_CARD_HEIGHT, LOW_CARD_HEIGHT = 84, 52  # pixels
EDGE, GAP = 14, 12  # pixels above and below the column, and between what stands in it
LOW_EDGE, LOW_GAP = 8, 6  # the same in a low window
SPEECHES = ((0.38, 0), (0.96, 3), (0.3, 1), (0.88, 2))
"""What the frame of a conversation shows: how wide each message's last line is, and how many stand above it."""


class Skeleton(QWidget):
    """The outline of a conversation that is being read; blank until `is_drawn`."""

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


class ChatPane(QStackedWidget):
    """The transcript, or the request in its place; while the conversation is empty, the welcome page or that of its
    project; the skeleton while it is read.

    Signal: escape_pressed, where nothing in it takes the key.
    """

    escape_pressed = Signal()

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
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
        """Return no height: both pages scroll, and a card below may need the room."""
        shown = self.currentWidget()
        return QSize(shown.minimumSizeHint().width() if shown is not None else 0, 0)

    def hasHeightForWidth(self) -> bool:
        """Return False: a page whose buttons wrap would claim their height."""
        return False

    def await_conversation(self) -> None:
        """Show the skeleton until the conversation is here."""
        self.skeleton.is_drawn = True
        self.skeleton.update()
        self.setCurrentWidget(self.skeleton)

    def show_conversation(self) -> None:
        """Show the model again: the awaited conversation is here, or will not come."""
        self._choose()

    def show_project(self, project: Project | None, conversations: Sequence[ConversationInfo] = ()) -> None:
        """Let an empty conversation show this project in place of the welcome page. conversations: those of it."""
        self._is_in_project = project is not None
        if project is not None:
            self.project.show_project(project, conversations)
        self._choose()

    def show_request(self, is_shown: bool) -> None:
        """Show the request in place of the transcript and the welcome page, or these again."""
        self.is_request_shown = is_shown
        self._choose()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escape_pressed.emit()
        event.ignore()  # the window may have a use for it

    def _choose(self) -> None:
        self.updateGeometry()
        empty = self.project if self._is_in_project else self.welcome
        page = empty if self._model.is_blank else self.transcript
        self.setCurrentWidget(self.request if self.is_request_shown else page)


class BottomPane(QWidget):
    """The composer, the gauge and the cards under the chat, in a column as wide as the transcript's.

    Cards come and go, and scroll where there is no room for them; the fixed widgets keep their height.
    """

    def __init__(self, cards: tuple[QWidget, ...], fixed: tuple[QWidget, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cards, self._fixed = cards, fixed
        self._edge, self._gap, self._card = EDGE, GAP, MIN_CARD_HEIGHT
        for widget in (*cards, *fixed):
            widget.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)

    def set_low(self, is_low: bool) -> None:
        """Take less of the height of a low window."""
        low, usual = (LOW_EDGE, LOW_GAP, LOW_CARD_HEIGHT), (EDGE, GAP, MIN_CARD_HEIGHT)
        self._edge, self._gap, self._card = low if is_low else usual
        self.updateGeometry()
        self._place()

    def sizeHint(self) -> QSize:
        wanted = [height for _, height in self._wanted_heights()]
        return QSize(COLUMN, sum(wanted) + self._spaces(len(wanted)))

    def minimumSizeHint(self) -> QSize:
        """Return the size of what always stands there, and of a part of one card."""
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
                around.activate()  # at once: nothing is painted where there is no room for it
            self._place()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("paper"))
        painter.fillRect(0, 0, self.width(), 1, colour("line"))

    def _make_way(self) -> None:
        """Hide what always stands there while a card in a low window could not be answered otherwise."""
        parent = self.parentWidget()
        if parent is None:
            return
        width = self._column()
        shown = [card for card in self._cards if not card.isHidden()]
        need = max((_least_height(card, width) for card in shown), default=0)
        fixed = sum(_wanted_height(widget, width) for widget in self._fixed)
        room = parent.height() - MIN_HEIGHT - self._spaces(len(shown) + len(self._fixed))
        for widget in self._fixed:
            widget.setVisible(not shown or room >= fixed + need)

    def _column(self) -> int:
        return max(min(self.width() - 2 * SIDE, scale(COLUMN)), 0)

    def _spaces(self, widgets: int) -> int:
        return 2 * self._edge + self._gap * max(widgets - 1, 0)

    def _wanted_heights(self) -> list[tuple[QWidget, int]]:
        """Return what is shown, from top to bottom, and the height that each would like."""
        width = self._column()
        shown = [widget for widget in (*self._cards, *self._fixed) if not widget.isHidden()]
        return [(widget, _wanted_height(widget, width)) for widget in shown]

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
    """Return the height below which something of a widget is cut off."""
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
