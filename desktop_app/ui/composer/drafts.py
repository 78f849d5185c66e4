"""Drafts and edits of all conversations, stored while they are written, and the token count of the current draft."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QTimer

from desktop_app.conversation.message import Attachment, MessageDraft
from desktop_app.conversation.unsent import join_drafts
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure
from desktop_app.ui.context_panel.context_gauge import ContextGauge
from desktop_app.ui.context_panel.panel_breakdown import Breakdown
from desktop_app.ui.transcript.message_editor import MessageEditor

from .composer import Composer

NOTHING_COUNTED = p.AttachmentsCounted(())
KEEP_PAUSE = 500  # milliseconds from the last change of a draft to storing it


class Drafts:
    """The draft in the composer, and the drafts of conversations that were left. The engine stores all of them."""

    def __init__(
        self, bridge: Bridge, composer: Composer, editor: MessageEditor, gauge: ContextGauge, breakdown: Breakdown
    ) -> None:
        self._bridge, self._composer, self._editor = bridge, composer, editor
        self._gauge, self._breakdown = gauge, breakdown
        self._left: dict[str, MessageDraft] = {}
        # The drafts that the engine has stored, as far as that is known.
        self._kept: dict[str, MessageDraft] = {}
        # The open conversation's edits that the engine has stored; None if that is not known.
        self._kept_edits: dict[str, str] | None = {}
        self._seen: set[str] = set()
        self._conversation = ""
        self._in_front = MessageDraft()  # the restored draft that was put before text that had been typed already
        self._uncounted: MessageDraft | None = None
        self._is_ready = self._is_counting = False
        self._counted: tuple[tuple[str, tuple[Attachment, ...]], p.AttachmentsCounted] = ("", ()), NOTHING_COUNTED
        self._keeping = QTimer(composer, interval=KEEP_PAUSE, singleShot=True)
        self._keeping.timeout.connect(self.keep)
        editor.edits_changed.connect(self._keeping.start)

    def show(self, conversation: str, stored: MessageDraft, edits: dict[str, str] | None = None) -> None:
        """Show the draft and the edits of the conversation that is open now.

        Text that was typed while none was open is kept. stored: the draft of an earlier run. edits: as the engine has
        stored them; None if they have not changed.
        """
        before, self._conversation, self._is_ready = self._conversation, conversation, True
        composer = self._composer
        self._counted = ("", ()), NOTHING_COUNTED  # the model may have changed
        is_new = conversation not in self._seen
        if is_new:
            self._seen.add(conversation)
            self._kept[conversation] = stored
        if before and before != conversation:
            self._left[before] = composer.draft()
            composer.clear()
            composer.forget_edits()
        if before != conversation:
            if edits is not None:
                self._show_edits(before, edits, is_new)
            own = self._in_front = self._left.pop(conversation, stored if is_new else MessageDraft())
            if own != MessageDraft():
                composer.set_draft(join_drafts(own, composer.draft()))
        self.keep()
        self.count(composer.draft())

    def leave(self) -> None:
        """Set the draft aside with its conversation: text that is typed from now on is for the next conversation."""
        self.pause()
        if self._conversation:
            self._keep_edits(self._conversation)
            self._left[self._conversation] = self._composer.draft()
            self._conversation = ""
            self._composer.clear()

    def come_back(self, conversation: str) -> None:
        """Show the draft of a conversation that was left, with text typed since: the next one could not be opened."""
        if not self._conversation and conversation in self._seen:
            self.show(conversation, MessageDraft())

    def pause(self) -> None:
        """Count and store nothing until a conversation is shown again."""
        self._is_ready = False

    def forget_engine(self) -> None:
        """Store everything again once there is a new engine: the last changes may not have reached the old one."""
        self.pause()
        self._kept.clear()
        self._kept_edits = None

    def forget(self) -> None:
        """Forget all drafts, since another archive with its own drafts takes the place of this one."""
        self.forget_engine()
        self._left.clear()
        self._seen.clear()
        self._conversation = ""
        self._composer.clear()

    async def send(self, conversation: str, draft: MessageDraft, request: p.EngineRequest[Any]) -> None:
        """Send a draft, and remove it once it is stored as a message. Raises EngineFailure.

        request: empties the stored draft, which may be an older one.
        """
        self._kept[conversation] = draft  # stored after its message, it would come back at the next start
        try:
            await self._bridge.ask(request)
        except EngineFailure:
            self._kept.pop(conversation, None)
            self.keep()
            raise
        if self._kept.get(conversation) is draft:
            self._kept[conversation] = MessageDraft()
        else:  # a draft typed since may have been stored before the message was, and emptied with it
            self._kept.pop(conversation, None)
        self.note_sent(conversation, draft)

    def note_sent(self, conversation: str, draft: MessageDraft) -> None:
        """Remove a draft that was sent, unless it was changed since. A draft restored before it stays."""
        if conversation == self._conversation:
            composer = self._composer
            if composer.draft() == draft:
                composer.clear()
                self.count(MessageDraft())
            elif composer.draft() == join_drafts(self._in_front, draft):
                composer.set_draft(self._in_front)
        elif self._left.get(conversation) == draft:
            self._left[conversation] = MessageDraft()
        self.keep()

    def take_back(self, conversation: str, before: MessageDraft, draft: MessageDraft) -> None:
        """Show a draft that a queued message was added to.

        before: the draft at the time of the request; text that was typed since is kept.
        """
        self._kept[conversation] = draft
        composer = self._composer
        if conversation != self._conversation:
            self._left[conversation] = draft
            return
        typed = composer.draft()
        composer.set_draft(draft if typed == before else join_drafts(draft, typed))
        composer.take_focus()

    def attach(self, conversation: str, number: int, attachments: tuple[Attachment, ...]) -> None:
        """Add a file, and its pages that are pictures, to the draft of that conversation; () if it could not be read.

        number: its chip's.
        """
        bar = self._composer.attachments
        if bar.has(number):
            bar.finish(number, attachments)
        elif not attachments or bar.was_removed(number):
            return
        elif conversation == self._conversation:  # it was left in the meantime, and is open again
            bar.set_attachments((*bar.attachments, *attachments))
        else:
            left = self._left.get(conversation, MessageDraft())
            self._left[conversation] = replace(left, attachments=(*left.attachments, *attachments))
            self.keep()

    def keep(self) -> None:
        """Store all changes at once."""
        self._keeping.stop()
        if not self._is_ready:
            return
        self._keep_edits(self._conversation)
        for conversation, draft in (*self._left.items(), (self._conversation, self._composer.draft())):
            if conversation and self._kept.get(conversation) != draft:
                self._bridge.start(self._keep(conversation, draft))

    def _show_edits(self, before: str, edits: dict[str, str], is_new: bool) -> None:
        """Store the previous conversation's edits, and show the edits of the one that is open now."""
        self._editor.leave()
        self._keep_edits(before)
        self._editor.set_edits(edits)
        self._kept_edits = edits
        if is_new and edits:
            self._editor.left_changed.emit()

    def _keep_edits(self, conversation: str) -> None:
        edits = self._editor.edits()
        if conversation and (self._kept_edits is None or list(edits.items()) != list(self._kept_edits.items())):
            self._kept_edits = edits
            self._bridge.start(self._store_edits(conversation, edits))

    async def _store_edits(self, conversation: str, edits: dict[str, str]) -> None:
        try:
            await self._bridge.ask(p.KeepEdits(conversation, edits))
        except EngineFailure:
            self._kept_edits = None
            raise

    async def _keep(self, conversation: str, draft: MessageDraft) -> None:
        if (kept := self._kept.get(conversation)) == draft:  # it is being sent
            return
        attachments = None if kept is not None and kept.attachments == draft.attachments else draft.attachments
        self._kept[conversation] = draft
        try:
            await self._bridge.ask(p.KeepDraft(conversation, draft.text, attachments))
        except EngineFailure:
            self._kept.pop(conversation, None)
            raise

    def count(self, draft: MessageDraft) -> None:
        """Count the draft, and store it soon. Of drafts that arrive during a count only the newest is counted.

        An empty one is shown at once: a sent draft is soon in the gauge as a message, and must not be there twice.
        """
        self._keeping.start()
        self._uncounted = draft
        if draft == MessageDraft():
            self._show_tokens(0)
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
                if self._uncounted != MessageDraft():
                    self._show_tokens(tokens)
        finally:
            self._is_counting = False

    def _show_tokens(self, tokens: int) -> None:
        for part in (self._composer, self._gauge, self._breakdown):
            part.set_draft_tokens(tokens)

    async def _attachment_tokens(self, attachments: tuple[Attachment, ...]) -> tuple[int, ...]:
        """Return and show the tokens of each. They are counted again only when they or the conversation change."""
        counted = self._conversation, attachments
        if self._counted[0] != counted:
            found = await self._bridge.ask(p.CountAttachments(*counted)) if attachments else NOTHING_COUNTED
            self._counted = counted, found
        found = self._counted[1]
        bar = self._composer.attachments
        if bar.attachments == attachments:
            bar.set_tokens(found.tokens, found.image_reader)
        return found.tokens
