"""The drafts of all conversations, and the token count of the one in the composer."""

from __future__ import annotations

from msgspec.structs import replace

from desktop_app.conversation.message import Attachment, MessageDraft
from desktop_app.engine import protocol as p

from .bridge import Bridge
from .parts import Parts


class Drafts:
    """The draft in the composer, and those of the conversations that were left."""

    def __init__(self, bridge: Bridge, parts: Parts) -> None:
        self._bridge = bridge
        self._parts = parts
        self._left: dict[str, MessageDraft] = {}
        self._conversation = ""
        self._uncounted: MessageDraft | None = None
        self._is_ready = self._is_counting = False
        self._counted: tuple[tuple[str, tuple[Attachment, ...]], tuple[int, ...]] = ("", ()), ()

    def show(self, conversation: str) -> None:
        """Show the draft of the conversation that is open now; what was written before there was one stays."""
        before, self._conversation, self._is_ready = self._conversation, conversation, True
        composer = self._parts.composer
        self._counted = ("", ()), ()  # it may be another model
        if before and before != conversation:
            self._left[before] = composer.draft()
            composer.set_draft(self._left.pop(conversation, MessageDraft()))
        self.count(composer.draft())

    def pause(self) -> None:
        """Count nothing until a conversation is shown again."""
        self._is_ready = False

    def note_sent(self, conversation: str, draft: MessageDraft) -> None:
        """Remove a draft that was sent, unless it was changed since."""
        if conversation == self._conversation:
            if self._parts.composer.draft() == draft:
                self._parts.composer.clear()
        elif self._left.get(conversation) == draft:
            del self._left[conversation]

    def attach(self, conversation: str, number: int, attachment: Attachment | None) -> None:
        """Add what was read for the draft of that conversation. number: of its chip. None: it could not be read."""
        bar = self._parts.composer.attachments
        if bar.has(number):
            bar.finish(number, attachment)
        elif attachment is None or bar.was_removed(number):
            return
        elif conversation == self._conversation:  # it was left meanwhile, and is open again
            bar.set_attachments((*bar.attachments, attachment))
        else:
            left = self._left.get(conversation, MessageDraft())
            self._left[conversation] = replace(left, attachments=(*left.attachments, attachment))

    def count(self, draft: MessageDraft) -> None:
        """Count the draft; of drafts that come while one is counted only the newest is."""
        self._uncounted = draft
        if self._is_ready and not self._is_counting:
            self._is_counting = True
            self._bridge.start(self._count())

    async def _count(self) -> None:
        try:
            while self._uncounted is not None:
                draft, self._uncounted = self._uncounted, None
                tokens = 0
                if draft.text:
                    tokens = (await self._bridge.ask(p.CountDraft(self._conversation, draft.text))).tokens
                tokens += sum(await self._attachment_tokens(draft.attachments))
                self._parts.composer.set_draft_tokens(tokens)
                self._parts.gauge.set_draft_tokens(tokens)
        finally:
            self._is_counting = False

    async def _attachment_tokens(self, attachments: tuple[Attachment, ...]) -> tuple[int, ...]:
        """Return the tokens of each, and show them. They are counted anew only when they or the conversation change."""
        counted = self._conversation, attachments
        if self._counted[0] != counted:
            tokens = (await self._bridge.ask(p.CountAttachments(*counted))).tokens if attachments else ()
            self._counted = counted, tokens
        if self._parts.composer.attachments.attachments == attachments:
            self._parts.composer.attachments.set_tokens(self._counted[1])
        return self._counted[1]
