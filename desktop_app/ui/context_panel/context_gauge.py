"""The context gauge: the bar of segments, draft, reserve and thresholds, the status, the numbers, and **Optimize**."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEasingCurve, QEvent, QPointF, QRectF, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QToolTip, QWidget

from desktop_app.conversation.gauge import Gauge, Provenance, Status
from desktop_app.conversation.words import translatable
from desktop_app.ui.model_words import part_of_window
from desktop_app.ui.theme import STATUS_TINTS, STATUS_WORDS
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.accessibility import PRESS, AccessibleLine, AccessibleLines, Role, WithRole
from desktop_app.ui.widgets.bars import (
    BarPart,
    bar_part_at,
    bar_widths,
    basis_sentence,
    paint_parts,
    rounded_path,
    segment_parts,
    share_text,
)
from desktop_app.ui.widgets.boxes import Swatch
from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.layouts import horizontal, vertical
from desktop_app.ui.widgets.look import BOLD, MEDIUM, colour, font, paint_focus, reading_x, scale, turn_around
from desktop_app.ui.widgets.number_formats import capitalize, format_number, format_percent
from desktop_app.ui.widgets.text_label import Run, TextLabel

BAR = 14  # pixels, as in the mockups
EDGE = 3  # pixels above and below, for the marks and the focus ring
MOTION = 160  # milliseconds
STRIPE = 8  # pixels from one line of the hatching to the next
MARK_REACH = 7  # pixels around a mark within which it can be clicked
MAX_OVERFLOW = 2  # times the window: beyond that the bar shows no marks
MARK_FIELDS = ("background_at", "prune_at", "compact_at", "blocked_at")
"""The policy's fields that the marks stand for, in order."""
TIGHT_MARK = 1
"""Index of the mark that has no number."""


