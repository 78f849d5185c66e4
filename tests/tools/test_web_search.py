"""`web_search`: the user's own SearXNG server, or DuckDuckGo through ddgs; both against a server that is scripted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tool_calls import Desk
from web_server import answer, certificates, web_server

from desktop_app.settings import Settings
from desktop_app.tools import web_search

RESULTS = {
    "query": "x",
    "results": [
        {"url": "https://a.test/1", "title": "First\n one", "content": "Words  of it", "engine": "e", "score": 1.0},
        {"url": "https://b.test/", "title": "Second", "content": None},
        *({"url": f"https://c.test/{n}", "title": "More", "content": "x" * 2_000} for n in range(20)),
    ],
}
DUCKDUCKGO = """<html><body><div class="result results_links"><div class="links_main result__body">
<h2 class="result__title"><a href="https://a.test/1">First one</a></h2><a href="https://a.test/1">Words of it</a>
</div></div>
<div class="links_main result__body"><h2><a href="https://b.test/">Second</a></h2><a href="https://b.test/">More</a></div>
</body></html>"""


async def test_the_users_own_server_is_asked(desk: Desk) -> None:
    async with web_server() as server:
        server.answers["/searx/search"] = answer(json.dumps(RESULTS), "application/json")
        for url in ("/searx", "/searx/", "/searx/search"):
            desk.settings = Settings(search_url=server.url(url, "127.0.0.1"))
            said = await desk.call("web_search", query="two words & é")
            assert said.startswith(
                "1. First one\nhttps://a.test/1\nWords of it\n\n2. Second\nhttps://b.test/\n\n3. More"
            )
            assert said.count("https://") == web_search.MAX_RESULTS
            assert len(said) < 20_000
        assert "GET /searx/search?q=two+words+%26+%C3%A9&format=json HTTP/1.1" in server.asked[0]
        [need] = await desk.needs("web_search", query="x")
        assert (need.kind, need.target) == ("network", "127.0.0.1")
        # That the server of searches may be here does not let a page be fetched from here.
        assert "public network" in await desk.failure("web_fetch", url=desk.settings.search_url)


async def test_a_server_that_answers_something_else_is_an_error(desk: Desk) -> None:
    async with web_server() as server:
        desk.settings = Settings(search_url=server.url("", "127.0.0.1"))
        for status, body, words in (
            (403, "no", "settings.yml"),
            (500, "no", "status 500"),
            (200, "<html>", "SearXNG"),
            (200, '{"results": 3}', "SearXNG"),
        ):
            server.answers["/search"] = answer(body, "application/json", status)
            assert words in await desk.failure("web_search", query="x")
        server.answers["/search"] = answer('{"results": []}', "application/json")
        assert "nothing found" in await desk.call("web_search", query="x")
        assert "half" in await desk.failure("web_search", query="\ud800")
    assert "could not be read" in await desk.failure("web_search", query="x")
    desk.settings = Settings(search_url="not an address")
    assert "no web address" in await desk.failure("web_search", query="x")
    desk.settings = Settings()
    assert "NUL" in await desk.failure("web_search", query="a\0b")


@pytest.mark.wire
@pytest.mark.parametrize("variable", ["DDGS_PROXY", "HTTPS_PROXY"])
async def test_without_a_server_duckduckgo_is_asked(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """Through the real package, whose proxy leads to the scripted server under a certificate of its own."""
    authority, tls = certificates(tmp_path, "html.duckduckgo.com", "duckduckgo.com")
    async with web_server(tls, is_proxy=True) as server:
        monkeypatch.setenv(variable, server.url("", "127.0.0.1"))
        monkeypatch.setenv("PRIMP_CA_BUNDLE", str(authority))
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        server.answers["/html/"] = answer(DUCKDUCKGO)
        said = await desk.call("web_search", query="first one")
        assert "First one\nhttps://a.test/1\nWords of it" in said
        assert "Second\nhttps://b.test/\nMore" in said
        assert server.asked[0].startswith("CONNECT html.duckduckgo.com:443")
        assert "q=first+one" in server.asked[1] or "q=first%20one" in server.asked[1]
        server.answers["/html/"] = answer("<html></html>")
        assert "nothing found" in await desk.call("web_search", query="x")
        [need] = await desk.needs("web_search", query="x")
        assert need.target == "duckduckgo.com"


@pytest.mark.wire
async def test_a_search_that_fails_or_does_not_end_is_an_error(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DDGS_PROXY", "nonsense://here")
    assert "proxy scheme" in await desk.failure("web_search", query="x")
    monkeypatch.setattr(web_search, "SECONDS", 1)
    async with web_server(is_proxy=True) as server:
        monkeypatch.setenv("DDGS_PROXY", server.url("", "127.0.0.1"))
        assert "did not answer" in await desk.failure("web_search", query="x")
