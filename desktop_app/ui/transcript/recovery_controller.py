"""Controllers for actions in the transcript, such as the ways out of a failure; for questions; and for graphics."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from desktop_app.conversation.events import QuestionAnswered, QuestionAsked, TurnFinished
from desktop_app.conversation.markdown_html import Graphic
from desktop_app.conversation.message import Attachment, Role
from desktop_app.conversation.tools import PermissionAnswer
from desktop_app.conversation.words import translatable
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.composer.composer import Composer
from desktop_app.ui.composer.question_card import QuestionCard
from desktop_app.ui.composer.question_text import pending_question_text
from desktop_app.ui.context_panel.context_controller import ContextController
from desktop_app.ui.context_panel.context_panel import ContextPanel
from desktop_app.ui.controller import Controller
from desktop_app.ui.header_controller import ModelController, SetupController
from desktop_app.ui.importing.import_controller import ExportController
from desktop_app.ui.palette.result_rows import HitBar
from desktop_app.ui.panes import ChatPane
from desktop_app.ui.settings.settings_controller import SettingsController
from desktop_app.ui.sidebar.conversation_model import ConversationModel
from desktop_app.ui.toast import Toast
from desktop_app.ui.tools.tools_controller import ToolsController
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.pictures import graphics

from .conversation_controller import ConversationController
from .row_painter import Action

EDIT_LATER = translatable("A message can be edited once the reply has ended. Stop it to edit now.")

EDIT_KEPT = translatable("What you have changed is kept until you edit this message again.")

REQUESTS: dict[Action, Callable[[str, str], p.EngineRequest[p.Done]]] = {
    Action.PIN: p.PinMessage,
    Action.UNPIN: p.UnpinMessage,
    Action.UNDO_OPERATION: p.UndoOperation,
    Action.BRING_BACK: lambda conversation, message: p.BringBackMessages(conversation, (message,)),
    Action.OPTIMIZE_AND_RETRY: lambda conversation, _: p.GoOn(conversation, makes_room=True),
    Action.SEND_ANYWAY: lambda conversation, _: p.GoOn(conversation, is_forced=True),
    Action.CONTINUE_REPLY: lambda conversation, _: p.ContinueReply(conversation),
    Action.SEND_AS_FILE: lambda conversation, _: p.ShortenMessage(conversation, as_file=True),
    Action.SEND_CUT: lambda conversation, _: p.ShortenMessage(conversation, as_file=False),
    Action.USE_OWN_WINDOW: lambda conversation, _: p.UseOwnWindow(conversation),
}
"""Actions that the engine carries out: the request, from the conversation and the action's argument."""


OPENINGS: dict[Action, Callable[[str, str], p.EngineRequest[p.ConversationOpened]]] = {
    Action.OPEN_CONVERSATION: lambda _, other: p.OpenConversation(other),
    Action.FORK: p.Fork,
}
"""Actions whose response is the conversation to show next."""


class RecoveryController(Controller):
    """Carries out the actions of messages, marks and failures."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        settings: SettingsController,
        export: ExportController,
        models: ModelController,
        context: ContextController,
        tools: ToolsController,
        setup: SetupController,
        pane: ChatPane,
        panel: ContextPanel,
        composer: Composer,
        toast: Toast,
    ) -> None:
        super().__init__(bridge, chat)
        self._transcript, self._model, self._panel = pane.transcript, pane.model, panel
        self._composer, self._toast = composer, toast
        self._export = export
        self._models = models
        self._context = context
        self._own: dict[Action, Callable[[str], object]] = {
            Action.CHOOSE_TOOLS: lambda _: tools.open(),
            Action.EDIT_SETUP: lambda _: setup.open(),
            Action.SHOW_PINS: lambda _: panel.open_tab("pins"),
            Action.SHOW_MEMORY: lambda _: panel.open_tab("memory"),
            Action.REGENERATE: chat.regenerate,
            Action.OPEN_SETTINGS: settings.open,
            Action.EDIT_MESSAGE: self.edit_message,
            Action.SHOW_RECALLED: self.show_recalled,
        }
        self._transcript.action_requested.connect(self.perform)
        editor = self._editor = self._transcript.editor
        editor.resend_requested.connect(self.resend)
        editor.left_changed.connect(lambda: toast.show_message(tr(EDIT_KEPT), tr("Edit"), self.edit_left))

    def perform(self, action: Action, argument: str = "") -> None:
        """Carry out an action. argument: the object of the action, such as a message's id or the name of a setting."""
        if action in REQUESTS:
            self.post(REQUESTS[action], argument)
            return
        if action in OPENINGS:
            self._chat.open_with(OPENINGS[action](self._chat.conversation, argument))
            return
        if action in self._own:
            self._own[action](argument)
            return
        match action:
            case Action.EARLIER | Action.LATER:
                self._chat.show_version(argument)
            case Action.SHOW_OPERATION:
                self._panel.open_archived(argument)
            case Action.TRY_AGAIN | Action.GO_ON:
                self._chat.go_on(float(argument or 0))
            case Action.START_FRESH:
                self._context.start_fresh()
            case Action.SWITCH_MODEL:
                self._models.offer(is_largest_first=True)
            case Action.EXPORT | Action.EXPORT_FROM | Action.EXPORT_TO:
                is_first, is_last = action is Action.EXPORT_FROM, action is Action.EXPORT_TO
                self._export.open(argument if is_first else "", argument if is_last else "")
            case _:
                raise ValueError(f"{action} is not carried out here")

    def edit_message(self, message_id: str = "") -> None:
        """Let one of the user's messages be edited in place; without an id, the newest one."""
        self._chat.show_page()
        model = self._model
        sent_ids = (row.message.id for row in reversed(model.rows) if row.message.role is Role.USER)
        if model.is_running:
            self._toast.show_message(tr(EDIT_LATER))
        elif chosen := message_id or next(sent_ids, ""):
            self._transcript.edit_message(chosen)

    def edit_left(self) -> None:
        """Continue to edit the message whose editor was left last."""
        if newest := self._editor.newest_left():
            self.edit_message(newest)

    @in_task
    async def show_recalled(self, name: str) -> None:
        """Show a message that `recall` has found. name: its reference in the result, such as "3f2a9c1b0d5e#12"."""
        conversation, _, index = name.partition("#")
        found = await self._bridge.ask(p.FindRecalled(conversation, int(index)))
        await self._chat.show_message(found.conversation, found.message)

    @in_task
    async def resend(self, message_id: str, text: str) -> None:
        """Send an edited message with its attachments in a new branch."""
        rows = self._model.rows
        parts = next((row.message.parts for row in rows if row.message.id == message_id), ())
        attached = tuple(part for part in parts if isinstance(part, Attachment))
        await self._bridge.ask(p.EditMessage(self._chat.conversation, message_id, text, attached))
        self._editor.note_sent(message_id)
        self._composer.take_focus()


