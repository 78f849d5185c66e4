"""A session with an MCP server. Imports the `mcp` package, so this module must be imported late, and on a thread."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any

from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client
from pydantic import TypeAdapter

from desktop_app import __version__
from desktop_app.conversation.message import CallSandbox
from desktop_app.conversation.tools import ToolOutcome
from desktop_app.conversation.transcript import replace_surrogates_in_text
from desktop_app.settings import McpServer

from .http import Traffic, http_client
from .mcp_failures import Reason
from .pipes import open_corrected, open_pipes
from .process import MAX_LINE, Guard, ServerProcess
from .results import outcome_of
from .server_context import ServerSandbox
from .tool_list import MAX_LISTED

MAX_PAGES = 32
"""Pages of the list of tools; a server might send pages endlessly."""
MAX_LINE_SHOWN = 2_000
"""Characters of one line of a running tool's output."""

# These loggers write what servers send, with tracebacks, to standard error. Errors are also raised as exceptions.
for _name in ("mcp", "client"):
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)

_ANSWER: TypeAdapter[types.CallToolResult | types.InputRequiredResult] = TypeAdapter(
    types.CallToolResult | types.InputRequiredResult
)
_NEEDS_INPUT = "The tool asks for something (a form, a choice, or a model's answer) that cannot be given here."

ShowLine = Callable[[str], None]


