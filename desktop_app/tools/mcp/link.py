"""One connection to a server of tools, while it lasts. The `mcp` package is imported here: import this file late, and
on a thread."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client
from pydantic import TypeAdapter

from desktop_app import __version__
from desktop_app.conversation.tools import ToolOutcome
from desktop_app.settings import McpServer

from .child import MOST_LINE, Child
from .guard import Guard
from .http import Traffic, http_client
from .offers import MOST_LISTED, Tool
from .pipes import pipes
from .results import log_line, outcome_of, progress_line
from .words import Reason

MOST_PAGES = 32
"""Of its list: a server may never come to the last one."""

# They log what servers send, with tracebacks, to standard error. What matters of it reaches us as exceptions.
for _name in ("mcp", "client"):
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)

_ANSWER: TypeAdapter[types.CallToolResult | types.InputRequiredResult] = TypeAdapter(
    types.CallToolResult | types.InputRequiredResult
)
_ASKS = "The tool asks for something (a form, a choice, or a model's answer) that cannot be given here."

Say = Callable[[str], None]


class Link:
    """A connection, closed at first. Its calls may come from any task; entering and leaving it belong to one."""

    def __init__(self, server: McpServer, folder: str, key: str, is_modern: bool) -> None:
        self._server = server
        self._folder = folder
        self._key = key
        self._is_modern = is_modern
        self.traffic = Traffic()
        self.child: Child | None = None
        self.is_open = False
        """Whether it has answered, so that a call may follow."""
        self.has_changed = False
        self.has_ended = False
        self.news = asyncio.Event()
        """Set when one of the two above is, or when whoever owns the link wants to be woken."""
        self.why: Reason | None = None
        self.gone = asyncio.Event()
        """Set when it is known why it ended, which is some time after the first sign of it."""
        self._listening: set[Say] = set()
        self._client: Client | None = None

    @asynccontextmanager
    async def opened(self, guard: Guard) -> AsyncGenerator[None, None]:
        """Starts the program or the HTTP client, and shakes hands. Raises whatever goes wrong, as it is: `reason_of`
        has the words for it. Leaving it ends the program with all its children."""
        async with AsyncExitStack() as stack:
            client = Client(
                await self._transport(guard, stack),
                # The old handshake first: a server that only knows that may not answer the new one at all.
                mode="auto" if self._is_modern else "legacy",
                cache=None,
                client_info=types.Implementation(name="palimpsest", version=__version__),
                logging_callback=self._log,
                message_handler=self._hear,
            )
            self._client = await stack.enter_async_context(client)
            yield

    async def _transport(self, guard: Guard, stack: AsyncExitStack) -> Any:
        if self._server.command:
            self.child = await Child.start(
                self._server.command, self._server.environment, self._folder, guard, self.end
            )
            stack.push_async_callback(self.child.stop)
            return pipes(self.child)
        http = await http_client(self._server.url, self._key, self.traffic)
        await stack.enter_async_context(http)
        return streamable_http_client(self._server.url, http_client=http, max_sse_event_size=MOST_LINE)

    async def tools(self) -> tuple[Tool, ...]:
        """What it offers, page by page, as far as anybody looks. Raises MCPError, ValidationError."""
        assert self._client is not None
        self.has_changed = False
        if self._client.server_capabilities.tools is None:
            return ()
        found: list[Tool] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page = await self._client.session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
            found += [Tool(tool.name, tool.description or tool.title or "", tool.input_schema) for tool in page.tools]
            cursor = page.next_cursor
            if not cursor or len(found) > MOST_LISTED:
                break
        return tuple(found)

    async def call(self, name: str, arguments: dict[str, Any], say: Say, on_sign: Callable[[], None]) -> ToolOutcome:
        """Calls a tool. say: gets lines while it runs. on_sign: called at each sign of progress. Cancelling it tells
        the server. Raises MCPError, ValidationError."""
        assert self._client is not None

        async def sign(progress: float, total: float | None, message: str | None) -> None:
            on_sign()
            say(progress_line(progress, total, message))

        # Not `call_tool`, which holds answers against the server's own schema: with a pattern of its choice it could
        # stop the whole loop, and a model can read an answer that is not quite as promised.
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=name, arguments=arguments))
        self._listening.add(say)
        try:
            answer = await self._client.session.send_request(request, _ANSWER, progress_callback=sign)
        finally:
            self._listening.discard(say)
        return outcome_of(answer) if isinstance(answer, types.CallToolResult) else ToolOutcome(_ASKS, is_error=True)

    def bury(self, why: Reason) -> None:
        """Notes why it ended; the first reason counts."""
        self.why = self.why or why
        self.gone.set()

    def end(self) -> None:
        """Nothing more will come through it."""
        self.has_ended = True
        self.news.set()

    async def _log(self, params: types.LoggingMessageNotificationParams) -> None:
        line = log_line(params.level, params.data)
        for say in tuple(self._listening):  # the protocol does not tell which call it belongs to
            say(line)

    async def _hear(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self.has_changed = True
            self.news.set()
