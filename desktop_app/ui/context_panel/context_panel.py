"""The context panel with its tabs, and the list of pinned messages."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from desktop_app.conversation.events import MessageRow, OperationRow, ViewChanged
from desktop_app.conversation.gauge import Gauge, scaled_tokens
from desktop_app.conversation.message import Role, Totals
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card, CardList
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.inputs import Segmented
from desktop_app.ui.widgets.layouts import STRETCH, horizontal, vertical
from desktop_app.ui.widgets.look import BOLD, StyleAware, colour, scale
from desktop_app.ui.widgets.number_formats import (
    first_line,
    first_line_of_markdown,
    format_number,
    readable_text,
    speaker_of,
)
from desktop_app.ui.widgets.text_label import Run, TextLabel, fill_runs

from .history import History
from .memory_card import MemoryList
from .outline_list import OutlineList
from .panel_breakdown import Breakdown
from .requests import PanelRequests

EMPTY = translatable(
    "Nothing is pinned.\n\nA pinned message stays in the context window word for word, whatever else is summarized. "
    "To pin a rule, point at its message in the chat and choose “Pin”."
)


class PinCard(Card):
    """A pinned message. A click shows it in the chat."""

    def __init__(self, row: MessageRow, requests: PanelRequests) -> None:
        super().__init__()
        speaker = TextLabel(speaker_of(row.message), size=13, weight=BOLD)
        tokens = TextLabel(tr("%n tokens", "", row.tokens), size=12, tint="ink_faint")
        begin = first_line_of_markdown if row.message.role is Role.ASSISTANT else first_line
        text = TextLabel(begin(readable_text(row.message), 160), size=13, tint="ink_soft", wraps=True)
        self.show_in_chat = LinkButton(tr("Show in chat"))
        self.unpin = LinkButton(tr("Unpin"))
        self.column.addLayout(horizontal((speaker, 1), tokens))
        self.column.addWidget(text)
        self.column.addLayout(horizontal(self.show_in_chat, self.unpin, STRETCH, spacing=14))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.show_in_chat.clicked.connect(lambda _=False: requests.message_requested.emit(row.message.id))
        self.unpin.clicked.connect(lambda _=False: requests.unpin_requested.emit(row.message.id))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.show_in_chat.click()


class Pins(QWidget):
    """The list of pins and their tokens."""

    def __init__(self, requests: PanelRequests) -> None:
        super().__init__()
        self.total = TextLabel(size=13, tint="ink_soft")
        self.list = CardList[MessageRow, PinCard](lambda row, _: PinCard(row, requests), tr(EMPTY))
        self._rows: tuple[MessageRow, ...] = ()
        self._token_scale = 1.0
        vertical(self.total, (self.list, 1), holder=self)
        self.total.hide()

    def set_pins(self, rows: Sequence[MessageRow]) -> None:
        self._rows = tuple(rows)
        self._show()

    def scale_tokens(self, scale: float) -> None:
        """Show token counts multiplied by that scale: see `Gauge`."""
        if scale != self._token_scale:
            self._token_scale = scale
            self._show()

    def _show(self) -> None:
        rows = [replace(row, tokens=scaled_tokens(row.tokens, self._token_scale)) for row in self._rows]
        self.list.set_items({row.message.id: row for row in rows})
        tokens = Run(format_number(sum(row.tokens for row in rows)), "ink", BOLD)
        self.total.set_runs(fill_runs(tr("{tokens} tokens in %n pinned messages", "", len(rows)), tokens=tokens))
        self.total.setVisible(bool(rows))


WIDTH, MAX_WIDTH = 352, 416  # pixels at the usual text size
MAX_SCALED = 320  # pixels, scaled with larger text, beyond which the panel does not grow
MARGIN = 16
TABS = (
    ("breakdown", translatable("Breakdown")),
    ("history", translatable("History")),
    ("pins", translatable("Pins")),
    ("memory", translatable("Memory")),
    ("outline", translatable("Outline")),
)


class ContextPanel(StyleAware, QWidget):
    """The tabs Breakdown, History, Pins, Memory and Outline. Their signals are in `requests`.

    Signal: tab_shown(name), when a tab becomes visible.
    """

    tab_shown = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.requests = PanelRequests(self)
        self.tabs = Segmented([(name, tr(label)) for name, label in TABS], self)
        self.breakdown = Breakdown(self.requests)
        self.history = History(self.requests)
        self.pins = Pins(self.requests)
        self.memories = MemoryList(self.requests)
        self.outline = OutlineList(self.requests)
        self._stack = QStackedWidget(self)
        for page in (self.breakdown, self.history, self.pins, self.memories, self.outline):
            self._stack.addWidget(page)
        tabs = vertical(self.tabs, margins=(16, 0, 12, 0))
        pages = vertical(self._stack, margins=(16, 0, 0, 0))
        vertical(tabs, (pages, 1), holder=self, margins=(0, 16, 4, 16), spacing=16)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.refresh_style()
        for signal in (self.tabs.chosen, self.requests.tab_requested):
            signal.connect(self.show_tab)

    @property
    def tab(self) -> str:
        """The name of the tab that is chosen."""
        return self.tabs.value()

    def show_conversation(self, operations: Sequence[OperationRow], pins: Sequence[MessageRow], totals: Totals) -> None:
        """Show the operations, the pins and the totals of a conversation that was opened."""
        self.history.set_operations(operations)
        self.pins.set_pins(pins)
        self.set_totals(totals)

    def set_totals(self, totals: Totals) -> None:
        self.breakdown.totals.set_totals(totals)

    def change_view(self, event: ViewChanged) -> None:
        """Show the changes by an operation, a pin or an undo."""
        self.history.change_operations(event.operations)
        self.history.archived.change(event.changes)
        self.pins.set_pins(event.pins)
        self.set_totals(event.totals)

    def set_gauge(self, gauge: Gauge | None) -> None:
        """Show the figures of the request; None while they are counted."""
        self.breakdown.set_gauge(gauge)
        for tab in (self.pins, self.history.archived):
            tab.scale_tokens(gauge.scale if gauge else 1.0)

    def show_operation(self, operation_id: str) -> None:
        """Open the panel at an operation."""
        self.open_tab("history")
        self.history.show_operation(operation_id)

    def open_archived(self, operation_id: str) -> None:
        """Open the panel at the messages that an operation has archived."""
        self.open_tab("history")
        self.history.open_messages(operation_id)

    def open_tab(self, name: str) -> None:
        """Show the panel, and turn to a tab."""
        self.show()
        self.show_tab(name)

    def show_tab(self, name: str) -> None:
        """Turn to "breakdown", "history", "pins", "memory" or "outline"."""
        self.tabs.choose(name)
        self._stack.setCurrentIndex(self.tabs.values().index(name))
        if name == "memory":
            self.requests.memories_requested.emit()
        self.tab_shown.emit(name)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.tab_shown.emit(self.tab)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 700)

    def refresh_style(self) -> None:
        self.setFixedWidth(max(WIDTH, min(self.tabs.full_width() + 2 * MARGIN, max(MAX_WIDTH, scale(MAX_SCALED)))))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("side"))
        painter.fillRect(self.width() - 1 if self.isRightToLeft() else 0, 0, 1, self.height(), colour("line"))
