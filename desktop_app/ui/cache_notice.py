"""A notice in a sheet whose changes lose a large cache of the provider's, with the price; it can be switched off."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.listing import CacheReset

from .model_words import change_words
from .translation import tr
from .widgets.buttons import LinkButton
from .widgets.layouts import vertical
from .widgets.text_label import TextLabel


class CacheNotice(QWidget):
    """Hidden until there is something to lose. Signal: silenced, once the user wants no such notice any more."""

    silenced = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = TextLabel(size=12, tint="warning", wraps=True)
        self.silence = LinkButton(tr("Don’t warn again"), size=12)
        vertical(self.label, (self.silence, 0, Qt.AlignmentFlag.AlignLeft), holder=self, spacing=2)
        self.silence.clicked.connect(self._silence)
        self.hide()

    def show_reset(self, reset: CacheReset | None, words: Callable[[CacheReset], str] = change_words) -> None:
        """Show what a change costs, in these words; nothing if it is None."""
        if reset is not None:
            self.label.set_text(words(reset))
        self.setVisible(reset is not None)

    def _silence(self) -> None:
        self.hide()
        self.silenced.emit()
