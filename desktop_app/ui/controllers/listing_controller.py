"""The list of conversations: rename, delete and restore, search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.context.search.filters import FilterNames, TypedQuery
from desktop_app.conversation.listing import ConversationInfo, SearchResult
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.parts import Parts
from desktop_app.ui.translation import tr

from .controller import Controller
from .conversation_controller import ConversationController
from .hit_controller import HitController

if TYPE_CHECKING:
    from desktop_app.ui.search.search_palette import SearchPalette


class ListingController(Controller):
    """Renames, deletes, restores and searches conversations."""

    def __init__(self, bridge: Bridge, parts: Parts, chat: ConversationController) -> None:
        super().__init__(bridge, parts, chat)
        self._palette: SearchPalette | None = None
        self._told_deleted = ""  # the toast's words, which are no longer true once something is restored
        self.hits = HitController(bridge, parts, chat)
        parts.hit_bar.results_requested.connect(self.open_search)
        sidebar, listed = parts.sidebar, parts.sidebar.list
        bridge.conversations_changed.connect(self.show)
        sidebar.search_requested.connect(self.open_search)
        sidebar.deleted_requested.connect(self.open_deleted)
        listed.delete_requested.connect(self.delete)
        listed.duplicate_requested.connect(self.duplicate)
        listed.pin_requested.connect(self.pin)
        listed.put_away_requested.connect(self.put_away)
        listed.conversations.renamed.connect(self.rename)
        parts.header.title_changed.connect(self.rename_open)
        parts.gauge.changed.connect(self._show_fill)

    def show(self, conversations: tuple[ConversationInfo, ...]) -> None:
        self._parts.sidebar.show_conversations(conversations)
        current = next((info for info in conversations if info.id == self._chat.conversation), None)
        if current is not None:
            self._parts.header.show_title(current.title)
            self._show_fill()

    def _show_fill(self) -> None:
        """Let the open conversation's circle say what the gauge says."""
        if self._parts.gauge.fill is not None and self._chat.conversation:
            self._parts.sidebar.list.conversations.show_fill(self._chat.conversation, self._parts.gauge.fill)

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
        words = self.words_for(
            conversations, tr("“{title}” deleted"), tr("%n conversations deleted", "", len(conversations))
        )
        await self._change(p.Delete(conversations))
        if self._chat.conversation in conversations:
            self._chat.leave()
        self._told_deleted = words
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
            one, several = tr("“{title}” archived"), tr("%n conversations archived", "", count)
        else:
            one, several = tr("“{title}” unarchived"), tr("%n conversations unarchived", "", count)
        words = self.words_for(conversations, one, several)
        self._parts.toast.show_message(words, tr("Undo"), lambda: self.put_away(conversations, not is_put_away))

    def duplicate(self, conversation: str) -> None:
        """Open a copy of a conversation, with all that was said in it."""
        self._chat.open_with(p.Fork(conversation))

    def words_for(self, conversations: tuple[str, ...], one: str, several: str, project: str = "") -> str:
        """Return the sentence about one of them with its title, or the one about several. project: its name."""
        titles = [self._parts.sidebar.list.conversations.title_of(name) for name in conversations]
        is_one = len(titles) == 1 and bool(titles[0])
        return one.format(title=titles[0], project=project) if is_one else several.format(project=project)

    def open_search(self) -> None:
        from desktop_app.ui.search.search_palette import SearchPalette

        if self._palette is None:
            self._palette = SearchPalette(self._parts)
            self._palette.search_requested.connect(self._search)
            self._palette.result_chosen.connect(self._show_result)
            self._palette.conversation_chosen.connect(self._chat.open)
        self._palette.set_conversations(self._parts.sidebar.list.conversations.conversations)
        self._palette.open()
        self._read_names()

    @in_task
    async def open_deleted(self) -> None:
        """List the deleted conversations, to restore one."""
        from desktop_app.ui.sidebar.deleted_palette import DeletedPalette

        listed = await self._bridge.ask(p.ListDeleted())
        palette = DeletedPalette(listed.conversations, self._parts)
        palette.restore_requested.connect(lambda conversation: self._restore((conversation,)))
        palette.finished.connect(palette.deleteLater)
        palette.open()

    def _show_result(self, result: SearchResult) -> None:
        if self._palette is not None:
            self.hits.walk(self._palette.query(), self._palette.results, result)

    @in_task
    async def _read_names(self) -> None:
        """Let filters name the projects, models and tools that there are."""
        values = (await self._bridge.ask(p.ListSearchValues())).values
        listed = self._parts.sidebar.list.conversations
        named = {project.id: project.name for project in listed.projects}
        projects = {info.id: named[info.project] for info in listed.conversations if info.project in named}
        if self._palette is not None:
            self._palette.set_names(FilterNames(tuple(named.items()), values.models, values.tools), projects)

    async def _change(self, request: p.Rename | p.Delete | p.Restore | p.Arrange) -> None:
        self.show((await self._bridge.ask(request)).conversations)

    @in_task
    async def _restore(self, conversations: tuple[str, ...]) -> None:
        await self._change(p.Restore(conversations))
        self._parts.toast.withdraw(self._told_deleted)
        self._chat.open(conversations[0])

    @in_task
    async def _search(self, query: str, typed: TypedQuery) -> None:
        palette = self._palette
        if palette is None:
            return
        try:
            found = await self._bridge.ask(p.SearchMessages(typed.words, filters=typed.filters))
        except EngineFailure as error:
            if error.failure.kind != "cancelled":
                palette.note_failure(query)
            raise
        palette.set_results(query, found.results, found.is_complete)