class QuestionController(Controller):
    """Shows the questions of the open conversation, notifies of others, and sends the answers."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        card: QuestionCard,
        composer: Composer,
        hit_bar: HitBar,
        listed: ConversationModel,
        toast: Toast,
    ) -> None:
        super().__init__(bridge, chat)
        self._card, self._composer, self._hit_bar, self._listed, self._toast = card, composer, hit_bar, listed, toast
        self._announced: tuple[QuestionAsked, str] | None = (
            None  # a question in another conversation, and the toast's text
        )
        bridge.listen(self.note, QuestionAsked, QuestionAnswered, TurnFinished)
        for signal in (bridge.engine_died, bridge.engine_gave_up, chat.opened):
            signal.connect(self.show)
        card.answered.connect(self.answer)

    def note(self, event: QuestionAsked | QuestionAnswered | TurnFinished) -> None:
        if isinstance(event, QuestionAsked):
            self._notify(event)
        self.show()

    def show(self, _: object = None) -> None:
        """Show the first waiting question of the open conversation, or hide the card."""
        waiting = self._chat.turns.of(self._chat.conversation).questions
        if waiting:
            self._card.show_question(waiting[0], 1, len(waiting))
        elif self._card.question is not None:
            had_focus = self._card.has_focus
            self._card.clear()
            if had_focus:
                self._composer.take_focus()
        self._withdraw()

    def answer(self, question: str, answer: PermissionAnswer) -> None:
        conversation = self._chat.conversation
        self._chat.apply(QuestionAnswered(conversation, question, answer.is_allowed))
        self.show()
        self._bridge.post(p.AnswerQuestion(conversation, question, answer))

    def escape(self) -> None:
        """Answer a waiting question with "deny", or else close the bar of search hits, or else stop the turn."""
        if self._card.is_listening:
            self._card.deny.click()
        elif self._hit_bar.isVisible():
            self._hit_bar.close_bar()
        else:
            self._chat.stop()

    def _notify(self, asked: QuestionAsked) -> None:
        """Notify a user who does not see the question that a turn is waiting."""
        window = self._composer.window()
        if not window.isActiveWindow():
            QApplication.alert(window)
        if asked.conversation != self._chat.conversation:
            words = pending_question_text(asked, self._listed.title_of(asked.conversation))
            self._announced = asked, words
            self._toast.show_message(words, tr("Open"), lambda: self._chat.open(asked.conversation), stays=True)

    def _withdraw(self) -> None:
        """Withdraw the toast once its question is answered or its conversation is open."""
        if self._announced is None:
            return
        asked, words = self._announced
        is_open = asked.conversation == self._chat.conversation
        if is_open or asked not in self._chat.turns.of(asked.conversation).questions:
            self._announced = None
            self._toast.withdraw(words)


BATCH = 40  # graphics in one request


class GraphicController(QObject):
    """Lets the engine draw missing graphics, a batch at a time."""

    def __init__(self, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)  # deleted with its window: the global `graphics` notifies every live controller
        self._bridge = bridge
        self._is_drawing = False
        graphics.wanted.connect(self.draw)

    @in_task
    async def draw(self) -> None:
        """Draw the missing graphics."""
        if self._is_drawing:
            return
        self._is_drawing = True
        try:
            while batch := graphics.take_missing(BATCH):
                await self._draw(tuple(batch))
        finally:
            self._is_drawing = False

    async def _draw(self, batch: tuple[Graphic, ...]) -> None:
        try:
            answer = await self._bridge.ask(p.DrawGraphics(batch))
        except EngineFailure:  # it died, which is reported; until the next layout they stay text
            graphics.forget(batch)
        else:
            graphics.keep(batch, answer.drawings)
