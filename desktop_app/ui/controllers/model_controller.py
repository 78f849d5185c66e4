"""Choosing the model of the open conversation, and what comes of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from desktop_app.conversation.listing import SwitchPreview
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.model_words import preview_words
from desktop_app.ui.parts import Parts
from desktop_app.ui.translation import tr

from .context_controller import ContextController
from .controller import Controller
from .conversation_controller import ConversationController
from .settings_controller import SettingsController

if TYPE_CHECKING:
    from desktop_app.ui.model_picker import ModelPicker


class ModelController(Controller):
    """Opens the picker, answers what it asks, and offers to make room where the chosen model has less."""

    def __init__(
        self,
        bridge: Bridge,
        parts: Parts,
        chat: ConversationController,
        settings: SettingsController,
        context: ContextController,
    ) -> None:
        super().__init__(bridge, parts, chat)
        self._settings, self._context = settings, context
        self._picker: ModelPicker | None = None
        self._previews: dict[str, SwitchPreview] = {}
        parts.header.models_requested.connect(self.offer)
        parts.chat_pane.welcome.models_requested.connect(self.add)
        parts.panel.requests.larger_model_requested.connect(partial(self.offer, is_largest_first=True))

    @in_task
    async def offer(self, is_largest_first: bool = False) -> None:
        """Open the picker."""
        from desktop_app.ui.model_picker import ModelPicker, in_order_of_use

        self._chat.drafts.keep()  # the previews count it
        listed = await self._bridge.ask(p.ListModels())
        if self._picker is None:
            picker = self._picker = ModelPicker(self._parts)
            picker.model_chosen.connect(self.choose)
            picker.preview_requested.connect(self._preview)
            picker.add_requested.connect(self.add)
            picker.rejected.connect(lambda: self.cancel(p.Computation.PREVIEW, self._chat.conversation))
            picker.unusable_chosen.connect(self._repair)
        self._previews = {}
        known = self._parts.sidebar.list.conversations.conversations
        models = in_order_of_use(listed.models, known, is_largest_first=is_largest_first)
        in_use = self._parts.header.model_id
        self._picker.offer(listed, models, in_use)
        self._picker.open()

    def add(self) -> None:
        """Lead to where models are added: to the server of the model in use, if it has one."""
        server, slash, _ = self._parts.header.model_id.partition("/")
        self._settings.open(f"servers/{server}/models" if slash else "servers")

    @in_task
    async def choose(self, model_id: str) -> None:
        """Use that model, and offer the compaction that was announced."""
        conversation = self._chat.conversation
        if not conversation:
            return
        await self._chat.use_model(model_id)
        preview = self._previews.get(model_id) or await self._preview_of(conversation, model_id)
        if self._chat.conversation != conversation or self._parts.header.model_id != model_id:
            return
        if preview is not None and preview.verdict in ("compact", "too_small"):
            told = f"{self._parts.header.model_name}: {preview_words(preview)}"
            self._parts.toast.show_message(told, tr("Optimize…"), self._context.optimize, about=conversation)

    @in_task
    async def _preview(self, model_id: str) -> None:
        preview = await self._preview_of(self._chat.conversation, model_id)
        if preview is not None:
            self._previews[model_id] = preview
        if self._picker is not None:
            self._picker.show_preview(model_id, preview)

    async def _preview_of(self, conversation: str, model_id: str) -> SwitchPreview | None:
        """Return what the model would mean; None if the next question has taken the place of this one."""
        try:
            return (await self._bridge.ask(p.PreviewModel(conversation, model_id))).preview
        except EngineFailure as error:
            if error.failure.kind != "cancelled":
                raise
            return None

    def _repair(self, model_id: str) -> None:
        """Lead to what has to be set so that the model can be used."""
        known = self._picker.model_of(model_id) if self._picker is not None else None
        setting = known.setting if known is not None else ""
        self._settings.open(setting or f"servers/{model_id.partition('/')[0]}/models")
