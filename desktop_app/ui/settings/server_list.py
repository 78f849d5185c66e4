"""The list of model servers in the settings, and the search for servers."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.model_servers import ModelOffer, ModelPrice
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import ModelsListed, SettingsRead
from desktop_app.settings import Server, ServerKind, Settings
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.buttons import Button, LinkButton
from desktop_app.ui.widgets.layouts import STRETCH, FlowLayout, discard, horizontal, vertical
from desktop_app.ui.widgets.text_label import TextLabel

from .entries import note
from .forms import FormList
from .server_form import KINDS, ServerForm, host_and_port

SERVERS_NOTE = translatable("Providers that need a key, and servers on this computer or your network.")
OTHER: ServerKind = "openai_compatible"
OTHER_SERVER = translatable("Another server…")
FIND, FINDING = translatable("Find servers"), translatable("Looking…")
NOTHING = translatable(
    "No new servers found: nothing else answers on the usual ports of this computer, and the environment holds no "
    "other provider’s key."
)


def server_summary(server: Server) -> str:
    """Return a one-line description of a found server: name, address or variable of its key, number of models."""
    key = tr("key in {variable}").format(variable=KINDS[server.kind].variable)
    where = server.base_url.removesuffix("/v1") or key
    models = tr("%n models", "", len(server.models)) if server.models else tr("no models listed")
    return f"{server.name} · {where} · {models}"


def offer_of(model: ModelInfo, price: ModelPrice | None, *, runs_here: bool) -> ModelOffer:
    """Return a model that is set up in the form in which its server would list it."""
    name, abilities = model.id.partition("/")[2], (model.supports_tools, model.supports_vision)
    return ModelOffer(
        name, model.window, model.max_output, *abilities, price, model.window_source, runs_here, model.learned
    )


class FoundRow(QWidget):
    """A server that was found, with a button that adds it."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self.server = server
        self.add = LinkButton(tr("Add"))
        self.add.setAccessibleName(tr("Add {name}").format(name=server.name))
        label = TextLabel(server_summary(server), size=13, wraps=True)
        horizontal((label, 1), (self.add, 0, Qt.AlignmentFlag.AlignTop), holder=self, spacing=12)


