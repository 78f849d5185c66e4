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

from .field import Field
from .named_forms import Forms
from .section import Section, note
from .server_finder import ServerFinder
from .server_form import ServerForm, models_of

SERVERS_NOTE = "Providers that need a key, and servers on this computer or your network."


class ServersSection(Section):
    """Signals: changed, when a name or the models are no longer the same; grown(QWidget), by something that is to
    be brought into view; proposals_wanted(ServerKind), answered by `propose`."""

    changed = Signal()
    grown = Signal(object)
    proposals_wanted = Signal(object)

    def __init__(self, read: SettingsRead) -> None:
        self.add_server = Button("+ Add a server")
        self.finder = ServerFinder(self.add_server)
        super().__init__("Servers", note(SERVERS_NOTE), self.finder)
        self._forms = Forms[ServerForm](self, self.changed.emit)
        self._read = read
        self._proposed: dict[ServerKind, tuple[str, ...]] = {}
        for server in read.settings.servers:
            self._add_form(server)
        self.add_server.clicked.connect(lambda _=False: self._add_new(Server("", "", ())))
        self.finder.chosen.connect(self._add_found)

    @property
    def forms(self) -> list[ServerForm]:
        """One for each server."""
        return self._forms.all

    def written(self, settings: Settings) -> Settings:
        """With the servers. Raises ValueError for one whose window is no number."""
        return replace(settings, servers=tuple(form.server() for form in self.forms))

    def keys(self) -> dict[str, str]:
        """Keys of servers by their names."""
        return self._forms.keys()

    def first_wrong(self) -> QWidget | None:
        """Says beside each field what is wrong with it."""
        return next(iter(self._forms.wrong()), None)

    def names(self) -> set[str]:
        """Those of all servers, as they are written."""
        return {form.name.text() for form in self.forms}

    def renamed(self, model: str) -> str:
        """The model's id; it follows its server to a new name."""
        server, slash, name = model.partition("/")
        for form in self.forms:
            if slash and form.original.name == server and form.name.text():
                return f"{form.name.text()}/{name}"
        return model

    def is_gone(self, model: str) -> bool:
        """Whether the server that the model belonged to was removed here."""
        server, slash, _ = model.partition("/")
        return bool(slash) and server not in {form.original.name or form.name.text() for form in self.forms}

    def is_set_up(self, model: str) -> bool:
        """Whether one of the servers has that model."""
        server, _, name = self.renamed(model).partition("/")
        return any(form.name.text() == server and name in models_of(form.models.text()) for form in self.forms)

    def field_of(self, setting: str) -> Field | None:
        """The field of that setting, "servers/NAME/FIELD"; None if there is none."""
        section, _, rest = setting.partition("/")
        name, _, field = rest.rpartition("/")
        form = next((form for form in self.forms if section == "servers" and form.original.name == name), None)
        return form.field(field) if form is not None else None

    def show_found(self, servers: Sequence[Server]) -> None:
        """Offers what was found and has no form yet."""
        self.finder.show_found(servers, [form.place() for form in self.forms])
        self.grown.emit(self.finder)

    def propose(self, kind: ServerKind, models: tuple[str, ...]) -> None:
        """Names of models that servers of that kind have."""
        self._proposed[kind] = models
        for form in self.forms:
            if form.chosen_kind() == kind:
                form.offer_models(models)

    def showEvent(self, event: QShowEvent) -> None:
        """Asks for proposals only once there is somebody to see them."""
        super().showEvent(event)
        for form in self.forms:
            self._offer_models(form)

    def _offer_models(self, form: ServerForm) -> None:
        kind = form.chosen_kind()
        form.offer_models(self._proposed.get(kind, ()))
        if kind not in self._proposed and self.isVisible():
            self.proposals_wanted.emit(kind)

    def _add_form(self, server: Server) -> ServerForm:
        form = ServerForm(server, server.name in self._read.servers_with_key, self._read.key_storage)
        form.kind.currentIndexChanged.connect(lambda _: self._offer_models(form))
        for field in (form.name, form.models):
            field.edit.textChanged.connect(lambda _: self.changed.emit())
        self._forms.add(form)
        self._offer_models(form)
        return form

    def _add_new(self, server: Server) -> ServerForm:
        form = self._add_form(Server("", "", ()))  # not that server itself: an old key of its name is not its own
        form.fill(server)
        form.name.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.grown.emit(form)
        self.changed.emit()
        return form

    def _add_found(self, server: Server) -> None:
        """A second one of the same name is called "NAME 2"."""
        taken, name, number = self.names(), server.name, 2
        while name in taken:
            name, number = f"{server.name} {number}", number + 1
        self._add_new(replace(server, name=name))
