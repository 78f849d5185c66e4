"""The engine: the verbs with their parts in place, and what the server keeps between two wishes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, Protocol

from desktop_app.chat.conversations import Conversations
from desktop_app.chat.optimize import Optimization
from desktop_app.chat.ports import WorldError
from desktop_app.conversation.events import Failure
from desktop_app.paths import settings_file
from desktop_app.settings import Settings, write_settings

from .outbox import Outbox
from .protocol import SettingsRead
from .writings import Writings

PLANS_KEPT = 8
"""Plans that can still be applied: the dialog makes a new one at each move of its slider."""

log = logging.getLogger(__name__)


def log_bug(error: BaseException) -> None:
    """A mistake of ours: with its traceback in the log."""
    log.error("bug", exc_info=error)


class Keys(Protocol):
    """Where keys of servers lie. They never leave the engine."""

    @property
    def storage(self) -> str:
        """Where that is, in words for the user."""
        ...

    def servers_with_key(self) -> tuple[str, ...]:
        """The names of servers that have one."""
        ...

    async def set(self, server: str, key: str) -> None:
        """Keeps the key; an empty one removes it."""
        ...


class Engine:
    """Conversations, settings and plans, for one server."""

    def __init__(
        self,
        data: Path,
        conversations: Conversations,
        outbox: Outbox,
        keys: Keys,
        settings_changed: Callable[[Settings], Awaitable[None]],
        warm_up: Callable[[], Coroutine[Any, Any, None]],
        warnings: tuple[Failure, ...] = (),
        at_end: tuple[Callable[[], Awaitable[None]], ...] = (),
    ) -> None:
        self.conversations = conversations
        self.outbox = outbox
        self.warnings = warnings
        self.shutdown_requested = asyncio.Event()
        self._data = data
        self._keys = keys
        self._settings_changed = settings_changed
        self._at_end = at_end
        self._warm_up = warm_up
        self._is_warm = False
        self._plans: dict[str, Optimization] = {}
        self.writings = Writings(log_bug)

    def list_was_sent(self) -> None:
        """The window has something to show: now is the time for what takes seconds, on threads of its own."""
        if not self._is_warm:
            self._is_warm = True
            self.conversations.in_background("warm-up", self._warm_up())

    def keep_plan(self, optimization: Optimization) -> None:
        """Keeps a plan until it is applied or newer ones push it out."""
        self._plans[optimization.id] = optimization
        while len(self._plans) > PLANS_KEPT:
            del self._plans[next(iter(self._plans))]

    def plan(self, plan_id: str) -> Optimization:
        """The plan of that id. Raises WorldError if it is not kept any more."""
        plan = self._plans.get(plan_id)
        if plan is None:
            title, advice = "This plan is not valid any more", "Open Optimize conversation again."
            raise WorldError(Failure(kind="stale", title=title, kept="Nothing was changed.", advice=advice))
        return plan

    async def settings_read(self) -> SettingsRead:
        """The settings, and which servers have a key."""
        return SettingsRead(self.conversations.settings, self._keys.servers_with_key(), self._keys.storage)

    async def write_settings(self, settings: Settings, keys: dict[str, str]) -> SettingsRead:
        """Stores the settings and keys, and applies them. Raises WorldError; then the old ones hold."""
        try:
            await asyncio.to_thread(write_settings, settings_file(self._data), settings)
        except OSError as error:
            title, detail = "The settings could not be saved", error.strerror or str(error)
            advice = f"Make sure that {self._data} can be written and the disk is not full."
            raise WorldError(Failure("disk", title, detail, "The settings are as they were.", advice)) from error
        for server, key in keys.items():
            await self._keys.set(server, key)
        await self._settings_changed(settings)
        self.conversations.change_settings(settings)
        return await self.settings_read()

    def request_shutdown(self) -> None:
        """Asks the server to end; what is in flight is stored first."""
        self.shutdown_requested.set()

    async def close(self) -> None:
        """Stops turns, stores what had arrived, and ends children and threads, one after the other."""
        await self.conversations.close()
        for end in self._at_end:
            await end()