class ProviderChoice(QWidget):
    """The kinds of server to choose from when adding one. Signal: chosen(ServerKind)."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.buttons: dict[ServerKind, Button] = {}
        for kind, info in KINDS.items():
            button = self.buttons[kind] = Button(tr(OTHER_SERVER if kind == OTHER else info.label))
            button.clicked.connect(lambda _=False, kind=kind: self.chosen.emit(kind))
        local = [button for kind, button in self.buttons.items() if KINDS[kind].is_local]
        remote = [b for kind, b in self.buttons.items() if not KINDS[kind].is_local and kind != OTHER]
        self.first = remote[0]
        vertical(
            note(tr("With a key from the provider")),
            FlowLayout(*remote),
            note(tr("On this computer or your network")),
            FlowLayout(*local, self.buttons[OTHER]),
            holder=self,
            spacing=8,
        )


class ServerList(FormList[ServerForm]):
    """The forms of all model servers.

    Signals: find_requested, answered by `show_found` or `end_search`; proposals_requested(ServerKind), answered by
    `propose`; fetch_requested(ServerForm), test_requested(ServerForm) and stop_requested, answered by the
    form; forget_requested(ServerForm), answered by `show_known`.
    """

    find_requested = Signal()
    proposals_requested = Signal(object)
    fetch_requested = Signal(object)
    test_requested = Signal(object)
    forget_requested = Signal(object)
    stop_requested = Signal()

    def __init__(self, read: SettingsRead) -> None:
        self.add_server = Button(tr("+ Add a server"))
        self.find_button = Button(tr(FIND))
        self.status = note("")
        self.status.hide()
        self.found: list[FoundRow] = []
        self.providers = ProviderChoice()
        below = QWidget()
        buttons = horizontal(self.add_server, self.find_button, STRETCH, spacing=10)
        self._found_column = vertical(buttons, self.providers, self.status, holder=below, spacing=8)
        super().__init__("servers", tr(SERVERS_NOTE), below, tr("No server is set up yet."))
        self._read = read
        self._proposed: dict[ServerKind, tuple[str, ...]] = {}
        self.add_server.clicked.connect(self._offer_providers)
        self.providers.chosen.connect(self._add_kind)
        self.providers.setVisible(not read.settings.servers)
        self.find_button.clicked.connect(self._find)

    def add_form(self, server: Server) -> ServerForm:
        """Add a form that edits this server."""
        storage = tr("Keys are kept {place}.").format(place=tr_engine(self._read.key_storage))
        form = ServerForm(server, self._read.key_place(server.name), storage)
        form.kind.changed.connect(lambda: self._offer_models(form))
        for field in (form.name, form.models):
            field.changed.connect(self.changed)
        form.models.fetch_requested.connect(lambda: self._fetch(form))
        form.check_pane.start_requested.connect(lambda: self.test_requested.emit(form))
        form.check_pane.stop_requested.connect(self.stop_requested)
        form.models.forget_requested.connect(lambda: self.forget_requested.emit(form))
        self.add(form)
        self._offer_models(form)
        return form

    def write(self, settings: Settings) -> Settings:  # type: ignore[override]
        """Return the settings with these servers. Chosen models follow a renamed server."""
        roles = ("chat_model", "utility_model", "vision_model", "research_model")
        models = {role: self._follow_rename(getattr(settings, role)) for role in roles}
        return replace(settings, servers=self.value(), **models)

    def parse_model(self, model: str) -> str:
        """Return the model. Raises ValueError if its server was removed here."""
        server, slash, _ = model.partition("/")
        if slash and server not in {form.original.name or form.name.text() for form in self.forms}:
            message = tr("This model belonged to “{server}”, which was removed. Choose another model.")
            raise ValueError(message.format(server=server))
        return model

    def is_set_up(self, model: str) -> bool:
        """Return whether one of the servers has the model."""
        server, _, name = self._follow_rename(model).partition("/")
        return any(form.name.text() == server and name in form.models.names() for form in self.forms)

    def show_known(self, listed: ModelsListed) -> None:
        """Show what is known of the models that are set up."""
        for form in self.forms:
            prefix = f"{form.original.name}/"
            own = (model for model in listed.models if model.id.startswith(prefix))
            form.models.show_known(
                [offer_of(model, listed.prices.get(model.id), runs_here=model.id in listed.local) for model in own]
            )

    def _fetch(self, form: ServerForm) -> None:
        form.models.set_fetching(True)
        self.fetch_requested.emit(form)

    def go_to(self, setting: str) -> QWidget | None:
        """Return the widget to focus for "servers/NAME/FIELD", or, for "servers", the one to add a model, or a provider
        if there is no server; None if there is no such field. Request what can be chosen there."""
        if setting != "servers":
            field = self.field_of(setting)
            for form in self.forms:
                if field is form.models.edit:
                    self._fetch(form)
            return field
        if self.forms:
            self._fetch(self.forms[0])
            return self.forms[0].models.edit
        self._find()
        self.providers.show()
        return self.providers.first

    def field_of(self, setting: str) -> QWidget | None:
        """Return the input of "servers/NAME/FIELD" or "servers/NAME/window/MODEL"; None if there is none."""
        section, name, field, model = (*setting.split("/", 3), "", "", "")[:4]
        form = next((form for form in self.forms if section == "servers" and form.original.name == name), None)
        return form.field(field, model) if form is not None else None

    def show_found(self, servers: Sequence[Server]) -> None:
        """Offer the servers that were found, except those whose host and port a form already has."""
        taken = {host_and_port(form.location()) for form in self.forms}
        for server in servers:
            if host_and_port(server) not in taken:
                self._add_row(server)
        self.end_search("" if self.found else tr(NOTHING))
        self.grown.emit(self.control)

    def end_search(self, message: str) -> None:
        """End the search with a message."""
        self._set_finding(False)
        self.status.set_text(message)
        self.status.setVisible(bool(message))

    def propose(self, kind: ServerKind, models: tuple[str, ...]) -> None:
        """Offer names of models that servers of that kind usually have."""
        self._proposed[kind] = models
        for form in self.forms:
            if form.chosen_kind() == kind:
                form.offer_models(models)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        for form in self.forms:
            self._offer_models(form)

    def _follow_rename(self, model: str) -> str:
        server, slash, name = model.partition("/")
        for form in self.forms:
            if slash and form.original.name == server and form.name.text():
                return f"{form.name.text()}/{name}"
        return model

    def _offer_models(self, form: ServerForm) -> None:
        kind = form.chosen_kind()
        form.offer_models(self._proposed.get(kind, ()))
        if kind not in self._proposed and self.isVisible():
            self.proposals_requested.emit(kind)

    def _find(self) -> None:
        for row in tuple(self.found):
            self._drop(row)
        self.status.hide()
        self._set_finding(True)
        self.find_requested.emit()

    def _set_finding(self, is_finding: bool) -> None:
        self.find_button.setText(tr(FINDING if is_finding else FIND))
        self.find_button.updateGeometry()
        self.find_button.setEnabled(not is_finding)

    def _add_row(self, server: Server) -> None:
        row = FoundRow(server)
        row.add.clicked.connect(lambda _=False: self._add_found(row))
        self.found.append(row)
        self._found_column.addWidget(row)

    def _drop(self, row: FoundRow) -> None:
        self.found.remove(row)
        discard(row)

    def _offer_providers(self) -> None:
        self.providers.setVisible(self.providers.isHidden() or not self.forms)
        if not self.providers.isHidden():
            self.providers.first.setFocus(Qt.FocusReason.OtherFocusReason)
            self.grown.emit(self.providers)

    def _add_kind(self, kind: ServerKind) -> None:
        """Add a server of that kind, and focus what it needs first: its key, its address, or a model."""
        self.providers.hide()
        form = self._add_new(Server(self._free_name(KINDS[kind].name), "", (), kind=kind))
        if KINDS[kind].is_local:
            self._fetch(form)
        form.first_field().setFocus(Qt.FocusReason.OtherFocusReason)

    def _add_found(self, row: FoundRow) -> None:
        """Add a found server."""
        self._drop(row)
        self._add_new(replace(row.server, name=self._free_name(row.server.name)))

    def _free_name(self, wanted: str) -> str:
        """Return the name, with a number as in "NAME 2" if a server already has it."""
        taken, name, number = {form.name.text() for form in self.forms}, wanted, 2
        while name and name in taken:
            name, number = f"{wanted} {number}", number + 1
        return name

    def _add_new(self, server: Server) -> ServerForm:
        # An empty form is used, never one for `server` itself: a key stored under its name may be another server's.
        form = next((form for form in self.forms if form.is_blank()), None) or self.add_form(Server("", "", ()))
        form.fill(server)
        self.show_new(form)
        self.changed.emit()
        return form
