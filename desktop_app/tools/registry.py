"""The registry of all tools: the built-in ones, and the tools of other sources such as MCP servers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from desktop_app.chat.ports import MayRead, Spills, Toolbox, WorldError
from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import ChangePreview, RequiredPermission, ToolContext, ToolOutcome, ToolSpec
from desktop_app.paths import data_folder, keys_file
from desktop_app.settings import Settings

from .bash import BashTool
from .change_files import ChangeTool, EditTool, FileLocks, WriteTool
from .list_folder import ListTool
from .path_policy import PathPolicy
from .read_file import ReadTool
from .sandbox.sandbox import Sandbox
from .search_files import GlobTool, GrepTool
from .tool import CHANGED, Tool, ToolFailed, read_arguments
from .web_fetch import FetchTool
from .web_search import WebSearchTool

MAX_PENDING = 1_000
"""Remembered calls whose permissions were determined but that have not run, because they were denied or never began."""


class ToolRegistry:
    """Implements the `Toolbox` port over several sources, each of them a Toolbox.

    If two tools have the same name, the first one is offered.

    settings: returns the current settings: tools can be switched off, and the search server changed, at any time.
    data: Palimpsest's data folder, whose files always require permission; None for the default one.
    sandbox: the sandbox for commands; None to create one.
    """

    def __init__(
        self,
        sources: Sequence[Toolbox],
        spills: Spills,
        settings: Callable[[], Settings] = Settings,
        data: Path | None = None,
        sandbox: Sandbox | None = None,
    ) -> None:
        policy, locks = PathPolicy(data or data_folder(), keys_file()), FileLocks()
        sandbox = sandbox or Sandbox(policy.data, policy.keys)
        files = (ReadTool(policy, spills), WriteTool(policy, locks), EditTool(policy, locks), ListTool(policy))
        others = (
            GlobTool(policy),
            GrepTool(policy),
            BashTool(policy, sandbox, settings),
            FetchTool(),
            WebSearchTool(settings),
        )
        self._sources: tuple[Toolbox, ...] = (BuiltinTools((*files, *others)), *sources)
        self._settings = settings
        self._pending: dict[tuple[str, ToolCall], frozenset[RequiredPermission]] = {}

    async def specs(self, context: ToolContext) -> tuple[ToolSpec, ...]:
        """Return the tools that are switched on, always in the same order, because they begin the cached prompt."""
        off = self._settings().tools_off
        return tuple(spec for spec in await self.all_specs(context) if spec.name not in off)

    async def all_specs(self, context: ToolContext) -> tuple[ToolSpec, ...]:
        """Return all tools, including those that are switched off."""
        specs: dict[str, ToolSpec] = {}
        for source in self._sources:
            for spec in await source.specs(context):
                specs.setdefault(spec.name, spec)
        return tuple(specs.values())

    async def get_ready(self, context: ToolContext, report: Callable[[Failure], None]) -> None:
        for source in self._sources:
            await source.get_ready(context, report)

    def owns(self, name: str) -> bool:
        return any(source.owns(name) for source in self._sources)

    async def needs(self, call: ToolCall, context: ToolContext) -> tuple[RequiredPermission, ...]:
        """Return the permissions that the call requires; () if there is no such tool."""
        source = await self._source_of(call.name, context)
        needs = await source.needs(call, context) if source else ()
        key, compared = (context.conversation, call), _compared(needs)
        self._pending[key] = self._pending.get(key, compared).intersection(compared)
        for old in list(self._pending)[:-MAX_PENDING]:
            del self._pending[old]
        return needs

    async def preview(self, call: ToolCall, context: ToolContext, may_read: MayRead) -> ChangePreview | None:
        source = await self._source_of(call.name, context)
        return await source.preview(call, context, may_read) if source else None

    async def run(self, call: ToolCall, context: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        """Yield output as it is produced, then the outcome.

        The call runs only if it requires no more than `needs` returned for it before: a link may lead elsewhere by now,
        the settings may name another server, or a tool server may be available again.
        """
        asked = self._pending.pop((context.conversation, call), frozenset())
        source = await self._source_of(call.name, context)
        if source is None:
            names = ", ".join(spec.name for spec in await self.specs(context)) or "none"
            yield ToolOutcome(f"There is no tool named {call.name}. There are: {names}.", is_error=True)
            return
        needs = await source.needs(call, context)
        if not asked.issuperset(_compared(needs)):
            yield ToolOutcome(CHANGED, is_error=True)
            return
        async with aclosing(source.run(call, replace(context, allowed=needs))) as pieces:
            async for piece in pieces:
                yield piece

    def failures(self) -> tuple[Failure, ...]:
        return tuple(failure for source in self._sources for failure in source.failures())

    async def _source_of(self, name: str, context: ToolContext) -> Toolbox | None:
        """Return the first source with a tool of that name, without querying the later ones; None if there is none.

        A tool whose server does not answer now belongs to its source, which says so.
        """
        if name in self._settings().tools_off and not context.is_by_user:
            return None
        for source in self._sources:
            if any(spec.name == name for spec in await source.specs(context)):
                return source
        return next((source for source in self._sources if source.owns(name)), None)


def _compared(needs: Iterable[RequiredPermission]) -> frozenset[RequiredPermission]:
    """Return permissions for comparison, without the number of conversations, which does not matter."""
    return frozenset(replace(need, conversations=0) for need in needs)


class BuiltinTools:
    """Implements the `Toolbox` port over tools that run in this process."""

    def __init__(self, tools: Sequence[Tool[Any]]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    async def specs(self, context: ToolContext) -> tuple[ToolSpec, ...]:
        return tuple([await tool.spec() for tool in self._tools.values() if tool.is_available])

    async def get_ready(self, context: ToolContext, report: Callable[[Failure], None]) -> None:
        """Return at once: these tools are always ready."""

    def owns(self, name: str) -> bool:
        return False

    async def needs(self, call: ToolCall, context: ToolContext) -> tuple[RequiredPermission, ...]:
        """Return the permissions that the call requires; () for invalid arguments, with which it will not run."""
        tool = self._tools[call.name]
        try:
            return await tool.needs(read_arguments(call.name, call.arguments, tool.arguments), context)
        except ToolFailed:
            return ()
        except OSError:  # the effect of the call is unknown
            return (RequiredPermission(call.name, "read", call.arguments),)

    async def preview(self, call: ToolCall, context: ToolContext, may_read: MayRead) -> ChangePreview | None:
        tool = self._tools[call.name]
        if not isinstance(tool, ChangeTool):
            return None
        try:
            return await tool.preview(read_arguments(call.name, call.arguments, tool.arguments), context, may_read)
        except (ToolFailed, OSError):  # the call itself will also fail, and report the reason
            return ChangePreview(note="unreadable")

    async def run(self, call: ToolCall, context: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        tool = self._tools[call.name]
        try:
            arguments = read_arguments(call.name, call.arguments, tool.arguments)
            async with aclosing(tool.run(arguments, context)) as pieces:
                async for piece in pieces:
                    yield piece
        except ToolFailed as error:
            yield ToolOutcome(str(error), is_error=True)
        except WorldError as error:
            yield ToolOutcome(f"{error.failure.title}: {error.failure.detail}", is_error=True)
        except OSError as error:
            reason = error.strerror or str(error)
            yield ToolOutcome(f"{reason}: {error.filename}" if error.filename else reason, is_error=True)

    def failures(self) -> tuple[Failure, ...]:
        return ()
