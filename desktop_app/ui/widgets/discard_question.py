"""What a sheet asks before it throws away what was written in it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop_app.ui.translation import tr

from .accessibility import announce
from .buttons import Button, ButtonKind
from .layouts import horizontal
from .look import MEDIUM
from .text_label import TextLabel


class DiscardQuestion(QWidget):
    """Stands in place of a sheet's buttons while it is asked. Leaving it in any way but by Discard keeps everything."""

    def __init__(self, instead_of: QWidget, keep: Callable[[], None]) -> None:
        """instead_of: is hidden meanwhile. keep: called when the user goes on editing."""
        super().__init__()
        self._hidden, self._keep = instead_of, keep
        self._then: Callable[[], object] = lambda: None
        self.words = TextLabel(size=14, weight=MEDIUM, wraps=True)
        self.keep, self.discard = Button(tr("Keep editing"), ButtonKind.PRIMARY), Button(tr("Discard"))
        horizontal((self.words, 1), self.discard, self.keep, holder=self, spacing=10)
        self.keep.clicked.connect(self.withdraw)
        self.discard.clicked.connect(lambda _=False: self._then())
        self.hide()

    @property
    def is_asked(self) -> bool:
        return not self.isHidden()

    def ask(self, words: str, then: Callable[[], object]) -> None:
        """Ask, with those words. then: called once the user says Discard."""
        self._then = then
        self.words.set_text(words)
        self.show()
        self._hidden.hide()
        self.keep.setFocus(Qt.FocusReason.OtherFocusReason)
        announce(self, words)

    def withdraw(self) -> None:
        """Show the buttons again."""
        self._hidden.show()
        self._keep()  # before the focused button goes, which would hand the keyboard on as Tab does, selecting all
        self.hide()
