"""Complete the path after an @ in the draft; a path that is chosen becomes an attachment and leaves the text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.look import Corner, colour, font, restyle, scale
from desktop_app.ui.widgets.number_formats import escape_name
from desktop_app.ui.widgets.row_list import ENTER

from .draft_field import DraftField

WIDTH = 460  # pixels
_QUERY = re.compile(r"(?:^|\s)@([^\s@]*)\Z")
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


def query_of(text: str) -> str | None:
    """Return the beginning of a path, after an @, before the cursor; None if there is none."""
    found = _QUERY.search(text)
    return found[1] if found else None


class PathCompleter(QObject):
    """A list of paths over the window; the keyboard focus stays in the draft.

    Signals: query_changed(query), answered by `offer`; path_chosen(path).
    """

    query_changed = Signal(str)
    path_chosen = Signal(str)

    def __init__(self, field: DraftField) -> None:
        super().__init__(field)
        self._field = field
        self._query: str | None = None
        self.list = QListWidget(field)
        self.list.setAccessibleName(tr("Files of the working folder"))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setTextElideMode(Qt.TextElideMode.ElideLeft)
        for bars in (self.list.setHorizontalScrollBarPolicy, self.list.setVerticalScrollBarPolicy):
            bars(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.hide()
        self.list.itemClicked.connect(self._choose)
        field.key_filter = self._take_key
        field.textChanged.connect(self._look)
        field.focus_lost.connect(self.list.hide)

    def offer(self, query: str, paths: Sequence[str]) -> None:
        """Show the matching paths, unless the query has changed since."""
        if query != self._query:
            return
        self.list.clear()
        for path in paths:
            item = QListWidgetItem(escape_name(path), self.list)
            item.setData(Qt.ItemDataRole.UserRole, path)
        self.list.setCurrentRow(0)
        self.list.setVisible(bool(paths))
        if paths:
            self._place()

    def _place(self) -> None:
        """Place the list above the cursor's line: below, it would hide the gauge."""
        window = self._field.window()
        if self.list.parent() is not window:
            self.list.setParent(window)
        self.list.setFont(font(13))
        ink, ground, line, chosen = (colour(tint).name() for tint in ("ink", "raised", "line", "accent_soft"))
        restyle(
            self.list,
            f"QListWidget {{ background: {ground}; color: {ink}; border: 1px solid {line}; padding: {scale(4)}px;"
            f" border-radius: {Corner.CONTROL}px; }}"
            f"QListWidget::item {{ padding: {scale(5)}px {scale(8)}px; border-radius: {Corner.ROW}px; }}"
            f"QListWidget::item:selected {{ background: {chosen}; color: {ink}; }}",
        )
        box, width = self._field.cursorRect(), min(scale(WIDTH), self._field.width())
        height = self.list.sizeHintForRow(0) * self.list.count() + 2 * scale(4) + 4
        corner = QPoint(min(box.x(), self._field.width() - width), box.y() - height - scale(6))
        self.list.setGeometry(*self._field.viewport().mapTo(window, corner).toTuple(), width, height)
        self.list.show()
        self.list.raise_()

    def _look(self) -> None:
        query = query_of(self._field.text_before_cursor()) if self._field.hasFocus() else None
        if query is None:
            self.list.hide()
        elif query != self._query or not self.list.isVisible():
            self.query_changed.emit(query)
        self._query = query

    def _take_key(self, event: QKeyEvent) -> bool:
        """Move in the list or choose from it; return whether the key was handled."""
        key, count = event.key(), self.list.count()
        if not self.list.isVisible():
            return False
        if key in _STEPS:
            self.list.setCurrentRow((self.list.currentRow() + _STEPS[Qt.Key(key)]) % count)
        elif key in (*ENTER, Qt.Key.Key_Tab):
            self._choose(self.list.currentItem())
        elif key == Qt.Key.Key_Escape:
            self.list.hide()
        else:
            return False
        return True

    def _choose(self, item: QListWidgetItem) -> None:
        path, query = str(item.data(Qt.ItemDataRole.UserRole)), self._query or ""
        cursor = self._field.textCursor()
        size = len(f"@{query}".encode("utf-16-le")) // 2  # Qt counts UTF-16 units
        cursor.setPosition(cursor.position() - size, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        self.list.hide()
        self.path_chosen.emit(path)
