"""A web server on loopback that answers from a table, plain or with certificates, a proxy to it, and fetches."""

from __future__ import annotations

import asyncio
import datetime
import json
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import TypeVar

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tool_calls import outcome_of

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import ToolContext
from desktop_app.tools.registry import BuiltinTools
from desktop_app.tools.web_fetch import Address, FetchTool, NoSuchHost, Resolve

S = TypeVar("S", bound="WebServer")
HERE = ip_address("127.0.0.1")
NAMES = {"site.test": [HERE], "www.site.test": [HERE], "other.test": [HERE], "inside.test": [ip_address("10.1.2.3")]}
NAMES["both.test"] = [HERE, ip_address("192.168.0.1")]
CONTEXT = ToolContext("one")


def answer(body: str | bytes, kind: str = "text/html; charset=utf-8", status: int = 200, **headers: str) -> bytes:
    """A whole answer."""
    content = body if isinstance(body, bytes) else body.encode()
    told = {"Content-Type": kind, "Content-Length": str(len(content)), "Connection": "close"}
    told |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in told.items() if value), "", ""]
    return "\r\n".join(lines).encode() + content


class WebServer:
    """asked: each request. An answer that is missing is a 404; an empty one never comes."""

    def __init__(self) -> None:
        self.answers: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.port = 0
        self.tls: ssl.SSLContext | None = None
        self._busy: set[asyncio.Task[None]] = set()

    def url(self, path: str = "/", host: str = "site.test", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._busy.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._busy.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.asked.append(head)
        method, target, _ = head.split("\r\n")[0].split(" ")
        if method == "CONNECT":  # a proxy, which leads here whatever is asked for
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            await writer.drain()
            if self.tls is None:
                await asyncio.sleep(600)
                return
            await writer.start_tls(self.tls)
            await self._serve(reader, writer)
            return
        length = next((int(line[15:]) for line in head.lower().split("\r\n") if line.startswith("content-length:")), 0)
        self.asked[-1] += (await reader.readexactly(length)).decode()
        found = self.answer_to(target, self.asked[-1])
        if not found:
            await asyncio.sleep(600)
        writer.write(found)
        await writer.drain()

    def answer_to(self, target: str, request: str) -> bytes:
        return self.answers.get(target.split("?")[0], answer("not here", status=404))

    async def close(self) -> None:
        for task in list(self._busy):
            task.cancel()
        if self._busy:
            await asyncio.wait(self._busy)


@asynccontextmanager
async def web_server(
    tls: ssl.SSLContext | None = None, is_proxy: bool = False, address: str = "127.0.0.1", kind: type[S] = WebServer
) -> AsyncIterator[S]:
    served = kind()
    served.tls = tls
    server = await asyncio.start_server(served.serve, address, 0, ssl=None if is_proxy else tls)
    served.port = server.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        server.close()
        await served.close()
        await server.wait_closed()


def certificates(folder: Path, *hosts: str) -> tuple[Path, ssl.SSLContext]:
    """A certificate authority's file, and what a server of those hosts needs."""
    now = datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Tests")])

    def signed(subject: x509.Name, key: ec.EllipticCurvePublicKey, extension: x509.ExtensionType) -> x509.Certificate:
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(name).public_key(key)
        builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(1))
        builder = builder.not_valid_after(now + datetime.timedelta(9)).add_extension(extension, critical=True)
        return builder.sign(authority, hashes.SHA256())

    authority, own = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root = signed(name, authority.public_key(), x509.BasicConstraints(ca=True, path_length=None))
    names = x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts])
    leaf = signed(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, hosts[0])]), own.public_key(), names)
    pem = serialization.Encoding.PEM
    file, chain = folder / "authority.pem", folder / "server.pem"
    file.write_bytes(root.public_bytes(pem))
    key = own.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    chain.write_bytes(key + leaf.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    return file, context


async def resolve_by_table(host: str, port: int) -> tuple[Address, ...]:
    if host in NAMES:
        return tuple(NAMES[host])
    try:
        return (ip_address(host if not host.isdigit() else int(host)),)
    except ValueError:
        raise NoSuchHost(f"There is no host {host}.") from None


def fetch_tools(
    resolve: Resolve = resolve_by_table, is_allowed: Callable[[Address], bool] = lambda address: address == HERE
) -> BuiltinTools:
    return BuiltinTools([FetchTool(resolve, is_allowed)])


FETCH = fetch_tools()


async def fetch(url: str, tools: BuiltinTools = FETCH) -> str:
    """Return the text of a page."""
    outcome = await outcome_of(tools, ToolCall("1", "web_fetch", json.dumps({"url": url})), CONTEXT)
    assert not outcome.is_error, outcome.text
    return outcome.text.split("\n\n", 1)[1]


async def failure(url: str, tools: BuiltinTools = FETCH) -> str:
    outcome = await outcome_of(tools, ToolCall("1", "web_fetch", json.dumps({"url": url})), CONTEXT)
    assert outcome.is_error, outcome.text
    return outcome.text
