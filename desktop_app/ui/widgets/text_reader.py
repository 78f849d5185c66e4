"""A window with a whole text."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QDialog, QWidget

from desktop_app.ui.translation import tr

from .invisible import escape_name
from .layouts import vertical
from .long_text import LongTextField
from .look import colour, recolour, scale


class TextReader(QDialog):
    """Shows a text that can be selected and copied; Escape closes it."""

    def __init__(
        self, title: str, text: str, parent: QWidget, *, is_mono: bool = False, as_shown: Callable[[str], str] = str
    ) -> None:
        """as_shown: makes each piece of the text readable."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("{title} · %n characters", "", len(text)).format(title=escape_name(title)))
        self.text = LongTextField(size=13, is_mono=is_mono, as_shown=as_shown)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("The message's text"))
        self.text.show_text(text)
        recolour(self, {QPalette.ColorRole.Window: colour("paper")})
        vertical(self.text, holder=self, margins=(12, 12, 0, 12))
        self.resize(scale(760), scale(620))
