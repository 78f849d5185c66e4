"""Supervision of an MCP server in one folder: starts it on demand, restarts it after a crash, and ends it."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import msgspec

from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import CallSandbox
from desktop_app.conversation.tool_servers import ServerStatus, ToolServerState
from desktop_app.conversation.tools import ToolOutcome
from desktop_app.conversation.words import translatable
from desktop_app.settings import McpServer
from desktop_app.tools.tool import CHANGED

from .blocked_writes import BlockedWrite, blocked_write, failure_of_write, note_for_model
from .mcp_failures import STALLED, Reason, Secrets, failure_of, unfinished_outcome, unsent_text
from .server_context import ADVICE, ServerContext, ServerJob
from .tool_list import OfferedTool, ServerTools

CLOSE_SECONDS = (1.85, 0.05, 0.05)
"""Times to wait for the end of the task before cancelling it again, in total below 2 s."""
GONE_SECONDS = 0.5
"""Time to wait for the reason of a failed call."""
SHOWN_LINES = 20
"""Lines of a server's errors and logs that the settings show."""
MAX_BLOCKED = 3
"""Prevented writes that are reported."""
MAX_HEADING = 100
"""Characters at the beginning of a result in which a server that marks no errors names one."""
MAX_DEATHS = 3
"""Crashes in a row, after which the server is restarted only on demand."""
RELIST_SECONDS = 0.2
"""Delay before the list of tools is read again, which combines several changes."""
_BUG = Reason("bug", translatable("Something went wrong inside Palimpsest."), translatable("Please report it."))
_NO_PACKAGE = translatable("The Python package `mcp` is not installed.")
_MISSING = Reason("not_found", _NO_PACKAGE, translatable("Set Palimpsest up again: packaging/run."))


async def load_package() -> Any:
    """Return the module `reasons`, imported on a thread, because it imports the `mcp` package, which takes a second.

    Raises ImportError if the package is missing.
    """
    return await asyncio.to_thread(importlib.import_module, "desktop_app.tools.mcp.reasons")


