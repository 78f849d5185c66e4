"""What a scripted provider can be told to answer: values that can be written in a test, or in a JSON file.

    [Reply("Hello"), Reply("I look.", calls=(Call("read", '{"path": "a"}'),)), Overflow(), Cut("Hel"), Status(429)]

The same steps answer in whichever shape a request came in (tests/support/provider_flavours.py).
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Json = dict[str, Any]

STAMP = "@time-of-writing@"
"""Stands in a text for the monotonic clock at the moment of writing, in seconds, of the same length."""


class Call(msgspec.Struct, frozen=True):
    """A tool call of a reply; its arguments are streamed in fragments."""

    name: str
    arguments: str = "{}"
    call_id: str = "call_1"


class Step(msgspec.Struct, frozen=True, tag=True):
    """What one request is answered with."""


class Reply(Step, frozen=True):
    """A whole reply, in deltas of `size` characters.

    delay: seconds before the first delta; pause: between deltas. usage: (prompt, reply, cached) tokens as reported,
    the cached ones being part of the prompt; None to report none. finish: in OpenAI's words; other shapes translate
    "stop", "length", "tool_calls" and "content_filter", and say anything else as it is. odd: "halves", every event is
    written in two, cut at any byte, also inside a character; or "crlf", lines end with CR and LF, as some gateways make
    them. written: tokens that went into a prompt cache, a part of the prompt too. per_second: deltas a second, kept up
    by the clock; 0 leaves it to `pause`. is_held: it begins only once the provider's `released` is set. lingers: the
    connection stays open behind the last event, until the client closes it. message_id: its id in Anthropic's shape, by
    which clients tell replies apart.
    """

    text: str = ""
    delay: float = 0.0
    pause: float = 0.0
    size: int = 4
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    usage: tuple[int, int, int] | None = (11, 7, 0)
    finish: str = "stop"
    odd: Literal["", "halves", "crlf"] = ""
    signature: str = "c2lnbmF0dXJl"
    written: int = 0
    per_second: float = 0.0
    is_held: bool = False
    lingers: bool = False
    message_id: str = "msg_01XFDUDYJgAACzvnptvVoYEL"


def stream_of(deltas: int, per_second: float, words: str = "word ") -> Reply:
    """A reply of that many deltas, each with the time at which it was written: to measure latency and throughput.

    The text is "<seconds> word <seconds> word ...", seconds of time.monotonic(), which on one machine is the same
    clock for all processes.
    """
    delta = STAMP + " " + words
    return Reply(delta * deltas, size=len(delta), per_second=per_second, usage=(11, deltas, 0))


class Cut(Step, frozen=True):
    """A reply that breaks off. is_abrupt: the connection is closed in the middle of an event, instead of a
    well-formed end without a reason.

    inside: where an abrupt end falls: "json", or "utf8", between the bytes of one character. calls: come after the
    text, the last one with the first half of its arguments only.
    """

    after: str = ""
    is_abrupt: bool = True
    inside: str = "json"
    calls: tuple[Call, ...] = ()
    reasoning: str = ""


class Garbage(Step, frozen=True):
    """Status 200 and something that is not the protocol."""

    body: str = "<html><body>Welcome to nginx!</body></html>"
    content_type: str = "text/html"


class Status(Step, frozen=True):
    """An error status. body: the whole body; by default the shape's error object with `message` and `kind`.

    retry_after: the header of that name, in seconds. headers: more of them.
    """

    code: int
    message: str = "scripted error"
    body: str | None = None
    retry_after: int | None = None
    kind: str = ""
    headers: dict[str, str] = {}


class Overflow(Step, frozen=True):
    """The request is too long, in the words of a server.

    reply: tokens that were asked for; where it is given, the words say that prompt and reply together are too long.
    """

    window: int = 8192
    tokens: int = 9000
    reply: int = 0


class ErrorEvent(Step, frozen=True):
    """An error in the middle of a stream that began well, in the shape's way."""

    after: str = "Hel"
    message: str = "Overloaded"
    kind: str = "overloaded_error"
    code: int = 529


class Events(Step, frozen=True):
    """These JSON objects as the events of a stream, as they are: for what no other step can say."""

    events: tuple[Json, ...]


class Hang(Step, frozen=True):
    """Sends `text`, then nothing more until the client leaves. Without text not even the headers are sent."""

    text: str = ""


class Endless(Step, frozen=True):
    """The same text again and again until the client leaves, as fast as it is read.

    first: comes once before it. packed: "gzip", "deflate", or another coding that is only named. code: the status.
    pause: seconds between two writings of `size` bytes or more. location: where to ask instead; "" for no header.
    """

    text: str
    first: str = ""
    packed: str = ""
    code: int = 200
    content_type: str = "text/event-stream"
    size: int = 65_536
    pause: float = 0.0
    location: str = ""


AnyStep = Reply | Cut | Garbage | Status | Overflow | ErrorEvent | Events | Hang | Endless


def pieces_of(text: str, size: int) -> list[str]:
    """The text in pieces of that many characters, the last one shorter."""
    return [text[start : start + size] for start in range(0, len(text), size)]