class GaugeBar(WithRole, QWidget):
    """Paints a gauge to the scale of its window.

    A click or Enter requests the breakdown, a click on a mark the policy field that it stands for.
    """

    accessible_role = Role.Button
    breakdown_requested = Signal()
    policy_requested = Signal(str)  # the field

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._gauge: Gauge | None = None
        self._draft = 0
        self._is_numbered = True
        self.parts: list[BarPart] = []
        self._accessible_lines = AccessibleLines(self)
        self._value = QProgressBar(self._accessible_lines)  # provides a value for screen readers
        self.shown: list[float] = []  # the amounts of the parts that are painted, also during the animation
        self._from: list[float] = []
        self._motion = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=MOTION)
        self._motion.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._motion.valueChanged.connect(self._move)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_gauge(self, gauge: Gauge | None, draft: int, *, is_moving: bool) -> None:
        is_same_scale = gauge is not None and self._gauge is not None and gauge.window == self._gauge.window
        self._gauge, self._draft = gauge, draft
        self.parts = segment_parts(gauge, draft) if gauge else []
        self._motion.stop()
        if is_moving and is_same_scale and self.isVisible():
            self._from = list(self.shown)
            self._motion.start()
        else:
            self._move(1.0)
        self._show_accessible_lines()

    def set_numbered(self, is_numbered: bool) -> None:
        """Show or hide the shares below the marks."""
        self._is_numbered = is_numbered
        self.updateGeometry()

    def accessible_actions(self) -> Mapping[str, Callable[[], object]]:
        return {PRESS: self.breakdown_requested.emit}

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._show_accessible_lines()

    def _show_accessible_lines(self) -> None:
        gauge, box = self._gauge, self._box().toAlignedRect()
        is_known = gauge is not None and gauge.is_window_known
        self._value.setVisible(is_known)
        if gauge is None or not is_known:
            self._accessible_lines.show_lines(())
            return
        self._value.setGeometry(box)
        self._value.setAccessibleName(tr("Tokens in the context window"))
        self._value.setRange(0, gauge.window)
        self._value.setValue(min(gauge.total + self._draft, gauge.window))
        lines = [AccessibleLine(f"{n}", part.hint, box) for n, part in enumerate(self.parts) if part.amount]
        self._accessible_lines.show_lines(lines)

    def widths(self) -> list[float]:
        """Return the widths in pixels that are painted now, in the order of `parts`."""
        window = self._gauge.window if self._gauge else 0
        if not window:  # there is no scale
            return [0.0] * len(self.parts)
        return bar_widths(self.shown, window, self._box().width())

    def mark_at(self, x: float) -> int | None:
        """Return the index of the mark at `x`, in pixels from the left; None if there is none."""
        gauge = self._gauge
        if gauge is None or not self._has_marks(gauge):
            return None
        x = reading_x(x, self)
        distances = {mark: abs(x - place) for mark, place in self._places(gauge).items()}
        nearest = min(distances, key=distances.__getitem__)
        return nearest if distances[nearest] <= scale(MARK_REACH) else None

    def _places(self, gauge: Gauge) -> dict[int, float]:
        """Return the places of the marks on the bar. With a window limit, the last one may be far beyond the bar."""
        tokens = {mark: share * gauge.usable for mark, share in enumerate(gauge.thresholds)}
        return {mark: self._x_of(at) for mark, at in tokens.items() if at <= self._whole() or not gauge.spare}

    def hint_of_mark(self, mark: int) -> str:
        """Return the position of a mark, what happens from there on, and that it can be changed."""
        from desktop_app.context.policy_fields import SOURCES  # long tables that the first painting does not need

        assert self._gauge is not None
        share = self._gauge.thresholds[mark]
        tokens = tr("%n tokens", "", round(share * self._gauge.usable))
        text = tr("{share}, {tokens}: {meaning}. Click to change it.")
        meaning = tr(SOURCES[MARK_FIELDS[mark]].meaning)
        return text.format(share=format_percent(share), tokens=tokens, meaning=meaning)

    def hint_at(self, x: float) -> str:
        """Return a hint for the part of the bar at `x`, in pixels from the left."""
        gauge, x = self._gauge, reading_x(x, self)
        if gauge is None:
            return tr("Counting the tokens of this conversation…")
        if not gauge.is_window_known:
            return tr("%n tokens; the model’s context window is not known yet.", "", gauge.total + self._draft)
        over = self._whole() - gauge.window
        if over and x > self._x_of(gauge.window):
            limit = tr("%n tokens above the window limit", "", over)
            return limit if gauge.spare else tr("%n tokens more than the window holds", "", over)
        part = bar_part_at(x, self._box().left(), self.parts, self.widths())
        if part is not None:
            return part.hint
        if x >= self._x_of(gauge.usable):
            return tr("Reserved for the reply: %n tokens", "", gauge.reserve)
        return share_text(tr("Free"), max(gauge.free - self._draft, 0), gauge.usable)

    def sizeHint(self) -> QSize:
        return QSize(480, BAR + 2 * EDGE + (scale(14) if self._is_numbered else 0))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = self._box()
        painter.save()
        turn_around(painter, self)
        painter.save()
        painter.setClipPath(rounded_path(box))
        painter.fillRect(box, colour("free"))
        if self._gauge is not None:
            self._paint_reserve(painter, box, self._gauge)
            paint_parts(painter, box, self.parts, self.widths())
            if self._gauge.is_window_known and self._whole() > self._gauge.window:
                self._paint_overflow(painter, box, self._gauge)
        painter.restore()
        has_marks = self._gauge is not None and self._has_marks(self._gauge)
        if self._gauge is not None and has_marks:
            self._paint_marks(painter, box, self._gauge)
        painter.restore()
        if self._gauge is not None and has_marks and self._is_numbered:
            self._paint_numbers(painter, box, self._gauge)
        if self.hasFocus():
            paint_focus(painter, box.adjusted(0, -EDGE, 0, EDGE), box.height() / 2 + EDGE)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self.rect().contains(event.position().toPoint()):
            return
        mark = self.mark_at(event.position().x())
        if mark is None:
            self.breakdown_requested.emit()
        else:
            self.policy_requested.emit(MARK_FIELDS[mark])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.breakdown_requested.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            mark = self.mark_at(event.pos().x())
            hint = self.hint_at(event.pos().x()) if mark is None else self.hint_of_mark(mark)
            QToolTip.showText(event.globalPos(), hint, self)
            return True
        return super().event(event)

    def _move(self, done: float) -> None:
        if done == 1:
            self.shown = [part.amount for part in self.parts]
        else:
            self.shown = [a + (part.amount - a) * done for a, part in zip(self._from, self.parts, strict=True)]
        self.update()

    def _box(self) -> QRectF:
        return QRectF(0, EDGE, max(self.width(), 1), BAR)

    def _x_of(self, tokens: float) -> float:
        box = self._box()
        return box.left() + box.width() * min(tokens / max(self._whole(), 1), 1.0)

    def _whole(self) -> int:
        """Return the tokens of the whole bar: the window, or the request if that is larger."""
        return max(self._gauge.window, self._gauge.total + self._draft) if self._gauge else 1

    def _has_marks(self, gauge: Gauge) -> bool:
        """Return whether the marks are shown: with far too large a request the window is a small part of the bar."""
        return gauge.is_window_known and self._whole() <= MAX_OVERFLOW * gauge.window

    def _paint_overflow(self, painter: QPainter, box: QRectF, gauge: Gauge) -> None:
        """Hatch the part beyond the end of the window, and mark that end."""
        left = self._x_of(gauge.window)
        self._hatch(painter, QRectF(left, box.top(), box.right() - left, box.height()), colour("critical"))
        painter.setPen(QPen(colour("critical"), 2))
        painter.drawLine(QPointF(left, box.top()), QPointF(left, box.bottom()))

    def _paint_reserve(self, painter: QPainter, box: QRectF, gauge: Gauge) -> None:
        left = self._x_of(gauge.usable)
        right = self._x_of(gauge.window) if gauge.is_window_known else box.right()
        self._hatch(painter, QRectF(left, box.top(), right - left, box.height()), colour("hatch"))

    def _hatch(self, painter: QPainter, area: QRectF, ink: QColor) -> None:
        painter.save()
        painter.setClipRect(area, Qt.ClipOperation.IntersectClip)
        painter.setPen(QPen(ink, STRIPE * 0.36))
        x = area.left() - area.height()
        while x < area.right() + STRIPE:
            painter.drawLine(QPointF(x, area.bottom() + 1), QPointF(x + area.height() + 2, area.top() - 1))
            x += STRIPE
        painter.restore()

    def _paint_marks(self, painter: QPainter, box: QRectF, gauge: Gauge) -> None:
        for mark, x in self._places(gauge).items():
            is_quiet = mark == TIGHT_MARK
            painter.setPen(QPen(colour("ink_soft", 0.3 if is_quiet else 0.6), 1.5))
            ends = (0, 0) if is_quiet else (-2, 1)
            painter.drawLine(QPointF(x, box.top() + ends[0]), QPointF(x, box.bottom() + ends[1]))

    def _paint_numbers(self, painter: QPainter, box: QRectF, gauge: Gauge) -> None:
        """Paint the shares below their marks, without any that would touch the previous one."""
        small = font(10.5)
        metrics = QFontMetricsF(small)
        painter.setFont(small)
        painter.setPen(colour("ink_faint"))
        free_from = box.left()
        for mark, x in self._places(gauge).items():
            if mark == TIGHT_MARK:
                continue
            word = f"{gauge.thresholds[mark] * 100:.0f}"
            width = metrics.horizontalAdvance(word)
            if x - width / 2 < free_from:
                continue
            painter.drawText(QPointF(reading_x(x, self) - width / 2, box.bottom() + 1 + metrics.ascent()), word)
            free_from = x + width / 2 + 2


