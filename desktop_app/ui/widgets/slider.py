"""A slider that goes where it is clicked."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QSlider, QWidget

from .look import colour, paint_box, scaled

TRACK, KNOB = 4, 16  # pixels


class Slider(QSlider):
    """Horizontal. `grain`: values that the mouse chooses are multiples of it, or an end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._grain = 1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_range(self, least: int, most: int, grain: int = 1) -> None:
        """From `least` to `most`, in steps of `grain`."""
        self._grain = max(grain, 1)
        self.setRange(least, max(most, least))
        self.setSingleStep(self._grain)
        self.setPageStep(max((most - least) // 10 // self._grain, 1) * self._grain)

    def sizeHint(self) -> QSize:
        """Room for the knob."""
        return QSize(160, scaled(KNOB) + 6)

    def minimumSizeHint(self) -> QSize:
        """It can be short."""
        return QSize(60, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the track, what is chosen of it, and the knob."""
        painter = QPainter(self)
        knob, middle, at = scaled(KNOB), self.height() / 2, self._x()
        strong = colour("accent") if self.isEnabled() else colour("ink_faint")
        paint_box(painter, QRectF(0, middle - TRACK / 2, self.width(), TRACK), colour("line"), None, TRACK / 2)
        paint_box(painter, QRectF(0, middle - TRACK / 2, at, TRACK), strong, None, TRACK / 2)
        box = QRectF(at - knob / 2, middle - knob / 2, knob, knob)
        if self.hasFocus():
            paint_box(painter, box.adjusted(-3, -3, 3, 3), colour("accent", 0.3), None, knob)
        paint_box(painter, box, colour("raised"), strong, knob / 2, 2)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Goes there."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._go_to(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follows."""
        if self.isSliderDown():
            self._go_to(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Stays."""
        self.setSliderDown(False)

    def _x(self) -> float:
        knob = scaled(KNOB)
        span = max(self.maximum() - self.minimum(), 1)
        return knob / 2 + (self.value() - self.minimum()) / span * (self.width() - knob)

    def _go_to(self, place: QPointF) -> None:
        knob = scaled(KNOB)
        share = (place.x() - knob / 2) / max(self.width() - knob, 1)
        exact = self.minimum() + share * (self.maximum() - self.minimum())
        if not self.minimum() < exact < self.maximum():
            self.setValue(self.minimum() if share <= 0 else self.maximum())
        else:
            self.setValue(round(exact / self._grain) * self._grain)
