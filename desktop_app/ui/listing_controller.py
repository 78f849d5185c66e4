"""The list of conversations: rename, delete and restore, import, search."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from desktop_app.conversation.listing import ConversationInfo, SearchResult
from desktop_app.engine import protocol as p

from .bridge import Bridge, in_task
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

    def show(self, conversations: tuple[ConversationInfo, ...]) -> None:
        self._parts.sidebar.show_conversations(conversations)
        current = next((info for info in conversations if info.id == self._chat.conversation), None)
        if current is not None:
            self._parts.header.show_title(current.title)

    @in_task
    async def rename(self, conversation: str, title: str) -> None:
        await self._change(p.Rename(conversation, title))

    def rename_open(self, title: str) -> None:
        self.rename(self._chat.conversation, title)

    @in_task
    async def delete(self, conversation: str) -> None:
        """Delete a conversation; the toast offers to restore it."""
        title = self._parts.sidebar.list.conversations.title_of(conversation) or "Conversation"
        await self._change(p.Delete(conversation))
        if conversation == self._chat.conversation:
            self._chat.leave()
        self._parts.toast.show_message(f"“{title}” deleted", "Restore", lambda: self._restore(conversation))

    def choose_import(self) -> None:
        dialog = QFileDialog(self._parts, "Import conversations")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilters(["Conversations (*.jsonl *.json)", "All files (*)"])
        dialog.filesSelected.connect(self.import_files)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @in_task
    async def import_files(self, files: list[str]) -> None:
        """Import the files one after the other, and open the last conversation."""
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

    def open_search(self) -> None:
        from .search.search_palette import SearchPalette

        if self._palette is None:
            self._palette = SearchPalette(self._parts)
            self._palette.search_requested.connect(self._search)
            self._palette.result_chosen.connect(self.show_result)
            self._palette.conversation_chosen.connect(self._chat.open)
        self._palette.set_conversations(self._parts.sidebar.list.conversations.conversations)
        self._palette.open()

    @in_task
    async def show_result(self, result: SearchResult) -> None:
        await self._chat.show_message(result.conversation, result.message)

    async def _change(self, request: p.Rename | p.Delete | p.Restore) -> None:
        self.show((await self._bridge.ask(request)).conversations)

    @in_task
    async def _restore(self, conversation: str) -> None:
        await self._change(p.Restore(conversation))
        self._chat.open(conversation)

    @in_task
    async def _search(self, query: str) -> None:
        found = await self._bridge.ask(p.SearchMessages(query))
        if self._palette is not None:
            self._palette.set_results(query, found.results)