class ServerSession:
    """A session, initially closed. Any task may call its tools, but a single task must open and close it."""

    def __init__(self, server: McpServer, folder: str, key: str, is_modern: bool) -> None:
        self._server = server
        self._folder = folder
        self._key = key
        self._is_modern = is_modern
        self.traffic = Traffic()
        self.process: ServerProcess | None = None
        self.sandbox: CallSandbox = ""
        """The kind of sandbox that the program runs in."""
        self.writable: tuple[str, ...] = ()
        """The folders that the program can write in the sandbox."""
        self.is_open = False
        """Whether the server has answered, so that its tools can be called."""
        self.changes = 0
        """Number of notifications that the list of tools has changed."""
        self.has_ended = False
        self.news = asyncio.Event()
        """Set when `changes` or `has_ended` changes, and to wake up the owner of the session."""
        self.reason: Reason | None = None
        self.gone = asyncio.Event()
        """Set when the reason for the end is known, which is some time after the first sign of it."""
        self._listed = 0
        """The value of `changes` for which the list has been read."""
        self._heard = asyncio.Event()
        """Set when `_listed` changes, and at the end."""
        self._listeners: set[ShowLine] = set()
        self._client: Client | None = None
        self._files: Path | None = None

    @property
    def has_key(self) -> bool:
        """Whether requests say who sends them, by a key or a header of the settings."""
        return bool(self._key) or any(name.lower() == "authorization" for name in self._server.headers)

    @property
    def is_confined(self) -> bool:
        """Whether the program runs in the sandbox."""
        return self.sandbox in ("closed", "network")

    @asynccontextmanager
    async def open(self, guard: Guard, sandbox: ServerSandbox) -> AsyncGenerator[None, None]:
        """Start the program or the HTTP client, and perform the handshake. On exit, end the program and its children.

        Errors are raised unchanged; `reason_of` describes them.
        """
        self._files = sandbox.received
        async with AsyncExitStack() as stack:
            client = Client(
                await self._transport(guard, sandbox, stack),
                # The old handshake is tried first: a server that only knows it may not answer the new one at all.
                mode="auto" if self._is_modern else "legacy",
                cache=None,
                client_info=types.Implementation(name="palimpsest", version=__version__),
                logging_callback=self._show_log,
                message_handler=self._note_change,
            )
            self._client = await stack.enter_async_context(client)
            yield

    async def _transport(self, guard: Guard, sandbox: ServerSandbox, stack: AsyncExitStack) -> Any:
        if self._server.command:
            start = await sandbox.start_of(self._server, self._folder)
            self.sandbox, self.writable = start.sandbox, start.writable
            with closing(start):
                self.process = await ServerProcess.start(
                    start.command, start.environment, self._folder, guard, self.end, start.handles
                )
            stack.push_async_callback(self.process.stop)
            return open_pipes(self.process)
        key = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        http = await http_client(self._server.url, key | self._server.headers, self.traffic)
        await stack.enter_async_context(http)
        return open_corrected(streamable_http_client(self._server.url, http_client=http, max_sse_event_size=MAX_LINE))

    async def list_tools(self) -> list[types.Tool]:
        """Return the server's tools from all pages, up to a limit. Raises MCPError and ValidationError."""
        assert self._client is not None
        tools: list[types.Tool] = []
        if self._client.server_capabilities.tools is None:
            return tools
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await self._client.session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
            tools += page.tools
            cursor = page.next_cursor
            if not cursor or len(tools) > MAX_LISTED:
                break
        return tools

    @property
    def has_changed(self) -> bool:
        """Whether the list of tools has changed since it was read."""
        return self.changes > self._listed

    def note_listed(self, changes: int) -> None:
        """Record that the list of tools was read and applied. changes: the value of `changes` before the request."""
        self._listed = changes
        self._heard.set()

    async def wait_until_listed(self) -> None:
        """Wait until the list has been read for all changes that the server has reported so far."""
        changes = self.changes
        while self._listed < changes and not self.has_ended and not self.gone.is_set():
            self._heard.clear()
            await self._heard.wait()

    async def call(
        self, name: str, arguments: dict[str, Any], show_line: ShowLine, on_progress: Callable[[], None]
    ) -> ToolOutcome:
        """Call a tool. show_line: called with lines of output during the call. Cancelling makes the server stop.

        Raises MCPError and ValidationError.
        """
        assert self._client is not None

        async def show_progress(progress: float, total: float | None, message: str | None) -> None:
            on_progress()
            show_line(_progress_line(progress, total, message))

        # Not `call_tool`, which validates results against the server's own schema: a malicious pattern in it could
        # block the event loop, and a model can read a result that does not quite match.
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=name, arguments=arguments))
        self._listeners.add(show_line)
        try:
            answer = await self._client.session.send_request(request, _ANSWER, progress_callback=show_progress)
        finally:
            self._listeners.discard(show_line)
        if isinstance(answer, types.CallToolResult):
            return await asyncio.to_thread(_read_result, answer, name, self._files)
        return ToolOutcome(_NEEDS_INPUT, is_error=True)

    def note_reason(self, reason: Reason) -> None:
        """Record the reason why the session ended; the first one counts."""
        self.reason = self.reason or reason
        self.gone.set()
        self._heard.set()

    def end(self) -> None:
        """Record that the connection has ended."""
        self.has_ended = True
        self.news.set()
        self._heard.set()

    async def _show_log(self, params: types.LoggingMessageNotificationParams) -> None:
        line = _log_line(params.level, params.data)
        for show_line in tuple(self._listeners):  # the protocol does not specify which call a message belongs to
            show_line(line)

    async def _note_change(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self.changes += 1
            self.news.set()


def _read_result(result: types.CallToolResult, tool: str, files: Path | None) -> ToolOutcome:
    return outcome_of(result.model_dump(by_alias=True, exclude_none=True), tool, files)


def _progress_line(progress: float, total: float | None, message: str | None) -> str:
    """Return progress as a line of output: "3 of 10: indexing"."""
    count = f"{progress:g} of {total:g}" if total else f"{progress:g}"
    return _line_of(f"{count}: {message}" if message else count)


def _log_line(level: str, data: Any) -> str:
    """Return a log message as a line of output."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
    return _line_of(text if level in ("debug", "info", "notice") else f"{level}: {text}")


def _line_of(text: str) -> str:
    return replace_surrogates_in_text(" ".join(text[: MAX_LINE_SHOWN + 1].splitlines())[:MAX_LINE_SHOWN]) + "\n"
