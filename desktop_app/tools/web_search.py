"""`web_search`: what a search engine finds: the user's own SearXNG server, or DuckDuckGo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated
from urllib.parse import urlencode

import msgspec

from desktop_app.conversation.tools import RequiredPermission, ToolContext
from desktop_app.permissions.rules import literal
from desktop_app.settings import Settings

from .script import printed
from .tool import Arguments, Tool, ToolFailed, about
from .web_address import host_and_port, resolved_by_system
from .web_reading import WebReader

RESULTS_MOST = 10
SNIPPET_MOST = 500
"""Characters of a result's own words."""
SECONDS = 15
DUCKDUCKGO = "duckduckgo.com"
Result = tuple[str, str, str]
"""Title, address, words."""


class SearchArguments(Arguments, frozen=True):
    """What to look for."""

    query: Annotated[str, about("Search words", min_length=1)]


class _Found(msgspec.Struct, frozen=True):
    """A result as SearXNG tells it."""

    url: str = ""
    title: str | None = ""
    content: str | None = ""


class _Answer(msgspec.Struct, frozen=True):
    results: list[_Found]


class _FromChild(msgspec.Struct, frozen=True):
    results: list[Result] = []
    error: str = ""


class WebSearchTool(Tool[SearchArguments]):
    """Searches the web."""

    name = "web_search"
    description = f"Search the web: up to {RESULTS_MOST} titles, addresses and snippets."
    arguments = SearchArguments

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        # The user named that server, so that it may be anywhere: on this machine, most often.
        self._reader = WebReader(resolved_by_system, None)

    async def needs(self, arguments: SearchArguments, place: ToolContext) -> tuple[RequiredPermission, ...]:
        """The host that is asked has to be allowed."""
        url = self._settings().search_url
        host = host_and_port(url)[0] if url else DUCKDUCKGO
        return (RequiredPermission(self.name, "network", host, literal(host)),)

    async def answer(self, arguments: SearchArguments, place: ToolContext) -> str:
        """The results, best first."""
        url = self._settings().search_url
        found = await self._by_server(url, arguments.query) if url else await _by_duckduckgo(arguments.query)
        if not found:
            return f"[nothing found for {arguments.query!r}]"
        told = [
            f"{n}. {_line(title)}\n{url}\n{_line(words)}".rstrip() for n, (title, url, words) in enumerate(found, 1)
        ]
        return "\n\n".join(told)

    async def _by_server(self, url: str, query: str) -> list[Result]:
        try:
            asked = urlencode({"q": query, "format": "json"})
        except UnicodeError:
            raise ToolFailed("The query holds half of a character.") from None
        base = url.rstrip("/").removesuffix("/search")
        page = await self._reader.get(f"{base}/search?{asked}", "application/json")
        if page.status in (403, 406):
            raise ToolFailed(f"{base} gives no JSON: its settings.yml has to list json under search, formats.")
        if page.status != 200:
            raise ToolFailed(f"{base} answered with status {page.status}.")
        try:
            answer = msgspec.json.decode(page.content, type=_Answer)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ToolFailed(f"{base} did not answer as a SearXNG server does.") from None
        return [(one.title or "", one.url, one.content or "") for one in answer.results[:RESULTS_MOST]]


async def _by_duckduckgo(query: str) -> list[Result]:
    said = await printed("web_search_child.py", query, str(RESULTS_MOST), str(SECONDS), seconds=SECONDS + 5.0)
    if said is None:
        raise ToolFailed(f"DuckDuckGo did not answer within {SECONDS} seconds.")
    answer = msgspec.json.decode(said, type=_FromChild)
    if answer.error:
        raise ToolFailed(f"DuckDuckGo did not answer: {answer.error}")
    return answer.results


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SNIPPET_MOST else f"{line[:SNIPPET_MOST]}…"
