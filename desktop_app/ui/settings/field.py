"""A labelled field with room for what is wrong with it."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.text_label import TextLabel


class Field(QWidget):
    """Label above, message below. The message is an error, or only a hint."""

    def __init__(self, label: str, text: str = "", placeholder: str = "", *, is_secret: bool = False) -> None:
        super().__init__()
        self.edit = QLineEdit(text)
        self.edit.setCursorPosition(0)  # of a long text the beginning is shown
        self.edit.setAccessibleName(label)
        self.edit.setPlaceholderText(placeholder)
        if is_secret:
            self.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.message = TextLabel(size=12, tint="critical", wraps=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(TextLabel(label, size=13, weight=MEDIUM))
        column.addWidget(self.edit)
        column.addWidget(self.message)
        column.addStretch(1)  # beside a field with a longer message this one stays at the top
        self.message.hide()

    def text(self) -> str:
        """What was typed, without blanks around it."""
        return self.edit.text().strip()

    def complain(self, error: str) -> None:
        """Says what is wrong; nothing when it is empty."""
        self._say(error, is_error=True)

    def hint(self, words: str) -> None:
        """Says what is good to know."""
        self._say(words, is_error=False)

    def error(self) -> str:
        """What is said to be wrong."""
        return "" if self.message.isHidden() else self.message.text()

    def add_below(self, widget: QWidget) -> None:
        """Something that belongs to the field, between it and its message."""
        column = self.layout()
        assert isinstance(column, QVBoxLayout)
        column.insertWidget(column.indexOf(self.message), widget)

    def _say(self, words: str, *, is_error: bool) -> None:
        self.message.set_tint("critical" if is_error else "ink_faint")
        self.message.set_text(words)
        self.message.setVisible(bool(words))
        self.edit.setAccessibleDescription(words)
