"""The drafts of all conversations, and the token count of the one in the composer."""

from __future__ import annotations

from desktop_app.engine import protocol as p

from .bridge import Bridge
from .parts import Parts


class Drafts:
    """The draft in the composer, and those of the conversations that were left."""

    def __init__(self, bridge: Bridge, parts: Parts) -> None:
        self._bridge = bridge
        self._parts = parts
        self._left: dict[str, str] = {}
        self._conversation = ""
        self._uncounted: str | None = None
        self._is_ready = self._is_counting = False

    def show(self, conversation: str) -> None:
        """Show the draft of the conversation that is open now; what was written before there was one stays."""
        before, self._conversation, self._is_ready = self._conversation, conversation, True
        composer = self._parts.composer
        if before == conversation:
            return
        if before:
            self._left[before] = composer.text()
            composer.set_text(self._left.pop(conversation, ""))
        self.count(composer.text())

    def pause(self) -> None:
        """Count nothing until a conversation is shown again."""
        self._is_ready = False

    def note_sent(self, conversation: str, text: str) -> None:
        """Remove a draft that was sent, unless it was changed since."""
        if conversation == self._conversation:
            if self._parts.composer.text() == text:
                self._parts.composer.clear()
        elif self._left.get(conversation) == text:
            del self._left[conversation]

    def count(self, text: str) -> None:
        """Count the draft; of drafts that come while one is counted only the newest is."""
        self._uncounted = text
        if self._is_ready and not self._is_counting:
            self._is_counting = True
            self._bridge.start(self._count())

    async def _count(self) -> None:
        try:
            while self._uncounted is not None:
                text, self._uncounted = self._uncounted, None
                tokens = (await self._bridge.ask(p.CountDraft(self._conversation, text))).tokens if text else 0
                self._parts.composer.set_draft_tokens(tokens)
                self._parts.gauge.set_draft_tokens(tokens)
        finally:
            self._is_counting = False
