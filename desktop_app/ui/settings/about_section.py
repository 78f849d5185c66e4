"""The section of the settings about the program: versions, folders, and the licences of all parts."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.conversation.installation import ProgramInfo, ProgramPart, report_of
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.formats import format_number
from desktop_app.ui.widgets.layouts import STRETCH, horizontal, vertical
from desktop_app.ui.widgets.look import BOLD, MEDIUM, scale
from desktop_app.ui.widgets.row_list import ListRow, RowList
from desktop_app.ui.widgets.text_label import Run, TextLabel

from .entries import section

LIST_HEIGHT = 300  # pixels
UPDATES = translatable(
    "Palimpsest does not look for newer versions by itself, and reports nothing to anyone. It connects only to what you"
    " have set up."
)
READING = translatable("Looking at what is installed…")
FAMILY_NAMES = {
    "LGPL and GPL": translatable("LGPL and GPL"),
    "BSD and ISC": translatable("BSD and ISC"),
    "Public domain": translatable("Public domain"),
    "Others": translatable("Other licences"),
}


def part_rows(parts: tuple[ProgramPart, ...], query: str) -> list[ListRow]:
    """Return the parts that have the words of the query, below the families of their licences."""
    words = query.casefold().split()
    found = [part for part in parts if all(word in f"{part.name} {part.licence}".casefold() for word in words)]
    rows: list[ListRow] = []
    for family, own in groupby(found, lambda part: part.family):
        members = list(own)
        rows.append(ListRow(f"\0{family}", tr(FAMILY_NAMES.get(family, family)), format_number(len(members))))
        rows += [
            ListRow(part.name, "", part.licence, (Run(part.name, "ink"), Run(f"  {part.version}"))) for part in members
        ]
    return rows


class AboutSection(QWidget):
    """Signals: content_requested, when it is seen first; licence_requested(name of a part); folder_requested."""

    content_requested = Signal()
    licence_requested = Signal(str)
    folder_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.info: ProgramInfo | None = None
        self._is_asked = False
        self.name = TextLabel("Palimpsest", size=17, weight=BOLD)
        self.versions = TextLabel(tr(READING), size=13, tint="ink_soft", wraps=True)
        self.folders = TextLabel("", size=12, tint="ink_faint", is_mono=True, wraps=True)
        self.copy, self.open = LinkButton(tr("Copy for a report")), LinkButton(tr("Open folder"))
        self.filter, self.list = QLineEdit(), RowList(has_body=False)
        self.filter.setPlaceholderText(tr("Filter by name or licence…"))
        self.filter.setAccessibleName(tr("Filter by name or licence…"))
        self.filter.setClearButtonEnabled(True)
        self.list.setAccessibleName(tr("Parts and their licences"))
        self.list.setFixedHeight(scale(LIST_HEIGHT))
        self.empty = TextLabel(tr("No part contains these words."), size=13, tint="ink_soft", wraps=True)
        self.empty.hide()
        self.folders.hide()
        card = Card()
        for part in (self.name, self.versions, self.folders):
            card.column.addWidget(part)
        card.column.addLayout(horizontal(self.copy, self.open, STRETCH, spacing=16))
        updates = TextLabel(tr(UPDATES), size=13, wraps=True)
        licences = TextLabel(tr("Parts and their licences"), size=13, weight=MEDIUM)
        about = TextLabel(tr("Choose one to read the whole text."), size=12, tint="ink_faint", wraps=True)
        vertical(section(tr("About"), card, updates, licences, about, self.filter, self.list, self.empty), holder=self)
        self.copy.clicked.connect(self._copy)
        self.open.clicked.connect(self.folder_requested)
        self.filter.textChanged.connect(lambda _: self._list())
        self.list.row_chosen.connect(self._choose)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_asked:
            self._is_asked = True
            self.content_requested.emit()

    def show_info(self, info: ProgramInfo) -> None:
        """Show what the engine tells."""
        self.info = info
        self.name.set_text(f"Palimpsest {info.version}")
        self.versions.set_text(" · ".join(" ".join(pair) for pair in info.versions))
        folders = (tr("Data: {path}").format(path=info.data), tr("Log: {path}").format(path=info.log))
        self.folders.set_text("\n".join(folders))
        self.folders.show()
        self._list()

    def _list(self) -> None:
        rows = part_rows(self.info.parts if self.info is not None else (), self.filter.text())
        self.list.rows.replace(rows)
        self.list.setVisible(bool(rows) or not self.filter.text())
        self.empty.setVisible(not rows and bool(self.filter.text()))

    def _choose(self, key: str) -> None:
        if not key.startswith("\0"):  # else it is the name of a family
            self.licence_requested.emit(key)

    def _copy(self) -> None:
        if self.info is not None:
            QGuiApplication.clipboard().setText(report_of(self.info))
