"""The controller of the open conversation: opening, sending, events, older pages, and blank conversations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.conversation.events import (
    FiguresCounted,
    GaugeChanged,
    MessageRecorded,
    MessageRow,
    ModelChanged,
    TurnEvent,
    TurnFinished,
    TurnStarted,
    ViewChanged,
)
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.message import Attachment, MessageDraft, Role, Totals
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.composer.composer import Composer, request_of
from desktop_app.ui.composer.drafts import Drafts
from desktop_app.ui.context_panel.context_gauge import ContextGauge
from desktop_app.ui.context_panel.context_panel import ContextPanel
from desktop_app.ui.failure_card import FailureCard
from desktop_app.ui.header import Header
from desktop_app.ui.live_turns import LiveTurns
from desktop_app.ui.panes import ChatPane, Pages
from desktop_app.ui.sidebar.conversation_list import ConversationList
from desktop_app.ui.toast import Toast, notice_of_wait
from desktop_app.ui.translation import tr

from .transcript_widget import TranscriptWidget


class OlderMessages:
    """Reads pages of older messages. conversation: returns the id of the open conversation."""

    def __init__(self, bridge: Bridge, transcript: TranscriptWidget, conversation: Callable[[], str]) -> None:
        self._bridge, self._transcript, self._model = bridge, transcript, transcript.transcript
        self._conversation = conversation
        self._is_reading = False

    @in_task
    async def read(self, before: int, around: int) -> None:
        """Read the page before that index, one at a time. around: the index of the message that is visible."""
        if self._is_reading or not self._conversation():
            return
        self._is_reading = True
        try:
            page = await self._page(before)
        finally:
            self._is_reading = False
        if page:
            self._model.add_page(page, around)

    def forget(self) -> None:
        """Release pages that are not needed while the reader is at the end."""
        if self._transcript.follows_end:
            self._model.keep_newest()

    async def show_message(self, message_id: str, top: int | None = None) -> bool:
        """Scroll to a message of the open conversation; return False if the current branch does not have it.

        top: the position of its beginning, in pixels below the top of the visible area.
        """
        if self._transcript.show_message(message_id, top):
            return True
        page = await self._page(0, message_id)
        if page:
            self._model.add_page(page, page[0].index)
        return bool(page) and self._transcript.show_message(message_id, top)

    async def _page(self, before: int, around: str = "") -> tuple[MessageRow, ...]:
        """Return the page before that index; () if another conversation was opened in the meantime."""
        conversation = self._conversation()
        page = await self._bridge.ask(p.ReadMessages(conversation, before, around=around))
        return page.rows if conversation == self._conversation() else ()


class BlankConversations:
    """Conversations without messages: their ids by the ids of their projects, "" for no project."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}
        self.filled: set[str] = set()  # ids of conversations that have messages now, which the list may not show yet

    def find(self, project: str) -> str:
        """Return the blank conversation of a project; "" if none is known."""
        return self._ids.get(project, "")

    def note(self, conversation: str, project: str | None) -> None:
        """Note the project of a conversation without messages; None once it has messages."""
        self._ids = {known: blank for known, blank in self._ids.items() if blank != conversation}
        if project is not None:
            self._ids[project] = conversation
        else:
            self.filled.add(conversation)

    def move(self, conversations: Iterable[str], project: str) -> None:
        """Note that the blank ones among these conversations are in another project now."""
        for blank in set(conversations) & set(self._ids.values()):
            self.note(blank, project)


SKELETON_DELAY = 120  # milliseconds; most conversations have been opened by then


