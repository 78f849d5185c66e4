"""The controller of the actions that a failure's card offers; none is done without the user."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from desktop_app.conversation.message import Role
from desktop_app.engine import protocol as p

from .bridge import Bridge, in_task
from .controller import Controller
from .conversation_controller import ConversationController
from .parts import Parts
from .settings_controller import SettingsController
from .transcript.display_list import Action
from .widgets.formats import format_bytes

FORMATS = {"Markdown (*.md)": ("markdown", ".md"), "JSON (*.json)": ("json", ".json")}


class RecoveryController(Controller):
    """Does what a failure's card offers."""

    def __init__(
        self, bridge: Bridge, parts: Parts, chat: ConversationController, settings: SettingsController
    ) -> None:
        super().__init__(bridge, parts, chat)
        self._settings = settings

    def perform(self, action: Action, setting: str = "") -> None:
        """Do what the failure's card offers. setting: where the settings are opened."""
        match action:
            case Action.TRY_AGAIN | Action.GO_ON:
                self._chat.go_on()
            case Action.OPTIMIZE_AND_RETRY:
                self._bridge.post(p.GoOn(self._chat.conversation, makes_room=True))
            case Action.SEND_ANYWAY:
                self._bridge.post(p.GoOn(self._chat.conversation, is_forced=True))
            case Action.USE_OWN_WINDOW:
                self.post(p.UseOwnWindow)
            case Action.START_FRESH:
                self._chat.open_with(p.StartFresh(self._chat.conversation))
            case Action.SWITCH_MODEL:
                self._settings.offer_models(is_largest_first=True)
            case Action.EXPORT:
                self.choose_export()
            case Action.OPEN_SETTINGS:
                self._settings.open(setting)
            case Action.EDIT_MESSAGE:
                self._edit_message()
            case _:
                raise ValueError(f"{action} is no way out of a failure")

    def choose_export(self) -> None:
        """Ask for a file to write the conversation to."""
        dialog = QFileDialog(self._parts, "Export the conversation")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(list(FORMATS))
        dialog.setDefaultSuffix("md")
        dialog.selectFile(f"{_file_name(self._parts.header.label.text())}.md")
        dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(FORMATS[chosen][1][1:]))
        conversation = self._chat.conversation
        dialog.fileSelected.connect(lambda path: self.export(conversation, path))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @in_task
    async def export(self, conversation: str, path: str) -> None:
        """Write a conversation to a file; its suffix decides the format."""
        kind = "json" if path.lower().endswith(".json") else "markdown"
        exported = await self._bridge.ask(p.ExportConversation(conversation, path, kind))
        self._parts.toast.show_message(f"Exported to {Path(exported.path).name}, {format_bytes(exported.bytes)}")

    def _edit_message(self) -> None:
        rows = self._parts.transcript_model.rows
        last = next((row for row in reversed(rows) if row.message.role is Role.USER), None)
        composer = self._parts.composer
        if last is not None and not composer.text().strip():
            composer.set_text(last.message.text)
        composer.take_focus()


def _file_name(title: str) -> str:
    """Return a title as a file name that is valid on every system."""
    kept = "".join(letter if letter.isalnum() or letter in " -_()" else " " for letter in title)
    return " ".join(kept.split())[:80] or "Conversation"
