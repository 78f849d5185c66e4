"""The panel on the right, with its tabs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from desktop_app.conversation.events import MessageRow, OperationRow, ViewChanged
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.totals import Totals
from desktop_app.ui.widgets.inputs import Segmented
from desktop_app.ui.widgets.layouts import vertical
from desktop_app.ui.widgets.look import RESTYLING, colour

from .breakdown import Breakdown
from .history import History
from .memories import MemoryList
from .pins import Pins

WIDTH = 352
MARGIN = 16
BREAKDOWN, HISTORY, PINS, MEMORY = "breakdown", "history", "pins", "memory"
TABS = ((BREAKDOWN, "Breakdown"), (HISTORY, "History"), (PINS, "Pins"), (MEMORY, "Memory"))


class ContextPanel(QWidget):
    """The tabs Breakdown, History, Pins and Memory.

    Memories belong to all conversations: their signals are those of `memories`; memories_requested: the tab was opened.
    """

    archived_requested = Signal(str, str, int)  # operation, query, offset
    undo_requested = Signal(str)
    redo_requested = Signal(str)
    bring_back_requested = Signal(tuple)
    pin_requested = Signal(str)
    unpin_requested = Signal(str)
    message_requested = Signal(str)
    memories_requested = Signal()
    conversation_requested = Signal(str)
    own_window_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tabs = Segmented(TABS, self)
        self.breakdown = Breakdown()
        self.history = History()
        self.pins = Pins()
        self.memories = MemoryList()
        self._stack = QStackedWidget(self)
        for page in (self.breakdown, self.history, self.pins, self.memories):
            self._stack.addWidget(page)
        tabs = vertical(self.tabs, margins=(16, 0, 12, 0))
        pages = vertical(self._stack, margins=(16, 0, 0, 0))
        vertical(tabs, (pages, 1), holder=self, margins=(0, 16, 4, 16), spacing=16)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self._fit()
        self._connect()

    def set_gauge(self, gauge: Gauge | None) -> None:
        """Show a gauge; None while the tokens are being counted."""
        self.breakdown.set_gauge(gauge)

    def set_totals(self, totals: Totals) -> None:
        self.breakdown.totals.set_totals(totals)

    def set_operations(self, operations: Sequence[OperationRow]) -> None:
        self.history.set_operations(operations)

    def change_view(self, event: ViewChanged) -> None:
        """Show what an operation, a pin or an undo changed."""
        self.history.change_operations(event.operations)
        self.history.archived.change(event.changes)
        self.set_pins(event.pins)
        self.set_totals(event.totals)

    def open_archived(self, operation_id: str) -> None:
        self.show_tab(HISTORY)
        self.history.open_messages(operation_id)

    def show_archived(self, operation_id: str, rows: Sequence[MessageRow], total: int, offset: int = 0) -> None:
        """Show the answer to `archived_requested`."""
        self.history.show_archived(operation_id, rows, total, offset)

    def set_pins(self, rows: Sequence[MessageRow]) -> None:
        self.pins.set_pins(rows)

    def show_tab(self, name: str) -> None:
        """Turn to "breakdown", "history", "pins" or "memory", in any case."""
        self.tabs.choose(name.lower())
        self._stack.setCurrentIndex(self.tabs.values().index(name.lower()))
        if name.lower() == MEMORY:
            self.memories_requested.emit()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 700)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self._fit()

    def _fit(self) -> None:
        self.setFixedWidth(max(WIDTH, self.tabs.minimumSizeHint().width() + 2 * MARGIN))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("side"))
        painter.setPen(QPen(colour("line"), 1))
        painter.drawLine(QPointF(0.5, 0), QPointF(0.5, self.height()))

    def _connect(self) -> None:
        reader = self.history.archived.reader
        self.tabs.chosen.connect(self.show_tab)
        self.breakdown.own_window_requested.connect(self.own_window_requested)
        self.history.archived_requested.connect(self.archived_requested)
        self.history.undo_requested.connect(self.undo_requested)
        self.history.redo_requested.connect(self.redo_requested)
        for part in (self.history, self.memories):
            part.conversation_requested.connect(self.conversation_requested)
        self.history.memories_requested.connect(lambda: self.show_tab(MEMORY))
        reader.bring_back_requested.connect(self.bring_back_requested)
        reader.pin_requested.connect(self.pin_requested)
        for source in (reader, self.pins):
            source.unpin_requested.connect(self.unpin_requested)
            source.message_requested.connect(self.message_requested)
