"""A source of the tools of MCP servers, which are offered like the built-in ones.

A server's texts are untrusted: its instructions are not put into any prompt, its descriptions are shortened and cleaned
of invisible characters, and its claim that a tool only reads ("readOnlyHint") does not replace a permission.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Sequence

import msgspec
from msgspec.structs import replace

from desktop_app.chat.ports import MayRead
from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tool_servers import ToolServerState
from desktop_app.conversation.tools import RequiredPermission, ToolContext, ToolOutcome, ToolSpec
from desktop_app.permissions.rules import escape_pattern
from desktop_app.settings import McpServer
from desktop_app.tools.tool import CHANGED, ToolFailed

from .mcp_failures import unsent_text, waiting_for
from .process import Guard
from .schema import Json
from .server_context import ServerContext, ServerJob, ServerLimits, ServerSandbox
from .supervisor import ServerSupervisor
from .tool_list import SEPARATOR, OfferedTool, prefixes_of

STOP_SECONDS = 0.2
"""Time for a cancelled call to notify its server."""
MAX_PENDING_LINES = 500
"""Queued lines of output; further ones are dropped."""
MAX_REPORTED = 200
"""Conversations whose reported failures are remembered."""
MAX_FOLDERS = 8
"""Folders in which servers without a configured folder run at the same time; the least recently used one is ended."""


class McpServers:
    """Implements the `Toolbox` port over the tools of MCP servers. Belongs to one event loop.

    Servers are started when a conversation requests their tools, and shared by conversations: a server with a
    configured folder has one process, any other has one for each folder. Without servers, nothing is imported or
    started.
    """

    def __init__(
        self,
        servers: Sequence[McpServer],
        key_of: Callable[[str], str],
        on_bug: Callable[[BaseException], None],
        sandbox: ServerSandbox,
        limits: ServerLimits | None = None,
        on_change: Callable[[tuple[str, ...]], None] = lambda names: None,
    ) -> None:
        """on_change: called with the names of the servers that do not answer, when one starts to answer or fails."""
        self._context = ServerContext(key_of, on_bug, limits or ServerLimits(), Guard(), sandbox, self._note_change)
        self._on_change = on_change
        self._servers = tuple(servers)
        self._prefixes = prefixes_of(server.name for server in self._servers)
        self._supervisors: dict[tuple[str, str], ServerSupervisor] = {}
        self._reported: dict[str, tuple[Failure, ...]] = {}
        """The failures that were last reported in each conversation."""
        self._folders: list[str] = []
        """Working folders of conversations, the last used one at the end."""

    async def specs(self, context: ToolContext) -> tuple[ToolSpec, ...]:
        """Return the tools of all servers that answer, in the order of the settings.

        Waits at most 3 s for starting servers; their tools are otherwise returned the next time.
        """
        supervisors = self._supervisors_for(context.folder)
        for supervisor in supervisors:
            supervisor.wake()
        if supervisors:
            self._note_use(context.folder)
            await asyncio.gather(*(supervisor.wait_for_start() for supervisor in supervisors))
        return tuple(tool.spec for supervisor in supervisors for tool in supervisor.tools)

    async def get_ready(self, context: ToolContext, report: Callable[[Failure], None]) -> None:
        """Wait until all servers have started or failed. report: gets a word if that takes long, and new failures."""
        supervisors = self._supervisors_for(context.folder)
        for supervisor in supervisors:
            supervisor.wake()
        await asyncio.gather(*(supervisor.wait_for_start() for supervisor in supervisors))
        if slow := [supervisor for supervisor in supervisors if supervisor.is_awaited]:
            report(waiting_for(supervisor.server.name for supervisor in slow))
            await asyncio.gather(*(supervisor.wait_until_concluded() for supervisor in slow))
        reported = self._reported.pop(context.conversation, ())
        failures = tuple(dict.fromkeys(failure for supervisor in supervisors for failure in supervisor.failures))
        for failure in failures:
            if failure not in reported:
                report(failure)
        self._reported[context.conversation] = failures
        for old in list(self._reported)[:-MAX_REPORTED]:
            del self._reported[old]

    def owns(self, name: str) -> bool:
        return self._server_of(name) is not None

    async def needs(self, call: ToolCall, context: ToolContext) -> tuple[RequiredPermission, ...]:
        """Return the permission for the tool as its server currently describes it.

        If the server does not answer, permission is required by name only, because it may answer a moment later.
        """
        server = self._server_of(call.name)
        if server is None:
            return ()
        target = f"{server.name.replace('/', '_')}/{call.name.partition(SEPARATOR)[2]}"
        need = RequiredPermission(call.name, "mcp", target, escape_pattern(target))
        tool = self._supervisor_of(server, context.folder).tool(call.name)
        if tool is None:
            return (need,)
        need = replace(need, only_reads=tool.only_reads, is_destructive=tool.is_destructive)
        is_granted = server.allowed == "all" or (server.allowed == "reading" and tool.only_reads)
        return (replace(need, fingerprint=tool.fingerprint, about=tool.spec.description, is_granted=is_granted),)

    async def preview(self, call: ToolCall, context: ToolContext, may_read: MayRead) -> None:
        """Return None, because the effects of a server's tool are unknown."""

    async def run(self, call: ToolCall, context: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        """Yield lines of progress and logs as they arrive, then the outcome. Closing the iterator stops the call."""
        try:
            arguments = _read_arguments(call.arguments)
            supervisor, tool = await self._find(call.name, context)
            if context.allowed is not None and not set(await self.needs(call, context)) <= set(context.allowed):
                raise ToolFailed(CHANGED)
        except ToolFailed as error:
            yield ToolOutcome(str(error), is_error=True)
            return
        pieces: asyncio.Queue[str | ToolOutcome] = asyncio.Queue()
        task = self._context.start(ServerJob.CALL, _call(supervisor, tool, arguments, pieces))
        try:
            while True:
                piece = await pieces.get()
                yield piece
                if isinstance(piece, ToolOutcome):
                    return
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task}, timeout=STOP_SECONDS)

    def failures(self) -> tuple[Failure, ...]:
        """Return the failures of servers that do not answer, and of tools that cannot be offered."""
        order = list(self._prefixes)
        supervisors = sorted(self._supervisors.values(), key=lambda supervisor: order.index(supervisor.server.name))
        return tuple(dict.fromkeys(failure for supervisor in supervisors for failure in supervisor.failures))

    def states(self) -> tuple[ToolServerState, ...]:
        """Return the states of all servers of the settings, in their order."""
        return tuple(self._state_of(server) for server in self._servers)

    async def try_server(self, server: McpServer, key: str | None, folder: str) -> ToolServerState:
        """Start a server as it is written, again if it runs, and return its state once it answers or has failed.

        key: None for the stored one. A server that is written as in the settings goes on running.
        """
        if key is None and server in self._servers and server.is_on:
            await self._close(lambda supervisor: supervisor.server == server)
            return await self._started(server, folder)
        context, tried = self._context, replace(server, is_on=True)
        trial = McpServers(
            (tried,),
            context.key_of if key is None else lambda _: key,
            context.on_bug,
            context.sandbox,
            context.limits,
        )
        try:
            return await trial._started(tried, folder)
        finally:
            await trial.close()

    async def _started(self, server: McpServer, folder: str) -> ToolServerState:
        supervisor = self._supervisor_of(server, folder or (self._folders or [""])[-1])
        supervisor.wake(is_urgent=True)
        await supervisor.wait_until_concluded()
        return self._state_of(server)

    def _state_of(self, server: McpServer) -> ToolServerState:
        own = [supervisor for key, supervisor in self._supervisors.items() if key[0] == server.name]
        if not server.is_on or not own:
            return ToolServerState(server.name, "idle" if server.is_on else "off")
        newest = max(own, key=lambda supervisor: supervisor.status_order)
        return newest.state

    def _note_change(self) -> None:
        self._on_change(tuple(state.name for state in self.states() if state.status == "failed"))

    async def change(self, servers: Sequence[McpServer], is_sandboxed: bool | None = None) -> None:
        """Apply the settings: end servers that were removed, switched off or changed, and keep the others running.

        In folders where conversations work, new servers are started, and failed ones are tried again. is_sandboxed:
        whether programs run in the sandbox from now on; None for no change.
        """
        before = self._prefixes
        self._servers = tuple(servers)
        self._prefixes = prefixes_of(server.name for server in servers)
        kept = {s.name: s for s in servers if s.is_on and before.get(s.name) == self._prefixes[s.name]}
        if is_sandboxed not in (None, self._context.sandbox.is_on):
            self._context.sandbox.is_on = bool(is_sandboxed)
            kept = {name: server for name, server in kept.items() if not server.command}
        await self._close(lambda supervisor: kept.get(supervisor.server.name) != supervisor.server)
        for folder in self._folders:
            for supervisor in self._supervisors_for(folder):
                supervisor.wake(is_urgent=True)
        self._note_change()

    async def close(self) -> None:
        """End all servers and their children, within 2 s."""
        self._servers = ()
        await self._close(lambda _: True)
        await self._context.tasks.cancel_all()
        self._context.guard.close()

    def _supervisors_for(self, folder: str) -> list[ServerSupervisor]:
        """Return the supervisors of all servers that are switched on, in the order of the settings."""
        return list(dict.fromkeys(self._supervisor_of(server, folder) for server in self._servers if server.is_on))

    def _supervisor_of(self, server: McpServer, folder: str) -> ServerSupervisor:
        key = (server.name, _folder_of(server, folder))
        if key not in self._supervisors:
            self._supervisors[key] = ServerSupervisor(server, self._prefixes[server.name], key[1], self._context)
        return self._supervisors[key]

    def _server_of(self, tool: str) -> McpServer | None:
        """Return the server that is switched on and may offer a tool with that name; None if there is none."""
        prefix, separator, _ = tool.partition(SEPARATOR)
        return next((s for s in self._servers if s.is_on and separator and self._prefixes[s.name] == prefix), None)

    async def _find(self, name: str, context: ToolContext) -> tuple[ServerSupervisor, OfferedTool]:
        """Return the supervisor of the server that offers the tool, and the tool. Raises ToolFailed."""
        server = self._server_of(name)
        if server is None:
            raise ToolFailed("There is no such tool: its server is off, or was removed.")
        supervisor = self._supervisor_of(server, context.folder)
        supervisor.wake()
        await supervisor.wait_for_start()
        if (tool := supervisor.tool(name)) is not None:
            return supervisor, tool
        if supervisor.failure is not None:
            raise ToolFailed(unsent_text(server.name, supervisor.failure))
        raise ToolFailed(f"The MCP server “{server.name}” has no tool of that name now.")

    def _note_use(self, folder: str) -> None:
        """Record that a conversation uses a folder, and end servers in the least recently used folders."""
        self._folders = [*(each for each in self._folders if each != folder), folder][-MAX_FOLDERS:]
        needed = {(server.name, _folder_of(server, f)) for server in self._servers for f in self._folders}
        unused = {id(s) for key, s in self._supervisors.items() if key not in needed and not s.is_busy}
        if unused:
            self._context.start(ServerJob.END, self._close(lambda supervisor: id(supervisor) in unused))

    async def _close(self, is_unwanted: Callable[[ServerSupervisor], bool]) -> None:
        keys = [key for key, supervisor in self._supervisors.items() if is_unwanted(supervisor)]
        await asyncio.gather(*(self._supervisors.pop(key).close() for key in keys))


async def _call(
    supervisor: ServerSupervisor, tool: OfferedTool, arguments: Json, pieces: asyncio.Queue[str | ToolOutcome]
) -> None:
    """Complete a call, and put its output and its outcome into the queue."""

    def show_line(line: str) -> None:
        if pieces.qsize() < MAX_PENDING_LINES:
            pieces.put_nowait(line)

    try:
        outcome = await supervisor.call(tool, arguments, show_line)
        pieces.put_nowait(replace(outcome, sandbox=supervisor.sandbox))
    except (
        BaseException
    ):  # a bug, which is reported elsewhere, or a cancellation: the reader of the queue must not hang
        pieces.put_nowait(ToolOutcome("The call was ended; it may have had effects.", is_error=True))
        raise


def _read_arguments(text: str) -> Json:
    try:
        return msgspec.json.decode(text or "{}", type=Json)
    except (ValueError, RecursionError):
        raise ToolFailed("The arguments are not a JSON object; the tool did not run.") from None


def _folder_of(server: McpServer, folder: str) -> str:
    """Return the folder that the server's process runs in; "" for a server without a command."""
    return os.path.expanduser(server.folder or folder or "~") if server.command else ""
