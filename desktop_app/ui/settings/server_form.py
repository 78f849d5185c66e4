"""The form of a model server: kind, address, key, models with their limits, and a test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.addresses import host_of, is_local, runs_models
from desktop_app.conversation.model_servers import CheckResult, CheckState, KeyPlace, ModelOffer
from desktop_app.conversation.words import translatable
from desktop_app.settings import HEADER_NAME, OWN_HEADERS, Cloud, Server, ServerKind, header_key, is_secret_header
from desktop_app.ui.model_words import probe_price, result_words
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import Button, LinkButton
from desktop_app.ui.widgets.layouts import discard, horizontal, vertical
from desktop_app.ui.widgets.look import BOLD, Tint, scale
from desktop_app.ui.widgets.text_label import TextLabel

from .entries import Choice, Field, FormEntry, LongText, note, row_of
from .forms import Form
from .limits import format_limit, parse_window
from .model_choice import ModelChoice

MARKS: dict[CheckState, tuple[str, Tint]] = {
    "good": ("✓", "ok"),
    "unsure": ("!", "warning"),
    "bad": ("✗", "critical"),
}


class CheckPane(QWidget):
    """A test of a server, with its results. Signals: start_requested, stop_requested."""

    start_requested = Signal()
    stop_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.is_running = False
        self.button = Button(tr("Test"))
        self.button.reserve_width_for(tr("Test"), tr("Stop"))
        self.about = note("")
        self.lines: list[QWidget] = []
        self._column = vertical(spacing=4)
        head = horizontal(self.button, (self.about, 1), spacing=12)
        vertical(head, self._column, holder=self, spacing=8)
        self.button.clicked.connect(self._press)

    def begin(self) -> None:
        """Show that a test is running."""
        for line in self.lines:
            discard(line)
        self.lines = []
        self._set_running(True)

    def add(self, results: Sequence[CheckResult]) -> None:
        """Append results."""
        for result in results:
            mark, tint = MARKS[result.state]
            line = QWidget()
            sign = TextLabel(mark, size=13, weight=BOLD, tint=tint)
            sign.setFixedWidth(scale(14))
            words = TextLabel(result_words(result), size=13, wraps=True)
            horizontal((sign, 0, Qt.AlignmentFlag.AlignTop), (words, 1), holder=line, spacing=8)
            self.lines.append(line)
            self._column.addWidget(line)

    def end(self) -> None:
        """Show that the test is over."""
        self._set_running(False)

    def _press(self) -> None:
        (self.stop_requested if self.is_running else self.start_requested).emit()

    def _set_running(self, is_running: bool) -> None:
        self.is_running = is_running
        self.button.setText(tr("Stop") if is_running else tr("Test"))


class KindInfo(msgspec.Struct, frozen=True):
    """A kind of server."""

    label: str
    name: str  # proposed for a new server
    address: str = ""  # the default address; "" if the user must enter one
    variable: str = ""  # the environment variable with its key; "" for none
    is_local: bool = False  # whether it runs on the user's machine, usually without a key


# The addresses and variables are the same as in models/endpoint.py; a test compares them.
KINDS: dict[ServerKind, KindInfo] = {
    "openai_compatible": KindInfo(translatable("Any OpenAI-compatible server"), ""),
    "anthropic": KindInfo(
        "Anthropic", "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY"
    ),
    "openai": KindInfo("OpenAI", "openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "openrouter": KindInfo(
        "OpenRouter", "openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"
    ),
    "gemini": KindInfo(
        "Google Gemini", "gemini", "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY"
    ),
    "moonshot": KindInfo(
        "Moonshot (Kimi)", "moonshot", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"
    ),
    "ollama": KindInfo("Ollama", "ollama", "http://127.0.0.1:11434", is_local=True),
    "lm_studio": KindInfo("LM Studio", "lmstudio", "http://127.0.0.1:1234/v1", is_local=True),
    "llama_cpp": KindInfo("llama.cpp", "llamacpp", "http://127.0.0.1:8080/v1", is_local=True),
    "vllm": KindInfo("vLLM", "vllm", "http://127.0.0.1:8000/v1", is_local=True),
    "azure": KindInfo("Azure OpenAI", "azure", variable="AZURE_OPENAI_API_KEY"),
    "bedrock": KindInfo("Amazon Bedrock", "bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com"),
    "vertex": KindInfo("Google Vertex AI", "vertex", "https://aiplatform.googleapis.com"),
}  # fmt: skip


KEYS_OF_CLOUDS: dict[ServerKind, str] = {
    "azure": translatable("leave empty to use AZURE_OPENAI_API_KEY, or to sign in with Entra"),
    "bedrock": translatable("leave empty to use AWS’s variables or the profile"),
    "vertex": translatable("leave empty to use Google’s credentials"),
}
CLOUD_FIELDS: dict[ServerKind, tuple[str, ...]] = {
    "azure": ("api_version",),
    "bedrock": ("region", "profile"),
    "vertex": ("project", "region", "profile"),
}
"""The fields of `Cloud` that each platform needs."""


def address_hint(kind: ServerKind) -> str:
    """Return the placeholder for the address."""
    if kind == "azure":
        return "https://NAME.openai.azure.com"
    if kind in CLOUD_FIELDS:
        return tr("leave empty for the region’s address")
    address = KINDS[kind].address
    return tr("leave empty for {address}").format(address=address) if address else "http://localhost:1234/v1"


KEY_HINTS: dict[KeyPlace, str] = {
    "stored": translatable("A key is saved; type to replace it"),
    "session": translatable("A key is known until you quit; type to replace it"),
    "environment": translatable("The key in the environment is used; type to use another"),
}


def key_hint(kind: ServerKind, place: KeyPlace) -> str:
    """Return the placeholder for the key. place: where the key is stored."""
    info = KINDS[kind]
    if place:
        return tr(KEY_HINTS[place])
    if kind in KEYS_OF_CLOUDS:
        return tr(KEYS_OF_CLOUDS[kind])
    if info.variable:
        return tr("leave empty to use {variable}").format(variable=info.variable)
    return tr("usually not needed") if info.is_local else tr("only if the server needs one")


def address_of(server: Server) -> str:
    """Return the server's address, or the default of its kind; "" if neither is known."""
    return server.base_url or KINDS[server.kind].address


