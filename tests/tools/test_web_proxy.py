"""`web_fetch` through a proxy, as the environment names it."""

from __future__ import annotations

from pathlib import Path

import pytest
from web_server import answer, certificates, failure, fetch, fetch_tools, resolve_by_table, web_server

from desktop_app.models.endpoint import Endpoint, http_client
from desktop_app.tools.web_fetch import Address, is_public, proxy_of
from texts import NOT_PUBLIC


async def resolve_like_a_system(host: str, port: int) -> tuple[Address, ...]:
    """It takes a number for an address, and knows its own name."""
    old = {"0x0a010203": "10.1.2.3", "10.1": "10.0.0.1", "localhost": "127.0.0.1"}
    return await resolve_by_table(old.get(host, host), port)


async def test_a_page_is_fetched_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async with web_server() as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"me:secret@127.0.0.1:{proxy.port}")
        proxy.answers["http://far.example.org/a"] = answer("here", "text/plain")
        assert await fetch("http://far.example.org/a") == "here"
        [asked] = proxy.asked
        assert asked.startswith("GET http://far.example.org/a HTTP/1.1")
        assert "Host: far.example.org" in asked
        assert "Proxy-Authorization: Basic bWU6c2VjcmV0" in asked


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "ALL_PROXY"])
async def test_a_proxy_sees_nothing_of_what_is_encrypted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    authority, tls = certificates(tmp_path, "far.example.org")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))  # as where a proxy looks into everything
    async with web_server(tls, is_proxy=True) as proxy:
        monkeypatch.setenv(variable, proxy.url("", "127.0.0.1"))
        proxy.answers["/a"] = answer("safe", "text/plain")
        tools = fetch_tools()
        assert await fetch("https://far.example.org/a", tools) == "safe"
        assert proxy.asked[0].startswith("CONNECT far.example.org:443 ")
        assert "through the proxy" in await failure("https://else.example.org/a", tools)


async def test_servers_of_models_are_reached_through_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority, tls = certificates(tmp_path, "far.example.org")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    async with web_server(tls, is_proxy=True) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url("", "127.0.0.1"))
        monkeypatch.setenv("ALL_PROXY", "socks://127.0.0.1:9")
        monkeypatch.setenv("NO_PROXY", "[::1],localhost")
        proxy.answers["/v1/models"] = answer('{"data": []}', "application/json")
        async with http_client(Endpoint("far", "https://far.example.org/v1"), timeout=5.0) as client:
            assert (await client.get("https://far.example.org/v1/models")).json() == {"data": []}
        assert proxy.asked[0].startswith("CONNECT far.example.org:443 ")


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_is_not_asked_for_what_is_inside(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    tools = fetch_tools(resolve_like_a_system, is_public)
    async with web_server() as proxy:
        monkeypatch.setenv(f"{scheme.upper()}_PROXY", proxy.url("", "127.0.0.1"))
        for host in (
            *("intranet", "printer.local", "metadata.google.internal", "wiki.corp", "10.1.2.3", "169.254.169.254"),
            *("2130706434", "0x0a010203", "10.1", "[::1]", "inside.test", "both.test", "localhost"),
        ):
            assert NOT_PUBLIC in await failure(f"{scheme}://{host}/", tools)
        assert proxy.asked == []


async def test_a_name_that_takes_too_long_to_look_up_is_left_to_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve_never(host: str, port: int) -> tuple[Address, ...]:
        raise TimeoutError

    tools = fetch_tools(resolve_never, is_public)
    async with web_server() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url("", "127.0.0.1"))
        proxy.answers["http://far.example.org/"] = answer("here", "text/plain")
        assert await fetch("http://far.example.org/", tools) == "here"
        assert NOT_PUBLIC in await failure("http://intranet/", tools)


async def test_a_proxy_that_cannot_be_used_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    for proxy in ("nonsense://me:secret@127.0.0.1:1", "http://me:secret@127.0.0.1:99999999", "http://127.0.0.1:1"):
        monkeypatch.setenv("HTTP_PROXY", proxy)
        said = await failure("http://far.example.org/")
        assert "proxy" in said
        assert "secret" not in said


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("http://a.example.org/", "http://proxy:1"),
        ("https://a.example.org/", ""),
        ("http://a.direct.org/", ""),
        ("http://localhost:8080/", ""),
        ("http://10.1.2.3/", ""),
        ("http://[::1]/", ""),
        ("http://93.184.216.34/", "http://proxy:1"),
    ],
)
def test_where_a_proxy_leads(monkeypatch: pytest.MonkeyPatch, url: str, proxy: str) -> None:
    monkeypatch.setenv("http_proxy", "proxy:1")
    monkeypatch.setenv("no_proxy", "localhost,.direct.org")
    assert proxy_of(url) == proxy
