"""Base classes of the forms and lists of model servers and MCP servers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Generic, TypeVar

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.layouts import discard
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.text_label import TextLabel

from .entries import Field, FormEntry, Row, note, row_of

ServerStruct = TypeVar("ServerStruct", bound=msgspec.Struct)


class Form(Card, Generic[ServerStruct]):
    """A form for one server. A stored key is never shown, only replaced. Signal: remove_requested."""

    remove_requested = Signal()
    key_prefix = ""  # precedes the server's name in the name of its key

    def __init__(self, original: ServerStruct, name: str, example: str, untitled: str, key: Field) -> None:
        """untitled: the title of a form without a name."""
        super().__init__()
        self.column.setSpacing(10)
        self.original = original
        self.title = TextLabel(name or untitled, size=14, weight=BOLD)
        self.name = Field("name", tr("Name"), name, example, self._parse_name)
        self.key = key
        self.key.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.stored_key = ""  # the name of the stored key; "" for none
        self.taken: Collection[str] = ()  # names of the forms above
        self.remove = LinkButton(tr("Remove server"))
        self.remove.clicked.connect(self.remove_requested)
        self.name.changed.connect(lambda: self.title.set_text(self.name.text() or untitled))

    def used_entries(self) -> list[FormEntry]:
        """Return the entries that apply to the current choices; the other fields keep their defaults."""
        raise NotImplementedError

    def blank(self) -> ServerStruct:
        """Return a server with defaults, and the values that the form does not show."""
        raise NotImplementedError

    def server(self) -> ServerStruct:
        """Return the edited server. Raises ValueError."""
        server = self.blank()
        for entry in self.used_entries():
            if entry.name:
                server = entry.write(server)
        return server

    def keys(self) -> dict[str, str]:
        """Return API keys to store, by name; "" removes a key."""
        name = f"{self.key_prefix}{self.name.text()}"
        is_left = self.stored_key not in ("", name)
        changed = {self.stored_key: ""} if is_left else {}
        return {**changed, name: self.key.text()} if self.key.text() and self.key in self.used_entries() else changed

    def stored_keys(self) -> tuple[str, ...]:
        """Return the names under which keys of the server are stored."""
        return (self.stored_key,) if self.stored_key else ()

    def check(self) -> QWidget | None:
        """Show the errors of all entries; return the first widget to correct, None if there is none."""
        wrong = [widget for entry in self.used_entries() if (widget := entry.check()) is not None]
        return wrong[0] if wrong else None

    def add_rows(self, *rows: Row) -> None:
        """Append entries; entries of a tuple are placed side by side."""
        for row in rows:
            self.column.addWidget(row_of(row))

    def _parse_name(self, name: str) -> str:
        if not name or "/" in name:
            raise ValueError(tr("Enter a name without “/”: models and keys are listed as “name/…”."))
        if name in self.taken:
            raise ValueError(tr("Another server has this name."))
        return name


F = TypeVar("F", bound=Form[Any])


class FormList(FormEntry, Generic[F]):
    """The forms of all servers of one type. Signal: grown(QWidget), with a new widget to scroll into view."""

    grown = Signal(object)

    def __init__(self, name: str, about: str, below: QWidget, nothing: str) -> None:
        """below: the buttons. nothing: the text shown if there is no server."""
        self.forms: list[F] = []
        self.empty = TextLabel(nothing, size=13, tint="ink_soft", wraps=True)
        self._removed_keys: dict[str, str] = {}
        super().__init__(name, "", below)
        self.column.setSpacing(8)
        self.column.insertWidget(0, note(about))
        self.column.insertWidget(1, self.empty)

    def value(self) -> tuple[Any, ...]:
        return tuple(form.server() for form in self.forms)

    def keys(self) -> dict[str, str]:
        changed = dict(self._removed_keys)
        for form in self.forms:
            changed |= form.keys()
        return changed

    def check(self) -> QWidget | None:
        wrong: list[QWidget] = []
        for number, form in enumerate(self.forms):
            form.taken = {other.name.text() for other in self.forms[:number]}
            if (widget := form.check()) is not None:
                wrong.append(widget)
        return wrong[0] if wrong else None

    def add(self, form: F) -> F:
        """Append a form."""
        form.remove_requested.connect(lambda: self._remove(form))
        self.forms.append(form)
        self.empty.hide()
        self.column.insertWidget(self.column.indexOf(self.control), form)
        return form

    def show_new(self, form: F) -> None:
        """Focus a form that was added, and scroll to it."""
        form.name.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.grown.emit(form)

    def _remove(self, form: F) -> None:
        self._removed_keys |= dict.fromkeys(form.stored_keys(), "")
        self.forms.remove(form)
        discard(form)
        self.empty.setVisible(not self.forms)
        self.changed.emit()
