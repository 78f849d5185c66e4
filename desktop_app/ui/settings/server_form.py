"""A provider or a local server: its kind, its address, its models, its window and its key."""

from __future__ import annotations

import re
from collections.abc import Collection

from PySide6.QtWidgets import QHBoxLayout

from desktop_app.addresses import host_of, is_local
from desktop_app.settings import Server, ServerKind
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.select import Select

from .field import Field
from .name_choice import NameChoice
from .named_forms import NamedForm
from .server_kinds import KINDS, address_hint, key_hint

LEAST_WINDOW = 1_024  # tokens: less leaves no room for a reply
_WINDOW = re.compile(r"(\d+(?:[.,]\d+)?)\s*([km]?)", re.IGNORECASE)
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}


def window_of(text: str) -> int:
    """Tokens: "128000", "128,000", "128K", "1M", "" (0: somebody else is to tell). Raises ValueError."""
    plain = text.strip().replace(" ", "").replace("_", "")
    if re.fullmatch(r"\d{1,3}([,.]\d{3})+", plain):
        plain = re.sub(r"[,.]", "", plain)
    if not plain:
        return 0
    found = _WINDOW.fullmatch(plain)
    if found is None:
        raise ValueError("Enter a number of tokens, such as 128000 or 128K.")
    tokens = float(found[1].replace(",", ".")) * _UNITS[found[2].lower()]
    if tokens != int(tokens) or tokens < LEAST_WINDOW:
        raise ValueError(f"A context window has at least {LEAST_WINDOW:,} tokens. Enter it as 128000 or 128K.")
    return int(tokens)


def models_of(text: str) -> tuple[str, ...]:
    """Names between commas or blanks, each once, in their order."""
    return tuple(dict.fromkeys(name for name in re.split(r"[,;\s]+", text) if name))


def name_error(name: str, others: Collection[str]) -> str:
    """What is wrong with a server's name; empty when nothing is."""
    if not name:
        return "Enter a name for the server."
    if "/" in name or name == "builtin":
        return "A name cannot contain “/” or be “builtin”: models are listed as “name/model”."
    return "Another server has this name." if name in others else ""


def address_error(address: str) -> str:
    """What is wrong with a base URL; empty when nothing is."""
    return "" if host_of(address) else "Enter the full address, such as http://localhost:1234/v1."


