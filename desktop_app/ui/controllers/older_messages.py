"""The messages of the open conversation that are not loaded yet, read page by page."""

from __future__ import annotations

from collections.abc import Callable

from desktop_app.conversation.events import MessageRow
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, in_task
from desktop_app.ui.parts import Parts


class OlderMessages:
    """Reads pages. conversation: returns the id of the open one."""

    def __init__(self, bridge: Bridge, parts: Parts, conversation: Callable[[], str]) -> None:
        self._bridge = bridge
        self._parts = parts
        self._conversation = conversation
        self._is_reading = False

    @in_task
    async def read(self, before: int, around: int) -> None:
        """Read the page before that index, one at a time. around: the index of the message in sight."""
        if self._is_reading or not self._conversation():
            return
        self._is_reading = True
        try:
            page = await self._page(before)
        finally:
            self._is_reading = False
        if page:
            self._parts.transcript_model.add_page(page, around)

    def forget(self) -> None:
        """Let go of pages that a reader at the end does not see."""
        if self._parts.transcript.follows_end:
            self._parts.transcript_model.keep_newest()

    async def show_message(self, message_id: str, top: int | None = None) -> bool:
        """Scroll to a message of the open conversation; return False if the current branch does not have it.

        top: where it shall begin, in pixels below the top of what is visible.
        """
        transcript = self._parts.transcript
        if transcript.show_message(message_id, top):
            return True
        page = await self._page(0, message_id)
        if page:
            self._parts.transcript_model.add_page(page, page[0].index)
        return bool(page) and transcript.show_message(message_id, top)

    async def _page(self, before: int, around: str = "") -> tuple[MessageRow, ...]:
        """Return the page before that index; nothing if another conversation was opened meanwhile."""
        conversation = self._conversation()
        page = await self._bridge.ask(p.ReadMessages(conversation, before, around=around))
        return page.rows if conversation == self._conversation() else ()