class ConversationController(QObject):
    """Opens conversations and knows which one is open.

    Signal: opened(ConversationOpened) after each opening, of another conversation or of the same one again.
    """

    opened = Signal(object)

    def __init__(
        self,
        bridge: Bridge,
        drafts: Drafts,
        pages: Pages,
        pane: ChatPane,
        composer: Composer,
        header: Header,
        gauge: ContextGauge,
        panel: ContextPanel,
        conversation_list: ConversationList,
        card: FailureCard,
        toast: Toast,
    ) -> None:
        super().__init__()
        self._bridge = bridge
        self._pages, self._pane, self._transcript, self._model = pages, pane, pane.transcript, pane.model
        self._composer, self._header, self._gauge, self._panel = composer, header, gauge, panel
        self._list, self._listed = conversation_list, conversation_list.conversations
        self._card, self._toast = card, toast
        self.turns = LiveTurns()
        self.drafts = drafts
        self.past = OlderMessages(bridge, pane.transcript, lambda: self.conversation)
        self._is_ready = self._is_sending = False
        self._wanted = 0
        self._opening = asyncio.Lock()
        self._shown = ""
        self.blanks = BlankConversations()
        self.conversation = ""  # the id of the open one, or of the one to open once the engine is ready
        bridge.listen(self.apply)
        self._connect()

    def _connect(self) -> None:
        composer, welcome, requests = self._composer, self._pane.welcome, self._panel.requests
        composer.send_requested.connect(self.send)
        composer.send_now_requested.connect(partial(self.send, is_now=True))
        composer.steer_requested.connect(partial(self.send, is_steering=True))
        composer.stop_requested.connect(self.stop)
        composer.draft_changed.connect(self.drafts.count)
        welcome.prompt_chosen.connect(partial(self.send, is_draft=False))
        welcome.prompt_chosen.connect(composer.take_focus)  # the card that has the focus is hidden
        self._transcript.page_requested.connect(self.past.read)
        self._list.begin_requested.connect(self.open_new)
        self._list.conversation_chosen.connect(self.open)
        requests.conversation_requested.connect(self.open)
        requests.version_requested.connect(self.show_version)

    # What is shown

    def is_open(self) -> bool:
        return bool(self.conversation)

    def has_messages(self) -> bool:
        """Return whether a conversation with messages is open."""
        return self.is_open() and not self._model.is_blank

    def is_running(self) -> bool:
        return self._model.is_running

    def is_idle(self) -> bool:
        """Return whether a conversation with messages is open, and no turn is running in it."""
        return self.has_messages() and not self._model.is_running

    def show_page(self) -> None:
        """Show the conversation in place of another page."""
        self._pages.show_chat()

    def take_focus(self) -> None:
        """Show the conversation, and let the user write."""
        self.show_page()
        self._composer.take_focus()

    def jump_to_end(self) -> None:
        """Show the newest message."""
        self.show_page()
        self._transcript.follow_end()

    def newest_reply(self) -> str:
        """Return the text of the newest reply that has one; "" without any."""
        messages = (row.message for row in reversed(self._model.rows))
        return next((message.text for message in messages if message.role is Role.ASSISTANT and message.text), "")

    def copy_newest_reply(self) -> None:
        self._transcript.copy(self.newest_reply(), tr("Reply copied"))

    # Opening

    def open(self, conversation: str) -> None:
        self._bridge.start(self._open(p.OpenConversation(conversation)))

    def open_new(self, project: str = "") -> None:
        """Show a blank conversation in that project: the existing one, or a new one.

        Text that is typed from now on is for that conversation, even before it is shown.
        """
        self._pane.show_request(False)
        self._composer.take_focus()
        if not self._shows_blank(project):
            self.drafts.keep()
            self.drafts.leave()
            self._bridge.start(self._open_blank(project))

    def _shows_blank(self, project: str) -> bool:
        return self._model.is_blank and self.blanks.find(project) == (self._shown or None)

    async def _open_blank(self, project: str) -> None:
        async with self._opening:  # `send` waits for it
            if self._shows_blank(project):
                return
            known = self._listed.info_of(self.blanks.find(project))
            blank = known or self._listed.find_blank(project, self.blanks.filled)
            create = p.CreateConversation(project=project)
            try:
                await self._open(create if blank is None or blank.is_put_away else p.OpenConversation(blank.id))
            except EngineFailure:
                self.drafts.come_back(self.conversation)
                raise

    async def use_model(self, model: str) -> None:
        """Use that model in the open conversation."""
        self._composer.take_focus()
        await self._open(p.ChooseModel(self.conversation, model))

    def welcome(self) -> None:
        """Open the conversation that was open last, or else the newest, or else create the first one."""
        self._is_ready = True
        self._bridge.start(self._open_first())

    def note_engine_death(self) -> None:
        """End all turns: nothing runs until the engine is back."""
        self._is_ready = False
        self.drafts.forget_engine()
        self.turns.end_all()
        self._show_activities()
        self._model.apply(TurnFinished(self.conversation, "failed"), self.turns.of(self.conversation))

    def start_over(self) -> None:
        """Forget all conversations: there is another archive once the engine is back."""
        self.note_engine_death()
        self.drafts.forget()
        self.blanks = BlankConversations()

    def leave(self) -> None:
        """Show the newest of the other conversations, or a new one."""
        self.conversation = ""
        self.drafts.leave()
        self._bridge.start(self._open_first())

    async def show_message(self, conversation: str, message_id: str) -> None:
        """Scroll to a message; if it is in another branch, make that the current one."""
        self._pane.show_request(False)
        if conversation != self.conversation:
            await self._open(p.OpenConversation(conversation))
        if conversation != self.conversation or await self.past.show_message(message_id):
            return
        rows = self._model.rows
        await self._open(p.ShowVersion(conversation, message_id))
        await self.past.show_message(message_id)
        if rows and conversation == self.conversation:
            show, back = self._toast.show_message, partial(self.show_version, rows[-1].message.id)
            show(tr("Switched to the version with this message"), tr("Back"), back, about=conversation)

    @in_task
    async def show_version(self, message_id: str) -> None:
        """Make the branch with that version of a message the current one, without scrolling."""
        before = self._model.row_with_version(message_id)
        top = self._transcript.top_of(before.message.id) if before is not None else None
        await self._open(p.ShowVersion(self.conversation, message_id))
        await self.past.show_message(message_id, top)

    async def _open_first(self) -> None:
        async with self._opening:
            wanted = self._wanted
            listed = await self._bridge.ask(p.ListConversations())
            self._listed.show_projects(listed.projects)
            self._listed.show_conversations(infos := listed.conversations)
            if wanted != self._wanted:  # the user has chosen one in the meantime
                return
            known = [info.id for info in sorted(infos, key=lambda info: info.is_put_away)]
            if self.conversation in known:
                await self._open(p.OpenConversation(self.conversation))
            elif known:
                await self._open(p.OpenConversation(known[0]))
            else:
                await self._open(p.CreateConversation())

    def open_with(self, request: p.EngineRequest[p.ConversationOpened]) -> None:
        """Send a request that opens a conversation, show that, and focus the composer."""
        self._bridge.start(self._open(request))
        self._composer.take_focus()

    async def start_fresh(self, request: p.StartFresh) -> None:
        """Open a new conversation that begins with a summary of this one."""
        await self._open(request)

    async def _open(self, request: p.EngineRequest[p.ConversationOpened]) -> None:
        self._wanted += 1
        wanted = self._wanted
        self._pages.show_chat()
        waiting = self._await(request)
        try:
            opened = await self._bridge.ask(request)
        finally:
            waiting.stop()
            if wanted == self._wanted:
                self._pane.show_conversation()
                self._header.preview_title()
        if wanted == self._wanted:  # otherwise the user has chosen another one in the meantime
            self._show(opened)

    def _await(self, request: p.EngineRequest[p.ConversationOpened]) -> QTimer:
        """Show that another conversation is being opened: at once if none is shown, otherwise after SKELETON_DELAY."""
        waiting = QTimer(singleShot=True, interval=SKELETON_DELAY if self._shown else 0)
        if isinstance(request, p.OpenConversation) and request.conversation != self._shown:
            info = self._listed.info_of(request.conversation)
            if info is not None and info.messages:
                waiting.timeout.connect(self._pane.await_conversation)
                waiting.timeout.connect(lambda: self._header.preview_title(info.title))
                waiting.start()
        return waiting

    def _show(self, opened: p.ConversationOpened) -> None:
        before, self._shown = self._shown, opened.conversation.id
        if before and before != self._shown:  # at the start, the engine's warnings stay
            self._card.clear_passing()
        self.conversation = self._shown
        self.turns.note_opened(self._shown, opened.is_running, opened.questions)
        self._show_activities()
        self._header.show_conversation(opened.conversation.title, opened.model)
        self._model.open(opened.rows, opened.operations, self.turns.of(self._shown), opened.other_versions)
        self.blanks.note(self._shown, opened.conversation.project if self._model.is_blank else None)
        self._panel.show_conversation(opened.operations, opened.pins, opened.totals)
        self._list.show_open(self.conversation)
        self._show_gauge(opened.gauge)
        self.drafts.show(self.conversation, opened.draft, opened.edits)
        self.opened.emit(opened)

    # The turn

    @in_task
    async def send(
        self,
        text: str,
        attachments: tuple[Attachment, ...] = (),
        is_now: bool = False,
        is_draft: bool = True,
        is_steering: bool = False,
    ) -> None:
        """Send a message, one at a time; a draft stays in the composer until it is stored.

        is_now: stop the reply first. is_draft: whether the message is the composer's draft. is_steering: let it enter
        the running turn.
        """
        if self._is_sending:
            return
        self._is_sending = True
        try:
            if (notice := notice_of_wait(self._is_ready, self._gauge.gauge)) and not self._bridge.is_refusing:
                self._toast.show_message(tr(notice))
            async with self._opening:
                if not self.conversation:
                    await self._open(p.CreateConversation())
            conversation = self.conversation
            request = request_of(conversation, text, attachments, is_now, is_draft, is_steering)
            if is_draft:
                await self.drafts.send(conversation, MessageDraft(text, attachments), request)
            else:
                await self._bridge.ask(request)
        finally:
            self._is_sending = False

    def stop(self) -> None:
        if self.conversation and self._model.is_running:
            self._bridge.post(p.Stop(self.conversation))

    def regenerate(self, reply_id: str = "") -> None:
        """Regenerate a reply in a new branch; without an id, the newest one."""
        self._begin(p.Regenerate(self.conversation, reply_id))

    def go_on(self, not_before: float = 0.0) -> None:
        """Ask for the missing answer, keeping the results of tools. not_before: seconds since 1970; 0 for at once."""
        self._begin(p.GoOn(self.conversation, not_before=not_before))

    def _begin(self, request: p.Regenerate | p.GoOn) -> None:
        if self.conversation and not self._model.is_running:
            self._bridge.post(request)

    def apply(self, event: TurnEvent) -> None:
        """Apply an event. For conversations other than the open one, only the state of the turn is updated."""
        activity = self.turns.of(event.conversation).activity
        self.turns.fold(event, monotonic())
        is_unread = isinstance(event, TurnFinished) and event.conversation != self.conversation
        if is_unread:
            self.turns.unread.add(event.conversation)
        if is_unread or self.turns.of(event.conversation).activity != activity:
            self._show_activities()
        if event.conversation != self.conversation:
            return
        self._model.apply(event, self.turns.of(event.conversation))
        match event:
            case GaugeChanged(_, gauge):
                self._show_gauge(gauge)
            case ModelChanged(_, model):
                self._header.show_conversation(self._header.title, model)
            case TurnStarted():
                self.blanks.note(self.conversation, None)
                self._card.clear_passing()
            case MessageRecorded(_, row):
                if row.message.role is Role.USER:
                    self._transcript.follow_end()
                self.past.forget()
            case ViewChanged():
                self._panel.change_view(event)
            case FiguresCounted(_, gauge, totals):
                self._show_gauge(gauge)
                self._panel.set_totals(totals)
            case TurnFinished(totals=Totals() as totals):
                self._panel.set_totals(totals)

    def _show_activities(self) -> None:
        self._listed.show_activities(self.turns.activities)

    def _show_gauge(self, gauge: Gauge | None) -> None:
        for part in (self._gauge, self._panel, self._transcript):
            part.set_gauge(gauge)
