"""Providers and servers of models: a form for each, and those that can be found."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from desktop_app.engine.protocol import SettingsRead
from desktop_app.settings import Server, ServerKind, Settings
from desktop_app.ui.widgets.buttons import Button

from .form_list import FormList
from .section import Field, Section, note
from .server_finder import ServerFinder
from .server_form import ServerForm, models_of

SERVERS_NOTE = "Providers that need a key, and servers on this computer or your network."


class ServersSection(Section):
    """The servers.

    Signals: changed, when a name or the models are no longer the same; grown(QWidget), by a widget that is to be
    scrolled into view; proposals_requested(ServerKind), answered by `propose`.
    """

    changed = Signal()
    grown = Signal(object)
    proposals_requested = Signal(object)

    def __init__(self, read: SettingsRead) -> None:
        """Build the section without forms: `add_form` adds them."""
        self.add_server = Button("+ Add a server")
        self.finder = ServerFinder(self.add_server)
        super().__init__("Servers", note(SERVERS_NOTE), self.finder)
        self._list = FormList[ServerForm](self, self.changed.emit)
        self._read = read
        self._proposed: dict[ServerKind, tuple[str, ...]] = {}
        self.add_server.clicked.connect(lambda _=False: self._add_new(Server("", "", ())))
        self.finder.chosen.connect(self._add_found)

    @property
    def forms(self) -> list[ServerForm]:
        return self._list.forms

    def add_form(self, server: Server) -> ServerForm:
        """Add a form that edits this server."""
        form = ServerForm(server, server.name in self._read.servers_with_key, self._read.key_storage)
        form.kind.currentIndexChanged.connect(lambda _: self._offer_models(form))
        for field in (form.name, form.models):
            field.edit.textChanged.connect(lambda _: self.changed.emit())
        self._list.add(form)
        self._offer_models(form)
        return form

    def apply_to(self, settings: Settings) -> Settings:
        """Return the settings with these servers, whose models follow them to a new name."""
        return replace(
            settings,
            servers=tuple(form.server() for form in self.forms),
            chat_model=self._follow_rename(settings.chat_model),
            utility_model=self._follow_rename(settings.utility_model),
            vision_model=self._follow_rename(settings.vision_model),
            research_model=self._follow_rename(settings.research_model),
        )

    def keys(self) -> dict[str, str]:
        return self._list.keys()

    def first_wrong(self) -> QWidget | None:
        return self._list.first_wrong()

    def is_gone(self, model: str) -> bool:
        """Return whether the server of the model was removed here."""
        server, slash, _ = model.partition("/")
        return bool(slash) and server not in {form.original.name or form.name.text() for form in self.forms}

    def is_set_up(self, model: str) -> bool:
        """Return whether one of the servers has the model."""
        server, _, name = self._follow_rename(model).partition("/")
        return any(form.name.text() == server and name in models_of(form.models.text()) for form in self.forms)

    def field_of(self, setting: str) -> Field | None:
        """Return the field of "servers/NAME/FIELD"; None if there is none."""
        section, _, rest = setting.partition("/")
        name, _, field = rest.rpartition("/")
        form = next((form for form in self.forms if section == "servers" and form.original.name == name), None)
        return form.field(field) if form is not None else None

    def show_found(self, servers: Sequence[Server]) -> None:
        """Offer the servers that were found and have no form."""
        self.finder.show_found(servers, [form.location() for form in self.forms])
        self.grown.emit(self.finder)

    def propose(self, kind: ServerKind, models: tuple[str, ...]) -> None:
        """Offer names of models that servers of that kind have."""
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

    def _add_new(self, server: Server) -> None:
        form = self.add_form(Server("", "", ()))  # not for `server`: a key that is stored under its name is not its own
        form.fill(server)
        form.name.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.grown.emit(form)
        self.changed.emit()

    def _add_found(self, server: Server) -> None:
        """Add a found server, as "NAME 2" if there is one of its name."""
        taken, name, number = {form.name.text() for form in self.forms}, server.name, 2
        while name in taken:
            name, number = f"{server.name} {number}", number + 1
        self._add_new(replace(server, name=name))
