"""A scripted provider: an HTTP server on loopback that speaks OpenAI's streaming chat completions.

    with ScriptedProvider([Reply("Hello there"), Overflow(), Cut("Hel"), Status(429)]) as provider:
        provider.base_url, provider.requests

Each chat request takes the next step of the script; the last step is repeated when `repeat_last` is true,
otherwise a request after the end is answered with status 500 and says so. The server runs on threads of its own,
so it serves a test's own loop, an engine in another process, or `python tests/provider.py SCRIPT.json`.
"""

from __future__ import annotations

import json
import select
import socket
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import msgspec

from provider_script import (
    AnyStep,
    Call,
    Cut,
    Garbage,
    Hang,
    Json,
    Overflow,
    Reply,
    Status,
    chunk,
    chunks_of,
    error_body,
    overflow_answer,
)

__all__ = ["AnyStep", "Call", "Cut", "Garbage", "Hang", "Overflow", "Reply", "Request", "ScriptedProvider", "Status"]


class Request(msgspec.Struct, frozen=True):
    """A chat request as it came in."""

    body: Json
    authorization: str

    @property
    def messages(self) -> list[Json]:
        """Its messages, in OpenAI's chat shape."""
        return self.body["messages"]


class ScriptedProvider:
    """The server. models: what /v1/models lists. pages: more GET or POST paths and the JSON they answer."""

    def __init__(
        self,
        script: Sequence[AnyStep] = (),
        *,
        models: Sequence[str] = ("scripted",),
        pages: dict[str, Json] | None = None,
        key: str = "",
        repeat_last: bool = False,
    ) -> None:
        self.script = list(script)
        self.models = tuple(models)
        self.pages = pages or {}
        self.key = key
        self.repeat_last = repeat_last
        self.requests: list[Request] = []
        self.client_left = threading.Event()
        """Set when a client closed its connection before its reply was whole."""
        self.stopped = threading.Event()
        self._lock = threading.Lock()
        self._server: _Server | None = None

    @property
    def base_url(self) -> str:
        """Such as http://127.0.0.1:40123/v1."""
        assert self._server is not None, "the provider has not been started"
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def start(self) -> ScriptedProvider:
        """Listens on a free port."""
        self._server = _Server(("127.0.0.1", 0), _Connection)
        self._server.provider = self
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def stop(self) -> None:
        """Ends the server, and every request that hangs."""
        self.stopped.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def take(self, request: Request) -> AnyStep:
        """The step that answers this request."""
        with self._lock:
            self.requests.append(request)
            if not self.script:
                return Status(500, "the script of this provider has ended")
            return self.script[0] if self.repeat_last and len(self.script) == 1 else self.script.pop(0)

    def __enter__(self) -> ScriptedProvider:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def __aenter__(self) -> ScriptedProvider:
        return self.start()

    async def __aexit__(self, *_: object) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    provider: ScriptedProvider

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # a client that leaves is part of the script
            super().handle_error(request, client_address)


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def provider(self) -> ScriptedProvider:
        return cast("_Server", self.server).provider

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""

    def do_GET(self) -> None:
        provider = self.provider
        path = self.path.removeprefix("/v1")
        if not self._is_allowed():
            return
        if self.path in provider.pages or path in provider.pages:
            self._json(200, provider.pages.get(self.path) or provider.pages[path])
        elif path == "/models":
            self._json(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in provider.models]})
        else:
            self._json(404, error_body("not found", 404))

    def do_POST(self) -> None:
        provider = self.provider
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        if not self._is_allowed():
            return
        if self.path in provider.pages:
            self._json(200, provider.pages[self.path])
        elif not self.path.endswith("/chat/completions"):
            self._json(404, error_body("not found", 404))
        elif body.get("model") not in provider.models:
            self._json(404, error_body(f"The model `{body.get('model')}` does not exist", 404, "model_not_found"))
        else:
            self._answer(provider.take(Request(body, self.headers.get("Authorization", ""))), body)

    def _is_allowed(self) -> bool:
        if self.provider.key and self.headers.get("Authorization") != f"Bearer {self.provider.key}":
            # A real server quotes a part of the key; ours quotes all of it, to see that nobody shows it.
            sent = self.headers.get("Authorization", "").removeprefix("Bearer ")
            self._json(401, error_body(f"Incorrect API key provided: {sent}", 401, "invalid_api_key"))
            return False
        return True

    def _answer(self, step: AnyStep, body: Json) -> None:
        match step:
            case Reply():
                self._stream(chunks_of(step, body), step.delay, step.pause)
            case Cut():
                self._cut(step)
            case Garbage():
                self._send(200, step.body.encode(), step.content_type)
            case Status():
                self._status(step)
            case Overflow():
                code, text = overflow_answer(step)
                self._send(code, text.encode())
            case Hang():
                if step.text:
                    self._begin()
                    self._event(chunk({"role": "assistant", "content": step.text}))
                self._wait_for_departure()

    def _stream(self, chunks: Iterator[Json], delay: float, pause: float) -> None:
        self._begin()
        if self.provider.stopped.wait(delay):
            return
        try:
            for chunk in chunks:
                self._event(chunk)
                time.sleep(pause)
            self._write(b"data: [DONE]\n\n")
            self._write(b"")
        except OSError:
            self._departed()

    def _cut(self, step: Cut) -> None:
        self._begin()
        for start in range(0, len(step.after), 4):
            self._event(chunk({"content": step.after[start : start + 4]}))
        if step.is_abrupt:
            self.wfile.write(b'ff\r\ndata: {"id": "x", "cho')
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self._write(b"")
        self.close_connection = True

    def _status(self, step: Status) -> None:
        headers = {} if step.retry_after is None else {"Retry-After": str(step.retry_after)}
        body = json.dumps(error_body(step.message, step.code)) if step.body is None else step.body
        self._send(step.code, body.encode(), headers=headers)

    def _wait_for_departure(self) -> None:
        while not self.provider.stopped.is_set():
            readable, _, _ = select.select([self.connection], [], [], 0.02)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                self._departed()
                return

    def _departed(self) -> None:
        self.close_connection = True
        self.provider.client_left.set()

    def _begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _event(self, chunk: Json) -> None:
        self._write(b"data: " + json.dumps(chunk).encode() + b"\n\n")

    def _write(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
        self.wfile.flush()

    def _json(self, code: int, value: Json) -> None:
        self._send(code, json.dumps(value).encode())

    def _send(
        self, code: int, body: bytes, content_type: str = "application/json", headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(code)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def main(script_file: str) -> None:
    """Serves the steps of a JSON file, prints the base URL, and ends with its standard input."""
    script = msgspec.json.decode(Path(script_file).read_bytes(), type=list[AnyStep])
    with ScriptedProvider(script, repeat_last=True) as provider:
        print(provider.base_url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
