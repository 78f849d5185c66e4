"""A server of tools, in one folder, over time: started when it is wanted, again after it died, and ended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

from desktop_app.conversation.events import Failure
from desktop_app.conversation.tools import ToolOutcome
from desktop_app.settings import McpServer

from . import library
from .offers import Offer, Offers
from .surroundings import ServerContext
from .words import Reason, Secrets, broken_off, failure_of, no_answer

CLOSE_SECONDS = (1.85, 0.05, 0.05)
"""How long an end is waited for, each time before it is asked for more firmly: together below 2 s."""
GONE_SECONDS = 0.5
"""From a call's breaking off until it is known why."""
MOST_DEATHS = 3
"""In a row, after which it is started again only when somebody asks for it."""
RELIST_SECONDS = 0.2
"""Changes of its list that come within this time are read together."""
_BUG = Reason("bug", "Something went wrong inside Palimpsest.", "Please report it.")
_MISSING = Reason("not_found", "The Python package `mcp` is not installed.", "Set Palimpsest up again: packaging/run.")


class Connection:
    """At most one link at a time, owned by one task: what it enters must be left in the same task."""

    def __init__(self, server: McpServer, prefix: str, folder: str, surroundings: ServerContext) -> None:
        self.server = server
        self.folder = folder
        self.used_at = 0.0
        self._around = surroundings
        self._limits = surroundings.limits
        self._offers = Offers(server.name, prefix)
        self._secrets = Secrets()
        self._link: Any = None
        self._last: Any = None
        self._task: asyncio.Task[None] | None = None
        self._settled = asyncio.Event()
        self.failure: Failure | None = None
        """Why it does not answer."""
        self._was_waited_for = False
        self._is_modern = False
        self._is_closing = False
        self._calls = 0
        self._deaths = 0
        self._retry_at = 0.0

    @property
    def is_busy(self) -> bool:
        """Whether a call runs."""
        return self._calls > 0

    @property
    def offers(self) -> tuple[Offer, ...]:
        """What it offers. Still so while it is started again, so that a request does not change for a moment."""
        return self._offers.all

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Why it does not answer, and which of its tools are not offered."""
        return (*((self.failure,) if self.failure is not None else ()), *self._offers.failures)

    def wake(self, is_urgent: bool = False) -> None:
        """Starts it, unless it runs, or has failed a moment ago. is_urgent: even then."""
        is_running = self._task is not None and not self._task.done()
        self.used_at = asyncio.get_running_loop().time()
        if is_running or self._is_closing or (self.used_at < self._retry_at and not is_urgent):
            return
        self._settled.clear()
        self._task = self._around.tasks.start(self._around.next_name(self.server.name), self._run())

    async def first_settled(self) -> None:
        """Waits a little for a server that starts, but not for one that has failed, and once for each start only."""
        if self.failure is None and not self._was_waited_for:
            await self.settled(self._limits.wait)
            self._was_waited_for = not self._settled.is_set()

    async def settled(self, seconds: float) -> None:
        """Waits until it answers or has failed, at most that long."""
        if self._task is not None and not self._settled.is_set():
            waiting = asyncio.ensure_future(self._settled.wait())
            try:
                await asyncio.wait({waiting}, timeout=seconds)
            finally:
                waiting.cancel()

    async def call(self, tool: str, arguments: dict[str, Any], say: Callable[[str], None]) -> ToolOutcome:
        """Calls a tool of it. Whatever goes wrong in the world is an outcome. Cancelling it tells the server."""
        self._calls += 1
        try:
            outcome = await self._try(tool, arguments, say)
            # None: the server had forgotten the session, and so has not run the tool. It is asked anew, once.
            return outcome or await self._try(tool, arguments, say) or no_answer(self.server.name, self.failure)
        finally:
            self._calls -= 1
            self.used_at = asyncio.get_running_loop().time()

    async def close(self) -> None:
        """Ends it, with all that it has started, within 2 s."""
        self._is_closing = True
        self._settled.set()
        task = self._task
        if task is None:
            return
        if self._link is not None:
            self._link.news.set()
        else:
            task.cancel()
        for seconds in CLOSE_SECONDS:
            if not task.done():
                await asyncio.wait({task}, timeout=seconds)
                task.cancel()

    # --- Its life ---

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while not self._is_closing:
            began = loop.time()
            why = await self._live()
            if self._is_closing:
                return
            was_open = self._last is not None and self._last.is_open
            self._deaths = 1 if was_open and loop.time() - began > self._limits.steady else self._deaths + 1
            pause = min(self._limits.pause_most, self._limits.pause * 2 ** (self._deaths - 1))
            if not was_open or self._deaths > MOST_DEATHS:
                self._fail(why, loop.time() + pause)
                return
            await asyncio.sleep(pause if self._deaths > 1 else 0)

    async def _live(self) -> Reason:
        """One link from its start to its end, and why it ended."""
        try:
            module = await library.reasons()
        except ImportError:
            return _MISSING
        key = self._around.key_of(f"mcp/{self.server.name}")
        self._secrets = Secrets.of(self.server, key)
        link = self._last = module.Link(self.server, self.folder, key, self._is_modern)
        try:
            async with AsyncExitStack() as stack:
                await self._start(link, stack, module)
                self._link, self.failure, link.is_open = link, None, True
                self._settled.set()
                self._was_waited_for = False
                try:
                    await self._stay(link, module)
                finally:
                    self._link = None  # calls that come from now on wait for the next one
                    self._settled.clear()
            link.bury(module.ended(link))
        except Exception as error:  # noqa: BLE001 - put into words; what has none is told as a bug
            if not link.is_open and not self._is_modern and module.is_newer_only(error):
                self._is_modern = True
                return await self._live()
            link.bury(self._reason(error, link, module))
        why: Reason = link.why
        return why

    async def _start(self, link: Any, stack: AsyncExitStack, module: Any) -> None:
        """Opens the link and reads its tools. Raises whatever goes wrong, TimeoutError too."""
        most = self._start_most
        warning = asyncio.get_running_loop().call_later(self._limits.start, self._warn, link, module)
        try:
            async with asyncio.timeout(most):
                await stack.enter_async_context(link.opened(self._around.guard))
                await self._offers.learn(await link.tools())
        finally:
            warning.cancel()

    @property
    def _start_most(self) -> float:
        return max(self._limits.start, self._limits.start_most) if self.server.command else self._limits.start

    def _warn(self, link: Any, module: Any) -> None:
        """It takes long: that is told, nobody waits for it any more, and it may still come."""
        self._note(module.reason_of(TimeoutError(), self.server, link, self._limits.start))

    async def _stay(self, link: Any, module: Any) -> None:
        """Waits for the end, and reads the list of tools again when the server says that it has changed."""
        while not self._is_closing and not link.has_ended:
            await link.news.wait()
            link.news.clear()
            if link.has_changed and not link.has_ended and not self._is_closing:
                await asyncio.sleep(RELIST_SECONDS)
                async with asyncio.timeout(self._limits.start):
                    await self._offers.learn(await link.tools())
        if link.child is not None and not self._is_closing:
            await link.child.has_exited(GONE_SECONDS / 2)
            link.bury(module.ended(link))  # now, since to end what it leaves behind may take a while

    def _fail(self, why: Reason, retry_at: float) -> None:
        self._retry_at = retry_at
        self._note(why)

    def _note(self, why: Reason) -> None:
        self._offers.clear()
        self.failure = failure_of(self.server.name, why, self._last_words(), self._secrets)
        self._settled.set()

    def _reason(self, error: Exception, link: Any, module: Any) -> Reason:
        reason: Reason | None = module.reason_of(error, self.server, link, self._start_most)
        if reason is None:
            self._around.on_bug(error)
        return reason or _BUG

    def _last_words(self) -> str:
        child = self._last.child if self._last is not None else None
        return child.last_words() if child is not None else ""

    # --- Its calls ---

    async def _try(self, tool: str, arguments: dict[str, Any], say: Callable[[str], None]) -> ToolOutcome | None:
        await self.settled(self._limits.start)
        link, loop = self._link, asyncio.get_running_loop()
        if link is None:
            return no_answer(self.server.name, self.failure)
        last = loop.time() + self._limits.call_most
        try:
            async with asyncio.timeout(self._limits.call) as limit:

                def sign() -> None:
                    with contextlib.suppress(RuntimeError):  # it comes too late
                        limit.reschedule(min(loop.time() + self._limits.call, last))

                answer: ToolOutcome = await link.call(tool, arguments, say, sign)
                return answer
        except TimeoutError:
            what = f"It showed no sign of progress for {self._limits.call:g} seconds, and was told to stop."
            return broken_off(self.server.name, Reason("timeout", what), "", self._secrets)
        except Exception as error:  # noqa: BLE001 - put into words; what has none is told as a bug
            return await self._broken(error, link)

    async def _broken(self, error: Exception, link: Any) -> ToolOutcome | None:
        """What a call gets that ended with an error; None if it may be repeated."""
        reason = self._reason(error, link, await library.reasons())
        if reason.is_over:
            link.end()
            waiting = asyncio.ensure_future(link.gone.wait())
            await asyncio.wait({waiting}, timeout=self._limits.start if reason.is_unsent else GONE_SECONDS)
            waiting.cancel()
            if reason.is_unsent:
                return None
            reason = link.why or reason
        return broken_off(self.server.name, reason, self._last_words(), self._secrets)
