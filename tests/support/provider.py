"""A scripted provider: an HTTP server on loopback that answers from a script, in the shape that it was asked in.

    with ScriptedProvider([Reply("Hello there"), Overflow(), Cut("Hel"), Status(429)]) as provider:
        provider.base_url, provider.requests

Each request for a reply takes the next step of the script; the last one is repeated when `repeat_last` is true,
otherwise a request after the end is answered with status 500 and says so. The shapes are OpenAI's chat completions
and responses, Anthropic's messages, Gemini's generateContent and Ollama's /api/chat; a flavour is a vendor's dialect
of one of them (tests/support/provider_flavours.py). A script can be a `Windowed` provider, which counts
(tests/support/provider_window.py).

The server runs on threads of its own, so it serves a test's own loop, an engine in another process, or
`python tests/support/provider.py SCRIPT.json [FLAVOUR]`.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from provider_flavours import FLAVOURS
from provider_http import Connection, Server
from provider_script import (
    AnyStep,
    Call,
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
    stream_of,
)
from provider_shapes import Shape
from provider_window import Measured, Windowed

__all__ = [
    "AnyStep",
    "Call",
    "Cut",
    "Endless",
    "ErrorEvent",
    "Events",
    "Garbage",
    "Hang",
    "Measured",
    "Overflow",
    "Reply",
    "Request",
    "ScriptedProvider",
    "Status",
    "Windowed",
    "stream_of",
]


class Request(msgspec.Struct, frozen=True):
    """A request for a reply as it came in. headers: with names in small letters."""

    body: Json
    authorization: str
    path: str = ""
    headers: dict[str, str] = {}
    flavour: str = "openai"

    @property
    def messages(self) -> list[Json]:
        """Its messages, contents or items, in the shape that they came in."""
        return next(self.body[name] for name in ("messages", "contents", "input") if name in self.body)

    @property
    def turns(self) -> list[tuple[str, str]]:
        """Role ("system", "user", "assistant", "tool") and text of each message, the same for all shapes."""
        return FLAVOURS[self.flavour].turns(self.body)

    @property
    def role(self) -> str:
        """Who spoke last: "user", or "tool" for results."""
        return self.turns[-1][0]

    @property
    def text(self) -> str:
        """What was said last."""
        return self.turns[-1][1]


class Script(Protocol):
    """Gives the step for a request, as `Windowed` does."""

    window: int

    def take(self, request: Request, shape: Shape) -> AnyStep:
        """The step that answers it."""
        ...


class ScriptedProvider:
    """The server. flavour: whose dialect it speaks where the path leaves a choice, and whose pages it has.

    models: that it lists and answers for. window: that its pages tell, in tokens. pages: more GET or POST paths and
    the JSON they answer. key: without it every request is refused. has_version: only what is below /v1 is answered.
    """

    def __init__(
        self,
        script: Sequence[AnyStep] | Script = (),
        *,
        flavour: str = "openai",
        models: Sequence[str] = ("scripted",),
        pages: dict[str, Json] | None = None,
        key: str = "",
        repeat_last: bool = False,
        window: int = 8192,
        has_version: bool = False,
    ) -> None:
        self.script: list[AnyStep] | Script = list(script) if isinstance(script, Sequence) else script
        self.flavour = flavour
        self.models = tuple(models)
        self.pages = pages or {}
        self.key = key
        self.repeat_last = repeat_last
        self.has_version = has_version
        self.window = window if isinstance(self.script, list) else self.script.window
        self.requests: list[Request] = []
        self.asked_pages: list[dict[str, str]] = []
        """The headers of requests for anything but a reply."""
        self.written: list[float] = []
        """When each event of each stream was written, in seconds of time.monotonic()."""
        self.client_left = threading.Event()
        """Set when a client closed its connection before its reply was whole."""
        self.stopped = threading.Event()
        self.released = threading.Event()
        """To be set by a test, for replies that are held until then."""
        self._lock = threading.Lock()
        self._server: Server | None = None

    @property
    def root_url(self) -> str:
        """Such as http://127.0.0.1:40123, which Anthropic's, Gemini's and Ollama's clients want."""
        assert self._server is not None, "the provider has not been started"
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def base_url(self) -> str:
        """Such as http://127.0.0.1:40123/v1, which OpenAI's clients want."""
        return self.root_url + "/v1"

    def start(self, port: int = 0) -> ScriptedProvider:
        """Listens on a free port, or on that one: where another one was before it."""
        self._server = Server(("127.0.0.1", port), Connection)
        self._server.provider = self
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def stop(self) -> None:
        """Ends the server, and every request that hangs."""
        self.stopped.set()
        self.released.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def take(self, request: Request, shape: Shape) -> AnyStep:
        """The step that answers this request."""
        with self._lock:
            self.requests.append(request)
            if not isinstance(self.script, list):
                return self.script.take(request, shape)
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


def main(script_file: str, flavour: str = "openai") -> None:
    """Serves the steps of a JSON file, prints the base URL, and ends with its standard input."""
    script = msgspec.json.decode(Path(script_file).read_bytes(), type=list[AnyStep])
    with ScriptedProvider(script, flavour=flavour, repeat_last=True) as provider:
        print(provider.base_url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
