"""The form of a provider or a local server: kind, address, models, window and key."""

from __future__ import annotations

import re

from desktop_app.addresses import host_of, is_local
from desktop_app.settings import Server, ServerKind
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.layouts import horizontal

from .entries import Choice, Field, FormEntry
from .forms import Form
from .name_completer import SEPARATORS, NameCompleter
from .server_kinds import KINDS, address_hint, key_hint

MIN_WINDOW = 1_024  # tokens: less leaves no room for a reply
_WINDOW = re.compile(r"(\d+(?:[.,]\d+)?)\s*([km]?)", re.IGNORECASE)
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}


def parse_window(text: str) -> int:
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


def parse_models(text: str) -> tuple[str, ...]:
    """Return the names. Raises ValueError if there are none."""
    if not models_of(text):
        raise ValueError("Enter at least one model name, as the server spells it.")
    return models_of(text)


def parse_address(address: str) -> str:
    """Return a base URL without a slash at its end. Raises ValueError if it is none."""
    if not host_of(address):
        raise ValueError("Enter the full address, such as http://localhost:1234/v1.")
    return address.rstrip("/")


class ServerForm(Form[Server]):
    """Edits one server of models."""

    def __init__(self, server: Server, has_key: bool, key_storage: str) -> None:
        """key_storage: a sentence that says where keys are kept."""
        key = Field("", "Key", "", key_hint(server.kind, has_key), self._parse_key, key_storage)
        super().__init__(server, server.name, "for example lmstudio", "New server", key)
        self.stored_key, self._key_storage, self._removes_key = server.name if has_key else "", key_storage, False
        self.kind = Choice("kind", "", [(info.label, kind) for kind, info in KINDS.items()], server.kind)
        self.kind.select.setAccessibleName("Kind of server")
        self.address = Field("base_url", "Base URL", server.base_url, address_hint(server.kind), self._parse_address)
        self.models = Field("models", "Models", ", ".join(server.models), KINDS[server.kind].models, parse_models)
        self.completer = NameCompleter(self.models.edit)
        self.choose = LinkButton("Choose…")
        self.choose.setAccessibleName("Choose models")
        self.choose.hide()
        self.models.column.insertWidget(2, self.choose)  # between the edit and its message
        window = f"{server.window:,}" if server.window else ""
        hint = "128K, or leave empty to ask the server"
        self.window_size = Field("window", "Context window (tokens)", window, hint, parse_window)
        self.remove_key = LinkButton("Remove key")
        self.column.addLayout(horizontal((self.title, 1), self.remove))
        self.add_rows(self.kind, (self.name, self.address), (self.models, self.window_size), self.key, self.remove_key)
        self.remove_key.setVisible(has_key)
        self.remove_key.clicked.connect(self._remove_key)
        self.models.changed.connect(self._show_choose)
        self.choose.clicked.connect(self.completer.open)
        self.kind.changed.connect(self._adapt_to_kind)
        for field in (self.address, self.key):
            field.changed.connect(self._hint_at_key)

    def used_entries(self) -> list[FormEntry]:
        return [self.kind, self.name, self.address, self.models, self.window_size, self.key]

    def blank(self) -> Server:
        return Server("", "", (), max_output=self.original.max_output)

    def location(self) -> Server:
        """Return a server that has only the kind and the address, be they right or not."""
        return Server("", self.address.text(), (), kind=self.chosen_kind())

    def field(self, name: str) -> Field | None:
        """Return the field that a failure names; None if there is none."""
        return {"address": self.address, "key": self.key, "models": self.models, "window": self.window_size}.get(name)

    def fill(self, server: Server) -> None:
        """Write into the fields what is known of a server."""
        self.kind.select.choose(server.kind)
        self.name.edit.setText(server.name)
        self.address.edit.setText(server.base_url)
        self.models.edit.setText(", ".join(server.models))

    def offer_models(self, names: tuple[str, ...]) -> None:
        """Offer names of models to choose from."""
        self.completer.offer(names)
        self._show_choose()

    def chosen_kind(self) -> ServerKind:
        return next(kind for kind in KINDS if kind == self.kind.chosen())

    def keys(self) -> dict[str, str]:
        removed = {self.stored_key: ""} if self._removes_key else {}
        return removed | super().keys()

    def _parse_name(self, name: str) -> str:
        if name == "builtin":
            raise ValueError("The built-in model has this name.")
        return super()._parse_name(name)

    def _parse_address(self, address: str) -> str:
        has_default = bool(KINDS[self.chosen_kind()].address) and not address
        return "" if has_default else parse_address(address)

    def _parse_key(self, key: str) -> str:
        if self.stored_key not in ("", self.name.text()) and not self._removes_key and not key:
            raise ValueError("The key is saved under the old name. Enter it again, or remove it.")
        return key

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
            self.key.explain("This address is not encrypted (http): others on the network could read the key.")
        elif self._removes_key and not self.key.text():
            self.key.explain("The key will be removed.")
        else:
            self.key.explain(self._key_storage)

    def _remove_key(self) -> None:
        self._removes_key = True
        self.key.edit.clear()
        self.key.edit.setPlaceholderText(key_hint(self.chosen_kind(), has_key=False))
        self.remove_key.hide()
        self._hint_at_key()
