"""Completion of the last name in a list of names, from those that are not in the list yet."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QStringListModel, Qt
from PySide6.QtWidgets import QCompleter, QLineEdit

SEPARATORS = re.compile(r"[,;\s]+")
LAST_NAME = re.compile(r"^(.*[,;\s])?([^,;\s]*)$", re.DOTALL)
MAX_ROWS = 8


def split_last(text: str) -> tuple[str, str]:
    """Return what stands before the last name, and that name."""
    found = LAST_NAME.match(text)
    assert found is not None  # any text has a last name, which may be empty
    return found[1] or "", found[2]


class NameCompleter(QCompleter):
    """Completes the last of several names; a comma follows a chosen one, so that the next can be chosen."""

    def __init__(self, edit: QLineEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self._names: tuple[str, ...] = ()
        self._before = ""
        self._listed = QStringListModel(self)
        self.setModel(self._listed)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setMaxVisibleItems(MAX_ROWS)
        edit.setCompleter(self)
        edit.textEdited.connect(lambda _: self._list_unused())

    def offer(self, names: Sequence[str]) -> None:
        """Complete these names from now on."""
        self._names = tuple(names)
        self._list_unused()

    def names(self) -> tuple[str, ...]:
        """Return the names that are offered at the moment."""
        return tuple(self._listed.stringList())

    def unused(self) -> tuple[str, ...]:
        """Return the names that are not in the text."""
        return self._without(self._edit.text())

    def open(self) -> None:
        """Show the names that are not in the text, if there are any."""
        if not self.unused():
            return
        self._edit.setFocus(Qt.FocusReason.OtherFocusReason)
        before = self._edit.text().rstrip()
        if before and not before.endswith((",", ";")):
            self._edit.setText(f"{before}, ")
        self._list_unused()
        self.setCompletionPrefix(self._edit.text())
        self.complete()

    def splitPath(self, path: str) -> list[str]:
        # What stands before the last name is kept as it was typed: Qt shows each name in the edit on the way to it.
        self._before, name = split_last(path)
        return [name]

    def pathFromIndex(self, index: QModelIndex | QPersistentModelIndex) -> str:
        return f"{self._before}{super().pathFromIndex(index)}, "

    def _list_unused(self) -> None:
        names = list(self._without(split_last(self._edit.text())[0]))
        if names != self._listed.stringList():
            self._listed.setStringList(names)

    def _without(self, text: str) -> tuple[str, ...]:
        used = set(SEPARATORS.split(text))
        return tuple(name for name in self._names if name not in used)
