"""Forms of servers under each other: each has a name of its own, may keep a key, and can be removed."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.text_label import TextLabel

from .field import Field
from .section import Section


class NamedForm(Card):
    """Edits one server. A key is never shown, only replaced. untitled: what stands in place of a name that is missing.

    Signal: remove_requested(form).
    """

    remove_requested = Signal(object)

    def __init__(self, name: str, example: str, untitled: str, remove: str) -> None:
        super().__init__()
        self.title = TextLabel(name or untitled, size=14, weight=BOLD)
        self.name = Field("Name", name, example)
        self.remove = LinkButton(remove)
        self.remove.clicked.connect(lambda _=False: self.remove_requested.emit(self))
        self.name.edit.textChanged.connect(lambda text: self.title.set_text(text.strip() or untitled))

    def keys(self) -> dict[str, str]:
        """Keys to be kept by their names; an empty one is to be removed."""
        return {}

    def keys_when_removed(self) -> dict[str, str]:
        """What becomes of the key of a server that is removed."""
        return {}

    def check(self, others: Collection[str]) -> Field | None:
        """Says beside each field what is wrong with it; others: names that are taken. The first such field, or None."""
        return None


F = TypeVar("F", bound=NamedForm)


class Forms(Generic[F]):
    """The forms above the last widget of a section. removed: called when one has gone."""

    def __init__(self, section: Section, removed: Callable[[], None] = lambda: None) -> None:
        self.all: list[F] = []
        self._section = section
        self._removed = removed
        self._removed_keys: dict[str, str] = {}

    def add(self, form: F) -> F:
        """Puts it below the others."""
        form.remove_requested.connect(self._remove)
        self.all.append(form)
        self._section.column.insertWidget(self._section.column.count() - 1, form)
        return form

    def keys(self) -> dict[str, str]:
        """The keys of all forms, also of those that were removed."""
        changed = dict(self._removed_keys)
        for form in self.all:
            changed |= form.keys()
        return changed

    def wrong(self) -> list[QWidget]:
        """Says beside each field what is wrong with it; the first such field of each form."""
        wrong: list[QWidget] = []
        names: set[str] = set()
        for form in self.all:
            field = form.check(names)
            names.add(form.name.text())
            if field is not None:
                wrong.append(field.edit)
        return wrong

    def _remove(self, form: F) -> None:
        self._removed_keys |= form.keys_when_removed()
        self.all.remove(form)
        self._removed()
        form.hide()
        form.deleteLater()