class ServerSupervisor:
    """Owns at most one session at a time, in a task that opens and closes it.

    Sessions have the type Any, because their module must not be imported here.
    """

    def __init__(self, server: McpServer, prefix: str, folder: str, context: ServerContext) -> None:
        self.server = server
        self.folder = folder
        self.failure: Failure | None = None
        """The reason why the server does not answer; None if it does, or is starting."""
        self._context = context
        self._limits = context.limits
        self._tools = ServerTools(server.name, prefix)
        self._secrets = Secrets()
        self._session: Any = None
        self._last_session: Any = None
        self._task: asyncio.Task[None] | None = None
        self._settled = asyncio.Event()
        """Set once it answers, has failed, or needs so long that nothing waits for it any more."""
        self._concluded = asyncio.Event()
        """Set once it answers or has failed."""
        self._is_late = False
        self._was_waited_for = False
        self._is_modern = False
        self._is_closing = False
        self.blocked: tuple[BlockedWrite, ...] = ()
        """The last writes that the sandbox prevented."""
        self._calls = 0
        self._deaths = 0
        self._retry_at = 0.0

    @property
    def is_busy(self) -> bool:
        return self._calls > 0

    @property
    def is_starting(self) -> bool:
        return self._task is not None and not self._task.done() and not self._concluded.is_set()

    @property
    def is_running(self) -> bool:
        return self._session is not None

    @property
    def is_awaited(self) -> bool:
        """Whether a message should wait for it: it is starting, and not again after it has failed."""
        return self.is_starting and (self.failure is None or self._is_late)

    @property
    def tools(self) -> tuple[OfferedTool, ...]:
        """The offered tools, which also stay available during a restart, so that requests do not change briefly."""
        return self._tools.offered

    def tool(self, name: str) -> OfferedTool | None:
        """Return the tool that is offered under a name; None if there is none."""
        return next((tool for tool in self.tools if tool.spec.name == name), None)

    @property
    def sandbox(self) -> CallSandbox:
        """The kind of sandbox that the program runs in, or ran in last."""
        return self._last_session.sandbox if self._last_session is not None else ""

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The reason why the server does not answer, what it could not write, and the tools that are not offered."""
        own = (self.failure,) if self.failure is not None else ()
        blocked = (failure_of_write(each, self.server.name) for each in self.blocked)
        return (*own, *blocked, *self._tools.failures)

    @property
    def status(self) -> ServerStatus:
        if self._session is not None:
            return "running"
        if self.is_starting:
            return "starting"
        return "failed" if self.failure is not None else "idle"

    @property
    def status_order(self) -> int:
        """A number by which the most telling of several processes of a server is chosen."""
        return ("idle", "starting", "running", "failed").index(self.status)

    @property
    def state(self) -> ToolServerState:
        """The state, for the settings."""
        is_confined = self._last_session is not None and self._last_session.is_confined
        return ToolServerState(
            self.server.name,
            self.status,
            len(self.tools),
            self.failures,
            tuple(dict.fromkeys(each.folder for each in self.blocked if each.folder)),
            self._secrets.hide(self._last_errors(SHOWN_LINES)),
            self._context.sandbox.home_of(self.server) if is_confined else "",
        )

    def wake(self, is_urgent: bool = False) -> None:
        """Start the server unless it is running or has failed recently. is_urgent: ignore a recent failure."""
        is_running = self._task is not None and not self._task.done()
        now = asyncio.get_running_loop().time()
        if is_running or self._is_closing or (now < self._retry_at and not is_urgent):
            return
        self._settled.clear()
        self._concluded.clear()
        self._is_late = False
        self._task = self._context.start(ServerJob.CONNECTION, self._run())

    async def wait_for_start(self) -> None:
        """Wait briefly for a starting server, and for its list of tools if that has changed.

        Do not wait for a server that has failed, and only once for each start.
        """
        if self.failure is None and not self._was_waited_for:
            await self._wait_until_settled(self._limits.wait)
            self._was_waited_for = not self._settled.is_set()
        if self._session is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._session.wait_until_listed(), self._limits.wait)

    async def wait_until_concluded(self) -> None:
        """Wait until a starting server answers or has failed."""
        await self._concluded.wait()

    async def call(self, tool: OfferedTool, arguments: dict[str, Any], show_line: Callable[[str], None]) -> ToolOutcome:
        """Call a tool if it has not changed. Errors are returned as outcomes. Cancelling makes the server stop."""
        self._calls += 1
        try:
            outcome = await self._try_call(tool, arguments, show_line)
            # None: the server had forgotten the session, and so has not run the tool. The call is repeated once.
            return outcome or await self._try_call(tool, arguments, show_line, is_again=True) or self._unsent()
        finally:
            self._calls -= 1

    async def close(self) -> None:
        """End the server and its children, within 2 s."""
        self._is_closing = True
        self._settled.set()
        self._concluded.set()
        task = self._task
        if task is None:
            return
        if self._session is not None:
            self._session.news.set()
        else:
            task.cancel()
        for seconds in CLOSE_SECONDS:
            if not task.done():
                await asyncio.wait({task}, timeout=seconds)
                task.cancel()

    async def _wait_until_settled(self, seconds: float) -> None:
        """Wait until the server answers or has failed, at most `seconds`."""
        if self._task is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._settled.wait(), seconds)

    async def _run(self) -> None:
        """Keep a session open until the supervisor is closed, or the server has failed too often."""
        loop = asyncio.get_running_loop()
        while not self._is_closing:
            started = loop.time()
            reason = await self._live()
            if self._is_closing:
                return
            was_open = self._last_session is not None and self._last_session.is_open
            is_first = was_open and loop.time() - started > self._limits.steady
            self._deaths = 1 if is_first else self._deaths + 1
            pause = min(self._limits.max_pause, self._limits.pause * 2 ** (self._deaths - 1))
            if not was_open or self._deaths > MAX_DEATHS:
                self._retry_at = loop.time() + pause
                self._note_failure(reason)
                self._concluded.set()
                self._context.on_change()
                return
            await asyncio.sleep(pause if self._deaths > 1 else 0)

    async def _live(self) -> Reason:
        """Open a session, wait until it ends, and return the reason."""
        try:
            package = await load_package()
        except ImportError:
            return _MISSING
        key = self._context.key_of(f"mcp/{self.server.name}")
        self._secrets = Secrets.of(self.server, key)
        session = self._last_session = package.ServerSession(self.server, self.folder, key, self._is_modern)
        try:
            async with AsyncExitStack() as stack:
                await self._start(session, stack, package)
                self._session, self.failure, session.is_open = session, None, True
                self._settled.set()
                self._concluded.set()
                self._context.on_change()
                self._was_waited_for = False
                try:
                    await self._stay(session, package)
                finally:
                    self._session = None  # later calls wait for the next session
                    self._settled.clear()
            session.note_reason(package.reason_of_end(session))
        except Exception as error:  # noqa: BLE001 - every error becomes a reason; unexpected ones are reported as bugs
            if not session.is_open and not self._is_modern and package.is_newer_only(error):
                self._is_modern = True
                return await self._live()
            session.note_reason(self._reason_of(error, session, package))
        reason: Reason = session.reason
        return reason

    async def _start(self, session: Any, stack: AsyncExitStack, package: Any) -> None:
        """Open the session and read its tools. Raises any error, including TimeoutError."""

        def warn() -> None:
            """Report that the start takes long. Requests no longer wait for the server, but it may still start."""
            self._is_late = True
            self._note_failure(package.reason_of(TimeoutError(), self.server, session, self._limits.start))

        warning = asyncio.get_running_loop().call_later(self._limits.start, warn)
        try:
            async with asyncio.timeout(self._max_start):
                await stack.enter_async_context(session.open(self._context.guard, self._context.sandbox))
                await self._tools.read(session)
        finally:
            warning.cancel()

    @property
    def _max_start(self) -> float:
        return max(self._limits.start, self._limits.max_start) if self.server.command else self._limits.start

    async def _stay(self, session: Any, package: Any) -> None:
        """Wait for the end of the session, and read the list of tools again when the server reports a change."""
        while not self._is_closing and not session.has_ended:
            await session.news.wait()
            session.news.clear()
            if session.has_changed and not session.has_ended and not self._is_closing:
                await asyncio.sleep(RELIST_SECONDS)
                async with asyncio.timeout(self._limits.start):
                    await self._tools.read(session)
        if session.process is not None and not self._is_closing:
            await session.process.has_exited(GONE_SECONDS / 2)
            session.note_reason(package.reason_of_end(session))  # before ending its children, which may take a while

    def _note_failure(self, reason: Reason) -> None:
        self._tools.clear()
        if self._last_session is not None and self._last_session.is_confined:
            reason = msgspec.structs.replace(reason, advice=f"{reason.advice} {ADVICE}")
            self._note_blocked(f"{reason.text}\n{self._last_errors()}", self._last_session)
        self.failure = failure_of(self.server.name, reason, self._last_errors(), self._secrets)
        self._settled.set()

    def _note_blocked(self, text: str, session: Any) -> BlockedWrite | None:
        """Remember the write that an error in the text is about, if the sandbox prevented it, and return it."""
        found = blocked_write(text, session.writable) if session.is_confined else None
        if found is not None:
            others = (each for each in self.blocked if each != found)
            self.blocked = (*others, found)[-MAX_BLOCKED:]
        return found

    def _reason_of(self, error: Exception, session: Any, package: Any) -> Reason:
        reason: Reason | None = package.reason_of(error, self.server, session, self._max_start)
        if reason is None:
            self._context.on_bug(error)
        return reason or _BUG

    def _unsent(self) -> ToolOutcome:
        return ToolOutcome(unsent_text(self.server.name, self.failure), is_error=True)

    def _last_errors(self, lines: int = 6) -> str:
        process = self._last_session.process if self._last_session is not None else None
        return process.last_errors(lines) if process is not None else ""

    async def _try_call(
        self, tool: OfferedTool, arguments: dict[str, Any], show_line: Callable[[str], None], is_again: bool = False
    ) -> ToolOutcome | None:
        await self._wait_until_settled(self._limits.start)
        session, loop = self._session, asyncio.get_running_loop()
        if session is None:
            return self._unsent()
        last = loop.time() + self._limits.max_call
        try:
            async with asyncio.timeout(self._limits.call) as limit:

                def extend() -> None:
                    with contextlib.suppress(RuntimeError):  # the timeout has already expired
                        limit.reschedule(min(loop.time() + self._limits.call, last))

                await session.wait_until_listed()
                if self.tool(tool.spec.name) != tool:
                    return ToolOutcome(CHANGED, is_error=True)
                outcome: ToolOutcome = await session.call(tool.name, arguments, show_line, extend)
                return self._with_note(outcome, session)
        except TimeoutError:
            stopped = Reason("timeout", STALLED.format(seconds=f"{self._limits.call:g}"))
            return unfinished_outcome(self.server.name, stopped, "", self._secrets)
        except Exception as error:  # noqa: BLE001 - every error becomes a reason; unexpected ones are reported as bugs
            return await self._outcome_of(error, session, is_again)

    def _with_note(self, outcome: ToolOutcome, session: Any) -> ToolOutcome:
        """Return the outcome; if it is an error that the sandbox caused, with a note for the model."""
        is_error = outcome.is_error or "error" in outcome.text[:MAX_HEADING].lower()
        blocked = self._note_blocked(outcome.text, session) if is_error else None
        if blocked is None:
            return outcome
        note = note_for_model(blocked, self.server.name, session.writable)
        return msgspec.structs.replace(outcome, text=outcome.text + note)

    async def _outcome_of(self, error: Exception, session: Any, is_again: bool) -> ToolOutcome | None:
        """Return the outcome of a call that raised an error; None if it may be repeated."""
        reason = self._reason_of(error, session, await load_package())
        if reason.is_over:
            session.end()
            with contextlib.suppress(TimeoutError):
                seconds = self._limits.start if reason.is_unsent else GONE_SECONDS
                await asyncio.wait_for(session.gone.wait(), seconds)
            if reason.is_unsent and not is_again:
                return None
            reason = session.reason or reason
        return unfinished_outcome(self.server.name, reason, self._last_errors(), self._secrets)
