"""Questions of turns: shows those of the open conversation, tells of the others, and passes the answers on."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from desktop_app.conversation.events import Answered, Asked, TurnEvent, TurnFinished
from desktop_app.conversation.tools import PermissionAnswer
from desktop_app.engine import protocol as p

from .bridge import Bridge
from .conversation_controller import ConversationController
from .parts import Parts
from .questions.question_words import title_of


class QuestionController(QObject):
    """Keeps the questions of all conversations until they are answered, here or elsewhere."""

    def __init__(self, bridge: Bridge, parts: Parts, chat: ConversationController) -> None:
        super().__init__()
        self._bridge = bridge
        self._parts = parts
        self._chat = chat
        self._waiting: dict[str, list[Asked]] = {}

    def note(self, event: TurnEvent) -> None:
        """Takes in what is asked and what is answered; nothing waits for a turn that is over."""
        match event:
            case Asked(conversation):
                waiting = self._waiting.setdefault(conversation, [])
                if event in waiting:  # it was told with the conversation already
                    return
                waiting.append(event)
                self._notify(event)
            case Answered(conversation, question):
                self._forget(conversation, question)
            case TurnFinished(conversation):
                self._waiting.pop(conversation, None)
            case _:
                return
        self.show()

    def note_opened(self, opened: p.Opened) -> None:
        """A conversation as it stands: its questions are those that the engine knows of."""
        self._waiting[opened.conversation.id] = list(opened.questions)
        self.show()

    def show(self) -> None:
        """The first question of the open conversation, if one waits."""
        waiting = self._waiting.get(self._chat.conversation)
        if waiting:
            self._parts.question.show_question(waiting[0], 1, len(waiting))
        elif self._parts.question.question is not None:
            had_focus = self._parts.question.has_focus
            self._parts.question.clear()
            if had_focus:
                self._parts.composer.take_focus()

    def answer(self, question: str, answer: PermissionAnswer) -> None:
        """The user's word."""
        conversation = self._chat.conversation
        self._forget(conversation, question)
        self.show()
        self._bridge.start(self._do(p.AnswerQuestion(conversation, question, answer)))

    def forget_all(self) -> None:
        """The engine ended, and its turns with it."""
        self._waiting.clear()
        self.show()

    def _forget(self, conversation: str, question: str) -> None:
        waiting = [asked for asked in self._waiting.get(conversation, ()) if asked.question != question]
        self._waiting[conversation] = waiting

    def _notify(self, asked: Asked) -> None:
        """Somebody who looks elsewhere is told that a turn waits."""
        window = self._parts.composer.window()
        if not window.isActiveWindow():
            QApplication.alert(window)
        if asked.conversation != self._chat.conversation:
            conversations = self._parts.sidebar.list.conversations
            row = conversations.row_of(asked.conversation)
            title = conversations.line(row).title if row >= 0 else "Another conversation"
            told = f"“{title}” waits for your answer: {title_of(asked)}"
            self._parts.toast.tell(told, "Open", lambda: self._chat.open(asked.conversation), stays=True)

    async def _do(self, wish: p.AnyWish) -> None:
        await self._bridge.ask(wish)
