"""`web_fetch`: pages as text, and never from this machine or the network around it."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
import zlib
from collections.abc import AsyncIterator
from encodings.aliases import aliases
from ipaddress import ip_address
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_calls import STOP_SECONDS, steady_loop
from web_server import CONTEXT, FETCH, HERE, WebServer, answer, certificates, failure, fetch, fetch_tools, web_server

from desktop_app.conversation.message import ToolCall
from desktop_app.tools import web_fetch
from desktop_app.tools.page_child import all_text
from desktop_app.tools.registry import BuiltinTools
from desktop_app.tools.tool import ToolFailed
from desktop_app.tools.web_fetch import Address, FetchTool, WebPage, decode_page, host_and_port, is_public, text_of
from slowness import slowness


@pytest.fixture
async def server() -> AsyncIterator[WebServer]:
    async with web_server() as served:
        yield served


ARTICLE = "".join(f"<p>Sentence number {n} of an article with <a href='/more'>a link</a> in it.</p>" for n in range(12))
PAGE = (
    "<!doctype html><html><head><title>Title</title><script>no()</script></head><body><nav><a href='/m'>Menu</a></nav>"
    f"<article><h1>Heading é</h1>{ARTICLE}<pre><code>a\n  b</code></pre></article><footer>Foot</footer></body></html>"
)


@pytest.mark.wire
async def test_a_page_becomes_markdown_and_a_large_one_holds_nobody_up(server: WebServer) -> None:
    server.answers["/a"] = answer(PAGE.replace(ARTICLE, ARTICLE * 100))
    async with steady_loop():
        text = await fetch(server.url("/a?b=c#d"))
    assert "# Heading é" in text
    assert f"Sentence number 3 of an article with [a link]({server.url('/more')}) in it." in text
    assert "a\n  b" in text
    assert "Menu" not in text
    assert "no()" not in text
    assert server.asked[0].startswith("GET /a?b=c HTTP/1.1\r\n")
    assert f"Host: site.test:{server.port}\r\n" in server.asked[0]


async def test_a_short_page_is_shown_whole(server: WebServer) -> None:
    server.answers["/"] = answer(
        "<title>T</title><script>no()</script><h2>Yes &amp; no</h2><ul><li>one<li>two</ul><pre>x\n  y</pre>"
    )
    assert await fetch(server.url()) == "# T\n\n## Yes & no\n\n- one\n- two\n\n```\nx\n  y\n```"


def test_all_text_of_a_page_keeps_links_and_any_depth() -> None:
    assert "Sentence number 3 of an article with [a link](/more) in it." in all_text(PAGE)
    assert all_text("<div>" * 5_000 + "deep" + "</div>" * 5_000) == "deep"


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        (b'{"a": 1}', "application/json", '{"a": 1}'),
        ("é".encode("latin-1"), "text/plain; charset=ISO-8859-1", "é"),
        ("é".encode("utf-16"), "text/plain", "é"),
        ("<meta charset='windows-1252'><p>é".encode("cp1252"), "text/html", "é"),
        (b"plain", "", "plain"),
        (b"<!-- x --><html><p>found", "", "found"),
        (b"x", "text/plain; charset=hex", "x"),
    ],
)
async def test_kinds_and_encodings(server: WebServer, body: bytes, kind: str, text: str) -> None:
    server.answers["/"] = answer(body, kind)
    assert await fetch(server.url()) == text


async def test_what_is_no_text_is_refused(server: WebServer) -> None:
    server.answers["/pdf"] = answer(b"%PDF", "application/pdf")
    server.answers["/bytes"] = answer(b"a\0b", "")
    server.answers["/empty"] = answer("<html><script>app()</script></html>")
    for path, words in {"/pdf": "application/pdf", "/bytes": "bash", "/empty": "browser", "/none": "404"}.items():
        assert words in await failure(server.url(path))


@pytest.mark.parametrize(
    "url",
    ["ftp://site.test/", "file:///etc/passwd", "site.test", "http://", "http://a:b@site.test/", "http://x:99999/"],
)
async def test_only_web_addresses_are_fetched(url: str) -> None:
    await failure(url)
    assert await FETCH.needs(ToolCall("1", "web_fetch", json.dumps({"url": url})), CONTEXT) == ()


async def test_a_host_requires_permission() -> None:
    [need] = await FETCH.needs(ToolCall("1", "web_fetch", '{"url": "https://Docs.Python.ORG./x"}'), CONTEXT)
    assert (need.kind, need.target, need.suggestion) == ("network", "docs.python.org", "docs.python.org")


@pytest.mark.parametrize(
    ("addresses", "expected"),
    [
        ("127.0.0.1 127.9.9.9 0.0.0.0 10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 168.63.129.16", False),
        ("100.100.100.200 192.0.2.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255", False),
        (":: ::1 fe80::1 fc00::1 fd00:ec2::254 fec0::1 ff02::1 2001:db8::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1", False),
        ("::127.0.0.1 2002:7f00:1:: 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::a00:1", False),
        ("2001:0:4136:e378:8000:63bf:80ff:fffe", False),
        (
            "192.0.0.8 192.0.0.192 192.88.99.1 3fff::1 5f00::1 100::1 2606:4700::5efe:7f00:1 2606:4700::200:5efe:a00:1",
            False,
        ),
        ("::ffff:0:7f00:1 2002:a00:1:: fd20:ce::254 169.254.170.2 192.0.0.170 2001:db8::5efe:7f00:1", False),
        ("93.184.216.34 2606:4700::1111 ::ffff:1.1.1.1 ::93.184.216.34 64:ff9b::101:101", True),
    ],
)
def test_addresses_that_are_public(addresses: str, expected: bool) -> None:
    for address in addresses.split():
        assert is_public(ip_address(address)) == expected, address


async def test_the_host_that_was_asked_for_is_the_one_that_is_named(server: WebServer) -> None:
    """A server of several sites gives the one of the Host header, whatever address the connection went to."""

    async def resolve(host: str, port: int) -> tuple[Address, ...]:
        return (HERE,)

    server.answers["/"] = answer("here", "text/plain")
    for host in ("clas\u00df.test", "s\u00f6.test", "SITE.test."):
        url = server.url(host=host)
        [need] = await FETCH.needs(ToolCall("1", "web_fetch", json.dumps({"url": url})), CONTEXT)
        assert await fetch(url, fetch_tools(resolve)) == "here"
        assert f"Host: {need.target}:{server.port}\r\n" in server.asked[-1]


@pytest.mark.parametrize("sign", [b"<!---->", b"<!-- -->\n", b"<!--", b"-->", b" ", b"<"])
async def test_what_a_page_without_a_type_begins_with_holds_nobody_up(sign: bytes) -> None:
    page = WebPage("http://site.test/", 200, "", "", sign * (2_000 // len(sign)))
    began = time.thread_time()
    await text_of(page)
    assert time.thread_time() - began < 0.1 * slowness()


@pytest.mark.long
def test_no_encoding_that_a_page_may_name_takes_long() -> None:
    most = 0.1 * slowness()
    names = sorted({*aliases.values(), *aliases, "idna", "punycode", "undefined", "unicode_escape"})
    for content in (b"xn--" + b"a" * 150_000 + b"-" + b"b" * 150_000, b"\\u00e4+AGE-xn--a." * 5_000):
        for name in names:
            page = WebPage("http://site.test/", 200, "text/plain", name, content)
            began = time.thread_time()
            assert decode_page(page, is_html=False)
            assert time.thread_time() - began < most, name


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "[::1]", "0", "127.1", "2130706433", "0x7f000001", "017700000001", "[::ffff:7f00:1]"],
)
async def test_this_machine_is_never_fetched_by_any_of_its_names(server: WebServer, host: str) -> None:
    await failure(server.url(host=host), BuiltinTools([FetchTool()]))
    assert server.asked == []


async def test_a_name_that_leads_inside_is_refused(server: WebServer) -> None:
    assert "10.1.2.3" in await failure(server.url(host="inside.test"))
    assert "192.168.0.1" in await failure(server.url(host="both.test"))
    assert server.asked == []


async def test_redirects_are_followed_within_the_host_alone(server: WebServer) -> None:
    server.answers["/a"] = answer("", status=302, Location="/b")
    server.answers["/b"] = answer("", status=301, Location=server.url("/c", "www.site.test"))
    server.answers["/c"] = answer("here", "text/plain", Location="/elsewhere")
    assert await fetch(server.url("/a")) == "here"
    server.asked.clear()
    server.answers["/a"] = answer("", status=302, Location=server.url("/x", "other.test"))
    server.answers["/in"] = answer("", status=302, Location="http://169.254.169.254/keys")
    server.answers["/loop"] = answer("", status=302, Location="/loop")
    server.answers["/file"] = answer("", status=302, Location="file:///etc/passwd")
    assert server.url("/x", "other.test") in await failure(server.url("/a"))
    for path, words in {"/in": "another host", "/loop": "redirects", "/file": "no web address"}.items():
        assert words in await failure(server.url(path))
    assert len(server.asked) == 3 + web_fetch.MAX_REDIRECTS + 1


async def test_a_name_that_changes_after_it_was_checked_changes_nothing(server: WebServer) -> None:
    asked: list[str] = []

    async def rebinding(host: str, port: int) -> tuple[Address, ...]:
        asked.append(host)
        return (HERE,) if len(asked) == 1 else (ip_address("127.0.0.2"),)

    server.answers["/"] = answer("first", "text/plain")
    tools = fetch_tools(rebinding)
    assert await fetch(server.url(host="rebinding.test"), tools) == "first"
    assert asked == ["rebinding.test"], "it is looked up once, and the connection goes to what was found then"
    assert "127.0.0.2" in await failure(server.url(host="rebinding.test"), tools)


async def test_the_next_address_is_tried_where_one_does_not_answer(server: WebServer) -> None:
    async def resolve_two(host: str, port: int) -> tuple[Address, ...]:
        return ip_address("::1"), HERE  # the server is on the second address alone

    server.answers["/"] = answer("here", "text/plain")
    assert await fetch(server.url(), fetch_tools(resolve_two, lambda _: True)) == "here"


async def test_an_address_of_version_6_is_reached() -> None:
    async def resolve_6(host: str, port: int) -> tuple[Address, ...]:
        return (ip_address("::1"),)

    try:
        async with web_server(address="::1") as server:
            server.answers["/"] = answer("here", "text/plain")
            tools = fetch_tools(resolve_6, lambda _: True)
            assert await fetch(server.url(), tools) == "here"
            assert await fetch(server.url(host="[::1]"), tools) == "here"
            assert f"Host: [::1]:{server.port}\r\n" in server.asked[1]
    except OSError as error:
        pytest.skip(f"this machine has no IPv6: {error}")


async def test_the_certificate_is_checked_against_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority, tls = certificates(tmp_path, "site.test")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    async with web_server(tls) as server:
        server.answers["/"] = answer("safe", "text/plain")
        tools = fetch_tools()
        assert await fetch(server.url(scheme="https"), tools) == "safe"
        assert "could not be read" in await failure(server.url(host="other.test", scheme="https"), tools)


@pytest.mark.wire
async def test_no_answer_is_larger_than_it_may_be(server: WebServer) -> None:
    server.answers["/bomb"] = answer(gzip.compress(b"0" * 300_000_000, 1), "text/plain", Content_Encoding="gzip")
    server.answers["/large"] = answer(b"1" * 6_000_000, "text/plain")
    server.answers["/odd"] = answer(b"x", "text/plain", Content_Encoding="br")
    server.answers["/damaged"] = answer(b"no gzip", "text/plain", Content_Encoding="gzip")
    server.answers["/small"] = answer(zlib.compress(b"text"), "text/plain", Content_Encoding="deflate")
    assert await fetch(server.url("/small")) == "text"
    for path, sign in (("/bomb", "0"), ("/large", "1")):
        text, _, note = (await fetch(server.url(path))).partition("\n")
        assert text == sign * web_fetch.MAX_BYTES
        assert "5,000,000" in note
    assert "not asked for" in await failure(server.url("/odd"))
    assert "could not be read" in await failure(server.url("/damaged"))


async def test_a_server_that_does_not_answer_is_given_up(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as hasty:
        hasty.setattr(web_fetch, "SECONDS", 0.1)
        server.answers["/silent"] = b""
        assert "within 0 seconds" in await failure(server.url("/silent"))
    server.answers["/cut"] = answer("x" * 100, "text/plain")[:-50]
    server.answers["/garbage"] = b"garbage\r\n\r\n"
    for url in (server.url("/cut"), server.url("/garbage"), "http://site.test:1/"):
        assert "could not be read" in await failure(url)
    assert "no host" in await failure("http://no-such-host.invalid/", BuiltinTools([FetchTool()]))


class Dripping(WebServer):
    """Sends a byte now and then, for ever: of the head, of the body, or of a chunk's size."""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        starts = {"/body": answer("x")[:-1].replace(b"Length: 1", b"Length: 99999"), "/head": b"HTTP/1.1 200 X\r\nA: "}
        starts["/chunk"] = b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n"
        writer.write(starts[head.split(" ")[1]])
        while True:
            writer.write(b"0")
            await writer.drain()
            await asyncio.sleep(0.02)


