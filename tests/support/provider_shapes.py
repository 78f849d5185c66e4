"""What a shape is: how requests are read and replies are written on the wire of one kind of API."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from provider_script import Json, Overflow, Reply

encode = msgspec.json.encode
"""JSON as providers write it: without blanks, and with the characters themselves instead of \\u escapes."""

Answer = tuple[int, str]
"""Status and body."""


class Block(msgspec.Struct, frozen=True):
    """A piece of a prompt as the provider reads it: a tool, a system block, a message or a block of one.

    key: all that makes it what it is, without its cache marker. text: what is counted. cached_for: seconds that a
    marker on it asks for; 0 without one. is_message: whether it opens a message, which costs a few tokens.
    """

    key: str
    text: str
    cached_for: int = 0
    is_message: bool = True


class Shape:
    """One kind of API. Subclasses say what differs; a subclass of those is a flavour, one vendor's dialect."""

    name = ""
    content_type = "text/event-stream"
    has_done = False
    has_fragments = True
    """Whether the arguments of a call come in fragments, and not whole."""
    caches = (1024, 128)
    """The shortest prefix that is cached, and the step in which it grows, in tokens."""
    caches_by_marker = False
    truncates = False
    """Whether a prompt that is too long loses its beginning in silence, instead of being refused."""
    counts_reply = False
    """Whether prompt and asked reply together must fit into the window."""

    def serves(self, path: str) -> bool:
        """Whether a POST to this path is a request for a reply."""
        raise NotImplementedError

    def model_of(self, path: str, body: Json) -> str:
        """The model that was asked for."""
        return str(body.get("model", ""))

    def max_tokens(self, body: Json) -> int:
        """The longest reply that was asked for; 0 when it was not said."""
        return int(body.get("max_completion_tokens") or body.get("max_tokens") or 0)

    def blocks(self, body: Json) -> list[Block]:
        """The prompt in the order in which the provider reads it."""
        raise NotImplementedError

    def turns(self, body: Json) -> list[tuple[str, str]]:
        """Role ("system", "user", "assistant", "tool") and text of each message."""
        raise NotImplementedError

    def opening(self, reply: Reply, body: Json) -> Iterator[bytes]:
        """The events of a reply up to its last piece."""
        raise NotImplementedError

    def ending(self, reply: Reply, body: Json) -> Iterator[bytes]:
        """The events that say why it ended and what it took."""
        raise NotImplementedError

    def unstreamed(self, reply: Reply, body: Json) -> Json | None:
        """The reply as one object if the request does not ask for a stream; None for one that is a stream anyway."""
        return None

    def event(self, value: Json) -> bytes:
        """A JSON object as an event of the stream."""
        return b"data: " + encode(value) + b"\n\n"

    def done(self) -> bytes:
        """What comes behind the last event."""
        return b"data: [DONE]\n\n" if self.has_done else b""

    def error(self, code: int, message: str, kind: str = "") -> Json:
        """The body of an error status."""
        raise NotImplementedError

    def error_event(self, code: int, message: str, kind: str) -> bytes:
        """The same in the middle of a stream."""
        return self.event(self.error(code, message, kind))

    def refused_key(self, sent: str) -> Answer:
        """No key, or a wrong one. A real server quotes a part of it; ours all of it, to see that nobody shows it."""
        body = self.error(401, f"Incorrect API key provided: {sent}", "invalid_api_key")
        return 401, encode(body).decode()

    def unknown_model(self, model: str) -> Answer:
        """The model does not exist."""
        body = self.error(404, f"The model `{model}` does not exist", "model_not_found")
        return 404, encode(body).decode()

    def overflow(self, step: Overflow) -> Answer:
        """The prompt is too long, in this flavour's own words."""
        raise NotImplementedError

    def malformed(self, body: Json) -> str:
        """What the API has against the order of the messages; empty when it takes them."""
        return ""

    def missing_header(self, headers: dict[str, str]) -> str:
        """What a request lacks to be read at all; empty when nothing does."""
        return ""

    def page(self, method: str, path: str, body: Json, models: Sequence[str], window: int) -> Json | None:
        """What another path answers, such as the list of models; None when there is nothing."""
        return None


def text_of(content: Any) -> str:
    """The text of a message's content, be it a string or a list of blocks of any API."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return text_of(content.get("text") or content.get("content") or content.get("parts"))
    if isinstance(content, list):
        return "\n".join(filter(None, (text_of(part) for part in content)))
    return ""


def json_of(value: Any) -> str:
    """A value as JSON text."""
    return encode(value).decode()
