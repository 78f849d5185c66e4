"""Finds a text in the open conversation: the engine looks, the transcript marks and shows."""

from __future__ import annotations

from bisect import bisect_left

from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, in_task
from desktop_app.ui.parts import Parts

from .controller import Controller
from .conversation_controller import ConversationController

NOTHING = p.TextFound((), ())


class FindController(Controller):
    """Knows which messages have the text, and which of them is shown."""

    def __init__(self, bridge: Bridge, parts: Parts, chat: ConversationController) -> None:
        super().__init__(bridge, parts, chat)
        self._found, self._shown = NOTHING, 0
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
        self._found = found
        seen = bisect_left(found.indexes, self._parts.transcript.index_in_sight)
        await self._show(min(seen, len(found.ids) - 1))

    @in_task
    async def step(self, by: int) -> None:
        """Show the next message with the text, after the last one the first."""
        if self._found.ids:
            await self._show((self._shown + by) % len(self._found.ids))

    async def _show(self, number: int) -> None:
        found, self._shown = self._found, number
        self._bar.show_count(number + 1, len(found.ids), found.is_all)
        if found.ids:
            await self._chat.past.show_message(found.ids[number])
            if found is self._found and self._shown == number:
                self._parts.transcript.show_occurrence(found.ids[number])

    def _close(self) -> None:
        self._found = NOTHING
        self._parts.transcript.mark_text("")
        self._parts.transcript.setFocus()
