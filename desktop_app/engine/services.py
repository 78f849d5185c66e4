"""The services of the engine, for a window or for the commands of a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from desktop_app.archive.archive import Archive
from desktop_app.chat.conversations import Conversations
from desktop_app.chat.ports import WorldError
from desktop_app.chat.turn.tool_runtime import ToolRuntime
from desktop_app.conversation.events import Failure
from desktop_app.conversation.tools import Rule
from desktop_app.conversation.words import translatable
from desktop_app.models.catalogue import Catalogue
from desktop_app.models.discovery import discover_local, providers_in_environment
from desktop_app.models.endpoint import Keys, names_of_headers
from desktop_app.paths import settings_file
from desktop_app.permissions.rules import is_replaced
from desktop_app.settings import (
    Server,
    Settings,
    SettingsDamaged,
    merge_settings,
    read_settings,
    update_settings,
)
from desktop_app.tools.mcp.source import McpServers
from desktop_app.tools.registry import ToolRegistry
from desktop_app.tools.sandbox.sandbox import Sandbox
from desktop_app.tools.spill import SpillFolder


@dataclass
class EngineServices:
    """The services that `compose_services` creates."""

    data: Path
    archive: Archive
    catalogue: Catalogue
    keys: Keys
    mcp: McpServers
    sandbox: Sandbox
    spills: SpillFolder
    tools: ToolRegistry
    tool_runtime: ToolRuntime
    conversations: Conversations
    # Problems during the start that the window reports.
    warnings: tuple[Failure, ...]
    _changing: asyncio.Lock = field(init=False, default_factory=asyncio.Lock)

    @property
    def settings(self) -> Settings:
        return self.conversations.settings

    async def get_ready(self) -> None:
        """Do the slow work after the start: ask the servers for their windows, remove old spills."""
        await self.ask_servers()
        await self.spills.clean(await self.archive.spills_in_use(), self.conversations.policy.spill_days)

    async def change_settings(self, settings: Settings, base: Settings | None = None) -> None:
        """Store and apply settings. Raises WorldError, in which case nothing is changed.

        base: the settings before the user's changes, so that changes by another process since then are kept; None to
        replace all settings.
        """

        def merged(stored: Settings) -> Settings:
            return settings if base is None else merge_settings(base, settings, stored)

        async with self._changing:
            await self._apply(await self._store(merged, settings))
        await self.ask_servers()

    async def reload_settings(self) -> bool:
        """Apply settings that another process or the user's editor has stored. Return whether they had changed.

        Raises WorldError.
        """
        async with self._changing:
            file = settings_file(self.data)
            try:
                settings = await asyncio.to_thread(read_settings, file)
            except SettingsDamaged as error:
                title, kept = (
                    translatable("The settings could not be read"),
                    translatable("The previous settings are used."),
                )
                raise WorldError(
                    Failure("bad_input", title, str(error), kept, translatable("Correct {file}.").format(file=file))
                ) from error
            except OSError as error:
                raise WorldError(
                    Failure("disk", translatable("The settings could not be read"), error.strerror or "")
                ) from error
            if settings == self.settings:
                return False
            await self._apply(settings)
        await self.ask_servers()
        return True

    async def _apply(self, settings: Settings) -> None:
        await self.keys.load(settings.servers, names_of_other_keys(settings))
        self.catalogue.change(settings)
        await self.mcp.change(settings.mcp_servers, settings.is_sandboxed)
        self.conversations.change_settings(settings)
        self.conversations.list_changed()  # the status of each conversation depends on the policy

    async def ask_servers(self) -> None:
        """Ask all servers about their models, and update the open conversations."""
        await self.catalogue.discover()
        await self.conversations.use_what_is_known()

    async def find_servers(self) -> tuple[Server, ...]:
        """Return servers to offer: local ones on the usual ports, and providers with a key in the environment.

        Servers that are already set up are left out.
        """
        known = {(server.kind, server.base_url.rstrip("/")) for server in self.settings.servers}
        found = (*await discover_local(), *providers_in_environment())
        return tuple(server for server in found if (server.kind, server.base_url.rstrip("/")) not in known)

    async def keep_rule(self, rule: Rule) -> None:
        """Store a permission rule in place of the rules that it replaces. Raises WorldError."""

        def with_rule(settings: Settings) -> Settings:
            others = tuple(old for old in settings.rules if not is_replaced(old, rule))
            return replace(settings, rules=(*others, rule))

        async with self._changing:
            await self._store(with_rule, self.settings)
            self.conversations.settings = with_rule(self.settings)  # not `_apply`, since a turn is running

    async def _store(self, change: Callable[[Settings], Settings], otherwise: Settings) -> Settings:
        try:
            return await asyncio.to_thread(update_settings, settings_file(self.data), change, otherwise)
        except OSError as error:
            title, detail = translatable("The settings could not be saved"), error.strerror or str(error)
            advice = translatable("Make sure that {data} can be written and the disk is not full.").format(
                data=self.data
            )
            raise WorldError(
                Failure("disk", title, detail, translatable("The settings were not changed."), advice)
            ) from error

    async def close(self) -> None:
        """Stop turns, store their partial replies, then end child processes and threads."""
        self.catalogue.stop_loading()  # otherwise closing would wait until the model is loaded
        await self.conversations.close()
        for end in (self.mcp.close, self.catalogue.close, self.archive.close):
            await end()
        await asyncio.to_thread(self.sandbox.close)


def names_of_other_keys(settings: Settings) -> tuple[str, ...]:
    """Return the names under which the keys of tool servers, and secret headers, are stored."""
    return (*(f"mcp/{server.name}" for server in settings.mcp_servers), *names_of_headers(settings.servers))
