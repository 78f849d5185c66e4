"""What the list shows of conversations: their titles, and how full their windows are."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import cache

from msgspec.structs import replace

from desktop_app.context.counting.breakdown import status_of
from desktop_app.context.policy import ContextPolicy
from desktop_app.conversation.events import TurnFailed
from desktop_app.conversation.gauge import Status
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.project import Project

from .ports import Archive, ArchiveError, Emit, WorldError
from .services import Services
from .session import Session
from .titles import generate_title

log = logging.getLogger(__name__)


def with_status(
    listed: Iterable[ConversationInfo], projects: Iterable[Project], policy_named: Callable[[str], ContextPolicy]
) -> tuple[ConversationInfo, ...]:
    """Return what is listed with the status that the policies give it now: others may have held when it was stored."""
    of_project = {project.id: project.policy for project in projects}
    policies = cache(policy_named)

    def status(info: ConversationInfo) -> Status:
        if info.status is Status.UNKNOWN:
            return info.status
        return status_of(info.share, policies(info.policy or of_project.get(info.project, "")))

    return tuple(info if info.status is (now := status(info)) else replace(info, status=now) for info in listed)


class ListedConversations:
    """Stores it. list_changed: called when the sidebar's list is no longer true."""

    def __init__(self, archive: Archive, services: Services, publish: Emit, list_changed: Callable[[], None]) -> None:
        self._archive = archive
        self._services = services
        self._publish = publish
        self._list_changed = list_changed

    async def generate_title(self, session: Session) -> None:
        """Give the conversation a better title than its first line, unless it is renamed meanwhile."""
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
        """Store the gauge's share and the number of uncounted messages. An error is published, and not raised."""
        gauge, info = session.gauge(), session.info
        # Without a window the figure that was seen last stays.
        share, status = (gauge.share, gauge.status) if gauge.is_window_known else (info.share, info.status)
        try:
            await self._archive.store_gauge(session.id, share, status, session.recorded.uncounted)
        except ArchiveError as error:
            self._publish(TurnFailed(session.id, error.failure))
        self._list_changed()
