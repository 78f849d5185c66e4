"""The tools of servers that speak the Model Context Protocol, offered like our own.

What a server says is data: its instructions are put into no prompt, its descriptions are shortened and hold nothing
invisible, and its word that a tool only reads ("readOnlyHint") spares nobody the question.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path

import msgspec

from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import RequiredPermission, ToolContext, ToolOutcome, ToolSpec
from desktop_app.permissions.rules import literal
from desktop_app.settings import McpServer

from .connection import Connection
from .guard import Guard
from .names import JOINT, prefixes
from .schema import Json
from .surroundings import Limits, ServerContext
from .words import no_answer

STOP_SECONDS = 0.2
"""For a call that is cancelled, to tell its server."""
MOST_UNTOLD = 500
"""Lines of output that wait to be taken; what a tool says beyond them is left out."""
MOST_FOLDERS = 8
"""In which servers without a folder of their own run at once; the one that was not used for longest is ended."""


class McpServers:
    """A source of tools: `specs`, `needs`, `run` and `failures` as the toolbox has them. Belongs to one event loop.

    Servers are started when a conversation asks for their tools, and shared by conversations: one process for a server
    with a folder of its own, else one for each folder. Without servers nothing is imported or started.
    """

    def __init__(
        self,
        servers: Sequence[McpServer],
        key_of: Callable[[str], str],
        on_bug: Callable[[BaseException], None],
        limits: Limits | None = None,
    ) -> None:
        self._around = ServerContext(key_of, on_bug, limits or Limits(), Guard())
        self._servers = tuple(servers)
        self._prefixes = prefixes(server.name for server in self._servers)
        self._connections: dict[tuple[str, str], Connection] = {}
        self._folders: dict[str, float] = {}
        """Where conversations work, and when each was last used; the one used last comes last."""

    async def specs(self, place: ToolContext) -> tuple[ToolSpec, ...]:
        """The tools of all servers that answer: the servers in the order of the settings. Waits at most 3 s for those
        that start; they are there the next time."""
        wanted = self._wanted(place.folder)
        for connection in wanted:
            connection.wake()
        if wanted:
            self._use(place.folder)
            await asyncio.gather(*(connection.first_settled() for connection in wanted))
        return tuple(offer.spec for connection in wanted for offer in connection.offers)

    async def needs(self, call: ToolCall, place: ToolContext) -> tuple[RequiredPermission, ...]:
        """Each call of a server's tool has to be allowed. Told from its name alone, since a server that does not
        answer now may do so a moment later."""
        prefix, joint, tail = call.name.partition(JOINT)
        servers = [s.name for s in self._servers if s.is_on and self._prefixes[s.name] == prefix]
        if not joint or not servers:
            return ()
        target = f"{servers[0].replace('/', '_')}/{tail}"
        return (RequiredPermission(call.name, "mcp", target, literal(target)),)

    async def run(self, call: ToolCall, place: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        """Lines of progress and logs as they come, and at last the outcome. Closing it tells the server to stop."""
        arguments = _arguments(call.arguments)
        if arguments is None:
            yield ToolOutcome("The arguments are no JSON object; the tool did not run.", is_error=True)
            return
        found = await self._find(call.name, place)
        if isinstance(found, ToolOutcome):
            yield found
            return
        connection, tool = found
        told: asyncio.Queue[str | ToolOutcome] = asyncio.Queue()
        name = self._around.next_name(call.name)
        task = self._around.tasks.start(name, _call(connection, tool, arguments, told))
        try:
            while True:
                piece = await told.get()
                yield piece
                if isinstance(piece, ToolOutcome):
                    return
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task}, timeout=STOP_SECONDS)

    def failures(self) -> tuple[Failure, ...]:
        """Which servers do not answer, and why; and which of their tools cannot be offered."""
        order = list(self._prefixes)
        connections = sorted(self._connections.values(), key=lambda connection: order.index(connection.server.name))
        return tuple(dict.fromkeys(failure for connection in connections for failure in connection.failures))

    async def change(self, servers: Sequence[McpServer]) -> None:
        """Takes the settings: ends what is gone, off or different, and leaves the others alone. Where conversations
        work already, new servers are started, and those that had failed are tried again."""
        before = self._prefixes
        self._servers = tuple(servers)
        self._prefixes = prefixes(server.name for server in servers)
        kept = {s.name: s for s in servers if s.is_on and before.get(s.name) == self._prefixes[s.name]}
        await self._close(lambda connection: kept.get(connection.server.name) != connection.server)
        for folder in self._folders:
            for connection in self._wanted(folder):
                connection.wake(is_urgent=True)

    async def close(self) -> None:
        """Ends all servers and all that they have started, within 2 s."""
        self._servers = ()
        await self._close(lambda _: True)
        await self._around.tasks.cancel_all()
        self._around.guard.close()

    def _wanted(self, folder: str) -> list[Connection]:
        """The connections of all servers that are on, for that folder, in the order of the settings."""
        found: dict[str, Connection] = {}
        for server in self._servers:
            if server.is_on and server.name not in found:
                key = (server.name, _folder_of(server, folder))
                if key not in self._connections:
                    self._connections[key] = Connection(server, self._prefixes[server.name], key[1], self._around)
                found[server.name] = self._connections[key]
        return list(found.values())

    async def _find(self, name: str, place: ToolContext) -> tuple[Connection, str] | ToolOutcome:
        """The connection that offers it, and the server's own name for it; or why there is none."""
        for connection in self._wanted(place.folder):
            if name.startswith(self._prefixes[connection.server.name] + JOINT):
                connection.wake()
                await connection.first_settled()
                for offer in connection.offers:
                    if offer.spec.name == name:
                        return connection, offer.tool
                if connection.failure is not None:
                    return no_answer(connection.server.name, connection.failure)
                return ToolOutcome(f"The MCP server “{connection.server.name}” has no tool of that name now.", True)
        return ToolOutcome("There is no such tool: its server is off, or was removed.", is_error=True)

    def _use(self, folder: str) -> None:
        """Remembers that a conversation works there, and ends what served one that nobody has used for long."""
        now = asyncio.get_running_loop().time()
        self._folders.pop(folder, None)
        self._folders[folder] = now
        names = list(self._folders)
        old = {f for f in names[:-MOST_FOLDERS] if f != folder}
        old |= {f for f in names if now - self._folders[f] > self._around.limits.idle}
        for each in old:
            del self._folders[each]
        needed = {(s.name, _folder_of(s, f)) for s in self._servers for f in self._folders}
        unused = {id(c) for key, c in self._connections.items() if key not in needed and not c.is_busy}
        if unused:
            self._around.tasks.start(self._around.next_name("end"), self._close(lambda c: id(c) in unused))

    async def _close(self, is_gone: Callable[[Connection], bool]) -> None:
        gone = [key for key, connection in self._connections.items() if is_gone(connection)]
        connections = [self._connections.pop(key) for key in gone]
        if connections:
            await asyncio.gather(*(connection.close() for connection in connections))


async def _call(connection: Connection, tool: str, arguments: Json, told: asyncio.Queue[str | ToolOutcome]) -> None:
    """Runs a call to its end; what it says on its way, and how it ended, goes into the queue."""

    def say(line: str) -> None:
        if told.qsize() < MOST_UNTOLD:
            told.put_nowait(line)

    try:
        told.put_nowait(await connection.call(tool, arguments, say))
    except BaseException:  # a bug, which is told elsewhere, or the end of everything: nobody may wait for nothing
        told.put_nowait(ToolOutcome("The call was ended; it may have had effects.", is_error=True))
        raise


def _arguments(text: str) -> Json | None:
    """The arguments that a model wrote; None if they are no JSON object."""
    try:
        found = msgspec.json.decode(text or "{}")
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _folder_of(server: McpServer, folder: str) -> str:
    """Where its process runs; "" for one that is not ours."""
    if not server.command:
        return ""
    return str(Path(server.folder or folder or "~").expanduser())
