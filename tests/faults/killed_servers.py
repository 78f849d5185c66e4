"""SIGKILL for the engine while MCP servers start, work and wait, in the sandbox where there is one, and without it."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from killed import World, settings_of
from killed_engine import Lane
from msgspec.structs import replace
from scenes import SERVER_SCENES, SERVERS

from desktop_app.settings import McpServer, Settings

SERVER = Path(__file__).with_name("server_with_children.py")
PAUSES = (0.0, 0.4)
"""Seconds that each of the servers takes to start."""


def servers_in(work: Path) -> tuple[McpServer, ...]:
    """Servers that are known by that folder, as are their children."""
    return tuple(
        McpServer(name, (sys.executable, str(SERVER), str(work), str(pause)))
        for name, pause in zip(SERVERS, PAUSES, strict=True)
    )


class ServerLane(Lane):
    """An engine with two servers that leave children."""

    victim = "servers"
    is_sandboxed = False

    def _settings(self) -> Settings:
        settings = settings_of(self._world.provider.base_url, self._work)
        return replace(settings, mcp_servers=servers_in(self._work), is_sandboxed=self.is_sandboxed)


class SandboxedLane(ServerLane):
    is_sandboxed = True


def chosen(count: int, chance: random.Random) -> list[str]:
    names = list(SERVER_SCENES)
    return [scene for _ in range(count) for scene in chance.sample(names, len(names))][:count]


async def kill_with_servers(folder: Path, kills: int, world: World) -> None:
    """Half of them in the sandbox."""
    inside = (kills + world.chance(folder.name, "lane").randrange(2)) // 2
    for lane, count in ((SandboxedLane, inside), (ServerLane, kills - inside)):
        scenes = chosen(count, world.chance(folder.name, lane.__name__))
        await lane(folder / lane.__name__, world).run(scenes)
