"""Titles: the first line of a conversation, and after the first reply a better one by the utility role's model (L2).

That is one small request that nothing waits for; if it fails, the title stays.
"""

from __future__ import annotations

import asyncio
import re

from desktop_app.context.masking import mask_secrets
from desktop_app.context.text_cuts import head_of
from desktop_app.conversation.message import Role, Text

from .complete import resolve_role
from .ports import Emit
from .services import Services
from .session import Session
from .stamp import stamp

MAX_TITLE = 60
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


async def generate_title(session: Session, services: Services, emit: Emit) -> str:
    """Return a title by a model, for a conversation with its first reply and no title but its first line.

    What it took is recorded, and told. "" if it has another title, the model gives none, or none may be asked. Raises
    WorldError.
    """
    settings, exchange = services.settings(), first_exchange(session)
    role = resolve_role(services.models, settings.utility_model, session.model)
    is_allowed = settings.summaries == "auto" and not role.model.info.is_builtin
    if services.read_title_prompt is None or exchange is None or not is_allowed:
        return ""
    asked, reply = exchange
    if session.info.title != title_of(asked.removeprefix(RESEARCH)):
        return ""
    prompt = await asyncio.to_thread(services.read_title_prompt)
    excerpt = Text(f"User:\n{head_of(asked, MAX_EXCERPT)}\n\nAnswer:\n{head_of(reply, MAX_EXCERPT)}")
    answer = await role.ask(prompt, excerpt, max_tokens=REPLY_TOKENS, seconds=SECONDS)
    emit(await session.record_operation(stamp(answer.used_for("title"))))
    return title_in(answer.text)


def first_exchange(session: Session) -> tuple[str, str] | None:
    """Return the user's words and the reply's, if the conversation has one of each and no more."""
    messages = [row.message for row in session.page(session.total, session.total)]
    asked = [message for message in messages if message.role is Role.USER]
    replies = [message for message in messages if message.role is Role.ASSISTANT and message.text.strip()]
    return (asked[0].text, replies[-1].text) if len(asked) == 1 and replies and replies[-1].model else None


def title_in(reply: str) -> str:
    """Return the title in a model's reply; "" if it has none."""
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    if len(lines) != 1 or len(lines[0].split()) > MAX_WORDS:
        return ""
    line = _PREFIX.sub("", lines[0].strip("*_`# ")).strip("*_`\"'“”„«» ").rstrip(".")
    return title_of(mask_secrets(line)) if line else ""


def title_of(text: str) -> str:
    """Return a title from the first line of a message, cut at a word; "" if it has none."""
    line = next((" ".join(line.split()) for line in text.splitlines() if line.strip()), "")
    line = re.sub(r"[`*]", "", line).lstrip("#>- ")
    if len(line) <= MAX_TITLE:
        return line
    return line[:MAX_TITLE].rsplit(" ", 1)[0].rstrip(",;:.") + "…"
