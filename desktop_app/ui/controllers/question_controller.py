"""The controller of questions that a turn asks the user."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from desktop_app.conversation.events import QuestionAnswered, QuestionAsked, TurnEvent, TurnFinished
from desktop_app.conversation.tools import PermissionAnswer
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.parts import Parts
from desktop_app.ui.questions.question_text import pending_question_text
from desktop_app.ui.translation import tr

from .controller import Controller
from .conversation_controller import ConversationController


class QuestionController(Controller):
    """Shows the questions of the open conversation, notifies of others, and sends the answers."""

    def __init__(self, bridge: Bridge, parts: Parts, chat: ConversationController) -> None:
        super().__init__(bridge, parts, chat)
        self._announced: tuple[QuestionAsked, str] | None = None  # a question elsewhere, and what the toast says of it
        bridge.happened.connect(self.note)
        for told in (bridge.engine_died, bridge.engine_gave_up, chat.shown):
            told.connect(self.show)
        parts.composer.escape_pressed.connect(self.escape)
        parts.chat_pane.escape_pressed.connect(self.escape)
        parts.question.answered.connect(self.answer)

    def note(self, event: TurnEvent) -> None:
        match event:
            case QuestionAsked():
                self._notify(event)
            case QuestionAnswered() | TurnFinished():
                pass
            case _:
                return
        self.show()

    def show(self, _: object = None) -> None:
        """Show the first question of the open conversation, if one waits."""
        waiting = self._chat.turns.of(self._chat.conversation).questions
        if waiting:
            self._parts.question.show_question(waiting[0], 1, len(waiting))
        elif self._parts.question.question is not None:
            had_focus = self._parts.question.has_focus
            self._parts.question.clear()
            if had_focus:
                self._parts.composer.take_focus()
        self._withdraw()

    def answer(self, question: str, answer: PermissionAnswer) -> None:
        conversation = self._chat.conversation
        self._chat.apply(QuestionAnswered(conversation, question, answer.is_allowed))
        self.show()
        self._bridge.post(p.AnswerQuestion(conversation, question, answer))

    def escape(self) -> None:
        """Deny what is asked, as the card says of Escape; else end the walk through hits; else stop the turn."""
        if self._parts.question.is_listening:
            self._parts.question.deny.click()
        elif self._parts.hit_bar.isVisible():
            self._parts.hit_bar.close_bar()
        else:
            self._chat.stop()

    def _notify(self, asked: QuestionAsked) -> None:
        """Notify a user who looks elsewhere that a turn waits."""
        window = self._parts.composer.window()
        if not window.isActiveWindow():
            QApplication.alert(window)
        if asked.conversation != self._chat.conversation:
            words = pending_question_text(asked, self._parts.sidebar.list.conversations.title_of(asked.conversation))
            self._announced = asked, words
            self._parts.toast.show_message(words, tr("Open"), lambda: self._chat.open(asked.conversation), stays=True)

    def _withdraw(self) -> None:
        """Withdraw the toast once its question is answered or in sight."""
        if self._announced is None:
            return
        asked, words = self._announced
        is_open = asked.conversation == self._chat.conversation
        if is_open or asked not in self._chat.turns.of(asked.conversation).questions:
            self._announced = None
            self._parts.toast.withdraw(words)
