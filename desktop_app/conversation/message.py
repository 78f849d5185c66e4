"""A message and its typed parts, as they are stored and as the model receives them.

A tool message carries exactly one tool result, so that every operation on a result can name it by its message.

A long record has a million of these values, none of which can be part of a cycle: `gc=False` spares the garbage
collector to look through them, for which it stops all threads.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

import msgspec
from msgspec.structs import replace

from .words import in_fence, translatable


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Text(msgspec.Struct, frozen=True, gc=False, tag="text"):
    """Plain or Markdown text."""

    text: str


class Reasoning(msgspec.Struct, frozen=True, gc=False, tag="reasoning"):
    """What the model thought before it answered."""

    text: str


class ToolCall(msgspec.Struct, frozen=True, gc=False, tag="tool_call", rename={"provider_metadata": "extras"}):
    """A request of the model to run a tool. `arguments` is JSON text, exactly as the model wrote it."""

    call_id: str
    name: str
    arguments: str = "{}"
    provider_metadata: str = ""
    """What the provider wants back with the call, such as a signature of its reasoning; only models/ reads it."""


CallEnding = Literal["", "denied", "stopped", "timed_out", "repeated"]
"""Why a call has no result of its tool's: it was not allowed, was stopped, took too long, or was answered from the
record since it had run already; "" where it has one."""

CallSandbox = Literal["", "closed", "network", "outside", "missing"]
"""Where a call's program ran: in the sandbox without network, or with it; outside of it, as the user allowed; without
one, which this machine does not have; "" for what needs none."""


class ToolResult(msgspec.Struct, frozen=True, gc=False, tag="tool_result"):
    """What a tool answered. Paired with its call by position and id, since ids repeat in real traces."""

    call_id: str
    name: str
    text: str
    is_error: bool = False
    """As the model is told it."""
    spill: str = ""
    """The SHA-256 of the whole output, if `text` is what was left of it as it entered; else ""."""
    ending: CallEnding = ""
    """What it was for the user, who may have wanted it so."""
    sandbox: CallSandbox = ""


ReplyEnding = Literal["", "length", "content_filter", "malformed_call", "empty"]
"""Why a reply ended early: at the longest that was asked for, refused by the provider or the model, in a call that no
server could read, without a word of an answer; "" for one that ended by itself."""
REPLY_ENDINGS: dict[ReplyEnding, str] = {
    "length": translatable("cut off"),
    "content_filter": translatable("refused"),
    "malformed_call": translatable("unreadable call"),
    "empty": translatable("no answer"),
}
"""What a reply is called that its provider ended early."""


class Attachment(msgspec.Struct, frozen=True, gc=False, tag="attachment"):
    """A file or an image. `content` is a data URL, a web URL, or the text of a file."""

    name: str
    media_type: str
    content: str
    about: str = ""
    """What the user should know of it, such as "14 pages"; it is not sent."""

    @property
    def is_image(self) -> bool:
        return self.media_type.startswith("image/")

    @property
    def is_elsewhere(self) -> bool:
        """Whether it is an image of which there is an address alone, as in chats of other programs."""
        return self.is_image and not self.content.startswith("data:")

    @property
    def as_text(self) -> str:
        """How a text file is sent: in a fence, behind which nothing of it seems to be the user's next words.

        Its end is said in words: many tokenizers join a fence with the blank line that follows, and would count fewer.
        """
        return f"[{' '.join(self.name.split())}]\n{in_fence(self.content)}\nend of file"


Part = Text | Reasoning | ToolCall | ToolResult | Attachment


class Usage(msgspec.Struct, frozen=True, gc=False):
    """Tokens that a provider reported for one request, or for several together: *measured*, never estimated."""

    prompt_tokens: int
    """All of them, cached ones too."""
    reply_tokens: int
    cached_tokens: int = 0
    """Read from the provider's prompt cache."""
    cache_written_tokens: int = 0
    """Written to the provider's prompt cache."""
    dollars: float | None = None
    """What the request cost, as reported or by the price list; None: not known."""
    requests: int = 1
    reasoning_tokens: int = 0
    """Those of the reply that were reasoning, where the provider says so."""

    def plus(self, other: Usage) -> Usage:
        """Return the usage of all these requests together. Dollars are known if they are of either."""
        dollars = [usage.dollars for usage in (self, other) if usage.dollars is not None]
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.reply_tokens + other.reply_tokens,
            self.cached_tokens + other.cached_tokens,
            self.cache_written_tokens + other.cache_written_tokens,
            sum(dollars) if dollars else None,
            self.requests + other.requests,
        )


