"""The controllers of the conversation list, of search hits, and of finding text in a conversation."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from desktop_app.context.recall.filters import FilterNames, TypedQuery
from desktop_app.conversation.listing import ConversationInfo, SearchResult
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.context_panel.context_gauge import ContextGauge
from desktop_app.ui.controller import Controller
from desktop_app.ui.header import Header
from desktop_app.ui.palette.result_rows import FindBar, HitBar, found_words
from desktop_app.ui.panes import Pages
from desktop_app.ui.toast import Toast
from desktop_app.ui.transcript.conversation_controller import ConversationController
from desktop_app.ui.transcript.transcript_widget import TranscriptWidget
from desktop_app.ui.translation import tr

from .conversation_list import ConversationList

if TYPE_CHECKING:
    from desktop_app.ui.palette.search_palette import SearchPalette


class HitController(Controller):
    """Steps through the hits of a search."""

    def __init__(
        self, bridge: Bridge, chat: ConversationController, transcript: TranscriptWidget, bar: HitBar, find_bar: FindBar
    ) -> None:
        super().__init__(bridge, chat)
        self._transcript, self._bar, self._find_bar = transcript, bar, find_bar
        self._hits: tuple[SearchResult, ...] = ()
        self._shown = 0
        self._query = ""
        self._bar.step_requested.connect(self.step)
        self._bar.closed.connect(self._clear)
        chat.opened.connect(self._leave)

    def walk(self, query: str, hits: Sequence[SearchResult], first: SearchResult) -> None:
        """Show a hit, and let the user step to the others."""
        self._find_bar.hide()
        self._query, self._hits = query, tuple(hits)
        self._go_to(self._hits.index(first))

    def step(self, by: int) -> None:
        """Show the next hit, or the previous one if `by` is negative, wrapping around."""
        if self._hits:
            self._go_to((self._shown + by) % len(self._hits))

    @in_task
    async def _go_to(self, number: int) -> None:
        hits, hit = self._hits, self._hits[number]
        self._shown = number
        self._bar.show_hit(self._query, number + 1, len(hits))
        words = found_words(hit.snippet)
        self._transcript.mark_text(words)
        await self._chat.show_message(hit.conversation, hit.message)
        if words and (hits, number) == (self._hits, self._shown) and self._bar.isVisible():
            self._transcript.show_occurrence(hit.message)

    def _leave(self, opened: p.ConversationOpened) -> None:
        """Close the bar when the user opens another conversation."""
        if self._hits and opened.conversation.id != self._hits[self._shown].conversation:
            self._bar.close_bar()

    def _clear(self) -> None:
        self._hits = ()
        self._transcript.mark_text("")


class ListingController(Controller):
    """Renames, deletes, restores and searches conversations."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        hits: HitController,
        window: QWidget,
        conversation_list: ConversationList,
        header: Header,
        gauge: ContextGauge,
        toast: Toast,
    ) -> None:
        super().__init__(bridge, chat)
        self._hits, self._window, self._header, self._gauge, self._toast = hits, window, header, gauge, toast
        self._list, self._listed = conversation_list, conversation_list.conversations
        self._palette: SearchPalette | None = None
        self._told_deleted = ""  # the toast's text, which is withdrawn once a conversation is restored
        bridge.conversations_changed.connect(self.show)
        self._list.delete_requested.connect(self.delete)
        self._list.duplicate_requested.connect(self.duplicate)
        self._list.pin_requested.connect(self.pin)
        self._list.put_away_requested.connect(self.put_away)
        self._listed.renamed.connect(self.rename)
        header.title_changed.connect(self.rename_open)
        gauge.changed.connect(self._show_fill)

    def show(self, conversations: tuple[ConversationInfo, ...]) -> None:
        self._listed.show_conversations(conversations)
        current = next((info for info in conversations if info.id == self._chat.conversation), None)
        if current is not None:
            self._header.show_title(current.title)
            self._show_fill()

    def _show_fill(self) -> None:
        """Show the gauge's value in the open conversation's row."""
        if self._gauge.fill is not None and self._chat.conversation:
            self._listed.show_fill(self._chat.conversation, self._gauge.fill)

    @in_task
    async def rename(self, conversation: str, title: str) -> None:
        await self._change(p.Rename(conversation, title))

    def rename_open(self, title: str) -> None:
        self.rename(self._chat.conversation, title)

    def targets(self) -> tuple[str, ...]:
        """Return the conversations that an action applies to: the selected ones if the list has the focus, otherwise
        the open one."""
        if self._list.hasFocus() and (chosen := self._list.chosen()):
            return chosen
        return (self._chat.conversation,) if self._chat.conversation else ()

    def infos(self) -> list[ConversationInfo]:
        """Return what is known of the `targets`."""
        found = (self._listed.info_of(name) for name in self.targets())
        return [info for info in found if info is not None]

    def begin_renaming(self) -> None:
        """Let the user edit the title in the list if that has the focus, otherwise in the header."""
        (self._list if self._list.hasFocus() else self._header).rename()

    def toggle_pinned(self) -> None:
        self.pin(self.targets(), not self.infos()[0].is_pinned)

    def pin_label(self) -> str:
        return tr("Unpin conversation") if (infos := self.infos()) and infos[0].is_pinned else tr("Pin conversation")

    def toggle_put_away(self) -> None:
        self.put_away(self.targets(), not self.infos()[0].is_put_away)

    def put_away_label(self) -> str:
        is_put_away = (infos := self.infos()) and infos[0].is_put_away
        return tr("Unarchive conversation") if is_put_away else tr("Archive conversation")

    def can_duplicate(self) -> bool:
        return len(infos := self.infos()) == 1 and infos[0].messages > 0

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
        self._toast.show_message(words, tr("Restore"), lambda: self._restore(conversations))

    @in_task
    async def pin(self, conversations: tuple[str, ...], is_pinned: bool) -> None:
        """Pin conversations to the top of the list, or unpin them."""
        await self._change(p.Arrange(conversations, is_pinned=is_pinned))

    @in_task
    async def put_away(self, conversations: tuple[str, ...], is_put_away: bool) -> None:
        """Archive or unarchive conversations."""
        await self._change(p.Arrange(conversations, is_put_away=is_put_away))
        count = len(conversations)
        if is_put_away:
            one, several = tr("“{title}” archived"), tr("%n conversations archived", "", count)
        else:
            one, several = tr("“{title}” unarchived"), tr("%n conversations unarchived", "", count)
        words = self.words_for(conversations, one, several)
        self._toast.show_message(words, tr("Undo"), lambda: self.put_away(conversations, not is_put_away))

    def duplicate(self, conversation: str) -> None:
        """Open a copy of a conversation with all of its messages."""
        self._chat.open_with(p.Fork(conversation))

    def words_for(self, conversations: tuple[str, ...], one: str, several: str, project: str = "") -> str:
        """Return the template `one` with the title of a single conversation, or `several`. project: a name for both."""
        titles = [self._listed.title_of(name) for name in conversations]
        is_one = len(titles) == 1 and bool(titles[0])
        return one.format(title=titles[0], project=project) if is_one else several.format(project=project)

    def open_search(self) -> None:
        from desktop_app.ui.palette.search_palette import SearchPalette

        if self._palette is None:
            self._palette = SearchPalette(self._window)
            self._palette.search_requested.connect(self._search)
            self._palette.result_chosen.connect(self._show_result)
            self._palette.conversation_chosen.connect(self._chat.open)
        self._palette.set_conversations(self._listed.conversations)
        self._palette.open()
        self._read_names()

    @in_task
    async def open_deleted(self) -> None:
        """Open the palette of deleted conversations."""
        from .choice_palettes import DeletedPalette

        listed = await self._bridge.ask(p.ListDeleted())
        palette = DeletedPalette(listed.conversations, self._window)
        palette.restore_requested.connect(lambda conversation: self._restore((conversation,)))
        palette.finished.connect(palette.deleteLater)
        palette.open()

    def _show_result(self, result: SearchResult) -> None:
        if self._palette is not None:
            self._hits.walk(self._palette.query(), self._palette.results, result)

    @in_task
    async def _read_names(self) -> None:
        """Read the projects, models and tools that filters can name."""
        values = (await self._bridge.ask(p.ListSearchValues())).values
        named = {project.id: project.name for project in self._listed.projects}
        projects = {info.id: named[info.project] for info in self._listed.conversations if info.project in named}
        if self._palette is not None:
            self._palette.set_names(FilterNames(tuple(named.items()), values.models, values.tools), projects)

    async def _change(self, request: p.Rename | p.Delete | p.Restore | p.Arrange) -> None:
        self.show((await self._bridge.ask(request)).conversations)

    @in_task
    async def _restore(self, conversations: tuple[str, ...]) -> None:
        await self._change(p.Restore(conversations))
        self._toast.withdraw(self._told_deleted)
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


