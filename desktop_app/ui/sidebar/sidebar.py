"""The left column: search, a new conversation, the conversations, settings."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.layouts import FlowLayout, vertical
from desktop_app.ui.widgets.look import StyleAware, colour, font, paint_box, scale

from .conversation_list import ConversationList

WIDTH = 248
PADDING = 12  # pixels of the buttons at the foot


class WideButton(Button):
    """A button as wide as its column, with its text at the left and its shortcut at the right."""

    def __init__(self, text: str, shortcut: str = "", is_faint: bool = False) -> None:
        super().__init__(text)
        self._shortcut = shortcut
        self._is_faint = is_faint
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect())
        fill, _, ink = self._colours()
        paint_box(painter, box, fill, colour("accent" if self.hasFocus() else "line"), 8)
        painter.setFont(font() if self._is_faint else self._font())
        painter.setPen(colour("ink_faint") if self._is_faint else ink)
        inner = box.adjusted(10, 0, -10, 0)
        width = QFontMetricsF(font(11)).horizontalAdvance(self._shortcut) + 10 if self._shortcut else 0.0
        text = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, int(inner.width() - width))
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignVCenter), text)
        if self._shortcut:
            painter.setFont(font(11))
            key = QRectF(inner.right() - width + 2, box.center().y() - scale(9), width, scale(18))
            paint_box(painter, key, None, colour("line"), 4)
            painter.setPen(colour("ink_faint"))
            painter.drawText(key, int(Qt.AlignmentFlag.AlignCenter), self._shortcut)


class Sidebar(StyleAware, QWidget):
    """The column; `list` has the signals of the conversations."""

    search_requested = Signal()
    new_requested = Signal()
    import_requested = Signal()
    settings_requested = Signal()
    insights_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search = WideButton("Search everything…", "Ctrl K", is_faint=True)
        self.search.setAccessibleName("Search everything")
        self.new = WideButton("+ New conversation")
        self.new.setToolTip("Ctrl+N")
        self.list = ConversationList()
        self.importing = Button("Import…", ButtonKind.QUIET, padding=PADDING)
        self.insights = Button("Insights", ButtonKind.QUIET, padding=PADDING)
        self.insights.setToolTip("Ctrl+I")
        self.settings = Button("Settings", ButtonKind.QUIET, padding=PADDING)
        self.settings.setToolTip("Ctrl+,")
        self.search.clicked.connect(self.search_requested)
        self.new.clicked.connect(self.new_requested)
        self.importing.clicked.connect(self.import_requested)
        self.insights.clicked.connect(self.insights_requested)
        self.settings.clicked.connect(self.settings_requested)
        bottom = FlowLayout(self.importing, self.insights, self.settings, gap=10)
        vertical(self.search, self.new, (self.list, 1), bottom, holder=self, spacing=12, margins=(12, 16, 13, 12))
        self.refresh_style()

    def show_conversations(self, conversations: Sequence[ConversationInfo]) -> None:
        self.list.conversations.show_conversations(conversations)

    def refresh_style(self) -> None:
        """Grow half as fast as the text, so that the conversation has the rest; titles end in an ellipsis."""
        self.setFixedWidth(max((WIDTH + scale(WIDTH)) // 2, self.minimumSizeHint().width()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("side"))
        painter.fillRect(self.width() - 1, 0, 1, self.height(), colour("line"))
