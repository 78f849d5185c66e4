"""A link that says what lies below it, and unfolds that."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from .buttons import LinkButton
from .layouts import vertical


class Fold(QWidget):
    """The link above what it unfolds."""

    def __init__(self, body: QWidget, title: str = "") -> None:
        super().__init__()
        self.link, self.body, self._title = LinkButton(""), body, title
        self.link.clicked.connect(lambda: self.unfold(self.body.isHidden()))
        vertical(self.link, body, holder=self, spacing=4)
        self.unfold(False)

    def set_title(self, title: str) -> None:
        """Say what lies below."""
        self._title = title
        self.unfold(not self.body.isHidden())

    def unfold(self, is_unfolded: bool) -> None:
        """Show it, or the link alone."""
        self.body.setVisible(is_unfolded)
        closed = "◂" if self.isRightToLeft() else "▸"
        self.link.setText(f"{'▾' if is_unfolded else closed} {self._title}")
        self.link.setAccessibleName(self._title)
        self.body.updateGeometry()
