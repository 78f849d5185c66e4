"""Inputs that paint themselves: a segmented choice, a drop-down list, a slider and a switch."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QSizePolicy,
    QSlider,
    QStyle,
    QWidget,
)

from .accessibility import Role, WithRole
from .buttons import KEYBOARD, explain_ellipsis
from .layouts import horizontal
from .look import (
    CONTROL_HEIGHT,
    MEDIUM,
    NORMAL,
    Corner,
    StyleAware,
    colour,
    font,
    paint_box,
    paint_focus,
    reading_x,
    scale,
    turn_around,
)

# Pixels
SEGMENT_GAP = 2
MIN_SEGMENT = 64  # the minimum width of a segment, whose text is elided
SEGMENT_MARGINS = (3, 3, 3, 3)  # between the edge of a segmented choice and its segments
TRACK, KNOB = 4, 16  # of a slider
SWITCH_WIDTH, SWITCH_HEIGHT, SWITCH_GAP = 34, 20, 10

FIXED, WIDE = QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding


class SegmentButton(StyleAware, QAbstractButton):
    """One choice of a `Segmented`."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._is_ringed = False
        self.setText(text)
        self.setCheckable(True)
        self.setAutoExclusive(True)  # also makes it a radio button for screen readers, instead of a check box
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(text)
        self.setSizePolicy(WIDE, FIXED)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(font(13, MEDIUM))
        height = scale(CONTROL_HEIGHT) - SEGMENT_MARGINS[1] - SEGMENT_MARGINS[3]  # CONTROL_HEIGHT with its margins
        return QSize(metrics.horizontalAdvance(self.text()) + scale(24), height)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.full_width(), scale(MIN_SEGMENT)), self.sizeHint().height())

    def full_width(self) -> int:
        """Return the minimum width at which the text is not elided, in pixels."""
        return self.sizeHint().width() - scale(14)

    def event(self, event: QEvent) -> bool:
        return explain_ellipsis(self, event, self._shown_text) or super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._is_ringed = event.reason() in (*KEYBOARD, Qt.FocusReason.OtherFocusReason)  # arrow keys give "other"
        super().focusInEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        is_on = self.isChecked()
        if is_on:
            paint_box(painter, QRectF(self.rect()), colour("raised"), colour("line"), Corner.ROW)
        painter.setFont(font(13, MEDIUM if is_on else NORMAL))
        quiet = "ink" if self.underMouse() else "ink_soft"
        painter.setPen(colour("ink_faint" if not self.isEnabled() else "ink" if is_on else quiet))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._shown_text())
        if self._is_ringed and self.hasFocus():
            paint_focus(painter, QRectF(self.rect()), Corner.ROW)

    def _shown_text(self) -> str:
        metrics = QFontMetrics(font(13, MEDIUM if self.isChecked() else NORMAL))
        return metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width() - 4)