@pytest.mark.long
@pytest.mark.parametrize("where", ["/head", "/body", "/chunk"])
async def test_what_drips_for_ever_has_an_end(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_fetch, "SECONDS", 0.3)
    async with web_server(kind=Dripping) as server:
        assert server.url(where) in await failure(server.url(where))


async def test_a_cookie_is_not_kept(server: WebServer) -> None:
    server.answers["/a"] = answer("", status=302, Location="/b", Set_Cookie="id=7; Path=/")
    server.answers["/b"] = answer("here", "text/plain", Set_Cookie="id=8")
    for _ in range(2):
        assert await fetch(server.url("/a")) == "here"
    assert not [asked for asked in server.asked if "cookie:" in asked.lower()]


async def test_a_fetch_that_is_stopped_ends_at_once(server: WebServer) -> None:
    server.answers["/"] = b""
    task = asyncio.ensure_future(fetch(server.url()))
    while not server.asked:
        await asyncio.sleep(0.01)
    began = time.monotonic()
    task.cancel()
    await asyncio.wait({task})
    assert time.monotonic() - began < STOP_SECONDS * slowness()


@given(st.text(max_size=40))
def test_any_text_is_a_web_address_or_is_refused(text: str) -> None:
    for url in (text, f"http://{text}", f"https://a.test{text}"):
        try:
            host, port = host_and_port(url)
        except ToolFailed:
            continue
        assert host.isascii()
        assert 0 < port < 65_536
