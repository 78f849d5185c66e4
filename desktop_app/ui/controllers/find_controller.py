"""Finds a text in the open conversation: the engine looks, the transcript marks and shows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate

from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, in_task
from desktop_app.ui.parts import Parts

from .controller import Controller
from .conversation_controller import ConversationController

NOTHING = p.TextFound((), (), ())


class FindController(Controller):
    """Knows which messages have the text, and which of its places is shown."""

    def __init__(self, bridge: Bridge, parts: Parts, chat: ConversationController) -> None:
        super().__init__(bridge, parts, chat)
        self._found = NOTHING
        self._ends: list[int] = []  # the number of places up to the end of each message
        self._current = 0  # of all places, from 0
        self._bar = parts.find_bar
        self._bar.text_changed.connect(self.find)
        self._bar.step_requested.connect(self.step)
        self._bar.closed.connect(self._close)
        chat.shown.connect(lambda: self.find(self._bar.text) if self._bar.isVisible() else None)

    def open(self) -> None:
        if self._chat.conversation:
            self._parts.hit_bar.close_bar()
            self._bar.open()

    @in_task
    async def find(self, text: str) -> None:
        """Mark the text, and show the first message with it from the one in sight on."""
        conversation = self._chat.conversation
        self._parts.transcript.mark_text(text)
        found = await self._bridge.ask(p.FindText(conversation, text)) if text else NOTHING
        if (conversation, text) != (self._chat.conversation, self._bar.text) or not self._bar.isVisible():
            return  # another text or conversation by now
        self._found, self._ends = found, list(accumulate(found.places))
        message = min(bisect_left(found.indexes, self._parts.transcript.index_in_sight), len(found.ids) - 1)
        await self._show(self._ends[message] - found.places[message] if found.ids else 0)

    @in_task
    async def step(self, by: int) -> None:
        """Show the next place with the text, after the last one the first."""
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
                self._parts.transcript.show_occurrence(found.ids[message], within)

    def _close(self) -> None:
        self._found = NOTHING
        self._parts.transcript.mark_text("")
        self._parts.transcript.setFocus()
