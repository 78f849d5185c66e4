"""A small HTTP server on loopback, within the test's own loop: it speaks the protocol, or breaks it, as it is asked."""

from __future__ import annotations

import gzip
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from web_server import WebServer, answer, web_server

JSON = "application/json"
BROKEN = {
    "refuses": answer("no", status=401),
    "signs in": answer("no", status=401, WWW_Authenticate='Bearer resource_metadata="https://example.org/x"'),
    "missing": answer("no such page", status=404),
    "broken": answer("<h1>Oh</h1>", status=500),
    "busy": answer("later", status=429),
    "page": answer("<h1>Welcome</h1>"),
    "nonsense": answer('{"jsonrpc": 2', JSON),
    "large": answer('"' + "x" * 33_000_000, JSON),
    "packed": answer(gzip.compress(b"x" * 50_000_000), JSON, Content_Encoding="gzip"),
    "silent": b"",
}


class Web(WebServer):
    """how: what it does."""

    how = ""

    @property
    def address(self) -> str:
        return self.url("/mcp", "localhost", "https" if self.tls else "http")

    @property
    def calls(self) -> list[str]:
        """The methods of the protocol that it was asked for."""
        return [json.loads(request.partition("\r\n\r\n")[2] or "{}").get("method", "") for request in self.asked]

    def answer_to(self, target: str, request: str) -> bytes:
        head, _, body = request.partition("\r\n\r\n")
        message = json.loads(body or "{}")
        if self.how.startswith("http"):
            return answer("", status=307, Location=self.how)
        if self.how == "echo":
            keys = [line for line in head.split("\r\n") if line.lower().startswith("authorization")]
            return self._say(message, error={"code": -32603, "message": f"bad key {keys}"})
        if self.how in BROKEN:
            return BROKEN[self.how]
        if not head.startswith("POST") or "id" not in message:
            return answer("", status=202 if head.startswith("POST") else 405)
        method = message["method"]
        if self.how == "forgetful" and method == "tools/call":
            self.how = ""
            return answer('{"error": {"code": -32000, "message": "Bad Request"}, "id": null}', JSON, status=400)
        if self.how == "breaks off" and method == "tools/call":
            raise ConnectionResetError
        results: dict[str, dict[str, Any]] = {
            "initialize": {
                "protocolVersion": message.get("params", {}).get("protocolVersion"),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"},
            },
            "tools/list": {"tools": [{"name": "work", "inputSchema": {"type": "object"}}]},
            "tools/call": {"content": [{"type": "text", "text": "worked"}]},
        }
        return self._say(message, result=results[method])

    def _say(self, message: dict[str, Any], **more: Any) -> bytes:
        return answer(json.dumps({"jsonrpc": "2.0", "id": message.get("id"), **more}), JSON)


@asynccontextmanager
async def web(how: str = "", tls: ssl.SSLContext | None = None) -> AsyncIterator[Web]:
    async with web_server(tls, kind=Web) as served:
        served.how = how
        yield served
