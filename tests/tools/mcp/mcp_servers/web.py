"""A small HTTP server on loopback, within the test's own loop: it speaks the protocol, or breaks it, as it is told."""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec

Answer = tuple[int, dict[str, str], bytes]


class Request(msgspec.Struct):
    method: str
    headers: dict[str, str]
    message: dict[str, Any]


class Web:
    """how: what it does. requests: what it was asked."""

    def __init__(self, how: str, tls: ssl.SSLContext | None) -> None:
        self.how = how
        self.tls = tls
        self.port = 0
        self.requests: list[Request] = []
        self.is_over = asyncio.Event()

    @property
    def url(self) -> str:
        return f"http{'s' if self.tls else ''}://localhost:{self.port}/mcp"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                request = await read(head.decode(), reader)
                self.requests.append(request)
                status, headers, body = await self.answer(request)
                lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in headers.items())]
                writer.write("\r\n".join([*lines, f"content-length: {len(body)}", "", ""]).encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def answer(self, request: Request) -> Answer:
        answers: dict[str, Callable[[], Answer]] = {
            "refuses": lambda: (401, {}, b"no"),
            "missing": lambda: (404, {}, b"no such page"),
            "broken": lambda: (500, {"content-type": "text/html"}, b"<h1>Oh</h1>"),
            "echo": lambda: (200, {"content-type": "application/json"}, echo(request)),
            "busy": lambda: (429, {}, b"later"),
            "page": lambda: (200, {"content-type": "text/html"}, b"<h1>Welcome</h1>"),
            "nonsense": lambda: (200, {"content-type": "application/json"}, b'{"jsonrpc": 2'),
            "large": lambda: (200, {"content-type": "application/json"}, b'"' + b"x" * 6_000_000),
            "packed": lambda: (200, {"content-type": "application/json", "content-encoding": "gzip"}, BOMB),
        }
        if self.how == "silent":
            await self.is_over.wait()
            raise ConnectionResetError
        if self.how.startswith("http"):
            return 307, {"location": self.how}, b""
        if self.how in answers:
            return answers[self.how]()
        return self.speak(request)

    def speak(self, request: Request) -> Answer:
        method = request.message.get("method", "")
        if request.method != "POST" or "id" not in request.message:
            return (202 if request.method == "POST" else 405), {}, b""
        if self.how == "breaks off" and method == "tools/call":
            raise ConnectionResetError
        results: dict[str, dict[str, Any]] = {
            "initialize": {
                "protocolVersion": request.message.get("params", {}).get("protocolVersion"),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"},
            },
            "tools/list": {"tools": [{"name": "work", "inputSchema": {"type": "object"}}]},
            "tools/call": {"content": [{"type": "text", "text": "worked"}]},
        }
        body = json.dumps({"jsonrpc": "2.0", "id": request.message["id"], "result": results[method]})
        return 200, {"content-type": "application/json"}, body.encode()


def echo(request: Request) -> bytes:
    """A refusal that tells the key that it was given."""
    error = {"code": -32603, "message": f"bad key {request.headers.get('authorization')}"}
    return json.dumps({"jsonrpc": "2.0", "id": request.message.get("id"), "error": error}).encode()


BOMB = gzip.compress(b"x" * 50_000_000)


async def read(head: str, reader: asyncio.StreamReader) -> Request:
    first, *lines = head.split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(first.split()[0], headers, json.loads(body or b"{}"))


@asynccontextmanager
async def web(how: str = "", tls: ssl.SSLContext | None = None) -> AsyncIterator[Web]:
    one = Web(how, tls)
    listening = await asyncio.start_server(one.serve, "127.0.0.1", 0, ssl=tls)
    one.port = listening.sockets[0].getsockname()[1]
    try:
        yield one
    finally:
        one.is_over.set()
        listening.close()
