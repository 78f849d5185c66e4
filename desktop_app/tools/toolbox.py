"""All tools that a model may call: ours, and those of other sources, such as MCP servers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, Protocol

from msgspec.structs import replace

from desktop_app.chat.ports import Spills, WorldError
from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import RequiredPermission, ToolContext, ToolOutcome, ToolSpec
from desktop_app.paths import data_folder, keys_file
from desktop_app.settings import Settings

from .bash import BashTool
from .change_files import EditTool, FileLocks, WriteTool
from .list_folder import ListTool
from .places import PathPolicy
from .read_file import ReadTool
from .schema import read_arguments, spec_of
from .search_files import GlobTool, GrepTool
from .tool import CHANGED, Tool, ToolFailed
from .web_fetch import FetchTool
from .web_search import WebSearchTool

MOST_ASKED = 1_000
"""Calls that were asked for and have not run, since they were denied, or never begun."""


class ToolSource(Protocol):
    """Where tools come from. It fits the `Toolbox` port, and is asked only for calls of tools that it offers."""

    async def specs(self, place: ToolContext) -> tuple[ToolSpec, ...]:
        """Those on offer there, in an order that does not change."""
        ...

    async def needs(self, call: ToolCall, place: ToolContext) -> tuple[RequiredPermission, ...]:
        """What the call would do that the user may not want."""
        ...

    def run(self, call: ToolCall, place: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        """Output as it comes, and at last the outcome."""
        ...

    def failures(self) -> tuple[Failure, ...]:
        """What of it does not answer, and why."""
        ...


class Toolbox:
    """Fits the `Toolbox` port: our own tools, then those of the other sources. Of two with one name the first is there.

    settings: as they are now, since tools are switched off, and the search server changed, at any time.
    data: our data folder, whose files are always asked for; None for the usual one.
    """

    def __init__(
        self,
        sources: Sequence[ToolSource],
        spills: Spills,
        settings: Callable[[], Settings] = Settings,
        data: Path | None = None,
    ) -> None:
        own = OwnTools(own_tools(spills, settings, data or data_folder()))
        self._sources: tuple[ToolSource, ...] = (own, *sources)
        self._settings = settings
        self._asked: dict[tuple[str, ToolCall], frozenset[RequiredPermission]] = {}

    async def specs(self, place: ToolContext) -> tuple[ToolSpec, ...]:
        """Those on offer there, without those that are switched off; always in the same order, which begins the
        prompt cache."""
        off = self._settings().tools_off
        return tuple(spec for spec in await self.all_specs(place) if spec.name not in off)

    async def all_specs(self, place: ToolContext) -> tuple[ToolSpec, ...]:
        """The same with those that are switched off, for whoever switches them on again."""
        known: dict[str, ToolSpec] = {}
        for source in self._sources:
            for spec in await source.specs(place):
                known.setdefault(spec.name, spec)
        return tuple(known.values())

    async def needs(self, call: ToolCall, place: ToolContext) -> tuple[RequiredPermission, ...]:
        """What the call would do that the user may not want; nothing for what cannot be run anyway."""
        source = await self._source_of(call.name, place)
        needs = await source.needs(call, place) if source else ()
        name = place.conversation, call
        self._asked[name] = self._asked.get(name, frozenset(needs)).intersection(needs)
        for old in list(self._asked)[:-MOST_ASKED]:
            del self._asked[old]
        return needs

    async def run(self, call: ToolCall, place: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        """Output as it comes, where a tool shows any, and at last the outcome.

        It runs only if it needs nothing, or what `needs` has told: a link may lead elsewhere by now, the settings may
        name another server, a server of tools may be back.
        """
        asked = self._asked.pop((place.conversation, call), frozenset())
        source = await self._source_of(call.name, place)
        if source is None:
            names = ", ".join(spec.name for spec in await self.specs(place)) or "none"
            yield ToolOutcome(f"There is no tool named {call.name}. There are: {names}.", is_error=True)
            return
        needs = await source.needs(call, place)
        if not asked.issuperset(needs):
            yield ToolOutcome(CHANGED, is_error=True)
            return
        async with aclosing(source.run(call, replace(place, allowed=needs))) as pieces:
            async for piece in pieces:
                yield piece

    def failures(self) -> tuple[Failure, ...]:
        """What of the other sources does not answer, and why."""
        return tuple(failure for source in self._sources for failure in source.failures())

    async def _source_of(self, name: str, place: ToolContext) -> ToolSource | None:
        """The first that offers a tool of that name; those behind it are not asked."""
        if name in self._settings().tools_off:
            return None
        for source in self._sources:
            if any(spec.name == name for spec in await source.specs(place)):
                return source
        return None


class OwnTools:
    """A source with tools of ours."""

    def __init__(self, tools: Sequence[Tool[Any]]) -> None:
        self._tools = {tool.name: tool for tool in tools if tool.is_there}
        self._specs = tuple(map(spec_of, self._tools.values()))

    async def specs(self, place: ToolContext) -> tuple[ToolSpec, ...]:
        """All that can work on this machine."""
        return self._specs

    async def needs(self, call: ToolCall, place: ToolContext) -> tuple[RequiredPermission, ...]:
        """What the call would do; nothing for arguments that do not fit, since it will not run."""
        tool = self._tools[call.name]
        try:
            return await tool.needs(read_arguments(call.name, call.arguments, tool.arguments), place)
        except ToolFailed:
            return ()
        except OSError:  # nobody can tell what it would do
            return (RequiredPermission(call.name, "read", call.arguments),)

    async def run(self, call: ToolCall, place: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        """Runs the call. What goes wrong in the world is an outcome."""
        tool = self._tools[call.name]
        try:
            arguments = read_arguments(call.name, call.arguments, tool.arguments)
            async with aclosing(tool.run(arguments, place)) as pieces:
                async for piece in pieces:
                    yield piece
        except ToolFailed as failed:
            yield ToolOutcome(str(failed), is_error=True)
        except WorldError as error:
            yield ToolOutcome(f"{error.failure.title}: {error.failure.detail}", is_error=True)
        except OSError as error:
            told = f"{error.strerror}: {error.filename}" if error.filename else error.strerror or str(error)
            yield ToolOutcome(told, is_error=True)

    def failures(self) -> tuple[Failure, ...]:
        """None: they are part of us."""
        return ()


def own_tools(spills: Spills, settings: Callable[[], Settings], data: Path) -> tuple[Tool[Any], ...]:
    """Our tools, in the order in which models see them."""
    borders, locks = PathPolicy(data, keys_file()), FileLocks()
    return (
        ReadTool(borders, spills),
        WriteTool(borders, locks),
        EditTool(borders, locks),
        ListTool(borders),
        GlobTool(borders),
        GrepTool(borders),
        BashTool(borders),
        FetchTool(),
        WebSearchTool(settings),
    )
