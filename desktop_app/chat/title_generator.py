"""Titles: the first line of a conversation, and after the first reply a better one by the utility role's model (L2).

That is one small request that nothing waits for; if it fails, the title stays.
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

from .complete import RoleModel, resolve_role
from .ports import ModelCatalogue, WorldError
from .session import Session
from .stamp import stamp

MAX_TITLE = 60
UNTITLED = "New conversation"
RESEARCH = "/research "
"""The command that a message to be researched begins with; titles leave it out."""
SECONDS = 20.0
REPLY_TOKENS = 400
"""A title takes ten; some models think before."""
MAX_WORDS = 12
"""Of a title; a reply with more words is none."""
MAX_EXCERPT = 1_500
"""Characters of the first message, and of the reply."""
_PREFIX = re.compile(r"^(?:title|titel|titre|título)\s*:\s*", re.IGNORECASE)

log = logging.getLogger(__name__)


class TitleGenerator:
    """Generates titles. settings: returns the current ones. prompt: reads the system prompt. rename: sets a title."""

    def __init__(
        self,
        models: ModelCatalogue,
        settings: Callable[[], Settings],
        prompt: Callable[[], str],
        rename: Callable[[str, str], Awaitable[None]],
    ) -> None:
        self._models = models
        self._settings = settings
        self._prompt = prompt
        self._rename = rename

    def is_due(self, session: Session) -> bool:
        """Whether the conversation has its first reply and no title but its first line, and a model may be asked."""
        if self._settings().summaries != "auto" or self._role(session).model.info.is_builtin:
            return False
        asked, reply = first_exchange(session)
        return (
            asked is not None
            and reply is not None
            and session.info.title == title_of(asked.text.removeprefix(RESEARCH))
        )

    async def generate(self, session: Session) -> None:
        """Ask for a title and set it, unless the conversation is renamed meanwhile. Raises no WorldError."""
        asked, reply = first_exchange(session)
        role, before = self._role(session), session.info.title
        if asked is None or reply is None or role.model.info.is_builtin:
            return
        excerpt = f"User:\n{head_of(asked.text, MAX_EXCERPT)}\n\nAnswer:\n{head_of(reply.text, MAX_EXCERPT)}"
        try:
            prompt = await asyncio.to_thread(self._prompt)
            answer = await role.ask(prompt, Text(excerpt), max_tokens=REPLY_TOKENS, seconds=SECONDS)
            await session.record(stamp(answer.used_for("title")))
            title = title_in(answer.text)
            if title and session.info.title == before:
                await self._rename(session.id, title)
        except WorldError as error:
            log.info("conversation %s keeps its title: %s", session.id, error)

    def _role(self, session: Session) -> RoleModel:
        return resolve_role(self._models, self._settings().utility_model, session.model)


def first_exchange(session: Session) -> tuple[Message | None, Message | None]:
    """Return the user's message and the reply, if the conversation has one of each and no more."""
    rows = session.page(session.total, session.total)
    asked = [row.message for row in rows if row.message.role is Role.USER]
    replies = [row.message for row in rows if row.message.role is Role.ASSISTANT and row.message.text.strip()]
    return (asked[0], replies[-1]) if len(asked) == 1 and replies and replies[-1].model else (None, None)


def title_in(reply: str) -> str:
    """Return the title in a model's reply; "" if it has none."""
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    if len(lines) != 1 or len(lines[0].split()) > MAX_WORDS:
        return ""
    line = _PREFIX.sub("", lines[0].strip("*_`# ")).strip("*_`\"'“”„«» ").rstrip(".")
    return title_of(mask_secrets(line)) if line else ""


def title_of(text: str) -> str:
    """Return a title from the first line of a message, cut at a word."""
    line = next((" ".join(line.split()) for line in text.splitlines() if line.strip()), UNTITLED)
    line = re.sub(r"[`*]", "", line).lstrip("#>- ")
    if len(line) <= MAX_TITLE:
        return line or UNTITLED
    return line[:MAX_TITLE].rsplit(" ", 1)[0].rstrip(",;:.") + "…"
