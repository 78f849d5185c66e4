"""The list of conversations: rename, delete and restore, samples, search."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.conversation.listing import ConversationInfo, SearchResult
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, in_task
from desktop_app.ui.parts import Parts
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.formats import format_number, format_title

from .controller import Controller
from .conversation_controller import ConversationController

if TYPE_CHECKING:
    from desktop_app.ui.search.search_palette import SearchPalette


class ListingController(Controller):
    """Renames, deletes, restores and searches conversations, and imports samples."""

    def __init__(self, bridge: Bridge, parts: Parts, chat: ConversationController) -> None:
        super().__init__(bridge, parts, chat)
        self._palette: SearchPalette | None = None
        sidebar, listed = parts.sidebar, parts.sidebar.list
        bridge.conversations_changed.connect(self.show)
        sidebar.search_requested.connect(self.open_search)
        listed.delete_requested.connect(self.delete)
        listed.duplicate_requested.connect(self.duplicate)
        listed.pin_requested.connect(self.pin)
        listed.put_away_requested.connect(self.put_away)
        listed.section_requested.connect(self.choose_section)
        listed.conversations.renamed.connect(self.rename)
        parts.header.title_changed.connect(self.rename_open)

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

    def targets(self) -> tuple[str, ...]:
        """Return what an action is about: the selected conversations while the list has the keyboard, else the open
        one."""
        listed = self._parts.sidebar.list
        if listed.hasFocus() and listed.chosen():
            return listed.chosen()
        return (self._chat.conversation,) if self._chat.conversation else ()

    @in_task
    async def delete(self, conversations: tuple[str, ...]) -> None:
        """Delete conversations; the toast offers to restore them."""
        words = self._words_for(
            conversations, tr("“{title}” deleted"), tr("%n conversations deleted", "", len(conversations))
        )
        await self._change(p.Delete(conversations))
        if self._chat.conversation in conversations:
            self._chat.leave()
        self._parts.toast.show_message(words, tr("Restore"), lambda: self._restore(conversations))

    @in_task
    async def pin(self, conversations: tuple[str, ...], is_pinned: bool) -> None:
        """Pin conversations to the top of the list, or end that."""
        await self._change(p.Arrange(conversations, is_pinned=is_pinned))

    @in_task
    async def put_away(self, conversations: tuple[str, ...], is_put_away: bool) -> None:
        """Leave conversations out of the list, or take them back."""
        await self._change(p.Arrange(conversations, is_put_away=is_put_away))
        count = len(conversations)
        if is_put_away:
            one, several = tr("“{title}” put away"), tr("%n conversations put away", "", count)
        else:
            one, several = tr("“{title}” taken back"), tr("%n conversations taken back", "", count)
        words = self._words_for(conversations, one, several)
        self._parts.toast.show_message(words, tr("Undo"), lambda: self.put_away(conversations, not is_put_away))

    def choose_section(self, conversations: tuple[str, ...]) -> None:
        """Ask in which section conversations are to stand."""
        from desktop_app.ui.sidebar.section_palette import SectionPalette

        palette = SectionPalette(self._parts.sidebar.list.conversations.sections, self._parts)
        palette.section_chosen.connect(lambda name: self._move(conversations, name))
        palette.finished.connect(palette.deleteLater)
        palette.open()

    def duplicate(self, conversation: str) -> None:
        """Open a copy of a conversation, with all that was said in it."""
        self._chat.open_with(p.Fork(conversation))

    def _words_for(self, conversations: tuple[str, ...], one: str, several: str) -> str:
        """Return the sentence about one of them with its title, or the one about several."""
        titles = [self._parts.sidebar.list.conversations.title_of(name) for name in conversations]
        return one.format(title=titles[0]) if len(titles) == 1 and titles[0] else several

    def import_files(self, files: list[str]) -> None:
        """Import samples one after the other, and open the last one: each becomes a conversation of its own."""
        self._bridge.start(self.import_and_open(files))

    async def import_and_open(self, files: list[str]) -> None:
        for file in files:
            self._parts.toast.show_message(tr("Importing {file}…").format(file=Path(file).name), stays=True)
            try:
                imported = await self._bridge.ask(p.ImportFile(file))
            finally:
                self._parts.toast.end_stay()
            listed = await self._bridge.ask(p.ListConversations())
            self.show(listed.conversations)
            if imported.conversations:
                info = imported.conversations[-1]
                self._chat.open(info.id)
                text = tr("“{title}” imported, %n messages", "", info.messages).format(title=format_title(info.title))
                if imported.repairs:
                    found = ((tr(repair.value), format_number(count)) for repair, count in imported.repairs)
                    text = tr("{imported}. Adjusted for the model: {repairs}. The original is kept.").format(
                        imported=text, repairs=", ".join(f"{name} ({count})" for name, count in found)
                    )
                self._parts.toast.show_message(text)

    def open_search(self) -> None:
        from desktop_app.ui.search.search_palette import SearchPalette

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

    async def _change(self, request: p.Rename | p.Delete | p.Restore | p.Arrange) -> None:
        self.show((await self._bridge.ask(request)).conversations)

    @in_task
    async def _move(self, conversations: tuple[str, ...], section: str) -> None:
        await self._change(p.Arrange(conversations, section=section))

    @in_task
    async def _restore(self, conversations: tuple[str, ...]) -> None:
        await self._change(p.Restore(conversations))
        self._chat.open(conversations[0])

    @in_task
    async def _search(self, query: str) -> None:
        found = await self._bridge.ask(p.SearchMessages(query))
        if self._palette is not None:
            self._palette.set_results(query, found.results)
