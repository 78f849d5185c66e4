"""A window with a whole text."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from desktop_app.ui.theme import theme
from desktop_app.ui.translation import tr

from .invisible import escape_name
from .layouts import vertical
from .look import font, scale


class TextReader(QDialog):
    """Shows a text that can be selected and copied; Escape closes it."""

    def __init__(self, title: str, text: str, parent: QWidget, *, is_mono: bool = False) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("{title} · %n characters", "", len(text)).format(title=escape_name(title)))
        self.text = QPlainTextEdit(text, self)
        self.text.setReadOnly(True)
        self.text.setFrameStyle(0)
        self.text.setFont(font(13, is_mono=is_mono))
        rules = f"background: {theme.palette['paper']}; padding: {scale(12)}px;"
        self.text.setStyleSheet(f"QPlainTextEdit {{ {rules} }}")  # not of the scroll bars, which are its children
        self.text.setAccessibleName(tr("The message's text"))
        vertical(self.text, holder=self)
        self.resize(scale(760), scale(620))
