"""Horizontal bars divided into parts in proportion to numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QHelpEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from desktop_app.conversation.gauge import Gauge, Provenance, Segment
from desktop_app.conversation.words import translatable
from desktop_app.ui.theme import SEGMENT_NAMES
from desktop_app.ui.translation import tr, tr_engine

from .look import Tint, colour, mix, reading_x, turn_around
from .number_formats import format_percent

BASIS_SENTENCES = {
    Provenance.MEASURED: translatable(
        "Measured: what the provider reported for the last request, and what came after it, counted locally."
    ),
    Provenance.ESTIMATED: translatable("Estimated: counted locally for the request as it would be sent."),
    Provenance.ASSUMED: translatable("Assumed: there is no tokenizer for this model, so this is a cautious guess."),
}
MIN_PART_WIDTH = 2.0  # pixels, for a part that is not zero
DRAFT_BLEND = 0.45  # share of its own colour that an unsent part keeps


@dataclass(frozen=True)
class BarPart:
    """One part of a bar."""

    amount: float
    tint: Tint | Segment
    hint: str = ""  # the tooltip
    is_faded: bool = False


def bar_widths(amounts: Sequence[float], whole: float, pixels: float, min_width: float = MIN_PART_WIDTH) -> list[float]:
    """Return a width in pixels for each amount: its share of `whole`, at least `min_width` if it is not zero.

    The widths add up to at most `pixels`. What small parts gain is taken from the large ones, so that the end of the
    bar stays exact where possible.
    """
    whole = max(whole, sum(amounts))
    if whole <= 0 or pixels <= 0:
        return [0.0] * len(amounts)
    exact = [amount / whole * pixels for amount in amounts]
    is_small = [0 < width < min_width for width in exact]
    large = sum(width for width, small in zip(exact, is_small, strict=True) if not small)
    spare = max(large - min_width * sum(width >= min_width for width in exact), 0.0)
    missing = min_width * sum(is_small) - (sum(exact) - large)
    taken = min(missing, spare)
    widths = [
        min_width if small else width - (width - min_width) * taken / spare if spare and width else width
        for width, small in zip(exact, is_small, strict=True)
    ]
    overflow = sum(widths) / pixels
    return [width / overflow for width in widths] if overflow > 1 else widths


def basis_sentence(gauge: Gauge) -> str:
    """Return a sentence that says where the figures of a gauge come from."""
    if gauge.provenance is Provenance.ESTIMATED and gauge.tokenizer:
        sentence = tr("Estimated: counted locally by {tokenizer} for the request as it would be sent.")
        return sentence.format(tokenizer=tr_engine(gauge.tokenizer))
    return tr(BASIS_SENTENCES[gauge.provenance])


def share_text(name: str, tokens: int, usable: int) -> str:
    """Return, for example, "Summary: 612 tokens, 7 %".

    usable: tokens of the usable window that the share refers to; 0 if unknown, which omits the share.
    """
    if usable <= 0:
        return tr("{name}: %n tokens", "", tokens).format(name=name)
    share = format_percent(tokens / usable)
    return tr("{name}: %n tokens, {share}", "", tokens).format(name=name, share=share)


def segment_parts(gauge: Gauge, draft: int = 0) -> list[BarPart]:
    """Return a part for each segment, in order, and one for the draft after the user's messages. draft: tokens."""
    parts: list[BarPart] = []
    for segment in Segment:
        tokens = gauge.segments.get(segment, 0)
        parts.append(BarPart(tokens, segment, share_text(tr(SEGMENT_NAMES[segment]), tokens, gauge.usable)))
        if segment is Segment.USER:
            parts.append(BarPart(draft, segment, share_text(tr("Your draft"), draft, gauge.usable), is_faded=True))
    return parts


def rounded_path(box: QRectF) -> QPainterPath:
    """Return the outline of a bar with half circles as ends."""
    path = QPainterPath()
    path.addRoundedRect(box, box.height() / 2, box.height() / 2)
    return path


def paint_parts(painter: QPainter, box: QRectF, parts: Sequence[BarPart], widths: Sequence[float]) -> None:
    """Paint the parts side by side, with a one-pixel gap after each part that is wide enough."""
    left = box.left()
    for part, width in zip(parts, widths, strict=True):
        gap = 1.0 if width >= 2 * MIN_PART_WIDTH else 0.0
        fill = mix(part.tint, "raised", DRAFT_BLEND) if part.is_faded else colour(part.tint)
        painter.fillRect(QRectF(left, box.top(), width - gap, box.height()), fill)
        left += width


def bar_part_at(x: float, left: float, parts: Sequence[BarPart], widths: Sequence[float]) -> BarPart | None:
    """Return the part at `x` of a bar that begins at `left`; None if there is none."""
    for part, width in zip(parts, widths, strict=True):
        if left <= x < left + width:
            return part
        left += width
    return None


class SegmentBar(QWidget):
    """A rounded bar with a tooltip for each part."""

    def __init__(self, height: int = 14, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._height = height
        self._parts: tuple[BarPart, ...] = ()
        self._whole = 0.0
        self._opacity = 1.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_parts(self, parts: Sequence[BarPart], whole: float | None = None, opacity: float = 1.0) -> None:
        """Show these parts. whole: the amount that fills the bar; None for the sum of the parts."""
        self._parts = tuple(parts)
        self._whole = sum(part.amount for part in parts) if whole is None else whole
        self._opacity = opacity
        self.setAccessibleDescription("; ".join(part.hint for part in parts if part.amount))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(120, self._height)

    def minimumSizeHint(self) -> QSize:
        return QSize(24, self._height)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(self._opacity)
        turn_around(painter, self)
        box = QRectF(self.rect())
        painter.setClipPath(rounded_path(box))
        painter.fillRect(box, colour("free"))
        paint_parts(painter, box, self._parts, self._widths())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            part = bar_part_at(reading_x(event.pos().x(), self), 0, self._parts, self._widths())
            QToolTip.showText(event.globalPos(), part.hint if part else "", self)
            return True
        return super().event(event)

    def _widths(self) -> list[float]:
        return bar_widths([part.amount for part in self._parts], self._whole, self.width())
