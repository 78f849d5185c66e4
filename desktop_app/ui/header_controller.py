"""Controllers for the open conversation's settings and model, and for personas."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.listing import SwitchPreview
from desktop_app.conversation.setup import Persona
from desktop_app.engine import protocol as p
from desktop_app.settings import Settings, with_cache_of_an_hour, with_window_limit

from .bridge import Bridge, EngineFailure, in_task
from .context_panel.context_controller import ContextController
from .controller import Controller
from .header import Header
from .model_words import preview_words
from .settings.settings_controller import SettingsController
from .sidebar.conversation_model import ConversationModel
from .toast import Toast
from .transcript.conversation_controller import ConversationController
from .translation import tr
from .welcome import WelcomePage

if TYPE_CHECKING:
    from .model_picker import ModelPicker
    from .settings.setup_sheet import SetupSheet
    from .sidebar.choice_palettes import PersonaPalette


class SetupController(Controller):
    """Shows and changes the open conversation's settings; stores personas, and begins conversations with them."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        settings: SettingsController,
        window: QWidget,
        header: Header,
        welcome: WelcomePage,
        listed: ConversationModel,
    ) -> None:
        super().__init__(bridge, chat)
        self._settings = settings
        self._window, self._header, self._welcome, self._listed = window, header, welcome, listed
        self._sheet: SetupSheet | None = None
        self._palette: PersonaPalette | None = None
        self.personas: tuple[Persona, ...] = ()
        welcome.persona_chosen.connect(self.apply)

    def use(self, settings: Settings) -> None:
        """Offer the personas of these settings."""
        self.personas = settings.personas
        self._welcome.show_personas([persona.name for persona in settings.personas])

    @in_task
    async def open(self) -> None:
        """Open the settings sheet of the open conversation."""
        from .settings.sections import policies_offered
        from .settings.setup_sheet import SetupSheet

        conversation = self._chat.conversation
        info = self._listed.info_of(conversation)
        if self._sheet is not None or info is None:
            return
        read = await self._bridge.ask(p.ReadSetup(conversation))
        reset = (await self._bridge.ask(p.ReadCacheReset(conversation))).reset
        settings = (await self._bridge.ask(p.ReadSettings())).settings
        if self._sheet is not None or self._chat.conversation != conversation:
            return
        here = Persona(info.title, model=info.model, folder=info.folder, policy=info.policy)
        name = self._header.model_name
        policies = [(text, value) for value, text in policies_offered(settings)]
        project = self._listed.project(info.project)
        sheet = self._sheet = SetupSheet(read, here, policies, settings.personas, name, self._window, project=project)
        sheet.notice.show_reset(reset)
        sheet.notice.silenced.connect(self._settings.stop_warning_of_resets)
        sheet.save_requested.connect(lambda written: self._change(conversation, written))
        sheet.persona_saved.connect(self._keep)
        sheet.persona_removed.connect(self._remove)
        sheet.finished.connect(self._forget_sheet)
        await sheet.open_gradually()

    def offer_personas(self) -> None:
        """Offer the personas for a new conversation."""
        from .sidebar.choice_palettes import PersonaPalette

        if self._palette is None:
            self._palette = PersonaPalette(self._window)
            self._palette.persona_chosen.connect(self.begin)
        self._palette.offer(self.personas)
        self._palette.open()

    def begin(self, name: str) -> None:
        """Begin a conversation with that persona."""
        self._chat.open_with(p.CreateConversation(persona=name))

    def apply(self, name: str) -> None:
        """Apply a persona to the open conversation."""
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


