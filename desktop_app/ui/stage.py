"""The middle of the window: the welcome while a conversation is empty, else its transcript, or its frame until it is
there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from .transcript.row_view import COLUMN, SIDE
from .transcript.transcript import Transcript
from .transcript.transcript_model import TranscriptModel
from .welcome import WelcomePage
from .widgets.look import colour, paint_box, scaled

LEAST = 48  # pixels of the conversation that stay in sight
CARD = 84  # pixels that a card has at least
EDGE, GAP = 14, 12  # pixels above and below the column, and between what stands in it
SPEECHES = ((0.38, 0), (0.96, 3), (0.3, 1), (0.88, 2))
"""What the frame of a conversation shows: how wide each message's last line is, and how many stand above it."""


class Skeleton(QWidget):
    """The frame of a conversation that is being read. It shows nothing at all until `is_drawn`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.is_drawn = False
        self.setAccessibleName("The conversation is being opened")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints bars where messages will stand."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("paper"))
        if not self.is_drawn:
            return
        column = max(min(scaled(COLUMN), self.width() - 2 * SIDE), 120)
        x, y = (self.width() - column) / 2, float(scaled(26))
        for share, above in SPEECHES * (self.height() // scaled(280) + 1):
            widths = [0.12, *[1.0] * above, share]
            for width in widths:
                paint_box(painter, QRectF(x, y, column * width, scaled(10)), colour("line_soft"), None, 5)
                y += scaled(24)
            y += scaled(20)


class Stage(QStackedWidget):
    """Shows the one or the other, as the model fills and empties. Before the first conversation it shows nothing."""

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.welcome = WelcomePage(self)
        self.transcript = Transcript(model, self)
        self.skeleton = Skeleton(self)
        self.addWidget(self.skeleton)
        self.addWidget(self.welcome)
        self.addWidget(self.transcript)
        model.modelReset.connect(self._choose)
        model.rowsInserted.connect(self._choose)
        model.rowsRemoved.connect(self._choose)

    def minimumSizeHint(self) -> QSize:
        """A few lines: both pages scroll, and a card below them may need the room."""
        shown = self.currentWidget()
        return QSize(shown.minimumSizeHint().width() if shown is not None else 0, LEAST)

    def await_conversation(self) -> None:
        """Shows the frame of a conversation that has messages, until they are there."""
        self.skeleton.is_drawn = True
        self.skeleton.update()
        self.setCurrentWidget(self.skeleton)

    def show_conversation(self) -> None:
        """Shows what the model has: the conversation that was waited for did not come."""
        self._choose()

    def _choose(self) -> None:
        self.updateGeometry()
        self.setCurrentWidget(self.welcome if self._model.is_blank else self.transcript)


class Foot(QWidget):
    """What stands under the stage, in a column as wide as the transcript's. Cards come and go, and scroll where there
    is no room for them; what always stands there keeps its height."""

    def __init__(self, cards: tuple[QWidget, ...], fixed: tuple[QWidget, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cards, self._fixed = cards, fixed
        for widget in (*cards, *fixed):
            widget.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)

    def sizeHint(self) -> QSize:
        """All of it."""
        wanted = [height for _, height in self._wanted()]
        return QSize(COLUMN, sum(wanted) + self._spaces(len(wanted)))

    def minimumSizeHint(self) -> QSize:
        """What always stands there, and of one card so much that it can be seen and scrolled."""
        wanted = self._wanted()
        cards = [min(height, scaled(CARD)) for widget, height in wanted if widget in self._cards]
        fixed = sum(height for widget, height in wanted if widget not in self._cards)
        width = max(widget.minimumSizeHint().width() for widget in self._fixed)
        return QSize(width + 2 * SIDE, fixed + max(cards, default=0) + self._spaces(len(wanted)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width may need other heights."""
        super().resizeEvent(event)
        self._place()
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def event(self, event: QEvent) -> bool:
        """Something in it has come, gone, or needs another height."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            parent = self.parentWidget()
            around = parent.layout() if parent is not None else None
            if around is not None:
                around.activate()  # at once: nothing is painted in a place that is too small for it
            self._place()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the ground and the line above."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("paper"))
        painter.fillRect(0, 0, self.width(), 1, colour("line"))

    def _column(self) -> int:
        return max(min(self.width() - 2 * SIDE, scaled(COLUMN)), 0)

    def _spaces(self, widgets: int) -> int:
        return 2 * EDGE + GAP * max(widgets - 1, 0)

    def _wanted(self) -> list[tuple[QWidget, int]]:
        """What is shown, from above, and the height that each would like."""
        width = self._column()
        shown = [widget for widget in (*self._cards, *self._fixed) if not widget.isHidden()]
        return [(widget, _wanted_height(widget, width)) for widget in shown]

    def _place(self) -> None:
        wanted = self._wanted()
        left = self.height() - self._spaces(len(wanted)) - sum(h for w, h in wanted if w not in self._cards)
        heights = dict(wanted)
        for place, card in enumerate(cards := [widget for widget, _ in wanted if widget in self._cards]):
            others = sum(min(heights[other], scaled(CARD)) for other in cards[place + 1 :])
            heights[card] = max(min(heights[card], left - others), 0)
            left -= heights[card]
        y = EDGE
        for widget, _ in wanted:
            widget.setGeometry((self.width() - self._column()) // 2, y, self._column(), heights[widget])
            y += heights[widget] + GAP


def _wanted_height(widget: QWidget, width: int) -> int:
    """What scrolls in it knows what it would like only once it has its width."""
    layout = widget.layout()
    if widget.width() != width:
        widget.resize(width, widget.height())
    if layout is None:
        return widget.sizeHint().height()
    layout.activate()
    height = layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.totalSizeHint().height()
    return max(min(height, widget.maximumHeight()), widget.minimumHeight())
