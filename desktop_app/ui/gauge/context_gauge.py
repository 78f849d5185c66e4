"""The context gauge: the bar, the status, the numbers, and the button that optimizes."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.gauge import Gauge, Provenance, Status
from desktop_app.conversation.words import translatable
from desktop_app.ui.engine_texts import tr_engine
from desktop_app.ui.theme import STATUS_TINTS, STATUS_WORDS
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.accessibility import Role, WithRole
from desktop_app.ui.widgets.bars import basis_sentence
from desktop_app.ui.widgets.boxes import Swatch
from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.formats import capitalize, format_number, format_percent
from desktop_app.ui.widgets.layouts import horizontal, vertical
from desktop_app.ui.widgets.look import BOLD, MEDIUM, scale
from desktop_app.ui.widgets.text_label import Run, TextLabel

from .bar import GaugeBar

OPTIMIZE, OPTIMIZE_SHORT = translatable("Optimize conversation…"), translatable("Optimize…")
NARROW = 520  # pixels below which the button says less
WIDE_LINE = 640  # pixels of one line from which it tells the share, too

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
    """How full the window is, with the draft counted in."""

    accessible_role = Role.Grouping
    optimize_requested = Signal()
    breakdown_requested = Signal()
    policy_requested = Signal(str)
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
        self.bar.breakdown_requested.connect(self.breakdown_requested)
        self.bar.policy_requested.connect(self.policy_requested)
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
        """The share of the usable window that is taken with the draft, and its status; None while neither is known."""
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
        """Say that nothing is counted, until there is a gauge again."""
        self.set_gauge(None)
        self._is_refused = True
        self._show()

    def set_draft_tokens(self, tokens: int) -> None:
        self._draft = max(tokens, 0)
        self.bar.show_gauge(self._gauge, self._draft, is_moving=False)
        self._show()
        self.changed.emit()

    def set_streaming(self, is_streaming: bool) -> None:
        """Let the bar follow without an animation while a reply streams, since figures come often."""
        self._is_streaming = is_streaming
        self._show()

    def set_low(self, is_low: bool) -> None:
        """Take one line in a low window, the bar beside the figures."""
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
            named = tr("Context window: not counted") if self._is_refused else tr("Context window: counting tokens")
            self._name(named, "")
            return
        if not gauge.is_window_known:
            self._show_without_window(gauge)
            return
        status = status_with_draft(gauge, self._draft)
        self.dot.set_tint(STATUS_TINTS[status])
        is_pressing = status in (Status.CRITICAL, Status.EXCEEDED)
        self.optimize.set_kind(ButtonKind.PRIMARY if is_pressing else ButtonKind.PLAIN)
        self.word.set_text(capitalize(tr(STATUS_WORDS[status])))
        is_told = status is not Status.SAFE and (not self._is_low or self.width() >= scale(NARROW))
        self.word.setVisible(is_told or not self._is_narrow())  # else the room is for the figures
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
        if self._is_streaming:
            notes.append(tr("reply in progress"))
        text = " · ".join(notes)
        self.share.set_runs((Run(text),))
        self.share.set_hint(basis_sentence(gauge))
        name = tr("Context window: {tokens}, {notes}, {status}")
        words = name.format(tokens=self._used(gauge), notes=text, status=tr(STATUS_WORDS[status]))
        self._name(words, self._segments(gauge))

    def _used(self, gauge: Gauge) -> str:
        """Return the tokens of the request, of those that it may have beside the reply."""
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
        kept = tr("The window holds {window}; {reserve} of them are reserved for the reply.")
        sentences.append(kept.format(window=format_number(gauge.window), reserve=format_number(gauge.reserve)))
        return " ".join(sentences)

    def _name(self, name: str, description: str) -> None:
        for widget in (self, self.bar):
            widget.setAccessibleName(name)
            widget.setAccessibleDescription(description)
