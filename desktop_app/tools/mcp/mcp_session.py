"""One session with an MCP server. Imports the `mcp` package: import this module late, and on a thread."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
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
from .pipes import open_pipes
from .process import MAX_LINE, Guard, ServerProcess
from .server_context import ServerSandbox
from .tool_list import MAX_LISTED

MAX_PAGES = 32
"""Of the list of tools: a server may never come to the last one."""
MAX_LINE_SHOWN = 2_000
"""Characters of one line that a tool shows while it runs."""

# They log what servers send, with tracebacks, to standard error. What matters reaches us as exceptions.
for _name in ("mcp", "client"):
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)

_ANSWER: TypeAdapter[types.CallToolResult | types.InputRequiredResult] = TypeAdapter(
    types.CallToolResult | types.InputRequiredResult
)
_NEEDS_INPUT = "The tool asks for something (a form, a choice, or a model's answer) that cannot be given here."

ShowLine = Callable[[str], None]


class ServerSession:
    """A session, closed at first. Its calls may come from any task; one task opens and closes it."""

    def __init__(self, server: McpServer, folder: str, key: str, is_modern: bool) -> None:
        self._server = server
        self._folder = folder
        self._key = key
        self._is_modern = is_modern
        self.traffic = Traffic()
        self.process: ServerProcess | None = None
        self.sandbox: CallSandbox = ""
        """Where its program runs."""
        self.is_open = False
        """Whether it has answered, so that a call may follow."""
        self.changes = 0
        """How often it has said that its list of tools has changed."""
        self.has_ended = False
        self.news = asyncio.Event()
        """Set when one of the two above changes, or when the owner of the session is to wake up."""
        self.reason: Reason | None = None
        self.gone = asyncio.Event()
        """Set when it is known why it ended, which is some time after the first sign of it."""
        self._listed = 0
        """How many of those changes have been read."""
        self._heard = asyncio.Event()
        """Set when some have been, and at the end."""
        self._listeners: set[ShowLine] = set()
        self._client: Client | None = None

    @property
    def is_confined(self) -> bool:
        """Whether it runs in the sandbox."""
        return self.sandbox in ("closed", "network")

    @asynccontextmanager
    async def open(self, guard: Guard, sandbox: ServerSandbox) -> AsyncGenerator[None, None]:
        """Start the program or the HTTP client, and shake hands. Leaving it ends the program with all its children.

        Errors are raised as they are; `reason_of` has the words for them.
        """
        async with AsyncExitStack() as stack:
            client = Client(
                await self._transport(guard, sandbox, stack),
                # The old handshake first: a server that only knows that may not answer the new one at all.
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
            self.sandbox = start.sandbox
            with closing(start):
                self.process = await ServerProcess.start(
                    start.command, start.environment, self._folder, guard, self.end, start.handles
                )
            stack.push_async_callback(self.process.stop)
            return open_pipes(self.process)
        http = await http_client(self._server.url, self._key, self.traffic)
        await stack.enter_async_context(http)
        return streamable_http_client(self._server.url, http_client=http, max_sse_event_size=MAX_LINE)

    async def list_tools(self) -> list[types.Tool]:
        """Return its tools, page by page, up to a limit. Raises MCPError and ValidationError."""
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
        """Whether its list of tools has changed since it was read."""
        return self.changes > self._listed

    def note_listed(self, changes: int) -> None:
        """Note that a list was read, and taken, that was asked for after so many changes."""
        self._listed = changes
        self._heard.set()

    async def wait_until_listed(self) -> None:
        """Wait until all changes that it has told of by now have been read."""
        changes = self.changes
        while self._listed < changes and not self.has_ended and not self.gone.is_set():
            self._heard.clear()
            await self._heard.wait()

    async def call(
        self, name: str, arguments: dict[str, Any], show_line: ShowLine, on_progress: Callable[[], None]
    ) -> ToolOutcome:
        """Call a tool. show_line: gets its output while it runs. Cancelling tells the server to stop.

        Raises MCPError and ValidationError.
        """
        assert self._client is not None

        async def show_progress(progress: float, total: float | None, message: str | None) -> None:
            on_progress()
            show_line(_progress_line(progress, total, message))

        # Not `call_tool`, which validates answers against the server's own schema: a pattern of its choice could stop
        # the whole loop, and a model can read an answer that is not quite as promised.
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=name, arguments=arguments))
        self._listeners.add(show_line)
        try:
            answer = await self._client.session.send_request(request, _ANSWER, progress_callback=show_progress)
        finally:
            self._listeners.discard(show_line)
        if isinstance(answer, types.CallToolResult):
            return _outcome_of(answer)
        return ToolOutcome(_NEEDS_INPUT, is_error=True)

    def note_reason(self, reason: Reason) -> None:
        """Store why it ended; the first reason counts."""
        self.reason = self.reason or reason
        self.gone.set()
        self._heard.set()

    def end(self) -> None:
        """Note that nothing more will come through it."""
        self.has_ended = True
        self.news.set()
        self._heard.set()

    async def _show_log(self, params: types.LoggingMessageNotificationParams) -> None:
        line = _log_line(params.level, params.data)
        for show_line in tuple(self._listeners):  # the protocol does not say which call it belongs to
            show_line(line)

    async def _note_change(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self.changes += 1
            self.news.set()


def _outcome_of(result: types.CallToolResult) -> ToolOutcome:
    """Return the texts, and images, sounds and files in words; structured content if there is nothing else."""
    parts = [_text_of(block) for block in result.content]
    if not any(part.strip() for part in parts) and result.structured_content is not None:
        parts = [json.dumps(result.structured_content, ensure_ascii=False, indent=1)]
    text = "\n\n".join(part for part in parts if part) or "(The tool returned nothing.)"
    return ToolOutcome(replace_surrogates_in_text(text), is_error=bool(result.is_error))


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


def _text_of(block: types.ContentBlock) -> str:
    match block:
        case types.TextContent(text=text):
            return text
        case types.ImageContent(data=data, mime_type=kind):
            return f"[An image, {kind}, {_size(data)}. Only text can be shown here.]"
        case types.AudioContent(data=data, mime_type=kind):
            return f"[A sound, {kind}, {_size(data)}. Only text can be shown here.]"
        case types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, text=text)):
            return f"[{uri}]\n{text}"
        case types.EmbeddedResource(resource=resource):
            data = getattr(resource, "blob", "")
            return f"[{resource.uri}: a file, {resource.mime_type or 'of unknown type'}, {_size(data)}, not shown.]"
        case types.ResourceLink(uri=uri, name=name, description=description):
            return f"[A link: {name}, {uri}{f', {description}' if description else ''}]"
    return "[Something that is not text.]"


def _size(base64_text: str) -> str:
    """Return the size of a base64 text when it is decoded."""
    count = len(base64_text) * 3 // 4 - base64_text[-2:].count("=")
    return f"{count:,} bytes" if count < 10_000 else f"{count / 1000:,.0f} kB"