OPTIMIZE, OPTIMIZE_SHORT = translatable("Optimize conversation…"), translatable("Optimize…")
NARROW = 520  # pixels of width below which the button has its short text
WIDE_LINE = 640  # pixels of width from which the single row of a low window also contains the share

NO_WINDOW = translatable(
    "The server has not said yet how many tokens the model accepts. Nothing is shortened until it has."
)


def status_with_draft(gauge: Gauge, draft: int) -> Status:
    """Return the status that the request would have with the draft in it."""
    if draft == 0 or not gauge.is_window_known:
        return gauge.status
    share = (gauge.total + draft) / gauge.usable if gauge.usable > 0 else 1.0
    reached = sum(share >= threshold for threshold in gauge.thresholds)
    return list(Status)[reached]


class ContextGauge(WithRole, QWidget):
    """Shows how full the context window is, including the draft."""

    accessible_role = Role.Grouping
    optimize_requested = Signal()
    changed = Signal()  # the gauge or the draft

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._gauge: Gauge | None = None
        self._draft = 0
        self._is_streaming = self._is_low = self._is_refused = False
        self.bar = GaugeBar(self)
        self.dot = Swatch("hatch", is_round=True)
        self.word = TextLabel(size=13, weight=MEDIUM, parent=self)
        self.numbers = TextLabel(size=13, weight=BOLD, parent=self)
        self.share = TextLabel(size=13, tint="ink_soft", parent=self)
        self.optimize = Button(tr(OPTIMIZE), parent=self)
        self.optimize.setToolTip(tr("Shows what would change before anything is done"))
        self._lay_out()
        self.optimize.clicked.connect(self.optimize_requested)
        self._show()

    @property
    def gauge(self) -> Gauge | None:
        """The gauge without the draft."""
        return self._gauge

    @property
    def draft_tokens(self) -> int:
        return self._draft

    @property
    def fill(self) -> tuple[float, Status] | None:
        """The share of the usable window that is used, including the draft, and its status; None while not known."""
        gauge = self._gauge
        if gauge is None or not gauge.is_window_known:
            return None
        share = (gauge.total + self._draft) / gauge.usable if gauge.usable > 0 else 1.0
        return share, status_with_draft(gauge, self._draft)

    def set_gauge(self, gauge: Gauge | None) -> None:
        """Show a gauge; None while the tokens are being counted."""
        self._gauge, self._is_refused = gauge, False
        self.bar.show_gauge(gauge, self._draft, is_moving=not self._is_streaming)
        self._show()
        self.changed.emit()

    def refuse(self) -> None:
        """Show that nothing is counted, until there is a gauge again."""
        self.set_gauge(None)
        self._is_refused = True
        self._show()

    def set_draft_tokens(self, tokens: int) -> None:
        self._draft = max(tokens, 0)
        self.bar.show_gauge(self._gauge, self._draft, is_moving=False)
        self._show()
        self.changed.emit()

    def set_streaming(self, is_streaming: bool) -> None:
        """Update the bar without animation while a reply streams, since its figures change often."""
        self._is_streaming = is_streaming
        self._show()

    def set_low(self, is_low: bool) -> None:
        """Use a single row, with the bar next to the figures, for a low window."""
        if self._is_low == is_low:
            return
        self._is_low = is_low
        if is_low:
            self._line.insertWidget(1, self.bar, 1)
        else:
            self._column.insertWidget(0, self.bar)
        self._line.setStretchFactor(self.share, 0 if is_low else 1)
        self.bar.set_numbered(not is_low)
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.optimize.setText(tr(OPTIMIZE_SHORT if self._is_narrow() else OPTIMIZE))
        self._show()

    def _is_narrow(self) -> bool:
        return self._is_low or self.width() < scale(NARROW)

    def _lay_out(self) -> None:
        for label in (self.word, self.numbers):
            label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        items = (self.dot, self.word, self.numbers, (self.share, 1), self.optimize)
        self._line = horizontal(*items, margins=(1, 0, 0, 0), spacing=8)
        self._column = vertical(self.bar, self._line, holder=self, spacing=4)

    def _show(self) -> None:
        gauge = self._gauge
        self.optimize.setEnabled(gauge is not None)
        self.numbers.setVisible(gauge is not None)
        self.share.setVisible(gauge is None or not self._is_low or self.width() >= scale(WIDE_LINE))
        self.word.setVisible(False)
        self.dot.setToolTip("")
        if gauge is None:
            self.dot.set_tint("hatch")
            self.share.set_text(tr("Not counted") if self._is_refused else tr("Counting…"))
            name = tr("Context window: not counted") if self._is_refused else tr("Context window: counting tokens")
            self._name(name, "")
            return
        if not gauge.is_window_known:
            self._show_without_window(gauge)
            return
        status = status_with_draft(gauge, self._draft)
        self.dot.set_tint(STATUS_TINTS[status])
        is_pressing = status in (Status.CRITICAL, Status.EXCEEDED)
        self.optimize.set_kind(ButtonKind.PRIMARY if is_pressing else ButtonKind.PLAIN)
        self.word.set_text(capitalize(tr(STATUS_WORDS[status])))
        is_named = status is not Status.SAFE and (not self._is_low or self.width() >= scale(NARROW))
        self.word.setVisible(is_named or not self._is_narrow())  # otherwise the figures need the space
        self.dot.setToolTip(self.word.text())
        self.numbers.set_text(self._used(gauge))
        self.numbers.set_hint(self._hint(gauge))
        self._show_share(gauge, status)

    def _show_without_window(self, gauge: Gauge) -> None:
        tokens = tr("%n tokens", "", gauge.total + self._draft)
        words = tr(STATUS_WORDS[Status.UNKNOWN])
        self.dot.set_tint(STATUS_TINTS[Status.UNKNOWN])
        self.optimize.set_kind(ButtonKind.PLAIN)
        self.numbers.set_text(tokens)
        self.numbers.set_hint(basis_sentence(gauge))
        self.share.set_text(words if self._is_narrow() else f"{words} · {tr(gauge.provenance.value)}")
        self.share.set_hint(tr(NO_WINDOW))
        self._name(tr("Context window: {tokens}, {status}").format(tokens=tokens, status=words), tr(NO_WINDOW))

    def _show_share(self, gauge: Gauge, status: Status) -> None:
        share = (gauge.total + self._draft) / gauge.usable if gauge.usable > 0 else 1.0
        notes = [format_percent(share), tr(gauge.provenance.value)]
        if gauge.window_provenance is Provenance.ASSUMED:
            notes.append(tr("window assumed"))
        elif gauge.stated_window:
            notes.insert(1, tr("window learned from the server"))
        if gauge.spare:
            notes.append(part_of_window(gauge.whole_window, gauge.window))
        if self._is_streaming:
            notes.append(tr("reply in progress"))
        text = " · ".join(notes)
        self.share.set_runs((Run(text),))
        self.share.set_hint(basis_sentence(gauge))
        name = tr("Context window: {tokens}, {notes}, {status}")
        words = name.format(tokens=self._used(gauge), notes=text, status=tr(STATUS_WORDS[status]))
        self._name(words, self._segments(gauge))

    def _used(self, gauge: Gauge) -> str:
        """Return the tokens of the request, and the number that it may have besides the reply reserve."""
        used, usable = format_number(gauge.total + self._draft), format_number(gauge.usable)
        return tr("{tokens} of {usable} tokens").format(tokens=used, usable=usable)

    def _segments(self, gauge: Gauge) -> str:
        hints = (part.hint for part in self.bar.parts if part.amount)
        reserve = tr("Reserved for the reply: %n tokens", "", gauge.reserve)
        return "; ".join([*hints, reserve])

    def _hint(self, gauge: Gauge) -> str:
        sentences = [tr("%n tokens.", "", gauge.total + self._draft)]
        if self._draft:
            sentences.append(tr("Includes {tokens} for your draft.").format(tokens=format_number(self._draft)))
        if gauge.tokenizer:
            sentences.append(tr("Counted by {tokenizer}.").format(tokenizer=tr_engine(gauge.tokenizer)))
        sentence = tr("The window holds {window}; {reserve} of them are reserved for the reply.")
        if gauge.spare:
            sentence = tr("The window is limited to {window}; {reserve} of them are reserved for the reply.")
        sentences.append(sentence.format(window=format_number(gauge.window), reserve=format_number(gauge.reserve)))
        return " ".join(sentences)

    def _name(self, name: str, description: str) -> None:
        for widget in (self, self.bar):
            widget.setAccessibleName(name)
            widget.setAccessibleDescription(description)
