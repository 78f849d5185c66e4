"""Where an imported conversation came from, and what of it has no place here."""

from __future__ import annotations

import msgspec
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.transcript import Imported
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.invisible import escape_name
from desktop_app.ui.widgets.layouts import vertical
from desktop_app.ui.widgets.text_label import TextLabel
from desktop_app.ui.widgets.text_reader import TextReader

from .entries import section


class OriginSection(QWidget):
    """The program and the file, and a link to the rest as the program wrote it."""

    def __init__(self, imported: Imported) -> None:
        super().__init__()
        self._rest = imported.rest
        self.told = TextLabel(
            tr("From {program}, {file}").format(program=imported.program, file=escape_name(imported.file)),
            size=13,
            tint="ink_soft",
            wraps=True,
        )
        self.rest = LinkButton(tr("What could not be converted"))
        self.rest.setToolTip(tr("Kept as the other program wrote it, in JSON"))
        self.rest.setVisible(bool(imported.rest))
        self.rest.clicked.connect(self._read)
        vertical(section(tr("Imported"), self.told, self.rest), holder=self)

    def _read(self) -> None:
        text = msgspec.json.format(self._rest, indent=2)
        TextReader(self.rest.text(), text, self.window(), is_mono=True).show()
