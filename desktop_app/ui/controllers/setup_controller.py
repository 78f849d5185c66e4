"""How the open conversation is held, and conversations that begin with a persona."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from desktop_app.conversation.setup import Persona
from desktop_app.engine import protocol as p
from desktop_app.settings import Settings
from desktop_app.ui.bridge import Bridge, in_task
from desktop_app.ui.parts import Parts

from .controller import Controller
from .conversation_controller import ConversationController
from .settings_controller import SettingsController

if TYPE_CHECKING:
    from desktop_app.ui.persona_palette import PersonaPalette
    from desktop_app.ui.settings.setup_sheet import SetupSheet


class SetupController(Controller):
    """Shows and changes how the open conversation is held; stores personas, and begins conversations with them."""

    def __init__(
        self, bridge: Bridge, parts: Parts, chat: ConversationController, settings: SettingsController
    ) -> None:
        super().__init__(bridge, parts, chat)
        self._settings = settings
        self._sheet: SetupSheet | None = None
        self._palette: PersonaPalette | None = None
        self.personas: tuple[Persona, ...] = ()
        parts.chat_pane.welcome.persona_chosen.connect(self.apply)

    def use(self, settings: Settings) -> None:
        """Offer the personas of these settings from now on."""
        self.personas = settings.personas
        self._parts.chat_pane.welcome.show_personas([persona.name for persona in settings.personas])

    @in_task
    async def open(self) -> None:
        """Open the sheet of the open conversation."""
        from desktop_app.ui.settings.sections import policies_offered
        from desktop_app.ui.settings.setup_sheet import SetupSheet

        conversation = self._chat.conversation
        listed = self._parts.sidebar.list.conversations
        info = listed.info_of(conversation)
        if self._sheet is not None or info is None:
            return
        read = await self._bridge.ask(p.ReadSetup(conversation))
        settings = (await self._bridge.ask(p.ReadSettings())).settings
        if self._sheet is not None or self._chat.conversation != conversation:
            return
        here = Persona(info.title, model=info.model, folder=info.folder, policy=info.policy)
        name = self._parts.header.model_name
        policies = [(text, value) for value, text in policies_offered(settings)]
        project = listed.project(info.project)
        sheet = self._sheet = SetupSheet(read, here, policies, settings.personas, name, self._parts, project=project)
        sheet.save_requested.connect(lambda written: self._change(conversation, written))
        sheet.persona_saved.connect(self._keep)
        sheet.persona_removed.connect(self._remove)
        sheet.finished.connect(self._forget_sheet)
        await sheet.open_gradually()

    def offer_personas(self) -> None:
        """Offer the personas for a new conversation."""
        from desktop_app.ui.persona_palette import PersonaPalette

        if self._palette is None:
            self._palette = PersonaPalette(self._parts)
            self._palette.persona_chosen.connect(self.begin)
        self._palette.offer(self.personas)
        self._palette.open()

    def begin(self, name: str) -> None:
        """Begin a conversation with that persona."""
        self._chat.open_with(p.CreateConversation(persona=name))

    def apply(self, name: str) -> None:
        """Let the open conversation be held as that persona is."""
        persona = next((persona for persona in self.personas if persona.name == name), None)
        if persona is not None and self._chat.conversation:
            self._change(self._chat.conversation, replace(persona, setup=replace(persona.setup, persona=name)))

    def _change(self, conversation: str, written: Persona) -> None:
        setup, folder, policy = written.setup, written.folder, written.policy
        self._chat.open_with(p.ChangeSetup(conversation, setup, written.model or None, folder, policy))

    @in_task
    async def _keep(self, persona: Persona) -> None:
        await self._change_personas(lambda known: (*_without(known, persona.name), persona))

    @in_task
    async def _remove(self, name: str) -> None:
        await self._change_personas(lambda known: _without(known, name))

    async def _change_personas(self, change: Callable[[tuple[Persona, ...]], tuple[Persona, ...]]) -> None:
        await self._settings.change(lambda settings: replace(settings, personas=change(settings.personas)))

    def _forget_sheet(self) -> None:
        if self._sheet is not None:
            self._sheet.deleteLater()
        self._sheet = None


def _without(personas: tuple[Persona, ...], name: str) -> tuple[Persona, ...]:
    return tuple(persona for persona in personas if persona.name != name)
