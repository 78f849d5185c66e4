"""What is shown before there is a conversation: what this is, and ways to begin."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from .widgets.boxes import ScrollColumn
from .widgets.buttons import Button, LinkButton
from .widgets.look import BOLD, RESTYLING, colour, font, paint_box, scaled
from .widgets.text_label import TextLabel

PROMPTS = (
    ("Explain something", "Explain how a hash table works, with a small example in Python."),
    ("Plan something", "Plan three days in Lisbon for two people who like walking and small museums."),
    ("Write something", "Write a friendly note that moves our meeting from Tuesday to Thursday."),
    ("Think it through", "What should I ask before I sign a lease for a flat? List the questions."),
)
WIDTH = 720


class PromptButton(Button):
    """An example: what it is about, and the message that it would send."""

    def __init__(self, title: str, prompt: str, parent: QWidget) -> None:
        super().__init__(title, parent=parent)
        self.prompt = prompt
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleDescription(prompt)

    def sizeHint(self) -> QSize:
        """Room for a title and two lines."""
        return QSize(scaled(300), scaled(86))

    def minimumSizeHint(self) -> QSize:
        """Narrower is possible."""
        return QSize(scaled(166), scaled(86))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the box and both texts."""
        painter = QPainter(self)
        box = QRectF(self.rect())
        fill, _, _ = self._colours()
        paint_box(painter, box, fill, colour("accent" if self.hasFocus() else "line"), 10)
        inner = box.adjusted(16, scaled(12), -16, -scaled(10))
        painter.setFont(self._font())
        painter.setPen(colour("ink"))
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignTop), self.text())
        painter.setFont(font(13))
        painter.setPen(colour("ink_soft"))
        rest = inner.adjusted(0, scaled(22), 0, 0)
        painter.drawText(rest, int(Qt.TextFlag.TextWordWrap), self.prompt)


class WelcomePage(QWidget):
    """Signals: prompt_chosen(str), import_requested."""

    prompt_chosen = Signal(str)
    import_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        title = TextLabel("Long conversations that lose nothing", size=22, weight=BOLD, wraps=True)
        words = TextLabel(
            "The bar below shows how full the model’s context window is. Before it overflows, older messages are "
            "summarized for the model. You keep every message: readable, searchable, and back with one undo.",
            tint="ink_soft", size=15, wraps=True,
        )  # fmt: skip
        self.prompts = [PromptButton(name, prompt, self) for name, prompt in PROMPTS]
        self.importing = LinkButton("Import a conversation…", parent=self)
        self.importing.clicked.connect(self.import_requested)
        content = QVBoxLayout()
        content.setSpacing(10)
        content.setContentsMargins(0, 16, 0, 16)
        content.addStretch(2)
        content.addWidget(title)
        content.addWidget(words)
        content.addSpacing(14)
        for first in range(0, len(self.prompts), 2):
            row = QHBoxLayout()
            row.setSpacing(10)
            for button in self.prompts[first : first + 2]:
                button.clicked.connect(lambda _=False, chosen=button.prompt: self.prompt_chosen.emit(chosen))
                row.addWidget(button)
            content.addLayout(row)
        content.addSpacing(6)
        content.addWidget(self.importing, 0, Qt.AlignmentFlag.AlignLeft)
        content.addStretch(3)
        self._column = QWidget()
        self._column.setLayout(content)
        self._column.setMaximumWidth(scaled(WIDTH))
        middle = QWidget()
        row = QHBoxLayout(middle)
        row.setContentsMargins(24, 0, 24, 0)
        row.addWidget(self._column)
        area = ScrollColumn()  # in a low window it scrolls
        area.add(middle)
        area.column.setStretch(0, 1)
        area.column.setStretch(1, 0)
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.addWidget(area)

    def changeEvent(self, event: QEvent) -> None:
        """A new font scale needs another column."""
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self._column.setMaximumWidth(scaled(WIDTH))
