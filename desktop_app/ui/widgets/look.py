"""Fonts and colours of the moment. Read when painting, so that a switch of theme needs nothing but a repaint."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPainter, QPen
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.gauge import Segment
from desktop_app.ui.theme import theme

Tint = Literal[
    "paper", "side", "raised", "line", "line_soft", "ink", "ink_soft", "ink_faint", "accent", "accent_soft",
    "accent_ink", "code", "user", "free", "hatch", "ok", "warning", "tight", "critical",
]  # fmt: skip
"""A colour by its role in the palette."""

NORMAL, MEDIUM, BOLD = 400, 500, 600
"""Font weights; 600 is the boldest that we use."""

RESTYLING = (QEvent.Type.StyleChange, QEvent.Type.PaletteChange, QEvent.Type.FontChange)
"""What a widget receives when the theme or the font scale may have changed."""

TEXT_FAMILIES = ("Inter", "Noto Sans", "Segoe UI", "SF Pro Text")
CODE_FAMILIES = ("JetBrains Mono", "Noto Sans Mono", "Cascadia Mono", "SF Mono", "DejaVu Sans Mono")


def colour(tint: Tint | Segment, opacity: float = 1.0) -> QColor:
    """That role's colour in the palette of the moment."""
    chosen = theme.palette.segments[tint] if isinstance(tint, Segment) else getattr(theme.palette, tint)
    made = QColor(chosen)
    if opacity < 1:
        made.setAlphaF(opacity)
    return made


def mix(tint: Tint | Segment, other: Tint, share: float) -> QColor:
    """A blend of two roles; `share` of it is the first."""
    one, two = colour(tint), colour(other)
    rest = 1 - share
    return QColor.fromRgbF(
        one.redF() * share + two.redF() * rest,
        one.greenF() * share + two.greenF() * rest,
        one.blueF() * share + two.blueF() * rest,
    )


def scaled(pixels: float) -> int:
    """A length that grows with the user's font scale, in pixels."""
    return max(round(pixels * theme.font_scale), 1)


def font(size: float = 14, weight: int = NORMAL, *, is_mono: bool = False) -> QFont:
    """The interface's font at `size` pixels before the user's scale, its digits all of one width."""
    return _font(scaled(size), weight, is_mono)


@lru_cache(maxsize=128)
def _font(pixels: int, weight: int, is_mono: bool) -> QFont:
    kind = QFontDatabase.SystemFont.FixedFont if is_mono else QFontDatabase.SystemFont.GeneralFont
    made = QFont(family(kind, CODE_FAMILIES if is_mono else TEXT_FAMILIES))
    made.setPixelSize(pixels)
    made.setWeight(QFont.Weight(weight))
    if is_mono:
        made.setStyleHint(QFont.StyleHint.Monospace)
        made.setFeature(QFont.Tag("calt"), 0)  # no ligatures: what is shown is what is written
    else:
        made.setFeature(QFont.Tag("tnum"), 1)
    return made


@lru_cache(maxsize=4)
def family(kind: QFontDatabase.SystemFont, wanted: tuple[str, ...]) -> str:
    """The first of these families that is installed, else the system's."""
    return next(filter(QFontDatabase.hasFamily, wanted), QFontDatabase.systemFont(kind).family())


def restyle(widget: QWidget, rules: str) -> None:
    """Gives the widget these rules unless it has them: setting them again would start a new round of events."""
    if widget.styleSheet() != rules:
        widget.setStyleSheet(rules)


def paint_box(
    painter: QPainter, box: QRectF, fill: QColor | None, border: QColor | None, radius: float, width: float = 1.0
) -> None:
    """A rounded box whose border lies inside `box`."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    inset = width / 2
    painter.setPen(QPen(border, width) if border else Qt.PenStyle.NoPen)
    painter.setBrush(fill if fill else Qt.BrushStyle.NoBrush)
    inner = box.adjusted(inset, inset, -inset, -inset) if border else box
    painter.drawRoundedRect(inner, radius, radius)


def paint_focus(painter: QPainter, box: QRectF, radius: float) -> None:
    """The ring around what the keyboard acts on."""
    paint_box(painter, box, None, colour("accent"), radius, 2.0)
