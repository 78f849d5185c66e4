"""The panel on the right, with its tabs."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from desktop_app.conversation.events import ViewChanged
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.inputs import Segmented
from desktop_app.ui.widgets.layouts import vertical
from desktop_app.ui.widgets.look import StyleAware, colour, scale

from .breakdown import Breakdown
from .history import History
from .memories import MemoryList
from .pins import Pins
from .requests import PanelRequests

WIDTH, MAX_WIDTH = 352, 320  # pixels; the larger ones of large text
MARGIN = 16
TABS = (
    ("breakdown", translatable("Breakdown")),
    ("history", translatable("History")),
    ("pins", translatable("Pins")),
    ("memory", translatable("Memory")),
)


class ContextPanel(StyleAware, QWidget):
    """The tabs Breakdown, History, Pins and Memory, whose signals are those of `requests`."""

    def __init__(self) -> None:
        super().__init__()
        self.requests = PanelRequests(self)
        self.tabs = Segmented([(name, tr(label)) for name, label in TABS], self)
        self.breakdown = Breakdown(self.requests)
        self.history = History(self.requests)
        self.pins = Pins(self.requests)
        self.memories = MemoryList(self.requests)
        self._stack = QStackedWidget(self)
        for page in (self.breakdown, self.history, self.pins, self.memories):
            self._stack.addWidget(page)
        tabs = vertical(self.tabs, margins=(16, 0, 12, 0))
        pages = vertical(self._stack, margins=(16, 0, 0, 0))
        vertical(tabs, (pages, 1), holder=self, margins=(0, 16, 4, 16), spacing=16)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.refresh_style()
        for signal in (self.tabs.chosen, self.requests.tab_requested):
            signal.connect(self.show_tab)

    def change_view(self, event: ViewChanged) -> None:
        """Show what an operation, a pin or an undo changed."""
        self.history.change_operations(event.operations)
        self.history.archived.change(event.changes)
        self.pins.set_pins(event.pins)
        self.breakdown.totals.set_totals(event.totals)

    def set_gauge(self, gauge: Gauge | None) -> None:
        """Show the figures of the request; None while they are counted."""
        self.breakdown.set_gauge(gauge)
        for shown in (self.pins, self.history.archived):
            shown.scale_tokens(gauge.scale if gauge else 1.0)

    def show_operation(self, operation_id: str) -> None:
        self.show_tab("history")
        self.history.show_operation(operation_id)

    def open_archived(self, operation_id: str) -> None:
        self.show_tab("history")
        self.history.open_messages(operation_id)

    def show_tab(self, name: str) -> None:
        """Turn to "breakdown", "history", "pins" or "memory"."""
        self.tabs.choose(name)
        self._stack.setCurrentIndex(self.tabs.values().index(name))
        if name == "memory":
            self.requests.memories_requested.emit()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 700)

    def refresh_style(self) -> None:
        self.setFixedWidth(max(WIDTH, min(self.tabs.whole_width() + 2 * MARGIN, scale(MAX_WIDTH))))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("side"))
        painter.fillRect(self.width() - 1 if self.isRightToLeft() else 0, 0, 1, self.height(), colour("line"))
