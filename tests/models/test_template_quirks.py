"""What llama.cpp tells of a chat template: its own analysis, and the prompt that it makes of a conversation."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from desktop_app.conversation import quirks
from desktop_app.models.catalogue import Catalogue, LastKnownFile
from desktop_app.settings import Server, Settings

GOOD = dict.fromkeys(("supports_tools", "supports_tool_calls", "supports_parallel_tool_calls"), True)


@contextmanager
def llama_server(caps: dict[str, bool], template: Any) -> Iterator[str]:
    """Serve /props and /apply-template. template: returns the prompt made of the messages; raises where it refuses."""

    class Connection(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            props = {"default_generation_settings": {"n_ctx": 4_096}, "chat_template_caps": caps}
            self.answer(200, props if self.path.startswith("/props") else {"data": [{"id": "m"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if not self.path.startswith("/apply-template"):
                return self.answer(404, {})
            try:
                return self.answer(200, {"prompt": template(body["messages"])})
            except ValueError:
                return self.answer(400, {"error": {"message": "Conversation roles must alternate"}})

        def answer(self, status: int, content: Any) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(content).encode())

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Connection)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


async def quirks_with(caps: dict[str, bool], template: Any) -> set[str]:
    with llama_server(caps, template) as address:
        catalogue = Catalogue(Settings(servers=(Server("s", address, ("m",), kind="llama_cpp"),)), lambda _: "")
        await catalogue.discover()
        return set(catalogue.infos()[1].quirks)


def whole(messages: list[dict[str, Any]]) -> str:
    return json.dumps(messages)


def without_text_of_calls(messages: list[dict[str, Any]]) -> str:
    return json.dumps([m.get("tool_calls") or m["content"] for m in messages])


def without_calls(messages: list[dict[str, Any]]) -> str:
    return json.dumps([m["content"] for m in messages if m["role"] != "tool"])


def refusing(messages: list[dict[str, Any]]) -> str:
    raise ValueError


@pytest.mark.parametrize(
    ("caps", "template", "expected"),
    [
        (GOOD, whole, set[str]()),
        (GOOD, without_text_of_calls, {quirks.TEXT_WITH_RESULT}),
        (GOOD, without_calls, {quirks.CALLS_AS_TEXT}),
        (GOOD | {"supports_parallel_tool_calls": False}, whole, {quirks.ONE_CALL}),
        (
            GOOD | {"supports_system_role": False, "supports_tool_calls": False},
            refusing,
            {quirks.NO_SYSTEM, quirks.CALLS_AS_TEXT},
        ),
    ],
)
async def test_a_template_has_the_quirks_that_its_server_reports(
    caps: dict[str, bool], template: Any, expected: set[str]
) -> None:
    assert await quirks_with(caps, template) == expected


async def test_what_was_learned_is_there_in_the_next_run(tmp_path: Any) -> None:
    file = tmp_path / "models.json"
    server = Server("s", "http://127.0.0.1:9/v1", ("m",))
    settings = Settings(servers=(server,))
    catalogue = Catalogue(settings, lambda _: "", last_known=LastKnownFile(file))
    known = LastKnownFile(file)
    for quirk in ("without stream_options", quirks.MAX_TOKENS, quirks.NO_TOOLS, quirks.MAX_COMPLETION_TOKENS):
        known.learn(("s", server.base_url, "m"), quirk, None)
    known.write()
    again = LastKnownFile(file)
    again.read()
    assert catalogue.infos()[1].quirks == ()
    assert Catalogue(settings, lambda _: "", last_known=again).infos()[1].quirks == (
        "without stream_options",
        quirks.MAX_COMPLETION_TOKENS,
    ), "tools may be turned on in the server before the next run"
