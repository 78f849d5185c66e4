"""The scripted provider's side of a connection: reads requests, writes what a step says, byte by byte if need be."""

from __future__ import annotations

import json
import select
import socket
import sys
import time
import zlib
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs, urlsplit

from msgspec.structs import replace

from provider_flavours import FLAVOURS, shape_for
from provider_script import (
    STAMP,
    AnyStep,
    Cut,
    Endless,
    ErrorEvent,
    Events,
    Garbage,
    Hang,
    Json,
    Overflow,
    Reply,
    Status,
)
from provider_shapes import Answer, Shape, encode

if TYPE_CHECKING:
    from provider import ScriptedProvider

MARK = STAMP.encode()


class Server(ThreadingHTTPServer):
    """Threads that end with the process; a client that leaves is part of the script."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    provider: ScriptedProvider

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Connection(BaseHTTPRequestHandler):
    """One client's connection, with as many requests as it sends."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else an event waits for the one before to be acknowledged

    @property
    def provider(self) -> ScriptedProvider:
        """Whose connection it is."""
        return cast("Server", self.server).provider

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""

    def do_GET(self) -> None:
        self._page("GET", urlsplit(self.path).path, {})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        path = urlsplit(self.path).path
        shape = shape_for(path, self.provider.flavour)
        if shape is None or self._is_elsewhere(path) or path in self.provider.pages:
            self._page("POST", path, body)
        elif self._is_allowed(shape):
            self._chat(shape, path, body)

    def _page(self, method: str, path: str, body: Json) -> None:
        provider, flavour = self.provider, FLAVOURS[self.provider.flavour]
        provider.asked_pages.append({name.lower(): value for name, value in self.headers.items()})
        if not self._is_allowed(flavour):
            return
        if self._is_elsewhere(path):
            self._json(404, flavour.error(404, "not found"))
            return
        known = [name for name in (self.path, path) if name in provider.pages]
        page = flavour.page(method, path, body, provider.models, provider.window)
        if known:
            self._json(200, provider.pages[known[0]])
        elif page is not None:
            self._json(200, page)
        else:
            self._json(404, flavour.error(404, "not found"))

    def _is_elsewhere(self, path: str) -> bool:
        """Whether the server, as most are, answers below /v1 only, and that is not there."""
        return self.provider.has_version and not path.startswith("/v1/")

    def _chat(self, shape: Shape, path: str, body: Json) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        missing = shape.missing_header(headers)
        model = shape.model_of(path, body)
        if missing:
            self._json(400, shape.error(400, missing))
        elif model not in self.provider.models:
            self._refuse(shape.unknown_model(model))
        else:
            from provider import Request

            request = Request(body, headers.get("authorization", ""), self.path, headers, shape.name)
            self._answer(self.provider.take(request, shape), shape, body)

    def _sent_key(self) -> str:
        """The key as it was sent, in whichever place."""
        queries = parse_qs(urlsplit(self.path).query)
        named = self.headers.get("x-api-key") or self.headers.get("x-goog-api-key") or queries.get("key", [""])[0]
        return named or self.headers.get("Authorization", "").removeprefix("Bearer ")

    def _is_allowed(self, shape: Shape) -> bool:
        sent = self._sent_key()
        if self.provider.key and sent != self.provider.key:
            self._refuse(shape.refused_key(sent))
            return False
        return True

    def _answer(self, step: AnyStep, shape: Shape, body: Json) -> None:
        match step:
            case Reply():
                self._reply(step, shape, body)
            case Cut():
                self._cut(step, shape, body)
            case Garbage():
                self._send(200, step.body.encode(), step.content_type)
            case Status():
                self._status(step, shape)
            case Overflow():
                self._refuse(shape.overflow(step))
            case ErrorEvent():
                self._begin(shape)
                error = shape.error_event(step.code, step.message, step.kind)
                self._write_all(chain(shape.opening(Reply(step.after), body), [error, b""]))
            case Events():
                self._begin(shape)
                self._write_all(chain(map(shape.event, step.events), filter(None, [shape.done()]), [b""]))
            case Hang():
                self._hang(step, shape, body)
            case Endless():
                self._flood(step)

    def _reply(self, step: Reply, shape: Shape, body: Json) -> None:
        whole = shape.unstreamed(step, body)
        if whole is None:
            self._stream(step, shape, body)
        elif not self.provider.stopped.wait(step.delay):
            self._json(200, whole)

    def _stream(self, step: Reply, shape: Shape, body: Json) -> None:
        self._begin(shape)
        if step.is_held:
            self.provider.released.wait()
        if self.provider.stopped.wait(step.delay):
            return
        try:
            self._paced(step, shape, body)
            self._write_all(_odd(step, shape.ending(step, body)))
            if step.lingers:
                self._wait_for_departure()
            self._write(b"")
        except OSError:
            self._departed()

    def _paced(self, step: Reply, shape: Shape, body: Json) -> None:
        """The deltas, at their pace: by the clock, so that a late one does not delay those behind it."""
        start, gap = time.monotonic(), 1 / step.per_second if step.per_second else 0.0
        for index, event in enumerate(_odd(step, shape.opening(step, body))):
            if gap:
                time.sleep(max(0.0, start + index * gap - time.monotonic()))
            self._write(event)
            if step.pause:
                time.sleep(step.pause)

    def _cut(self, step: Cut, shape: Shape, body: Json) -> None:
        self._begin(shape)
        *whole, last = step.calls or (None,)
        reply = Reply(step.after, calls=tuple(filter(None, whole)), reasoning=step.reasoning)
        if last is not None and shape.has_fragments:
            half = replace(last, arguments=last.arguments[: len(last.arguments) // 2])
            reply = replace(reply, calls=(*reply.calls, half))
        self._write_all(shape.opening(reply, body))
        if step.is_abrupt:
            broken = Reply("世界", size=2) if last is None or step.inside == "utf8" else Reply(calls=(last,))
            event = list(shape.opening(broken, body))[-1]
            end = event.index("世".encode()) + 1 if step.inside == "utf8" else len(event) // 2
            self._raw(b"%x\r\n%s" % (len(event), event[:end]))
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self._write(b"")
        self.close_connection = True

    def _status(self, step: Status, shape: Shape) -> None:
        headers = dict(step.headers)
        if step.retry_after is not None:
            headers["Retry-After"] = str(step.retry_after)
        said = encode(shape.error(step.code, step.message, step.kind)) if step.body is None else step.body.encode()
        self._send(step.code, said, headers=headers)

    def _hang(self, step: Hang, shape: Shape, body: Json) -> None:
        try:
            if step.text:
                self._begin(shape)
                self._write_all(shape.opening(Reply(step.text, size=len(step.text)), body))
            self._wait_for_departure()
        except OSError:
            self._departed()

    def _flood(self, step: Endless) -> None:
        self.send_response(step.code)
        self.send_header("Content-Type", step.content_type)
        self.send_header("Transfer-Encoding", "chunked")
        if step.packed:
            self.send_header("Content-Encoding", step.packed)
        if step.location:
            self.send_header("Location", step.location)
        self.end_headers()
        wbits = {"gzip": 31, "deflate": 15}.get(step.packed)
        pack = zlib.compressobj(9, wbits=wbits) if wbits else None
        block = step.text.encode() * max(step.size // len(step.text.encode()), 1)
        content = step.first.encode() + block
        try:
            while not self.provider.stopped.wait(step.pause):
                packed = pack.compress(content) + pack.flush(zlib.Z_SYNC_FLUSH) if pack else content
                self._raw(b"%x\r\n%s\r\n" % (len(packed), packed))
                content = block
        except OSError:
            self._departed()

    def _wait_for_departure(self) -> None:
        while not self.provider.stopped.is_set():
            readable, _, _ = select.select([self.connection], [], [], 0.02)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                self._departed()
                return

    def _departed(self) -> None:
        self.close_connection = True
        self.provider.client_left.set()

    def _begin(self, shape: Shape) -> None:
        self.send_response(200)
        self.send_header("Content-Type", shape.content_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _write_all(self, events: Iterable[bytes]) -> None:
        for event in events:
            self._write(event)

    def _write(self, content: bytes) -> None:
        """One chunk of the transfer coding; an empty one ends the body."""
        now = time.monotonic()
        if MARK in content:
            content = content.replace(MARK, b"%0*.6f" % (len(MARK), now))
        self._raw(b"%x\r\n%s\r\n" % (len(content), content))
        if content:
            self.provider.written.append(now)

    def _raw(self, content: bytes) -> None:
        self.wfile.write(content)

    def _refuse(self, answer: Answer) -> None:
        self._send(answer[0], answer[1].encode())

    def _json(self, code: int, value: Json) -> None:
        self._send(code, encode(value))

    def _send(
        self, code: int, body: bytes, content_type: str = "application/json", headers: dict[str, str] | None = None
    ) -> None:
        if headers and "Date" in headers:
            self.send_response_only(code)  # else it puts its own date beside the one that was scripted
        else:
            self.send_response(code)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _odd(step: Reply, events: Iterable[bytes]) -> Iterable[bytes]:
    """The events as an odd server would send them."""
    for event in events:
        if not event:
            continue
        told = event.replace(b"\n", b"\r\n") if step.odd == "crlf" else event
        if step.odd == "halves":
            middle = next((i + 1 for i, byte in enumerate(told) if byte >= 0xC0), len(told) // 2)
            yield from (told[:middle], told[middle:])
        else:
            yield told
