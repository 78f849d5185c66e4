"""Questions that a turn waits with until the user has answered."""

from __future__ import annotations

import asyncio
import uuid

from desktop_app.conversation.events import QuestionAsked
from desktop_app.conversation.tools import PermissionAnswer


class Questions:
    """Those that wait, by their names. It belongs to one event loop."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[QuestionAsked, asyncio.Future[PermissionAnswer]]] = {}

    def new_name(self) -> str:
        return uuid.uuid4().hex

    async def answer_to(self, asked: QuestionAsked) -> PermissionAnswer:
        """Wait for the user's answer. Cancelling withdraws the question."""
        future = self._waiting.setdefault(asked.question, (asked, asyncio.get_running_loop().create_future()))[1]
        try:
            return await future
        finally:
            self._waiting.pop(asked.question, None)

    def open(self, asked: QuestionAsked) -> None:
        """Accept an answer from now on, also before anybody waits for it."""
        self._waiting[asked.question] = asked, asyncio.get_running_loop().create_future()

    def answer(self, question: str, answer: PermissionAnswer) -> None:
        """Give the user's answer to a question; one that comes too late changes nothing."""
        asked = self._waiting.get(question)
        if asked is not None and not asked[1].done():
            asked[1].set_result(answer)

    def of(self, conversation: str) -> tuple[QuestionAsked, ...]:
        """Return the questions that are open in that conversation, oldest first."""
        return tuple(asked for asked, _ in self._waiting.values() if asked.conversation == conversation)
