"""Names that are offered while a list of names is written: all of them, or those that go with what was typed last."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QStringListModel, Qt
from PySide6.QtWidgets import QCompleter, QLineEdit

BEFORE_LAST = re.compile(r"^(.*[,;\s])?([^,;\s]*)$", re.DOTALL)
ROWS = 8


def parted(text: str) -> tuple[str, str]:
    """What stands before the name that is being written, and that name."""
    found = BEFORE_LAST.match(text)
    assert found is not None  # any text has a last word, be it empty
    return found[1] or "", found[2]


class NameChoice(QCompleter):
    """Completes the last of several names; a chosen one is followed by a comma, so that the next can be chosen."""

    def __init__(self, edit: QLineEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self._names: tuple[str, ...] = ()
        self._before = ""
        self._listed = QStringListModel(self)
        self.setModel(self._listed)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setMaxVisibleItems(ROWS)
        edit.setCompleter(self)
        edit.textEdited.connect(lambda _: self._list_unused())

    def offer(self, names: Sequence[str]) -> None:
        """These from now on."""
        self._names = tuple(names)
        self._list_unused()

    def names(self) -> tuple[str, ...]:
        """Those that are offered: the ones that are not in the list yet."""
        return tuple(self._listed.stringList())

    def left(self) -> tuple[str, ...]:
        """Those of all that are not written out yet, not even as the last one."""
        return self._unused(self._edit.text())

    def open(self) -> None:
        """Shows all that are not in the list yet; nothing happens if there are none."""
        if not self.left():
            return
        self._edit.setFocus(Qt.FocusReason.OtherFocusReason)
        before = self._edit.text().rstrip()
        if before and not before.endswith((",", ";")):
            self._edit.setText(f"{before}, ")
        self._list_unused()
        self.setCompletionPrefix(self._edit.text())
        self.complete()

    def splitPath(self, path: str) -> list[str]:
        """Only what is being written is compared. What stands before it is kept as it was when it was typed: while
        one goes through the names, the field shows each of them."""
        self._before, name = parted(path)
        return [name]

    def pathFromIndex(self, index: QModelIndex | QPersistentModelIndex) -> str:
        """The whole text once that name is chosen."""
        return f"{self._before}{super().pathFromIndex(index)}, "

    def _list_unused(self) -> None:
        names = list(self._unused(parted(self._edit.text())[0]))
        if names != self._listed.stringList():
            self._listed.setStringList(names)

    def _unused(self, text: str) -> tuple[str, ...]:
        used = set(re.split(r"[,;\s]+", text))
        return tuple(name for name in self._names if name not in used)