def host_and_port(server: Server) -> str:
    """Return the host and port, which identify a server whatever its path and kind; "" if unknown."""
    address = address_of(server)
    authority = urlsplit(address).netloc.lower()
    return authority.replace("localhost", "127.0.0.1") if is_local(address) else authority


def parse_address(address: str) -> str:
    """Return a base URL without a trailing slash. Raises ValueError if it has no host."""
    if not host_of(address):
        raise ValueError(tr("Enter the full address, such as http://localhost:1234/v1."))
    return address.rstrip("/")


SAVED = "••••••"
"""The value that a secret header has in the form, where it is stored."""
HEADERS_NOTE = translatable(
    "One on each line, as “Name: value”; sent with every request. Values of names that sound secret are kept like keys."
)
PATIENCE_NOTE = translatable("Seconds; empty for as long as a server nearby takes, and two minutes for others.")


class HeaderLines(LongText):
    """Headers of each request, one on each line. Secret values are never shown, only replaced."""

    def __init__(self, server: Server, new_name: Callable[[], str]) -> None:
        """new_name: returns the name that the server will have."""
        values = {name: SAVED if is_secret_header(name) else value for name, value in server.headers.items()}
        lines = (f"{name}: {value}" for name, value in values.items())
        super().__init__("headers", tr("Headers"), "\n".join(lines), 2, tr(HEADERS_NOTE))
        self._original, self._name, self._new_name = server.headers, server.name, new_name

    def value(self) -> dict[str, str]:
        """Return the headers for the settings, without secret values. Raises ValueError."""
        return {name: self._kept(name, value) for name, value in self._written().items()}

    def as_written(self) -> dict[str, str]:
        """Return the headers to send, with the secret values that were entered. Raises ValueError."""
        return {
            name: self._original.get(name, "") if value == SAVED else value for name, value in self._written().items()
        }

    def stored_keys(self) -> tuple[str, ...]:
        """Return the names under which secret values are stored."""
        return tuple(header_key(self._name, name) for name in self._original if is_secret_header(name))

    def secrets(self) -> dict[str, str]:
        """Return the secret values to store, by the name under which they are stored; "" removes one."""
        try:
            written = self._written()
        except ValueError:
            return {}
        secret = {
            header_key(self._new_name(), name): value for name, value in written.items() if is_secret_header(name)
        }
        removed = {name: "" for name in self.stored_keys() if name not in secret}
        return removed | {name: value for name, value in secret.items() if value != SAVED}

    def _kept(self, name: str, value: str) -> str:
        if value == SAVED:
            return self._original.get(name, "")
        return "" if is_secret_header(name) else value

    def _written(self) -> dict[str, str]:
        headers: dict[str, str] = {}
        for line in filter(None, map(str.strip, self.area.toPlainText().splitlines())):
            name, colon, value = (part.strip() for part in line.partition(":"))
            if not colon or not value or not HEADER_NAME.fullmatch(name):
                raise ValueError(tr("Write each header as “Name: value”, on a line of its own."))
            if name.lower() in OWN_HEADERS:
                raise ValueError(tr("{name} belongs to the connection, and cannot be set.").format(name=name))
            if value == SAVED and (name not in self._original or self._new_name() != self._name):
                raise ValueError(
                    tr("The value of {name} is not saved under this name. Enter it again.").format(name=name)
                )
            headers[name] = value
        return headers


