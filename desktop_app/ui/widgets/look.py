"""Fonts and colours of the current theme, read when painting, so that a new theme needs only a repaint."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPainter, QPalette, QPen
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.gauge import Segment
from desktop_app.ui.theme import Tint as Tint
from desktop_app.ui.theme import theme

NORMAL, MEDIUM, BOLD = 400, 500, 600  # font weights
TRANSPARENT = QColor(0, 0, 0, 0)
CONTROL_HEIGHT, SMALL_HEIGHT = 36, 30
"""Heights in pixels before the font scale: of a control; of a chip, or a part inside a control or a card."""

RESTYLING = (QEvent.Type.StyleChange, QEvent.Type.PaletteChange, QEvent.Type.FontChange)
"""Events by which a widget learns that the theme or the font scale may have changed."""

TEXT_FAMILIES = ("Inter", "Noto Sans", "Segoe UI", "SF Pro Text")
CODE_FAMILIES = ("JetBrains Mono", "Noto Sans Mono", "Cascadia Mono", "SF Mono", "DejaVu Sans Mono")


class Corner(IntEnum):
    """Radii of rounded corners, in pixels, at every text size. Pills and circles use half their height instead."""

    MARK = 2
    """A swatch, a strip at an edge, a mark."""
    TAG = 4
    """An element within a line of text: a tag, a key, a link, a tick box."""
    ROW = 6
    """A selected item of a control, a list or a menu."""
    CONTROL = 8
    """A button, an input, or a block of code."""
    CARD = 10
    MESSAGE = 12
    """A message, and the draft being written."""
    SHEET = 14


class StyleAware(QWidget if TYPE_CHECKING else object):
    """A base for widgets, which calls `refresh_style` when the theme or the font scale may have changed.

    It precedes Qt's class in the list of bases.
    """

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self.refresh_style()

    def refresh_style(self) -> None:
        """Adapt to the current theme. The default measures the widget again."""
        self.updateGeometry()


def colour(tint: Tint | Segment, opacity: float = 1.0) -> QColor:
    """Return the colour of a role in the current palette."""
    found = QColor(theme.palette[tint])
    if opacity < 1:
        found.setAlphaF(opacity)
    return found


def mix(tint: Tint | Segment, other: Tint, share: float) -> QColor:
    """Return a blend of the colours of two roles. share: of the first one, from 0 to 1."""
    first, second = colour(tint), colour(other)
    rest = 1 - share
    return QColor.fromRgbF(
        first.redF() * share + second.redF() * rest,
        first.greenF() * share + second.greenF() * rest,
        first.blueF() * share + second.blueF() * rest,
    )


def scale(pixels: float) -> int:
    """Return a length in pixels times the user's font scale; at least 1."""
    return max(round(pixels * theme.font_scale), 1)


def font(size: float = 14, weight: int = NORMAL, *, is_mono: bool = False) -> QFont:
    """Return the interface's font at `size` pixels before the user's font scale, with digits of equal width."""
    return _font(scale(size), weight, is_mono)


@lru_cache(maxsize=128)
def _font(pixels: int, weight: int, is_mono: bool) -> QFont:
    kind = QFontDatabase.SystemFont.FixedFont if is_mono else QFontDatabase.SystemFont.GeneralFont
    look = QFont(_installed_family(kind, CODE_FAMILIES if is_mono else TEXT_FAMILIES))
    look.setPixelSize(pixels)
    look.setWeight(QFont.Weight(weight))
    if is_mono:
        look.setStyleHint(QFont.StyleHint.Monospace)
        look.setFeature(QFont.Tag("calt"), 0)  # no ligatures
    else:
        look.setFeature(QFont.Tag("tnum"), 1)
    return look


@lru_cache(maxsize=4)
def _installed_family(kind: QFontDatabase.SystemFont, wanted: tuple[str, ...]) -> str:
    return next(filter(QFontDatabase.hasFamily, wanted), QFontDatabase.systemFont(kind).family())


def restyle(widget: QWidget, rules: str) -> None:
    """Set the widget's style sheet unless it is already set: setting it again would restyle the widget in a loop."""
    if widget.styleSheet() != rules:
        widget.setStyleSheet(rules)


def recolour(widget: QWidget, colours: Mapping[QPalette.ColorRole, QColor]) -> None:
    """Set these colours in the widget's palette unless they are already set, for the same reason as `restyle`."""
    palette = QPalette(widget.palette())
    for role, chosen in colours.items():
        palette.setColor(role, chosen)
    if palette != widget.palette():
        widget.setPalette(palette)


def paint_box(
    painter: QPainter, box: QRectF, fill: QColor | None, border: QColor | None, radius: float, width: float = 1.0
) -> None:
    """Paint a rounded box with its border inside `box`. radius, width of the border: pixels."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    inset = width / 2
    painter.setPen(QPen(border, width) if border else Qt.PenStyle.NoPen)
    painter.setBrush(fill if fill else Qt.BrushStyle.NoBrush)
    inner = box.adjusted(inset, inset, -inset, -inset) if border else box
    painter.drawRoundedRect(inner, radius, radius)


def turn_around(painter: QPainter, widget: QWidget) -> None:
    """Mirror the painter in a right-to-left window. For shapes only: text would be mirrored as well."""
    if widget.isRightToLeft():
        painter.translate(widget.width(), 0)
        painter.scale(-1, 1)


def reading_x(x: float, widget: QWidget) -> float:
    """Return the distance of `x` from the side where reading begins, in pixels. It is its own inverse."""
    return widget.width() - x if widget.isRightToLeft() else x


def in_reading_order(painter: QPainter, room: QRectF, box: QRectF) -> QRectF:
    """Return the box, mirrored within `room` in a right-to-left window."""
    is_turned = painter.layoutDirection() == Qt.LayoutDirection.RightToLeft
    x = room.left() + room.right() - box.right() if is_turned else box.left()
    return QRectF(x, box.top(), box.width(), box.height())


def paint_focus(painter: QPainter, box: QRectF, radius: float) -> None:
    """Paint the ring around the focused widget or item."""
    paint_box(painter, box, None, colour("accent"), radius, 2.0)