NOTHING = p.TextFound((), (), ())


class FindController(Controller):
    """Steps through the occurrences of a text in the open conversation."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        transcript: TranscriptWidget,
        bar: FindBar,
        hit_bar: HitBar,
        pages: Pages,
    ) -> None:
        super().__init__(bridge, chat)
        self._transcript, self._bar, self._hit_bar, self._pages = transcript, bar, hit_bar, pages
        self._found = NOTHING
        self._ends: list[int] = []  # the number of occurrences up to the end of each message
        self._current = 0  # the index of the current occurrence
        self._bar.text_changed.connect(self.find)
        self._bar.step_requested.connect(self.step)
        self._bar.closed.connect(self._close)
        chat.opened.connect(lambda: self.find(self._bar.text) if self._bar.isVisible() else None)

    def open(self) -> None:
        """Show the field, and with it the conversation in place of another page."""
        if self._chat.conversation:
            self._pages.show_chat()
            self._hit_bar.close_bar()
            self._bar.open()

    def is_open(self) -> bool:
        """Return whether a bar that steps through places or hits is shown."""
        return self._bar.isVisible() or self._hit_bar.isVisible()

    def press_step(self, by: int) -> None:
        """Press the button of the bar that is shown."""
        bar = self._bar if self._bar.isVisible() else self._hit_bar
        (bar.next if by > 0 else bar.previous).click()

    @in_task
    async def find(self, text: str) -> None:
        """Mark the text, and show its first occurrence from the visible message on."""
        conversation = self._chat.conversation
        self._transcript.mark_text(text)
        found = await self._bridge.ask(p.FindText(conversation, text)) if text else NOTHING
        if (conversation, text) != (self._chat.conversation, self._bar.text) or not self._bar.isVisible():
            return  # the text or the conversation has changed
        self._found, self._ends = found, list(accumulate(found.places))
        message = min(bisect_left(found.indexes, self._transcript.index_in_sight), len(found.ids) - 1)
        await self._show(self._ends[message] - found.places[message] if found.ids else 0)

    @in_task
    async def step(self, by: int) -> None:
        """Show the next occurrence, or the previous one if `by` is negative, wrapping around."""
        if self._ends:
            await self._show((self._current + by) % self._ends[-1])

    async def _show(self, place: int) -> None:
        found, self._current = self._found, place
        self._bar.show_count(place + 1, self._ends[-1] if self._ends else 0, found.is_all)
        if found.ids:
            message = bisect_right(self._ends, place)
            await self._chat.past.show_message(found.ids[message])
            if found is self._found and self._current == place:
                within = place - self._ends[message] + found.places[message]
                self._transcript.show_occurrence(found.ids[message], within)

    def _close(self) -> None:
        self._found = NOTHING
        self._transcript.mark_text("")
        self._transcript.setFocus()