class ServerForm(NamedForm):
    """Edits one server of models."""

    def __init__(self, server: Server, has_key: bool, key_storage: str) -> None:
        super().__init__(server.name, "for example lmstudio", "New server", "Remove server")
        self.original, self._has_key, self._removes_key = server, has_key, False
        self.kind = Select()
        self.kind.setAccessibleName("Kind of server")
        for kind, info in KINDS.items():
            self.kind.addItem(info.label, kind)
        self.kind.setCurrentIndex(self.kind.findData(server.kind))
        self.address = Field("Base URL", server.base_url, address_hint(server.kind))
        self.models = Field("Models", ", ".join(server.models), KINDS[server.kind].models)
        self.choice = NameChoice(self.models.edit)
        self.choose = LinkButton("Choose…")
        self.choose.setAccessibleName("Choose models")
        self.choose.hide()
        window = f"{server.window:,}" if server.window else ""
        self.window_size = Field("Context window (tokens)", window, "128K, or leave empty to ask the server")
        self.key = Field("Key", "", key_hint(server.kind, has_key), is_secret=True)
        self.key.hint(key_storage)
        self._key_storage = key_storage
        self.remove_key = LinkButton("Remove key")
        self._lay_out()
        self.remove_key.setVisible(has_key)
        self.remove_key.clicked.connect(self._remove_key)
        self.models.edit.textChanged.connect(lambda _: self._show_choose())
        self.choose.clicked.connect(lambda _=False: self.choice.open())
        self.kind.currentIndexChanged.connect(lambda _: self._propose())
        for field in (self.address, self.key):
            field.edit.textChanged.connect(self._hint_at_key)

    def server(self) -> Server:
        """The server as it is written. Raises ValueError for a window that is no number."""
        return Server(
            name=self.name.text(),
            base_url=self.address.text().rstrip("/"),
            models=models_of(self.models.text()),
            window=window_of(self.window_size.text()),
            max_output=self.original.max_output,
            kind=self.chosen_kind(),
        )

    def field(self, name: str) -> Field | None:
        """The field of that name, as a failure names it; None if there is none."""
        return {"address": self.address, "key": self.key, "models": self.models, "window": self.window_size}.get(name)

    def fill(self, server: Server) -> None:
        """Writes what is known of a server into the fields, to be looked at before it is saved."""
        self.kind.setCurrentIndex(self.kind.findData(server.kind))
        self.name.edit.setText(server.name)
        self.address.edit.setText(server.base_url)
        self.models.edit.setText(", ".join(server.models))

    def place(self) -> Server:
        """The server as far as it says where it is; nothing in it need be right."""
        return Server("", self.address.text(), (), kind=self.chosen_kind())

    def offer_models(self, names: tuple[str, ...]) -> None:
        """Names to choose from; several can be chosen, and others be written."""
        self.choice.offer(names)
        self._show_choose()

    def _show_choose(self) -> None:
        self.choose.setVisible(bool(self.choice.left()))

    def chosen_kind(self) -> ServerKind:
        """Whose shape and manners it has."""
        return next(kind for kind in KINDS if kind == self.kind.currentData())

    def _propose(self) -> None:
        """What another kind has as its own; a name that a person gave stays."""
        info = KINDS[self.chosen_kind()]
        if self.name.text() in {"", *(other.name for other in KINDS.values())} and not self.original.name:
            self.name.edit.setText(info.name)
        self.address.edit.setPlaceholderText(address_hint(self.chosen_kind()))
        self.models.edit.setPlaceholderText(info.models)
        self.key.edit.setPlaceholderText(key_hint(self.chosen_kind(), self._has_key and not self._removes_key))
        self._hint_at_key()

    def keys(self) -> dict[str, str]:
        """Keys to be kept by server name; an empty one is to be removed."""
        changed: dict[str, str] = {}
        old, new = self.original.name, self.name.text()
        if self._has_key and (self._removes_key or old != new):
            changed[old] = ""
        if self.key.text():
            changed[new] = self.key.text()
        return changed

    def keys_when_removed(self) -> dict[str, str]:
        """What becomes of the key of a server that is removed."""
        return {self.original.name: ""} if self._has_key else {}

    def check(self, others: Collection[str]) -> Field | None:
        """Says beside each field what is wrong with it. The first such field, or None."""
        self.name.complain(name_error(self.name.text(), others))
        has_own = bool(KINDS[self.chosen_kind()].address) and not self.address.text()
        self.address.complain("" if has_own else address_error(self.address.text()))
        has_models = bool(models_of(self.models.text()))
        self.models.complain("" if has_models else "Enter at least one model name, as the server spells it.")
        try:
            window_of(self.window_size.text())
            self.window_size.complain("")
        except ValueError as error:
            self.window_size.complain(str(error))
        if self._loses_key():
            self.key.complain("The key is saved under the old name. Enter it again, or remove it.")
            return self._first_wrong() or self.key
        self._hint_at_key()
        return self._first_wrong()

    def _first_wrong(self) -> Field | None:
        fields = (self.name, self.address, self.models, self.window_size)
        return next((field for field in fields if field.error()), None)

    def _loses_key(self) -> bool:
        is_renamed = self.name.text() != self.original.name
        return self._has_key and is_renamed and not self._removes_key and not self.key.text()

    def _hint_at_key(self) -> None:
        address = self.address.text()
        is_plain = address.lower().startswith("http://") and not is_local(address)
        if self.key.text() and is_plain:
            self.key.hint("This address is not encrypted (http): others on the network could read the key.")
        elif self._removes_key and not self.key.text():
            self.key.hint("The key will be removed.")
        else:
            self.key.hint(self._key_storage)

    def _remove_key(self) -> None:
        self._removes_key = True
        self.key.edit.clear()
        self.key.edit.setPlaceholderText(key_hint(self.chosen_kind(), has_key=False))
        self.remove_key.hide()
        self._hint_at_key()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.remove)
        self.column.setSpacing(10)
        self.column.addLayout(head)
        self.column.addWidget(self.kind)
        for left, right in ((self.name, self.address), (self.models, self.window_size)):
            row = QHBoxLayout()
            row.setSpacing(12)
            row.addWidget(left, 1)
            row.addWidget(right, 1)
            self.column.addLayout(row)
        self.models.add_below(self.choose)
        self.column.addWidget(self.key)
        self.column.addWidget(self.remove_key)
