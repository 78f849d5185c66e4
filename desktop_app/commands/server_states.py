"""Trying the MCP servers of the settings from a terminal."""

from __future__ import annotations

import asyncio
from pathlib import Path

from desktop_app.conversation.tool_servers import ToolServerState
from desktop_app.engine.engine import log_bug
from desktop_app.engine.services import names_of_other_keys
from desktop_app.models.endpoint import Keys
from desktop_app.paths import keys_file
from desktop_app.settings import Settings
from desktop_app.tools.mcp.server_context import ServerSandbox
from desktop_app.tools.mcp.source import McpServers
from desktop_app.tools.sandbox.sandbox import Sandbox


def states_of(settings: Settings, data: Path) -> tuple[ToolServerState, ...]:
    """Start all servers that are on, and return their states once each answers or has failed; then end them."""
    return asyncio.run(_states(settings, data)) if any(server.is_on for server in settings.mcp_servers) else ()


async def _states(settings: Settings, data: Path) -> tuple[ToolServerState, ...]:
    keys = Keys()
    await keys.load((), names_of_other_keys(settings))
    sandbox = Sandbox(data, keys_file())
    servers = [server for server in settings.mcp_servers if server.is_on]
    tried = McpServers(servers, keys.get, log_bug, ServerSandbox(sandbox, settings.is_sandboxed))
    try:
        states = (tried.try_server(server, None, settings.folder) for server in servers)
        return tuple(await asyncio.gather(*states))
    finally:
        await tried.close()
        sandbox.close()