NO_USAGE = Usage(0, 0, requests=0)


def add_usage(one: Usage | None, other: Usage | None) -> Usage | None:
    """Return both together."""
    return one.plus(other) if one and other else one or other


class Totals(msgspec.Struct, frozen=True):
    """What a conversation has cost, and what was freed in it."""

    replies: Usage = NO_USAGE
    """For what was said."""
    auxiliary: Usage = NO_USAGE
    """For what Palimpsest asked of its own accord: summaries, memories, digests, titles, what is in images."""
    operations: int = 0
    tokens_freed: int = 0
    """By all operations that hold, of the request at that time."""


class Entry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One row of the record. Decisions leave the pure core without `id` and `at`; `chat/` stamps them."""

    id: str = ""
    """Unique within the archive."""
    at: float = 0.0
    """Seconds since 1970, UTC."""


class Message(Entry, frozen=True, kw_only=True, tag="message"):
    """One utterance: a role and its parts."""

    role: Role
    parts: tuple[Part, ...] = ()
    speaker: str = ""
    """The `name` field of OpenAI's shape, for chats between named people."""
    model: str = ""
    """Who wrote a reply."""
    is_interrupted: bool = False
    """The reply was stopped or cut off before its end."""
    usage: Usage | None = None
    seconds: float = 0.0
    """How long a reply, or a tool, took."""
    continues: str = ""
    """The id of the interrupted reply that this one goes on with; the two are sent as one."""
    as_of: str = ""
    """Of a reply, the id of the newest entry that its request was assembled from, which is what `usage` measured. "" in
    older records."""
    ending: ReplyEnding = ""
    """Why the reply, which its provider ended, is no whole answer; "" in older records."""
    lost_call: str = ""
    """The tool of a call that the reply was in the middle of when it ended, and that was not run; or ""."""

    @property
    def text(self) -> str:
        """The visible text: text parts and tool results, joined by blank lines."""
        return "\n\n".join(p.text for p in self.parts if isinstance(p, Text | ToolResult) and p.text)

    @property
    def can_continue(self) -> bool:
        """Whether it is a reply that ended before it was whole, with something that can be gone on with."""
        is_cut = self.role is Role.ASSISTANT and (self.is_interrupted or self.ending == "length")
        return is_cut and not self.tool_calls and bool(self.lost_call or self.text.strip())

    @property
    def has_image(self) -> bool:
        return any(isinstance(part, Attachment) and part.is_image for part in self.parts)

    @property
    def is_counted(self) -> bool:
        """Whether a person counts it as a message: no system prompt, and no rest of a stopped reply."""
        return self.role is not Role.SYSTEM and not self.continues

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple([p for p in self.parts if isinstance(p, ToolCall)])  # a list: twice as fast, and asked for often

    @property
    def tool_result(self) -> ToolResult | None:
        """The result that a tool message carries."""
        for part in self.parts:
            if isinstance(part, ToolResult):
                return part
        return None


def with_parts(message: Message, parts: Sequence[Part]) -> Message:
    """Return the message with those parts; itself if they are its own."""
    is_same = len(parts) == len(message.parts) and all(map(operator.is_, parts, message.parts))
    return message if is_same else replace(message, parts=tuple(parts))


class MessageDraft(msgspec.Struct, frozen=True):
    """A message that is being written: all that stands in the composer."""

    text: str = ""
    attachments: tuple[Attachment, ...] = ()


def user_message(text: str, attachments: tuple[Attachment, ...] = ()) -> Message:
    """Return a user's message, not yet stamped."""
    said = (Text(text),) if text.strip() or not attachments else ()
    return Message(role=Role.USER, parts=(*said, *attachments))
