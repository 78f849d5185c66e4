"""The middle of the window: the welcome while a conversation is empty, else its transcript, or its frame until it is
there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from .transcript.row_view import COLUMN, SIDE
from .transcript.transcript import Transcript
from .transcript.transcript_model import TranscriptModel
from .welcome import Welcome
from .widgets.look import RESTYLING, colour, paint_box, scaled

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
        self.welcome = Welcome(self)
        self.transcript = Transcript(model, self)
        self.skeleton = Skeleton(self)
        self.addWidget(self.skeleton)
        self.addWidget(self.welcome)
        self.addWidget(self.transcript)
        model.modelReset.connect(self._choose)
        model.rowsInserted.connect(self._choose)
        model.rowsRemoved.connect(self._choose)

    def minimumSizeHint(self) -> QSize:
        """What the page that is shown needs, not what the largest would: a card below it may need the room."""
        shown = self.currentWidget()
        return shown.minimumSizeHint() if shown is not None else super().minimumSizeHint()

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
    """What stands under the stage, in a column as wide as the transcript's."""

    def __init__(self, widgets: tuple[QWidget, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QWidget(self)
        column = QVBoxLayout(self._column)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        for widget in widgets:
            column.addWidget(widget)
        row = QHBoxLayout(self)
        row.setContentsMargins(SIDE, 14, SIDE, 14)
        row.addStretch(1)
        row.addWidget(self._column, 1000)
        row.addStretch(1)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the ground and the line above."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("paper"))
        painter.fillRect(0, 0, self.width(), 1, colour("line"))

    def changeEvent(self, event: QEvent) -> None:
        """A new font scale needs another column."""
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self._fit()

    def _fit(self) -> None:
        self._column.setMaximumWidth(scaled(COLUMN))
