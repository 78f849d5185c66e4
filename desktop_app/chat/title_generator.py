"""After the first reply a conversation gets a better title than its first line, from the utility role's model (L2).

It is one small request that nobody waits for. What goes wrong with it changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable

from desktop_app.context.masking import mask_secrets
from desktop_app.context.text_cuts import head_of
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.settings import Settings

from .complete import complete
from .ports import ChatModel, ModelCatalogue, ModelError, WorldError
from .session import Session, stamped
from .titles import RESEARCH, title_of

SECONDS = 20.0
REPLY_TOKENS = 400
"""A title takes ten; some models think before."""
WORDS_MOST = 12
"""Of a title; a reply with more words is none."""
EXCERPT_MOST = 1_500
"""Characters of the first message, and of the reply."""
_PREFIX = re.compile(r"^(?:title|titel|titre|título)\s*:\s*", re.IGNORECASE)

log = logging.getLogger(__name__)


class TitleGenerator:
    """Names conversations. settings: as they are now. words: reads the system prompt. rename: gives the title."""

    def __init__(
        self,
        models: ModelCatalogue,
        settings: Callable[[], Settings],
        words: Callable[[], str],
        rename: Callable[[str, str], Awaitable[None]],
    ) -> None:
        self._models = models
        self._settings = settings
        self._words = words
        self._rename = rename

    def is_due(self, session: Session) -> bool:
        """Whether that conversation has its first reply now, still has the title of its first line, and a model may be
        asked."""
        if self._settings().summaries != "auto" or self._model(session) is None:
            return False
        asked, reply = first_exchange(session)
        return asked is not None and reply is not None and session.info.title == title_of(said_in(asked))

    async def name(self, session: Session) -> None:
        """Asks for a title, and gives it, unless the conversation was renamed meanwhile. Raises nothing of the
        world's."""
        asked, reply = first_exchange(session)
        model, before = self._model(session), session.info.title
        if asked is None or reply is None or model is None:
            return
        excerpt = f"User:\n{head_of(asked.text, EXCERPT_MOST)}\n\nAnswer:\n{head_of(reply.text, EXCERPT_MOST)}"
        try:
            prompt = await asyncio.to_thread(self._words)
            messages = (
                stamped(Message(role=Role.SYSTEM, parts=(Text(prompt),))),
                stamped(Message(role=Role.USER, parts=(Text(excerpt),))),
            )
            price = self._models.price(model.info.id)
            said = await complete(model, "title", messages, REPLY_TOKENS, SECONDS, price)
            await session.record(stamped(said.upkeep))
            title = title_in(said.text)
            if title and (await session.archive.conversation(session.id)).title == before:
                await self._rename(session.id, title)
        except WorldError as error:
            log.info("conversation %s keeps its title: %s", session.id, error)

    def _model(self, session: Session) -> ChatModel | None:
        """The utility role's, or the chat's own where that is missing; None for the built-in one."""
        chosen, model = self._settings().utility_model, session.model
        try:
            model = self._models.model(chosen) if chosen else model
        except ModelError as error:
            log.info("the chat's own model gives the title: %s", error)
        return None if model.info.is_builtin else model


def first_exchange(session: Session) -> tuple[Message | None, Message | None]:
    """The user's message and the reply of a conversation that has one of each, in which nothing else was said."""
    rows = session.page(session.total, session.total)
    asked = [row.message for row in rows if row.message.role is Role.USER]
    replies = [row.message for row in rows if row.message.role is Role.ASSISTANT and row.message.text.strip()]
    return (asked[0], replies[-1]) if len(asked) == 1 and replies and replies[-1].model else (None, None)


def said_in(message: Message) -> str:
    """The user's words, a command before them left out."""
    return message.text.removeprefix(RESEARCH)


def title_in(reply: str) -> str:
    """The title that a model gave; "" for a reply that is none."""
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    if len(lines) != 1 or len(lines[0].split()) > WORDS_MOST:
        return ""
    line = _PREFIX.sub("", lines[0].strip("*_`# ")).strip("*_`\"'“”„«» ").rstrip(".")
    return title_of(mask_secrets(line)) if line else ""
