"""Titles and fill levels of conversations for the sidebar's list.

A title is the first line of the conversation. After the first reply, the utility role's model writes a better one (L2),
with a small request in the background. If that fails, the title stays.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from desktop_app.context.counting.breakdown import status_of
from desktop_app.context.masking import mask_secrets
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.text_cuts import head_of
from desktop_app.conversation.events import ArchiveError, TurnFailed
from desktop_app.conversation.gauge import Status
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Role, Text
from desktop_app.conversation.setup import Project

from .ports import Emit, WorldError
from .session import Session, stamp
from .side_requests import resolve_role
from .turn_services import Services

if TYPE_CHECKING:  # so that a child process that reads files to import does not load peewee
    from desktop_app.archive.archive import Archive

MAX_TITLE = 60
RESEARCH = "/research "
"""The command at the beginning of a research question; titles leave it out."""
SECONDS = 20.0
REPLY_TOKENS = 400
"""Tokens of the reply. A title takes ten; the rest is for models that reason first."""
MAX_WORDS = 12
"""Words of a title; a longer reply is not used as one."""
MAX_EXCERPT = 1_500
"""Characters of the first message, and of its reply, that are sent."""
_PREFIX = re.compile(r"^(?:title|titel|titre|título)\s*:\s*", re.IGNORECASE)


async def generate_title(session: Session, services: Services, emit: Emit) -> str:
    """Return a title written by a model, once a conversation has its first reply and only its first line as a title.

    The usage is recorded and published. Returns "" if the conversation has another title, the model writes none, or no
    model may be asked. Raises WorldError.
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
    """Return the texts of the user message and the reply, if the conversation has exactly one exchange."""
    messages = [row.message for row in session.page(session.total, session.total)]
    asked = [message for message in messages if message.role is Role.USER]
    replies = [message for message in messages if message.role is Role.ASSISTANT and message.text.strip()]
    return (asked[0].text, replies[-1].text) if len(asked) == 1 and replies and replies[-1].model else None


def title_in(reply: str) -> str:
    """Return the title from a model's reply; "" if it is not a title."""
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    if len(lines) != 1 or len(lines[0].split()) > MAX_WORDS:
        return ""
    line = _PREFIX.sub("", lines[0].strip("*_`# ")).strip("*_`\"'“”„«» ").rstrip(".")
    return title_of(mask_secrets(line)) if line else ""


def title_of(text: str) -> str:
    """Return the first line of a message as a title, cut after a word; "" if it has no text."""
    line = next((" ".join(line.split()) for line in text.splitlines() if line.strip()), "")
    line = re.sub(r"[`*]", "", line).lstrip("#>- ")
    if len(line) <= MAX_TITLE:
        return line
    return line[:MAX_TITLE].rsplit(" ", 1)[0].rstrip(",;:.") + "…"


log = logging.getLogger(__name__)


def with_status(
    listed: Iterable[ConversationInfo], projects: Iterable[Project], policy_named: Callable[[str], ContextPolicy]
) -> tuple[ConversationInfo, ...]:
    """Return the list with statuses under the current policies, which may have changed since they were stored."""
    of_project = {project.id: project.policy for project in projects}
    policies = cache(policy_named)

    def status(info: ConversationInfo) -> Status:
        if info.status is Status.UNKNOWN:
            return info.status
        return status_of(info.share, policies(info.policy or of_project.get(info.project, "")).thresholds)

    return tuple(info if info.status is (now := status(info)) else replace(info, status=now) for info in listed)


class ListedConversations:
    """Updates titles and fill levels. list_changed: called when the sidebar's list is out of date."""

    def __init__(self, archive: Archive, services: Services, publish: Emit, list_changed: Callable[[], None]) -> None:
        self._archive = archive
        self._services = services
        self._publish = publish
        self._list_changed = list_changed

    async def generate_title(self, session: Session) -> None:
        """Replace the first line as the title by a generated one, unless the user has renamed the conversation."""
        before = session.info.title
        try:
            title = await generate_title(session, self._services, self._publish)
            if title and session.info.title == before:
                await self.rename(session, title)
        except WorldError as error:
            log.info("conversation %s keeps its title: %s", session.id, error)

    async def rename(self, session: Session, title: str) -> None:
        """Store a title. Raises ArchiveError."""
        await self._archive.change(session.id, title=title)
        session.info = replace(session.info, title=title)
        self._list_changed()

    async def note(self, session: Session) -> None:
        """Store the gauge's share and the number of uncounted messages. Errors are published, not raised."""
        gauge, info = session.counter.gauge(), session.info
        # While the window is unknown, the last known share stays.
        share, status = (gauge.share, gauge.status) if gauge.is_window_known else (info.share, info.status)
        try:
            await self._archive.store_gauge(session.id, share, status, session.recorded.uncounted)
        except ArchiveError as error:
            self._publish(TurnFailed(session.id, error.failure))
        self._list_changed()
