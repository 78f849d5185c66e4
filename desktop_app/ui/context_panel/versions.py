"""The card of the versions at which the shown branch parts from others, each with the tokens of its request."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from desktop_app.conversation.message_rows import VersionRow
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.formats import first_line_of_markdown, format_number, shorten
from desktop_app.ui.widgets.layouts import STRETCH, horizontal
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.text_label import TextLabel

from .requests import PanelRequests

MAX_TEXT = 24  # characters of a version


class VersionsCard(Card):
    """The versions, oldest first; the others are links. Hidden where there is only one."""

    def __init__(self, requests: PanelRequests) -> None:
        super().__init__()
        self._requests = requests
        self._lines: list[QWidget] = []
        self.links: list[LinkButton] = []
        self.place = TextLabel(size=12, tint="ink_soft")
        title = horizontal(TextLabel(tr("This branch"), size=13, weight=BOLD), STRETCH, self.place, spacing=8)
        self.column.addLayout(title)
        about = tr("Each version goes on by itself, with its own window.")
        self.column.addWidget(TextLabel(about, size=12, tint="ink_faint", wraps=True))
        self.setAccessibleName(tr("This branch"))
        self.set_versions((), 0)

    def set_versions(self, versions: Sequence[VersionRow], total: int) -> None:
        """Show the versions of one message; total: how many it has in all."""
        for line in self._lines:
            self.column.removeWidget(line)
            line.hide()
            line.deleteLater()
        self.links = []
        self._lines = [self._line(version) for version in versions]
        for line in self._lines:
            self.column.addWidget(line)
        current = next((version.number for version in versions if version.is_current), 0)
        self.place.set_text(tr("{number} of {count}").format(number=current, count=total))
        self.setVisible(len(versions) > 1)

    def _line(self, version: VersionRow) -> QWidget:
        begin = shorten(first_line_of_markdown(version.text, 2 * MAX_TEXT), MAX_TEXT) or tr("(no text)")
        text = f"{version.number}  {begin}"
        tokens = TextLabel(format_number(version.tokens), size=13, tint="ink" if version.is_current else "ink_soft")
        tokens.setAccessibleName(tr("%n tokens", "", version.tokens))
        words: QWidget = TextLabel(text, size=13, weight=BOLD)
        if not version.is_current:
            words = link = LinkButton(text)
            link.clicked.connect(lambda _=False: self._requests.version_requested.emit(version.message_id))
            self.links.append(link)
        line = QWidget()
        horizontal(words, STRETCH, tokens, holder=line, spacing=8)
        return line
