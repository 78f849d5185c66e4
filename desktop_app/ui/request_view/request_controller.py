"""The controller that keeps the request view and the largest parts in the panel up to date."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.events import GaugeChanged, MessageRecorded, TurnEvent, TurnFinished, ViewChanged
from desktop_app.conversation.gauge import PartChange, Segment, SentPart
from desktop_app.conversation.message import Message, Role
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.context_panel.context_panel import ContextPanel
from desktop_app.ui.context_panel.panel_breakdown import LargestParts
from desktop_app.ui.controller import Controller
from desktop_app.ui.header import Header
from desktop_app.ui.panes import ChatPane
from desktop_app.ui.toast import Toast
from desktop_app.ui.tools.tools_controller import ToolsController
from desktop_app.ui.transcript.conversation_controller import ConversationController
from desktop_app.ui.transcript.row_text import arguments_summary, clock_time
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.long_text import TextReader
from desktop_app.ui.widgets.number_formats import first_line_of_markdown, shorten

from .part_rows import PartAction, PartRow, title_of
from .request_view import ShownRequest

PAUSE = 250  # milliseconds from a change to reading the request again
LARGEST = 5  # parts that the panel lists
MAX_REPLIES = 20  # replies in the menu of earlier requests
CHANGING = (GaugeChanged, MessageRecorded, TurnFinished, ViewChanged)


class RequestController(Controller):
    """Reads the request after each change while it is shown, and carries out the user's actions on its parts."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        tools: ToolsController,
        window: QWidget,
        pane: ChatPane,
        header: Header,
        panel: ContextPanel,
        largest: LargestParts,
        toast: Toast,
    ) -> None:
        super().__init__(bridge, chat)
        self._window, self._header, self._toast = window, header, toast
        self._pane, self._transcript, self._model = pane, pane.transcript, pane.model
        self._panel, self._requests, self._largest = panel, panel.requests, largest
        self._tools = tools
        self._view = pane.request
        self._reply = self._conversation = self._sought = ""
        self._is_reading = False
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        self._pause.timeout.connect(self._read)
        self._connect()
        chat.opened.connect(self.note_opened)
        bridge.listen(self.note, *CHANGING)

    def _connect(self) -> None:
        view, requests = self._view, self._requests
        self._header.request_toggled.connect(self.show)
        self._transcript.request_requested.connect(self.show_of)
        view.moment_chosen.connect(self.choose_moment)
        view.replies_requested.connect(self.offer_replies)
        view.copy_requested.connect(self.copy)
        view.curl_requested.connect(self.copy_curl)
        view.list.action_requested.connect(self.perform)
        requests.part_requested.connect(self.perform_on)
        requests.segment_requested.connect(self.filter)

    # The switch

    def show(self, is_shown: bool) -> None:
        """Show the request in place of the transcript, scrolled to the transcript's current message; or go back."""
        if is_shown and (current := self._transcript.current_key):
            self._sought = current
        self._pane.show_request(is_shown)
        (self._view.list if is_shown else self._transcript).setFocus()
        self._read()

    def toggle(self) -> None:
        self.show(not self._pane.is_request_shown)

    def filter(self, segment: Segment) -> None:
        """Show only the parts of a segment."""
        self._view.filter(segment)
        if not self._pane.is_request_shown:
            self.show(True)

    def show_of(self, is_answered: bool, message_id: str) -> None:
        """Show the request that a message answered; or, unless is_answered, the message in the next request."""
        if is_answered:
            self.show_earlier(message_id)
            return
        self._turn_to(ShownRequest.NOW, self._reply)
        self.show(True)
        self._sought = message_id

    # Reading

    def note_opened(self, opened: p.ConversationOpened) -> None:
        """Reset the view for another conversation; read the request again in any case."""
        self._view.set_model(opened.model.label)
        if opened.conversation.id != self._conversation:
            self._conversation, self._sought = opened.conversation.id, ""
            self._view.segment = None
            self._largest.set_parts(())
            self._turn_to(ShownRequest.NOW, "")
        self._pause.start()

    def note(self, event: TurnEvent) -> None:
        """Read the request again soon, if it may have changed; during a turn, the panel waits for complete messages."""
        if event.conversation != self._chat.conversation:
            return
        is_shown = self._pane.is_request_shown
        is_whole = not self._model.is_running or isinstance(event, MessageRecorded)
        if not self._pause.isActive() if is_shown else is_whole:
            self._pause.start()

    @in_task
    async def _read(self) -> None:
        """Read the request for the view and the panel, whichever is shown, one reading at a time."""
        if self._is_reading:
            self._pause.start()
        if self._is_reading or not self._chat.conversation:
            return
        self._pause.stop()
        self._is_reading = True
        try:
            if self._pane.is_request_shown:
                await self._read_parts(self._chat.conversation)
            if not self._panel.isHidden():
                await self._read_largest(self._chat.conversation)
        finally:
            self._is_reading = False

    async def _read_parts(self, conversation: str) -> None:
        moment, reply = self._view.moment, self._reply
        is_earlier = moment is ShownRequest.THEN
        try:
            if moment is ShownRequest.CHANGES:
                parts = (await self._bridge.ask(p.CompareRequests(conversation, reply))).parts
                show = partial(self._view.set_changes, parts)
            else:
                request = (await self._bridge.ask(p.ReadRequest(conversation, reply if is_earlier else ""))).request
                show = partial(self._view.set_request, request)
        except EngineFailure as error:
            show = partial(self._view.show_failure, tr_engine(error.failure.title))
        if (conversation, moment, reply) != (self._chat.conversation, self._view.moment, self._reply):
            self._pause.start()  # another request was chosen in the meantime
            return
        show()
        if self._sought:
            self._view.choose(self._sought)
            self._sought = ""

    async def _read_largest(self, conversation: str) -> None:
        request = (await self._bridge.ask(p.ReadRequest(conversation, largest=LARGEST))).request
        if conversation == self._chat.conversation:
            self._largest.set_parts(request.parts)

    # Earlier requests

    def choose_moment(self, moment: ShownRequest) -> None:
        self._turn_to(moment, self._reply)
        self._read()

    def show_earlier(self, reply_id: str, moment: ShownRequest = ShownRequest.THEN) -> None:
        """Show the request that a reply answered."""
        self._turn_to(moment, reply_id)
        if not self._pane.is_request_shown:
            self.show(True)
        else:
            self._read()

    def offer_replies(self) -> None:
        """Offer a menu of the newest replies, to show the requests that they answered."""
        rows = self._model.rows
        replies = [row.message for row in rows if row.message.role is Role.ASSISTANT][: -MAX_REPLIES - 1 : -1]
        menu = self._view.offer_replies([(m.id, f"{_clock(m.at)}  {title_of_reply(m)}") for m in replies])
        menu.triggered.connect(lambda action: self.show_earlier(action.data(), ShownRequest.CHANGES))

    def _turn_to(self, moment: ShownRequest, reply: str) -> None:
        rows = self._model.rows
        at = next((row.message.at for row in rows if row.message.id == reply), 0.0)
        self._reply = reply
        self._view.show_moment(moment, (_clock(at) or tr("then", "the time of an earlier request")) if reply else "")

    # Parts

    def perform(self, action: PartAction, row: PartRow) -> None:
        """Carry out an action on a row of the request view."""
        if action is PartAction.OPEN:
            self._open(row)
        else:
            self.perform_on(action, row.part)

    def perform_on(self, action: PartAction, part: SentPart) -> None:
        """Carry out an action on a part of the request."""
        match action:
            case PartAction.SHOW_IN_CHAT:
                self._requests.message_requested.emit(part.message_id)
            case PartAction.SHOW_OPERATION:
                self._panel.show_operation(part.operation_id)
            case PartAction.SHOW_PROJECT:
                self._requests.project_requested.emit()
            case PartAction.SHOW_MEMORY:
                self._panel.open_tab("memory")
            case PartAction.SHOW_TOOLS:
                self._tools.open()
            case PartAction.LEAVE_OUT:
                self._tools.leave_out(part.name)
            case PartAction.PIN | PartAction.UNPIN:
                self.post(p.PinMessage if action is PartAction.PIN else p.UnpinMessage, part.message_id)
            case PartAction.OPEN:
                raise ValueError("Only a row of the X-ray can be opened")

    @in_task
    async def _open(self, row: PartRow) -> None:
        """Show the full text of a part."""
        is_earlier = self._view.moment is ShownRequest.THEN or row.change is PartChange.REMOVED
        reply = self._reply if is_earlier else ""
        full = await self._bridge.ask(p.ReadRequestText(self._chat.conversation, reply, row.index))
        TextReader(title_of(row.part), full.text, self._window, is_mono=True).show()

    @in_task
    async def copy(self) -> None:
        """Copy the shown request as JSON."""
        reply = self._reply if self._view.moment is ShownRequest.THEN else ""
        full = await self._bridge.ask(p.ReadRequestText(self._chat.conversation, reply))
        QGuiApplication.clipboard().setText(full.text)
        self._toast.show_message(tr("The request was copied as JSON"))

    @in_task
    async def copy_curl(self) -> None:
        """Copy the shown request as a command line that sends it."""
        reply = self._reply if self._view.moment is ShownRequest.THEN else ""
        command = await self._bridge.ask(p.ReadRequestCurl(self._chat.conversation, reply))
        QGuiApplication.clipboard().setText(command.text)
        self._toast.show_message(tr("The request was copied as a curl command. The key is in a variable."))


def title_of_reply(reply: Message) -> str:
    """Return the beginning of a reply; if it has no text, its calls, such as "read app/report.py"."""
    if words := shorten(first_line_of_markdown(reply.text, 90), 60):
        return words
    calls = (f"{call.name} {arguments_summary(call)}".rstrip() for call in reply.tool_calls)
    return shorten(", ".join(calls), 60) or tr("(no text)")


def _clock(at: float) -> str:
    return clock_time(at, time.time()) if at else ""
