"""A part of the settings: a title with widgets below it, which writes its share of the settings."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.settings import Settings
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.text_label import TextLabel


class Section(QWidget):
    """Widgets under a title."""

    def __init__(self, title: str, *widgets: QWidget) -> None:
        super().__init__()
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(8)
        self.column.addWidget(TextLabel(title, size=14, weight=BOLD))
        for widget in widgets:
            self.column.addWidget(widget)

    def written(self, settings: Settings) -> Settings:
        """The settings with what was written here. Raises ValueError for what is wrong."""
        return settings

    def keys(self) -> dict[str, str]:
        """Keys to be kept by their names; an empty one is to be removed."""
        return {}

    def first_wrong(self) -> QWidget | None:
        """Says beside each field what is wrong with it. The first such field, or None."""
        return None


def note(words: str) -> TextLabel:
    """A quiet line that explains."""
    return TextLabel(words, size=12, tint="ink_faint", wraps=True)