class CloudFields(FormEntry):
    """The place of a server in Azure, Bedrock or Vertex: the fields that its kind needs, side by side."""

    def __init__(self, cloud: Cloud) -> None:
        self._original = cloud
        self.fields = {
            "project": Field("", tr("Project"), cloud.project, tr("the credentials’ project")),
            "region": Field("", tr("Region"), cloud.region),
            "profile": Field("", tr("Profile"), cloud.profile),
            "api_version": Field("", tr("Version of the API"), cloud.api_version, "2024-10-21"),
        }
        row = row_of(tuple(self.fields.values()))
        super().__init__("cloud", "", row)
        for field in self.fields.values():
            field.changed.connect(self.changed)

    def show_for(self, kind: ServerKind) -> None:
        """Show the fields that the kind needs, and hide the others."""
        names = CLOUD_FIELDS.get(kind, ())
        for name, field in self.fields.items():
            field.setVisible(name in names)
        self.setVisible(bool(names))
        is_vertex = kind == "vertex"
        region, profile = self.fields["region"], self.fields["profile"]
        region.edit.setPlaceholderText("global" if is_vertex else "us-east-1")
        profile.label.set_text(tr("File of credentials") if is_vertex else tr("Profile"))
        profile.edit.setAccessibleName(profile.label.text())
        profile.edit.setPlaceholderText("key.json" if is_vertex else "default")

    def value(self) -> Cloud:
        texts = {name: field.text() for name, field in self.fields.items() if not field.isHidden()}
        return Cloud(**texts)


def parse_patience(text: str) -> int:
    """Return the seconds; 0 for none. Raises ValueError."""
    if text and not text.isdecimal():
        raise ValueError(tr("Enter a number of seconds, or nothing."))
    return int(text or 0)


