"""The outline of the open conversation: questions, headings and operations, filtered as one types."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QItemSelectionModel, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.conversation.conversation_outline import MAX_TEXT, OutlineLine
from desktop_app.conversation.events import OperationRow
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.layouts import vertical
from desktop_app.ui.widgets.number_formats import first_line_of_markdown
from desktop_app.ui.widgets.row_list import ListRow, RowList
from desktop_app.ui.widgets.text_label import Run, TextLabel

from .operation_card import title_of
from .requests import PanelRequests

EMPTY = translatable("Nothing has been asked yet.\n\nYour questions and the headings of the replies are listed here.")
INDENT = "    "  # for each level of a heading below a question


def row_of(number: int, line: OutlineLine, operations: Mapping[str, OperationRow]) -> ListRow:
    """Return a line as a row, whose key is its number."""
    tag = tr("%n versions", "", line.versions) if line.versions > 1 else ""
    if line.kind == "question":
        return ListRow(str(number), line.text or tr("(no text)"), tag=tag)
    if line.kind == "reply":
        return ListRow(
            str(number), "", tag, (Run(INDENT + (first_line_of_markdown(line.text, MAX_TEXT) or tr("(no text)"))),)
        )
    if line.kind == "heading":
        return ListRow(str(number), "", body=(Run(INDENT * min(line.level, 3) + line.text),))
    operation = operations.get(line.operation_id)
    return ListRow(str(number), "", body=(Run(title_of(operation) if operation else "", "accent"),))


class OutlineList(QWidget):
    """The lines of the outline that contain all typed words; a click or Enter shows one in the chat."""

    def __init__(self, requests: PanelRequests) -> None:
        super().__init__()
        self._requests = requests
        self._lines: tuple[OutlineLine, ...] = ()
        self._rows: list[ListRow] = []
        self._places: list[int] = []  # the lines that can be marked as read
        self._indexes: list[int] = []  # of their messages
        self._index_in_sight = -1
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Filter the outline…"))
        self.field.setAccessibleName(tr("Filter the outline"))
        self.field.setClearButtonEnabled(True)
        self.note = TextLabel(size=13, tint="ink_soft", wraps=True)
        self.list = RowList(has_body=False)
        self.list.setAccessibleName(tr("Outline"))
        vertical(self.field, self.note, (self.list, 1), holder=self, margins=(0, 0, 12, 0), spacing=8)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(lambda _: self._show())
        self.list.row_chosen.connect(self._choose)

    def set_lines(self, lines: Sequence[OutlineLine], operations: Mapping[str, OperationRow]) -> None:
        """Show the outline of a conversation. operations: its operations by id."""
        self._lines = tuple(lines)
        self._places = [number for number, line in enumerate(lines) if line.kind != "heading"]
        self._indexes = [lines[number].index for number in self._places]
        self._rows = [row_of(number, line, operations) for number, line in enumerate(lines)]
        self._show()

    def follow(self, index: int) -> None:
        """Mark where the reader is. index: of the first visible message of the chat; -1 for none."""
        self._index_in_sight = index
        if not self.list.hasFocus() and not self.field.hasFocus():
            self._mark()

    def take_focus(self) -> None:
        """Let the user type a filter at once."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move in the list, and choose from it, while the field has the focus."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            match event.key():
                case Qt.Key.Key_Down | Qt.Key.Key_Up:
                    self.list.step(1 if event.key() == Qt.Key.Key_Down else -1)
                    return True
                case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                    self._choose(self.list.current_key())
                    return True
                case Qt.Key.Key_Escape if self.field.text():
                    self.field.clear()
                    return True
                case _:
                    pass
        return super().eventFilter(watched, event)

    def _show(self) -> None:
        words = self.field.text().casefold().split()
        rows = [row for row in self._rows if all(word in row.words.casefold() for word in words)]
        if rows == self.list.rows.rows and rows:
            return  # the reader's choice stays
        self.list.rows.replace(rows)
        self.list.setVisible(bool(rows))
        query = self.field.text().strip()
        self.note.set_text(
            "" if rows else tr("Nothing found for “{query}”.").format(query=query) if query else tr(EMPTY)
        )
        self.note.setVisible(not rows)
        self.field.setVisible(bool(self._rows))
        self._mark()

    def _mark(self) -> None:
        """Select the question, or the operation, at which the chat is; the first row of a filtered list."""
        rows, number = self.list.rows.rows, 0
        if not self.field.text().strip():
            number = bisect_right(self._indexes, self._index_in_sight) - 1
            number = self._places[number] if number >= 0 else -1
        if 0 <= number < len(rows):
            index = self.list.rows.index(number)
            self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.list.scrollTo(index)

    def _choose(self, key: str) -> None:
        if key:
            self._requests.outline_requested.emit(self._lines[int(key)])