class ModelController(Controller):
    """Opens the model picker, provides its previews, and offers to make room if the chosen model has too little."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        settings: SettingsController,
        context: ContextController,
        window: QWidget,
        header: Header,
        listed: ConversationModel,
        toast: Toast,
    ) -> None:
        super().__init__(bridge, chat)
        self._settings, self._context = settings, context
        self._window, self._header, self._listed, self._toast = window, header, listed, toast
        self._picker: ModelPicker | None = None
        self._previews: dict[str, SwitchPreview] = {}
        header.models_requested.connect(self.offer)

    @in_task
    async def offer(self, is_largest_first: bool = False) -> None:
        """Open the picker."""
        from .model_picker import ModelPicker, in_order_of_use

        self._chat.drafts.keep()  # the previews count the draft
        listed = await self._bridge.ask(p.ListModels())
        if self._picker is None:
            picker = self._picker = ModelPicker(self._window)
            picker.model_chosen.connect(self.choose)
            picker.preview_requested.connect(self._preview)
            picker.add_requested.connect(self.add)
            picker.rejected.connect(lambda: self.cancel(p.Computation.PREVIEW, self._chat.conversation))
            picker.unusable_chosen.connect(self._repair)
            picker.limit_requested.connect(self.offer_limits)
            picker.cache_chosen.connect(self.keep_cache)
        self._previews = {}
        models = in_order_of_use(listed.models, self._listed.conversations, is_largest_first=is_largest_first)
        in_use = self._header.model_id
        self._picker.offer(listed, models, in_use)
        self._picker.open()

    def add(self) -> None:
        """Open the settings where models are added: at the server of the model in use, if it has one."""
        model_id = self._header.model_id
        server, slash, _ = model_id.partition("/")
        self._settings.open(f"servers/{server}/models" if slash else "servers")

    def offer_limits(self, model_id: str) -> None:
        """Offer to use only a part of that model's window."""
        from .model_picker import WindowLimitPalette

        model = self._picker.model_of(model_id) if self._picker is not None else None
        if model is not None:
            palette = WindowLimitPalette(model, self._window)
            palette.limit_chosen.connect(self.limit_window)
            palette.finished.connect(palette.deleteLater)
            palette.open()

    @in_task
    async def limit_window(self, model_id: str, tokens: int) -> None:
        """Use at most that many tokens of the model's window, in all conversations; 0 for the policy's number."""
        await self._settings.change(lambda settings: with_window_limit(settings, model_id, tokens))

    @in_task
    async def keep_cache(self, model_id: str, is_for_an_hour: bool) -> None:
        """Have the model's provider keep the beginning of requests for an hour, or for five minutes."""
        await self._settings.change(lambda settings: with_cache_of_an_hour(settings, model_id, is_for_an_hour))

    @in_task
    async def choose(self, model_id: str) -> None:
        """Use that model, and offer to optimize if its preview says that the conversation does not fit."""
        conversation = self._chat.conversation
        if not conversation:
            return
        await self._chat.use_model(model_id)
        preview = self._previews.get(model_id) or await self._preview_of(conversation, model_id)
        if self._chat.conversation != conversation or self._header.model_id != model_id:
            return
        if preview is not None and preview.verdict in ("compact", "too_small"):
            text = f"{self._header.model_name}: {preview_words(preview)}"
            self._toast.show_message(text, tr("Optimize…"), self._context.optimize, about=conversation)

    @in_task
    async def _preview(self, model_id: str) -> None:
        preview = await self._preview_of(self._chat.conversation, model_id)
        if preview is not None:
            self._previews[model_id] = preview
        if self._picker is not None:
            self._picker.show_preview(model_id, preview)

    async def _preview_of(self, conversation: str, model_id: str) -> SwitchPreview | None:
        """Return what using the model would change; None if a newer request has replaced this one."""
        try:
            return (await self._bridge.ask(p.PreviewModel(conversation, model_id))).preview
        except EngineFailure as error:
            if error.failure.kind != "cancelled":
                raise
            return None

    def _repair(self, model_id: str) -> None:
        """Open the setting that has to be changed before the model can be used."""
        known = self._picker.model_of(model_id) if self._picker is not None else None
        setting = known.setting if known is not None else ""
        self._settings.open(setting or f"servers/{model_id.partition('/')[0]}/models")
