"""A message and its typed parts: one utterance, as it is stored and as the model receives it.

A `Message` is one OpenAI-style chat message. A tool message carries exactly one tool result, so that every
operation on a result can name it by its message.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Text(msgspec.Struct, frozen=True, tag="text"):
    """Plain or Markdown text."""

    text: str


class Reasoning(msgspec.Struct, frozen=True, tag="reasoning"):
    """What the model thought before it answered."""

    text: str


class ToolCall(msgspec.Struct, frozen=True, tag="tool_call", rename={"provider_metadata": "extras"}):
    """A wish of the model to run a tool. `arguments` is JSON text, exactly as the model wrote it.

    provider_metadata: what the provider wants back with the call, such as a signature of its reasoning, as JSON;
    only models/ reads it.
    """

    call_id: str
    name: str
    arguments: str = "{}"
    provider_metadata: str = ""


CallEnding = Literal["", "denied", "stopped", "timed_out"]
"""Why a call has no result of its tool's: it was not allowed, was stopped, or took too long; "" where it has one."""


class ToolResult(msgspec.Struct, frozen=True, tag="tool_result"):
    """What a tool answered. Paired with its call by position and id, since ids repeat in real traces.

    spill: the SHA-256 of the whole output, if `text` is what was left of it as it entered; else "".
    is_error: as the model is told it; ending: what it was for the user, who may have wanted it so.
    """

    call_id: str
    name: str
    text: str
    is_error: bool = False
    spill: str = ""
    ending: CallEnding = ""


class Attachment(msgspec.Struct, frozen=True, tag="attachment"):
    """A file or an image. `content` is a data URL, a web URL, or the text of a text file."""

    name: str
    media_type: str
    content: str

    @property
    def is_image(self) -> bool:
        """Whether a model with eyes would look at it."""
        return self.media_type.startswith("image/")

    @property
    def as_text(self) -> str:
        """How a text file is sent."""
        return f"[{self.name}]\n{self.content}"


Part = Text | Reasoning | ToolCall | ToolResult | Attachment


class Usage(msgspec.Struct, frozen=True):
    """Tokens that a provider reported for one request, or for several together: *measured*, never estimated.

    prompt_tokens: all of them, cached ones too. cached_tokens: those read from its prompt cache; cache_written_tokens:
    those written to it. dollars: what the request cost, as it says or as the price list had it; None: not known.
    reasoning_tokens: those of the reply that were thoughts, where it says so.
    """

    prompt_tokens: int
    reply_tokens: int
    cached_tokens: int = 0
    cache_written_tokens: int = 0
    dollars: float | None = None
    requests: int = 1
    reasoning_tokens: int = 0


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the record. Decisions leave the pure core without `id` and `at`; `chat/` stamps them.

    id: unique within the archive. at: seconds since 1970, UTC.
    """

    id: str = ""
    at: float = 0.0


class Message(Entry, frozen=True, kw_only=True, tag="message"):
    """One utterance: a role and its parts.

    speaker: the `name` field of OpenAI's shape, for chats between named people. model: who wrote a reply.
    is_interrupted: the reply was stopped or cut off before its end. seconds: how long a reply, or a tool, took.
    continues: the id of the interrupted reply whose text this one goes on with; the two are sent as one.
    as_of: of a reply, the id of the newest entry that its request was assembled from: what `usage` measured is that
    request, whatever was recorded while it was under way. "": an older record, which does not say.
    """

    role: Role
    parts: tuple[Part, ...] = ()
    speaker: str = ""
    model: str = ""
    is_interrupted: bool = False
    usage: Usage | None = None
    seconds: float = 0.0
    continues: str = ""
    as_of: str = ""

    @property
    def text(self) -> str:
        """The visible text: text parts and tool results, joined by blank lines."""
        return "\n\n".join(p.text for p in self.parts if isinstance(p, Text | ToolResult) and p.text)

    @property
    def is_counted(self) -> bool:
        """Whether a person counts it as a message: no system prompt, and no rest of a reply that was stopped."""
        return self.role is not Role.SYSTEM and not self.continues

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls that this message makes, in their order."""
        return tuple(p for p in self.parts if isinstance(p, ToolCall))

    @property
    def tool_result(self) -> ToolResult | None:
        """The result that a tool message carries."""
        return next((p for p in self.parts if isinstance(p, ToolResult)), None)


def user_message(text: str) -> Message:
    """A user's message, not yet stamped."""
    return Message(role=Role.USER, parts=(Text(text),))