class ServerForm(Form[Server]):
    """Edits one model server."""

    def __init__(self, server: Server, key_place: KeyPlace, key_storage: str) -> None:
        """key_storage: a sentence that says where keys are kept."""
        key = Field("", tr("Key"), "", key_hint(server.kind, key_place), self._parse_key, key_storage)
        super().__init__(server, server.name, tr("for example lmstudio"), tr("New server"), key)
        self.stored_key = server.name if key_place else ""
        self._key_place: KeyPlace = key_place
        self._key_storage, self._removes_key = key_storage, False
        self.kind = Choice("kind", "", [(tr(info.label), kind) for kind, info in KINDS.items()], server.kind)
        self.kind.select.setAccessibleName(tr("Kind of server"))
        hint = address_hint(server.kind)
        self.address = Field("base_url", tr("Base URL"), server.base_url, hint, self._parse_address)
        self.models = ModelChoice(server)
        window = format_limit(server.window)
        hint = tr("128K, or leave empty to ask the server")
        self.window_size = Field("window", tr("Context window of all its models (tokens)"), window, hint, parse_window)
        self.patience = Field(
            "patience",
            tr("Longest wait for the first word"),
            str(server.patience or ""),
            tr("for example 600"),
            parse_patience,
            tr(PATIENCE_NOTE),
        )
        self.cloud = CloudFields(server.cloud)
        self.headers = HeaderLines(server, self.name.text)
        self.remove_key = LinkButton(tr("Remove key"))
        self.check_pane = CheckPane()
        self.column.addLayout(horizontal((self.title, 1), self.remove))
        self._where = row_of((self.name, self.address))
        access = (self.kind, self.cloud, self.key, self.remove_key)
        self.add_rows(*access, self.models, self._where, self.window_size, self.patience)
        self.add_rows(self.headers, self.check_pane)
        self.cloud.show_for(server.kind)
        self.remove_key.setVisible(key_place in ("stored", "session"))
        self.remove_key.clicked.connect(self._remove_key)
        self.kind.changed.connect(self._adapt_to_kind)
        for field in (self.address, self.key):
            field.changed.connect(self._hint_at_key)
        for signal in (self.models.current_changed, self.models.changed, self.address.changed, self.kind.changed):
            signal.connect(self._tell_price)
        self._tell_price()
        self._place_address()

    def used_entries(self) -> list[FormEntry]:
        places = [self.kind, self.name, self.address, self.cloud, self.key, self.models]
        return [*places, self.window_size, self.patience, self.headers]

    def blank(self) -> Server:
        return Server("", "", (), max_output=self.original.max_output)

    def is_blank(self) -> bool:
        """Return whether it is a new form with empty fields."""
        written = self.name.text() or self.address.text() or self.key.text() or self.models.names()
        return not (self.original.name or written)

    def location(self) -> Server:
        """Return a server with only the kind and the address, valid or not."""
        return Server("", self.address.text(), (), kind=self.chosen_kind(), cloud=self.cloud.value())

    def as_written(self) -> Server:
        """Return the server to send requests to: with the valid limits, and no models."""
        server = replace(self.location(), name=self.name.text() or tr("The server"))
        with suppress(ValueError):
            server = replace(server, limits=self.models.limits_written())
        with suppress(ValueError):
            server = self.window_size.write(server)
        with suppress(ValueError):
            server = replace(server, headers=self.headers.as_written())
        return replace(server, max_output=self.original.max_output)

    def key_to_use(self) -> tuple[str, str]:
        """Return the entered key, and the name of the stored key to use if it is ""."""
        return self.key.text(), "" if self._removes_key else self.stored_key

    def field(self, name: str, model: str = "") -> QWidget | None:
        """Return the widget to focus for the field that a failure names; None if there is none.

        model: the model whose window is meant, if it is chosen; otherwise, the window of all models is.
        """
        if name == "window" and (edit := self.models.window_of(model)) is not None:
            return edit
        found = {"address": self.address, "key": self.key, "models": self.models, "window": self.window_size}.get(name)
        return found.edit if found is not None else None

    def fill(self, server: Server) -> None:
        """Fill in the fields from a server."""
        self.kind.select.choose(server.kind)
        self.name.edit.setText(server.name)
        self.address.edit.setText(server.base_url)
        self.models.set_names(server.models)

    def offer_models(self, names: tuple[str, ...]) -> None:
        """Offer names of models until the server's list is fetched."""
        self.models.show_offers([ModelOffer(name) for name in names], is_fetched=False)

    def show_fetched(self, offers: Sequence[ModelOffer], results: Sequence[CheckResult]) -> None:
        """Show the server's list of models, or why there is none."""
        self.models.set_fetching(False)
        if offers:
            self.models.show_offers(offers)
        last = results[-1] if results else None
        words = "" if last is None else result_words(last)
        is_good = last is None or last.state == "good"
        is_key = last is not None and last.kind == "key" and not is_good
        self.models.explain("" if is_key else words, is_error=not is_good)
        if is_key:
            self.key.explain(words, is_error=True)
            self.key.edit.setFocus(Qt.FocusReason.OtherFocusReason)
            self.key.edit.selectAll()
        else:
            self._hint_at_key()

    def chosen_kind(self) -> ServerKind:
        return next(kind for kind in KINDS if kind == self.kind.chosen())

    def stored_keys(self) -> tuple[str, ...]:
        return (*super().stored_keys(), *self.headers.stored_keys())

    def keys(self) -> dict[str, str]:
        removed = {self.stored_key: ""} if self._removes_key else {}
        return removed | super().keys() | self.headers.secrets()

    def _parse_name(self, name: str) -> str:
        if name == "builtin":
            raise ValueError(tr("The built-in model has this name."))
        return super()._parse_name(name)

    def _parse_address(self, address: str) -> str:
        has_default = bool(KINDS[self.chosen_kind()].address) and not address
        return "" if has_default else parse_address(address)

    def _parse_key(self, key: str) -> str:
        if self.stored_key not in ("", self.name.text()) and not self._removes_key and not key:
            raise ValueError(tr("The key is saved under the old name. Enter it again, or remove it."))
        return key

    def first_field(self) -> QWidget:
        """Return the field that the kind needs first: its address, its key, or its models."""
        info = KINDS[self.chosen_kind()]
        return (self.models if info.is_local else self.key if info.address else self.address).edit

    def _place_address(self) -> None:
        """Place the address at the top if it must be entered, and otherwise below the models."""
        self.column.removeWidget(self._where)
        has_default = bool(KINDS[self.chosen_kind()].address) and not self.address.text()
        above = self.models if has_default else self.kind
        self.column.insertWidget(self.column.indexOf(above) + 1, self._where)

    def _adapt_to_kind(self) -> None:
        """Propose the defaults of the kind; a name that the user has entered stays."""
        kind = self.chosen_kind()
        self.cloud.show_for(kind)
        self._place_address()
        if self.name.text() in {"", *(other.name for other in KINDS.values())} and not self.original.name:
            self.name.edit.setText(KINDS[kind].name)
        self.address.edit.setPlaceholderText(address_hint(kind))
        self.key.edit.setPlaceholderText(key_hint(kind, "" if self._removes_key else self._key_place))
        self._hint_at_key()

    def _tell_price(self) -> None:
        name = self.models.current()
        offer, place = self.models.offer_of(name), address_of(self.location())
        is_free = runs_models(self.chosen_kind(), place, name, is_known=offer is not None and offer.runs_here)
        self.check_pane.button.setEnabled(bool(name))
        price = probe_price(offer.price if offer else None, is_free)
        self.check_pane.about.set_text(f"{name}: {price}" if name else tr("Choose a model to test the server with."))

    def _hint_at_key(self) -> None:
        address = self.address.text()
        is_plain = address.lower().startswith("http://") and not is_local(address)
        if self.key.text() and is_plain:
            self.key.explain(tr("This address is not encrypted (http): others on the network could read the key."))
        elif self._removes_key and not self.key.text():
            self.key.explain(tr("The key will be removed."))
        else:
            self.key.explain(self._key_storage)

    def _remove_key(self) -> None:
        self._removes_key = True
        self.key.edit.clear()
        self.key.edit.setPlaceholderText(key_hint(self.chosen_kind(), ""))
        self.remove_key.hide()
        self._hint_at_key()
