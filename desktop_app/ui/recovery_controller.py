"""The controller of what a click in the transcript asks for, such as the ways out of a failure."""

from __future__ import annotations

from collections.abc import Callable

from desktop_app.conversation.message import Role
from desktop_app.engine import protocol as p

from .bridge import Bridge
from .controller import Controller
from .conversation_controller import ConversationController
from .export_controller import ExportController
from .parts import Parts
from .settings_controller import SettingsController
from .transcript.display_list import Action

REQUESTS: dict[Action, Callable[[str, str], p.EngineRequest[p.Done]]] = {
    Action.PIN: p.PinMessage,
    Action.UNPIN: p.UnpinMessage,
    Action.UNDO_OPERATION: p.UndoOperation,
    Action.BRING_BACK: lambda conversation, message: p.BringBackMessages(conversation, (message,)),
    Action.OPTIMIZE_AND_RETRY: lambda conversation, _: p.GoOn(conversation, makes_room=True),
    Action.SEND_ANYWAY: lambda conversation, _: p.GoOn(conversation, is_forced=True),
    Action.USE_OWN_WINDOW: lambda conversation, _: p.UseOwnWindow(conversation),
}
"""Actions that the engine carries out: what it is asked, by the conversation and what the action is about."""


class RecoveryController(Controller):
    """Carries out the actions of messages, marks and failures."""

    def __init__(
        self,
        bridge: Bridge,
        parts: Parts,
        chat: ConversationController,
        settings: SettingsController,
        export: ExportController,
    ) -> None:
        super().__init__(bridge, parts, chat)
        self._settings = settings
        self._export = export

    def perform(self, action: Action, argument: str = "") -> None:
        """Carry out an action. argument: what it is about, such as the id of a message or the name of a setting."""
        if action in REQUESTS:
            self.post(REQUESTS[action], argument)
            return
        match action:
            case Action.REGENERATE:
                self._chat.regenerate()
            case Action.OPEN_CONVERSATION:
                self._chat.open(argument)
            case Action.SHOW_OPERATION:
                self._parts.panel.show()
                self._parts.panel.open_archived(argument)
            case Action.TRY_AGAIN | Action.GO_ON:
                self._chat.go_on()
            case Action.START_FRESH:
                self._chat.start_fresh()
            case Action.SWITCH_MODEL:
                self._settings.offer_models(is_largest_first=True)
            case Action.EXPORT:
                self._export.open()
            case Action.OPEN_SETTINGS:
                self._settings.open(argument)
            case Action.EDIT_MESSAGE:
                self._edit_message()
            case _:
                raise ValueError(f"{action} is not carried out here")

    def _edit_message(self) -> None:
        rows = self._parts.transcript_model.rows
        last = next((row for row in reversed(rows) if row.message.role is Role.USER), None)
        composer = self._parts.composer
        if last is not None and not composer.text().strip():
            composer.set_text(last.message.text)
        composer.take_focus()
