"""Forms of servers below each other."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.text_label import TextLabel

from .section import Field, Section


class NamedForm(Card):
    """Edits one server. A key is never shown, only replaced. Signal: remove_requested(form)."""

    remove_requested = Signal(object)

    def __init__(self, name: str, example: str, untitled: str, remove: str, key_name: str) -> None:
        """untitled: the title of a form without a name. key_name: under which a key is stored; "" if there is none."""
        super().__init__()
        self.column.setSpacing(10)
        self.title = TextLabel(name or untitled, size=14, weight=BOLD)
        self.name = Field("Name", name, example)
        self.remove = LinkButton(remove)
        self.stored_key = key_name
        self.remove.clicked.connect(lambda _=False: self.remove_requested.emit(self))
        self.name.edit.textChanged.connect(lambda text: self.title.set_text(text.strip() or untitled))

    def keys(self) -> dict[str, str]:
        """Return keys to store by their names; an empty key is to be removed."""
        return {}

    def keys_when_removed(self) -> dict[str, str]:
        return {self.stored_key: ""} if self.stored_key else {}

    def check(self, taken: Collection[str]) -> Field | None:
        """Show beside each field what is wrong with it; return the first such field. taken: names of other servers."""
        return None


F = TypeVar("F", bound=NamedForm)


class FormList(Generic[F]):
    """The forms above the last widget of a section."""

    def __init__(self, section: Section, on_removed: Callable[[], None] = lambda: None) -> None:
        self.forms: list[F] = []
        self._section = section
        self._on_removed = on_removed
        self._removed_keys: dict[str, str] = {}

    def add(self, form: F) -> F:
        form.remove_requested.connect(self._remove)
        self.forms.append(form)
        self._section.column.insertWidget(self._section.column.count() - 1, form)
        return form

    def keys(self) -> dict[str, str]:
        """Return the keys of all forms, also of the removed ones."""
        changed = dict(self._removed_keys)
        for form in self.forms:
            changed |= form.keys()
        return changed

    def first_wrong(self) -> QWidget | None:
        """Show what is wrong in all forms; return the first such field."""
        wrong: list[QWidget] = []
        names: set[str] = set()
        for form in self.forms:
            if (field := form.check(names)) is not None:
                wrong.append(field.edit)
            names.add(form.name.text())
        return wrong[0] if wrong else None

    def _remove(self, form: F) -> None:
        self._removed_keys |= form.keys_when_removed()
        self.forms.remove(form)
        self._on_removed()
        form.hide()
        form.deleteLater()
