"""The form of a provider or a local server: kind, address, models, window and key."""

from __future__ import annotations

import re
from collections.abc import Collection

from desktop_app.addresses import host_of, is_local
from desktop_app.settings import Server, ServerKind
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.inputs import Select
from desktop_app.ui.widgets.layouts import horizontal

from .form_list import NamedForm
from .name_completer import SEPARATORS, NameCompleter
from .section import Field, error_of
from .server_kinds import KINDS, address_hint, key_hint

MIN_WINDOW = 1_024  # tokens: less leaves no room for a reply
_WINDOW = re.compile(r"(\d+(?:[.,]\d+)?)\s*([km]?)", re.IGNORECASE)
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}


def window_of(text: str) -> int:
    """Return the tokens of "128000", "128,000", "128K" or "1M"; 0, to ask the server, of "". Raises ValueError."""
    plain = text.strip().replace(" ", "").replace("_", "")
    if re.fullmatch(r"\d{1,3}([,.]\d{3})+", plain):
        plain = re.sub(r"[,.]", "", plain)
    if not plain:
        return 0
    found = _WINDOW.fullmatch(plain)
    if found is None:
        raise ValueError("Enter a number of tokens, such as 128000 or 128K.")
    tokens = float(found[1].replace(",", ".")) * _UNITS[found[2].lower()]
    if tokens != int(tokens) or tokens < MIN_WINDOW:
        raise ValueError(f"A context window has at least {MIN_WINDOW:,} tokens. Enter it as 128000 or 128K.")
    return int(tokens)


def models_of(text: str) -> tuple[str, ...]:
    """Return the names between commas or spaces, each once."""
    return tuple(dict.fromkeys(name for name in SEPARATORS.split(text) if name))


def name_error(name: str, taken: Collection[str]) -> str:
    """Return what is wrong with the name of a server; "" if nothing is."""
    if not name:
        return "Enter a name for the server."
    if "/" in name or name == "builtin":
        return "A name cannot contain “/” or be “builtin”: models are listed as “name/model”."
    return "Another server has this name." if name in taken else ""


def address_error(address: str) -> str:
    """Return what is wrong with a base URL; "" if nothing is."""
    return "" if host_of(address) else "Enter the full address, such as http://localhost:1234/v1."


