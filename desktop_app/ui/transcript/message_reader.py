"""A window with the whole text of a message."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from desktop_app.conversation.message import Message
from desktop_app.ui.theme import theme
from desktop_app.ui.widgets.formats import format_number, readable_text, speaker_of
from desktop_app.ui.widgets.layouts import vertical
from desktop_app.ui.widgets.look import font, scale


class MessageReader(QDialog):
    """A window with a message's whole text; Escape closes it."""

    def __init__(self, message: Message, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        text = readable_text(message)
        self.setWindowTitle(f"{speaker_of(message)} · {format_number(len(text))} characters")
        self.text = QPlainTextEdit(text, self)
        self.text.setReadOnly(True)
        self.text.setFrameStyle(0)
        self.text.setFont(font(13, is_mono=message.tool_result is not None))
        rules = f"background: {theme.palette['paper']}; padding: {scale(12)}px;"
        self.text.setStyleSheet(f"QPlainTextEdit {{ {rules} }}")  # not of the scroll bars, which are its children
        self.text.setAccessibleName("The message's text")
        vertical(self.text, holder=self)
        self.resize(scale(760), scale(620))
