"""Walks through the hits of a search: each is opened in its conversation, with what was found marked."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.conversation.listing import SearchResult
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, in_task
from desktop_app.ui.parts import Parts
from desktop_app.ui.search.result_rows import found_words

from .controller import Controller
from .conversation_controller import ConversationController


class HitController(Controller):
    """Knows the hits, and which of them is shown."""

    def __init__(self, bridge: Bridge, parts: Parts, chat: ConversationController) -> None:
        super().__init__(bridge, parts, chat)
        self._hits: tuple[SearchResult, ...] = ()
        self._shown = 0
        self._query = ""
        self._bar = parts.hit_bar
        self._bar.step_requested.connect(self.step)
        self._bar.closed.connect(self._clear)
        chat.shown.connect(self._leave)

    def walk(self, query: str, hits: Sequence[SearchResult], first: SearchResult) -> None:
        """Show a hit, and let the user step to the others."""
        self._parts.find_bar.hide()
        self._query, self._hits = query, tuple(hits)
        self._go_to(self._hits.index(first))

    def step(self, by: int) -> None:
        """Show the next hit, after the last one the first."""
        if self._hits:
            self._go_to((self._shown + by) % len(self._hits))

    @in_task
    async def _go_to(self, number: int) -> None:
        hits, hit = self._hits, self._hits[number]
        self._shown = number
        self._bar.show_hit(self._query, number + 1, len(hits))
        words = found_words(hit.snippet)
        self._parts.transcript.mark_text(words)
        await self._chat.show_message(hit.conversation, hit.message)
        if words and (hits, number) == (self._hits, self._shown) and self._bar.isVisible():
            self._parts.transcript.show_occurrence(hit.message)

    def _leave(self, opened: p.ConversationOpened) -> None:
        """End the walk when the user goes to another conversation."""
        if self._hits and opened.conversation.id != self._hits[self._shown].conversation:
            self._bar.close_bar()

    def _clear(self) -> None:
        self._hits = ()
        self._parts.transcript.mark_text("")
