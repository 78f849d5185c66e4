"""The list of conversations: rename, delete and restore, import, search."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.conversation.listing import ConversationInfo, SearchResult
from desktop_app.engine import protocol as p

from .bridge import Bridge
from .controller import Controller
from .conversation_controller import ConversationController
from .parts import Parts
from .widgets.formats import pluralize

if TYPE_CHECKING:
    from .search.search_palette import SearchPalette


REPAIRED = "Adjusted for the model: {}. The original is kept."


class ListingController(Controller):
    """Renames, deletes, restores, imports and searches conversations."""

    def __init__(self, bridge: Bridge, parts: Parts, chat: ConversationController) -> None:
        super().__init__(bridge, parts, chat)
        self._palette: SearchPalette | None = None
        self.results_shown = 0

    def show(self, conversations: tuple[ConversationInfo, ...]) -> None:
        self._parts.sidebar.show_conversations(conversations)
        current = next((info for info in conversations if info.id == self._chat.conversation), None)
        if current is not None:
            self._parts.header.show_title(current.title)

    def rename(self, conversation: str, title: str) -> None:
        self._bridge.start(self._change(p.Rename(conversation, title)))

    def rename_open(self, title: str) -> None:
        self.rename(self._chat.conversation, title)

    def delete(self, conversation: str) -> None:
        """Delete a conversation; the toast offers to restore it."""
        self._bridge.start(self._delete(conversation))

    def restore(self, conversation: str) -> None:
        self._bridge.start(self._restore(conversation))

    def choose_import(self, parent: QWidget) -> None:
        dialog = QFileDialog(parent, "Import conversations")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilters(["Conversations (*.jsonl *.json)", "All files (*)"])
        dialog.filesSelected.connect(self.import_files)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def import_files(self, files: list[str]) -> None:
        """Import the files one after the other, and open the last conversation."""
        self._bridge.start(self._import(files))

    def open_search(self, parent: QWidget) -> None:
        from .search.search_palette import SearchPalette

        if self._palette is None:
            self._palette = SearchPalette(parent)
            self._palette.search_requested.connect(self.search)
            self._palette.result_chosen.connect(self.show_result)
            self._palette.conversation_chosen.connect(self._chat.open)
        self._palette.set_conversations(self._parts.sidebar.list.conversations.conversations)
        self._palette.open()

    def search(self, query: str) -> None:
        self._bridge.start(self._search(query))

    def show_result(self, result: SearchResult) -> None:
        self._bridge.start(self._chat.show_message(result.conversation, result.message, result.index))

    async def _change(self, request: p.Rename | p.Delete | p.Restore) -> None:
        self.show((await self._bridge.ask(request)).conversations)

    async def _delete(self, conversation: str) -> None:
        title = self._parts.sidebar.list.conversations.title_of(conversation) or "Conversation"
        await self._change(p.Delete(conversation))
        if conversation == self._chat.conversation:
            self._chat.leave()
        self._parts.toast.show_message(f"“{title}” deleted", "Restore", lambda: self.restore(conversation))

    async def _restore(self, conversation: str) -> None:
        await self._change(p.Restore(conversation))
        self._chat.open(conversation)

    async def _import(self, files: list[str]) -> None:
        for file in files:
            self._parts.toast.show_message(f"Importing {Path(file).name}…", stays=True)
            try:
                imported = await self._bridge.ask(p.ImportFile(file))
            finally:
                self._parts.toast.end_stay()
            listed = await self._bridge.ask(p.ListConversations())
            self.show(listed.conversations)
            if imported.conversations:
                info = imported.conversations[-1]
                self._chat.open(info.id)
                text = f"“{info.title}” imported, {pluralize(info.messages, 'message')}"
                self._parts.toast.show_message(
                    f"{text}. {REPAIRED.format(imported.repaired)}" if imported.repaired else text
                )

    async def _search(self, query: str) -> None:
        found = await self._bridge.ask(p.SearchMessages(query))
        self.results_shown = len(found.results)
        if self._palette is not None:
            self._palette.set_results(query, found.results)
