"""`web_search`: queries the user's own SearXNG server, or DuckDuckGo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated
from urllib.parse import urlencode

import msgspec

from desktop_app.conversation.tools import RequiredPermission, ToolContext
from desktop_app.permissions.rules import escape_pattern
from desktop_app.settings import Settings

from .child_process import run_script
from .tool import Arguments, Tool, ToolFailed, field
from .web_fetch import WebReader, host_and_port, resolve_host

MAX_RESULTS = 10
MAX_SNIPPET = 500
"""Characters of a result's text."""
SECONDS = 15
DUCKDUCKGO = "duckduckgo.com"
Result = tuple[str, str, str]
"""Title, URL, snippet."""


class WebSearchArguments(Arguments, frozen=True):
    """The arguments of `web_search`."""

    query: Annotated[str, field("Search words", min_length=1)]


class _SearxResult(msgspec.Struct, frozen=True):
    url: str = ""
    title: str | None = ""
    content: str | None = ""


class _SearxAnswer(msgspec.Struct, frozen=True):
    results: list[_SearxResult]


class _ChildAnswer(msgspec.Struct, frozen=True):
    results: list[Result] = []
    error: str = ""


class WebSearchTool(Tool[WebSearchArguments]):
    """Searches the web."""

    name = "web_search"
    description = f"Search the web: up to {MAX_RESULTS} titles, addresses and snippets."
    arguments = WebSearchArguments

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        # The user chose the SearXNG server, so all addresses are allowed; it is mostly on this machine.
        self._reader = WebReader(resolve_host, None)

    async def needs(self, arguments: WebSearchArguments, context: ToolContext) -> tuple[RequiredPermission, ...]:
        url = self._settings().search_url
        host = host_and_port(url)[0] if url else DUCKDUCKGO
        return (RequiredPermission(self.name, "network", host, escape_pattern(host)),)

    async def answer(self, arguments: WebSearchArguments, context: ToolContext) -> str:
        url = self._settings().search_url
        found = await self._ask_searx(url, arguments.query) if url else await _ask_duckduckgo(arguments.query)
        if not found:
            return f"[nothing found for {arguments.query!r}]"
        results = (
            f"{n}. {_line(title)}\n{url}\n{_line(text)}".rstrip() for n, (title, url, text) in enumerate(found, 1)
        )
        return "\n\n".join(results)

    async def _ask_searx(self, url: str, query: str) -> list[Result]:
        try:
            parameters = urlencode({"q": query, "format": "json"})
        except UnicodeError:
            raise ToolFailed("The query holds half of a character.") from None
        base = url.rstrip("/").removesuffix("/search")
        page = await self._reader.get(f"{base}/search?{parameters}", "application/json")
        if page.status in (403, 406):
            raise ToolFailed(f"{base} gives no JSON: its settings.yml has to list json under search, formats.")
        if page.status != 200:
            raise ToolFailed(f"{base} answered with status {page.status}.")
        try:
            answer = msgspec.json.decode(page.content, type=_SearxAnswer)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise ToolFailed(f"{base} did not answer as a SearXNG server does.") from None
        return [(result.title or "", result.url, result.content or "") for result in answer.results[:MAX_RESULTS]]


async def _ask_duckduckgo(query: str) -> list[Result]:
    printed = await run_script("web_search_child", query, str(MAX_RESULTS), str(SECONDS), seconds=SECONDS + 5.0)
    if printed is None:
        raise ToolFailed(f"DuckDuckGo did not answer within {SECONDS} seconds.")
    answer = msgspec.json.decode(printed, type=_ChildAnswer)
    if answer.error:
        raise ToolFailed(f"DuckDuckGo did not answer: {answer.error}")
    return answer.results


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_SNIPPET else f"{line[:MAX_SNIPPET]}…"