class Segmented(WithRole, QWidget):
    """A choice of a few values side by side. Signal: chosen(value), by the user."""

    accessible_role = Role.Grouping
    chosen = Signal(str)

    def __init__(self, choices: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        """choices: pairs of a value and its text; the first one is chosen."""
        super().__init__(parent)
        self._buttons = {value: SegmentButton(text, self) for value, text in choices}
        self._group = QButtonGroup(self)
        for value, button in self._buttons.items():
            button.clicked.connect(lambda _=False, value=value: self.chosen.emit(value))
            self._group.addButton(button)
        horizontal(
            *self._buttons.values(),
            holder=self,
            spacing=SEGMENT_GAP,
            margins=SEGMENT_MARGINS,
        )
        self.setSizePolicy(WIDE, FIXED)
        if choices:
            self.choose(choices[0][0])

    def choose(self, value: str) -> None:
        """Choose a value without emitting `chosen`. Raises KeyError for an unknown one."""
        self._buttons[value].setChecked(True)

    def full_width(self) -> int:
        """Return the minimum width at which no text is elided, in pixels."""
        sides = SEGMENT_MARGINS[0] + SEGMENT_MARGINS[2] + SEGMENT_GAP * (len(self._buttons) - 1)
        return sum(button.full_width() for button in self._buttons.values()) + sides

    def value(self) -> str:
        return next((value for value, button in self._buttons.items() if button.isChecked()), "")

    def values(self) -> tuple[str, ...]:
        return tuple(self._buttons)

    def button(self, value: str) -> SegmentButton:
        return self._buttons[value]

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_box(QPainter(self), QRectF(self.rect()), colour("line_soft"), None, Corner.CONTROL)


class Select(QComboBox):
    """A drop-down list. The mouse wheel scrolls the page, and never changes the choice."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(WIDE, FIXED)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def choose(self, value: str) -> None:
        """Choose the item whose data is this value."""
        self.setCurrentIndex(self.findData(value))

    def sizeHint(self) -> QSize:
        return QSize(scale(200), scale(CONTROL_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, scale(CONTROL_HEIGHT))

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect())
        paint_box(painter, box, colour("raised"), colour("line"), Corner.CONTROL)
        painter.setFont(font(14))
        painter.setPen(colour("ink" if self.isEnabled() else "ink_faint"))
        text = QFontMetrics(font(14)).elidedText(self.currentText(), Qt.TextElideMode.ElideRight, self.width() - 40)
        is_turned = self.isRightToLeft()
        room = box.adjusted(28, 0, -12, 0) if is_turned else box.adjusted(12, 0, -28, 0)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        painter.setPen(QPen(colour("ink_soft"), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        x, y, half = reading_x(box.right() - 18, self), box.center().y(), scale(4)
        corners = [QPointF(x - half, y - half / 2), QPointF(x, y + half / 2), QPointF(x + half, y - half / 2)]
        painter.drawPolyline(QPolygonF(corners))
        if self.hasFocus():
            paint_focus(painter, box, Corner.CONTROL)


class Slider(WithRole, QSlider):
    """A horizontal slider whose knob jumps to where it is clicked.

    A screen reader reads a slider's place in its range as a percentage, which is not the number next to it. So this has
    another role, and its name ends with that number.
    """

    accessible_role = Role.SpinBox

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._grain = 1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(WIDE, FIXED)

    def set_name(self, label: str, value: str) -> None:
        """Set what a screen reader reads. value: as it is shown next to the slider."""
        self.setAccessibleName(f"{label}, {value}" if value else label)

    def set_range(self, minimum: int, maximum: int, grain: int = 1) -> None:
        """Set the range. grain: the mouse selects multiples of it, or an end of the range."""
        self._grain = max(grain, 1)
        self.setRange(minimum, max(maximum, minimum))
        self.setSingleStep(self._grain)
        self.setPageStep(max((maximum - minimum) // 10 // self._grain, 1) * self._grain)

    def sizeHint(self) -> QSize:
        return QSize(160, scale(KNOB) + 6)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        turn_around(painter, self)
        knob, middle, at = scale(KNOB), self.height() / 2, self._x()
        strong = colour("accent" if self.isEnabled() else "ink_faint")
        paint_box(painter, QRectF(0, middle - TRACK / 2, self.width(), TRACK), colour("line"), None, TRACK / 2)
        paint_box(painter, QRectF(0, middle - TRACK / 2, at, TRACK), strong, None, TRACK / 2)
        box = QRectF(at - knob / 2, middle - knob / 2, knob, knob)
        if self.hasFocus():
            paint_box(painter, box.adjusted(-3, -3, 3, 3), colour("accent", 0.3), None, knob)
        paint_box(painter, box, colour("raised"), strong, knob / 2, 2)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._go_to(reading_x(event.position().x(), self))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._go_to(reading_x(event.position().x(), self))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)

    def _x(self) -> float:
        knob, low, high = scale(KNOB), self.minimum(), self.maximum()
        return knob / 2 + QStyle.sliderPositionFromValue(low, high, self.value(), self.width() - knob)

    def _go_to(self, x: float) -> None:
        knob, low, high = scale(KNOB), self.minimum(), self.maximum()
        exact = QStyle.sliderValueFromPosition(low, high, round(x - knob / 2), self.width() - knob)
        self.setValue(exact if exact in (low, high) else round(exact / self._grain) * self._grain)


class ToggleSwitch(StyleAware, QCheckBox):
    """A switch with its text next to it."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(FIXED, FIXED)

    def sizeHint(self) -> QSize:
        text = scale(SWITCH_GAP) + QFontMetrics(font(14)).horizontalAdvance(self.text()) if self.text() else 2
        return QSize(scale(SWITCH_WIDTH) + text + 4, scale(SWITCH_HEIGHT) + 6)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, pos: object) -> bool:
        return True  # anywhere, also beyond Qt's own check box

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.save()
        turn_around(painter, self)
        height = scale(SWITCH_HEIGHT)
        track = QRectF(3, (self.height() - height) / 2, scale(SWITCH_WIDTH), height)
        is_on = self.isChecked()
        paint_box(painter, track, colour("accent" if is_on else "hatch"), None, height / 2)
        side = height - 6
        left = track.right() - side - 3 if is_on else track.left() + 3
        knob = QRectF(left, track.top() + 3, side, side)
        paint_box(painter, knob, colour("accent_ink" if is_on else "raised"), None, side / 2)
        if self.hasFocus():
            paint_focus(painter, track.adjusted(-3, -3, 3, 3), height)
        painter.restore()
        painter.setFont(font(14))
        painter.setPen(colour("ink"))
        taken = track.right() + scale(SWITCH_GAP)
        room = QRectF(-taken if self.isRightToLeft() else taken, 0, self.width(), self.height())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
