"""The process of litellm is started once; each test has connections of its own, since they belong to its loop."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.request_writer import RequestWriter, import_client

PATIENCE = 0.6
"""Seconds of silence that a test waits for."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test that takes the real litellm is on the wire: its import alone takes seconds."""
    for item in items:
        if {"loaded", "client"} & {*getattr(item, "fixturenames", ())}:
            item.add_marker(pytest.mark.wire)


@pytest.fixture(scope="session")
def loaded() -> Iterator[LiteLLM]:
    """One process of litellm for all tests."""
    writer = RequestWriter()
    yield LiteLLM(writer=writer)
    writer.close()


@pytest.fixture(scope="session")
def client() -> Any:
    """The module `litellm_client`, imported into the process of the tests to be compared with."""
    return import_client()


@pytest.fixture
async def litellm(loaded: LiteLLM) -> AsyncIterator[LiteLLM]:
    """The library, impatient, without connections."""
    loaded.patience = loaded.nearby_patience = PATIENCE
    yield loaded
    await loaded.close()


@pytest.fixture
def raw_server() -> Iterator[Callable[[Callable[[str, Any], tuple[int, bytes]]], str]]:
    """`raw_server(lambda path, body: (503, b"no"))`: the address of a server that answers so."""
    servers: list[ThreadingHTTPServer] = []

    def start(answer: Callable[[str, Any], tuple[int, bytes]]) -> str:
        class Connection(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"] or 0))
                status, content = answer(self.path, json.loads(body or b"{}"))
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                with suppress(OSError):  # who asked may have gone
                    self.end_headers()
                    self.wfile.write(content)

            do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None:
                """Nothing is logged."""

        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), Connection))
        threading.Thread(target=servers[-1].serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_address[1]}/v1"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