class ServerForm(NamedForm):
    """Edits one server of models."""

    def __init__(self, server: Server, has_key: bool, key_storage: str) -> None:
        """key_storage: a sentence that says where keys are kept."""
        key_name = server.name if has_key else ""
        super().__init__(server.name, "for example lmstudio", "New server", "Remove server", key_name)
        self.original, self._key_storage, self._removes_key = server, key_storage, False
        self.kind = Select()
        self.kind.setAccessibleName("Kind of server")
        for kind, info in KINDS.items():
            self.kind.addItem(info.label, kind)
        self.kind.choose(server.kind)
        self.address = Field("Base URL", server.base_url, address_hint(server.kind))
        self.models = Field("Models", ", ".join(server.models), KINDS[server.kind].models)
        self.completer = NameCompleter(self.models.edit)
        self.choose = LinkButton("Choose…")
        self.choose.setAccessibleName("Choose models")
        self.choose.hide()
        window = f"{server.window:,}" if server.window else ""
        self.window_size = Field("Context window (tokens)", window, "128K, or leave empty to ask the server")
        self.key = Field("Key", "", key_hint(server.kind, has_key), is_secret=True)
        self.key.set_hint(key_storage)
        self.remove_key = LinkButton("Remove key")
        self._lay_out()
        self.remove_key.setVisible(has_key)
        self.remove_key.clicked.connect(self._remove_key)
        self.models.edit.textChanged.connect(lambda _: self._show_choose())
        self.choose.clicked.connect(lambda _=False: self.completer.open())
        self.kind.currentIndexChanged.connect(lambda _: self._adapt_to_kind())
        for field in (self.address, self.key):
            field.edit.textChanged.connect(self._hint_at_key)

    def server(self) -> Server:
        """Return the server as it is written. Raises ValueError for a window that is no number."""
        return Server(
            name=self.name.text(),
            base_url=self.address.text().rstrip("/"),
            models=models_of(self.models.text()),
            window=window_of(self.window_size.text()),
            max_output=self.original.max_output,
            kind=self.chosen_kind(),
        )

    def location(self) -> Server:
        """Return a server that has only the kind and the address, be they right or not."""
        return Server("", self.address.text(), (), kind=self.chosen_kind())

    def field(self, name: str) -> Field | None:
        """Return the field that a failure names; None if there is none."""
        return {"address": self.address, "key": self.key, "models": self.models, "window": self.window_size}.get(name)

    def fill(self, server: Server) -> None:
        """Write into the fields what is known of a server."""
        self.kind.choose(server.kind)
        self.name.edit.setText(server.name)
        self.address.edit.setText(server.base_url)
        self.models.edit.setText(", ".join(server.models))

    def offer_models(self, names: tuple[str, ...]) -> None:
        """Offer names of models to choose from."""
        self.completer.offer(names)
        self._show_choose()

    def chosen_kind(self) -> ServerKind:
        return next(kind for kind in KINDS if kind == self.kind.currentData())

    def keys(self) -> dict[str, str]:
        changed: dict[str, str] = {}
        name = self.name.text()
        if self.stored_key and (self._removes_key or self.stored_key != name):
            changed[self.stored_key] = ""
        if self.key.text():
            changed[name] = self.key.text()
        return changed

    def check(self, taken: Collection[str]) -> Field | None:
        self.name.set_error(name_error(self.name.text(), taken))
        has_default = bool(KINDS[self.chosen_kind()].address) and not self.address.text()
        self.address.set_error("" if has_default else address_error(self.address.text()))
        has_models = bool(models_of(self.models.text()))
        self.models.set_error("" if has_models else "Enter at least one model name, as the server spells it.")
        self.window_size.set_error(error_of(window_of, self.window_size.text()))
        loses_key = self.stored_key not in ("", self.name.text()) and not self._removes_key and not self.key.text()
        if loses_key:
            self.key.set_error("The key is saved under the old name. Enter it again, or remove it.")
        else:
            self._hint_at_key()
        fields = (self.name, self.address, self.models, self.window_size)
        return next((field for field in fields if field.error()), self.key if loses_key else None)

    def _adapt_to_kind(self) -> None:
        """Propose what the kind has as its own; a name that the user gave stays."""
        kind = self.chosen_kind()
        if self.name.text() in {"", *(other.name for other in KINDS.values())} and not self.original.name:
            self.name.edit.setText(KINDS[kind].name)
        self.address.edit.setPlaceholderText(address_hint(kind))
        self.models.edit.setPlaceholderText(KINDS[kind].models)
        self.key.edit.setPlaceholderText(key_hint(kind, bool(self.stored_key) and not self._removes_key))
        self._hint_at_key()

    def _show_choose(self) -> None:
        self.choose.setVisible(bool(self.completer.unused()))

    def _hint_at_key(self) -> None:
        address = self.address.text()
        is_plain = address.lower().startswith("http://") and not is_local(address)
        if self.key.text() and is_plain:
            self.key.set_hint("This address is not encrypted (http): others on the network could read the key.")
        elif self._removes_key and not self.key.text():
            self.key.set_hint("The key will be removed.")
        else:
            self.key.set_hint(self._key_storage)

    def _remove_key(self) -> None:
        self._removes_key = True
        self.key.edit.clear()
        self.key.edit.setPlaceholderText(key_hint(self.chosen_kind(), has_key=False))
        self.remove_key.hide()
        self._hint_at_key()

    def _lay_out(self) -> None:
        self.models.column.insertWidget(2, self.choose)  # between the edit and its message
        self.column.addLayout(horizontal((self.title, 1), self.remove))
        self.column.addWidget(self.kind)
        self.column.addLayout(horizontal((self.name, 1), (self.address, 1), spacing=12))
        self.column.addLayout(horizontal((self.models, 1), (self.window_size, 1), spacing=12))
        self.column.addWidget(self.key)
        self.column.addWidget(self.remove_key)
