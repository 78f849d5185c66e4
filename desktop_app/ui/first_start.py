"""The controller of the welcome page: servers that were found, samples, and hints at the important widgets."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtWidgets import QWidget

from desktop_app.engine import protocol as p
from desktop_app.paths import RESOURCES
from desktop_app.settings import Server, Settings

from .bridge import Bridge, EngineFailure, in_task
from .composer.composer import Composer
from .context_panel.context_gauge import ContextGauge
from .context_panel.context_panel import ContextPanel
from .controller import Controller
from .header import Header
from .importing.import_controller import ImportController
from .settings.settings_controller import BUILTIN, SettingsController
from .toast import Toast
from .transcript.conversation_controller import ConversationController
from .transcript.transcript_model import TranscriptModel
from .translation import tr
from .welcome import WelcomePage
from .widgets.ring import Ring


class FirstStart(Controller):
    """Looks for servers while none is set up, and carries out what the welcome page offers."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        importing: ImportController,
        settings: SettingsController,
        welcome: WelcomePage,
        model: TranscriptModel,
        composer: Composer,
        header: Header,
        gauge: ContextGauge,
        panel: ContextPanel,
        toast: Toast,
    ) -> None:
        super().__init__(bridge, chat)
        self._welcome, self._model = welcome, model
        self._composer, self._header, self._gauge, self._panel, self._toast = composer, header, gauge, panel, toast
        self._importing, self._settings = importing, settings
        self._has_servers = True
        self._refused = ""  # the id of a model that could not be used yet, for example because of a wrong key
        settings.models_added.connect(self.use_added)
        chat.opened.connect(self.note_opened)
        welcome.found.chosen.connect(self.use_server)
        welcome.samples.chosen.connect(self.open_sample)
        welcome.places.chosen.connect(self.point_at)

    def use(self, settings: Settings) -> None:
        """Apply the settings: servers that were found are offered until one is set up."""
        self._has_servers = bool(settings.servers)
        for about_builtin in (self._welcome.builtin, self._welcome.offer):
            about_builtin.setVisible(not self._has_servers)
        if self._has_servers:
            self._welcome.show_found(())
        if self._refused:
            self.use_added((self._refused,))

    @in_task
    async def note_opened(self, opened: p.ConversationOpened) -> None:
        """Offer the servers that are found. Look again for each empty conversation: one may have been started since."""
        if self._has_servers or opened.conversation.messages:
            return
        try:
            found = (await self._bridge.ask(p.FindServers())).servers
        except EngineFailure:  # it died, which is reported; when it is back, the conversation is opened again
            return
        if not self._has_servers:
            self._welcome.show_found(found)

    @in_task
    async def use_server(self, server: Server) -> None:
        """Set a server up and use its first model; if it has no model, open the settings to choose one."""
        if not server.models:
            self._settings.open("servers")
            return
        model = f"{server.name}/{server.models[0]}"
        await self._settings.change(lambda settings: with_server(settings, server, model))
        await self._answer_with(model)

    @in_task
    async def use_added(self, models: tuple[str, ...]) -> None:
        """Use a model that was added, if the conversation is blank and uses the built-in one; otherwise offer it."""
        model, self._refused = models[0], ""
        if self._model.is_blank and self._header.model_id == BUILTIN:
            await self._answer_with(model)
            return
        name = model.partition("/")[2]
        if len(models) == 1:
            text, use = tr("{model} was added.").format(model=name), tr("Use it here")
        else:
            text, use = tr("%n models were added.", "", len(models)), tr("Use {model} here").format(model=name)
        self._toast.show_message(text, use, lambda: self._bridge.start(self._answer_with(model)))

    async def _answer_with(self, model: str) -> None:
        self._composer.take_focus()
        self._refused = model
        if self._chat.conversation:
            await self._chat.use_model(model)
        self._refused = ""
        text = tr("{model} answers from now on. Others are in the header.").format(model=model.partition("/")[2])
        self._toast.show_message(text)

    def open_sample(self, name: str) -> None:
        """Import a sample, and open it in place of the empty conversation that offered it."""
        self._importing.import_files([str(RESOURCES / "samples" / name)])

    def point_at(self, name: str) -> None:
        """Ring a widget: the "gauge", the button that optimizes ("optimize"), or the "history"."""
        if name == "history":
            self._panel.open_tab(name)
        places: dict[str, QWidget] = {
            "gauge": self._gauge.bar, "optimize": self._gauge.optimize, "history": self._panel.tabs,
        }  # fmt: skip
        Ring(places[name])


def with_server(settings: Settings, server: Server, model: str) -> Settings:
    """Return the settings with that server; its model answers in new conversations if no other was chosen."""
    chosen = model if settings.chat_model == BUILTIN else settings.chat_model
    return replace(settings, servers=(*settings.servers, server), chat_model=chosen)
