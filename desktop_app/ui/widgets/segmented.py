"""A choice of a few, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QSizePolicy, QWidget

from .buttons import KEYBOARD
from .look import MEDIUM, NORMAL, RESTYLING, colour, font, paint_box, paint_focus, scaled

TRACK = 3  # pixels between the track's edge and the choices


class Choice(QAbstractButton):
    """One of the choices. Arrow keys go from one to the next."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._is_ringed = False
        self.setText(text)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Room for its text when chosen."""
        metrics = QFontMetrics(font(13, MEDIUM))
        return QSize(metrics.horizontalAdvance(self.text()) + scaled(24), scaled(28))

    def minimumSizeHint(self) -> QSize:
        """Its text and little around it."""
        return self.sizeHint() - QSize(scaled(14), 0)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Remembers how the focus came: arrow keys count as the keyboard."""
        self._is_ringed = event.reason() in (*KEYBOARD, Qt.FocusReason.OtherFocusReason)
        super().focusInEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Another font scale needs another room."""
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The chosen one stands out of the track."""
        painter = QPainter(self)
        is_on = self.isChecked()
        if is_on:
            paint_box(painter, QRectF(self.rect()), colour("raised"), colour("line"), 6)
        painter.setFont(font(13, MEDIUM if is_on else NORMAL))
        quiet = "ink" if self.underMouse() else "ink_soft"
        painter.setPen(colour("ink_faint" if not self.isEnabled() else "ink" if is_on else quiet))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        if self._is_ringed and self.hasFocus():
            paint_focus(painter, QRectF(self.rect()), 6)


class Segmented(QWidget):
    """Choices of which one is chosen; each has a value and a text."""

    chosen = Signal(str)

    def __init__(self, choices: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._buttons: dict[str, Choice] = {}
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(TRACK, TRACK, TRACK, TRACK)
        row.setSpacing(2)
        for value, text in choices:
            button = Choice(text, self)
            button.clicked.connect(lambda _=False, value=value: self.chosen.emit(value))
            self._buttons[value] = button
            self._group.addButton(button)
            row.addWidget(button)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        if choices:
            self.choose(choices[0][0])

    def choose(self, value: str) -> None:
        """Chooses without telling. Raises KeyError for what is not among the choices."""
        self._buttons[value].setChecked(True)

    def value(self) -> str:
        """What is chosen."""
        return next((value for value, button in self._buttons.items() if button.isChecked()), "")

    def values(self) -> tuple[str, ...]:
        """All choices."""
        return tuple(self._buttons)

    def button(self, value: str) -> Choice:
        """The choice itself, to explain or to name it."""
        return self._buttons[value]

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the track."""
        paint_box(QPainter(self), QRectF(self.rect()), colour("line_soft"), None, 8)
