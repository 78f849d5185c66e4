"""A message and its typed parts, in the form in which they are stored and sent.

A tool message contains exactly one tool result, so that operations on a result can refer to it by its message.

A long record has a million of these values, none of which can be part of a cycle: `gc=False` keeps the garbage
collector, which stops all threads, from traversing them.
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
    """The speaker of a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Text(msgspec.Struct, frozen=True, gc=False, tag="text"):
    """Plain or Markdown text."""

    text: str


class ProviderSummary(Text, frozen=True, gc=False, kw_only=True, tag="provider_summary", omit_defaults=True):
    """A summary that the model's provider wrote itself, in its own form, which only that model gets.

    `text` is the summary for other models, and what is sent behind the provider's own for the one that wrote it.
    """

    text: str = ""
    writer: str
    """The model that wrote it, as named in the record."""
    content: str
    """The provider's blocks or items in JSON, which are sent as they were received; only models/ reads them."""
    tokens: int
    """Tokens of the content, in the model's own."""
    readable: str = ""
    """The text in the content, with secrets masked; "" if the provider has encrypted it."""
    addition: str = ""
    """What our summary has besides: lines that the provider's one lacks, or all of it if that one is encrypted."""


class Reasoning(msgspec.Struct, frozen=True, gc=False, tag="reasoning"):
    """The model's reasoning before its answer."""

    text: str


class ToolCall(msgspec.Struct, frozen=True, gc=False, tag="tool_call", rename={"provider_metadata": "extras"}):
    """A request of the model to run a tool. `arguments` is JSON text, exactly as the model wrote it."""

    call_id: str
    name: str
    arguments: str = "{}"
    provider_metadata: str = ""
    """Data to return to the provider with the call, such as a signature of reasoning; only models/ reads it."""


CallEnding = Literal["", "denied", "stopped", "timed_out", "repeated"]
"""The reason why a call has no result by its tool: it was not allowed, was stopped, took too long, or was answered from
the record since it had already run; "" if it has one."""

CallSandbox = Literal["", "closed", "network", "outside", "missing"]
"""The sandbox of a call's program: without network, or with it; none, as the user allowed; none, since the machine has
none; "" for calls that need none."""


class ToolResult(msgspec.Struct, frozen=True, gc=False, tag="tool_result"):
    """A tool's answer, paired with its call by position and id, since ids repeat in real traces."""

    call_id: str
    name: str
    text: str
    is_error: bool = False
    """Whether the result is marked as an error for the model."""
    spill: str = ""
    """The SHA-256 of the full output, if `text` is its truncated form; otherwise ""."""
    ending: CallEnding = ""
    """Why the tool did not answer, for display: the user may have decided so."""
    sandbox: CallSandbox = ""


ReplyEnding = Literal["", "length", "content_filter", "malformed_call", "empty"]
"""The reason why a reply ended early: its maximum length, a refusal by the provider or the model, a call that no server
could parse, no text at all; "" for a reply that ended by itself."""
REPLY_ENDINGS: dict[ReplyEnding, str] = {
    "length": translatable("cut off"),
    "content_filter": translatable("refused"),
    "malformed_call": translatable("unreadable call"),
    "empty": translatable("no answer"),
}
"""Labels of replies that the provider ended early."""


class Attachment(msgspec.Struct, frozen=True, gc=False, tag="attachment"):
    """A file or an image. `content` is a data URL, a web URL, or the text of a file."""

    name: str
    media_type: str
    content: str
    about: str = ""
    """A note for the user, such as "14 pages", which is not sent."""

    @property
    def is_image(self) -> bool:
        return self.media_type.startswith("image/")

    @property
    def is_elsewhere(self) -> bool:
        """Whether it is an image of which only the address is known, as in chats of other programs."""
        return self.is_image and not self.content.startswith("data:")

    @property
    def as_text(self) -> str:
        """The form in which a text file is sent: in a fence, so that none of it looks like the user's next words.

        Its end is marked in words: many tokenizers join a fence with the blank line after it, and would count fewer.
        """
        return f"[{' '.join(self.name.split())}]\n{in_fence(self.content)}\nend of file"


Part = Text | Reasoning | ToolCall | ToolResult | Attachment


class Usage(msgspec.Struct, frozen=True, gc=False):
    """Tokens that a provider reported for one or several requests: *measured*, never estimated."""

    prompt_tokens: int
    """All prompt tokens, including cached ones."""
    reply_tokens: int
    cached_tokens: int = 0
    """Prompt tokens read from the provider's cache."""
    cache_written_tokens: int = 0
    """Prompt tokens written to the provider's cache."""
    dollars: float | None = None
    """Costs, as reported or by the price list; None if unknown."""
    requests: int = 1
    reasoning_tokens: int = 0
    """Reply tokens that were reasoning, if the provider reports them."""

    def plus(self, other: Usage) -> Usage:
        """Return the sum of both. Dollars are known if either's are."""
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


def add_usage(first: Usage | None, second: Usage | None) -> Usage | None:
    """Return the sum of both; None if both are None."""
    return first.plus(second) if first and second else first or second


class Totals(msgspec.Struct, frozen=True):
    """The usage of a conversation, and the tokens freed in it."""

    replies: Usage = NO_USAGE
    """Usage for replies in the conversation."""
    auxiliary: Usage = NO_USAGE
    """Usage for Palimpsest's own requests: summaries, memories, digests, titles, image descriptions."""
    operations: int = 0
    tokens_freed: int = 0
    """Tokens freed by all active operations, of the request at the time."""


class Entry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A row of the record. Decisions leave the pure core without `id` and `at`, which `chat/` sets."""

    id: str = ""
    """Unique within the archive."""
    at: float = 0.0
    """Seconds since 1970, UTC."""


class Message(Entry, frozen=True, kw_only=True, tag="message"):
    """An utterance: a role and its parts."""

    role: Role
    parts: tuple[Part, ...] = ()
    speaker: str = ""
    """The `name` field of OpenAI's shape, for chats between named people."""
    model: str = ""
    """The model that wrote a reply; "" for other messages."""
    is_interrupted: bool = False
    """Whether the reply was stopped or cut off before its end."""
    usage: Usage | None = None
    seconds: float = 0.0
    """Duration of a reply or a tool call."""
    continues: str = ""
    """The id of the interrupted reply that this one continues; the two are sent as one. "" for none."""
    as_of: str = ""
    """For a reply, the id of the newest entry in its request, which `usage` measured; "" in older records."""
    ending: ReplyEnding = ""
    """Why the provider ended the reply early; "" in older records."""
    lost_call: str = ""
    """The tool of a call in the middle of which the reply ended, and that was not run; "" for none."""

    @property
    def text(self) -> str:
        """The visible text: text parts and tool results, joined by blank lines."""
        if len(self.parts) == 1 and type(only := self.parts[0]) is Text:  # most messages
            return only.text
        return "\n\n".join(p.text for p in self.parts if isinstance(p, Text | ToolResult) and p.text)

    @property
    def can_continue(self) -> bool:
        """Whether it is an incomplete reply that the model can continue."""
        is_cut = self.role is Role.ASSISTANT and (self.is_interrupted or self.ending == "length")
        return is_cut and not self.tool_calls and bool(self.lost_call or self.text.strip())

    @property
    def has_image(self) -> bool:
        return any(isinstance(part, Attachment) and part.is_image for part in self.parts)

    @property
    def is_counted(self) -> bool:
        """Whether a person counts it as a message: not a system prompt, and not the rest of a stopped reply."""
        return self.role is not Role.SYSTEM and not self.continues

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        if len(self.parts) == 1 and type(self.parts[0]) is Text:  # most messages
            return ()
        return tuple(
            [p for p in self.parts if isinstance(p, ToolCall)]
        )  # a list is twice as fast, and this is called often

    @property
    def tool_result(self) -> ToolResult | None:
        """The result in a tool message; None in other messages."""
        for part in self.parts:
            if isinstance(part, ToolResult):
                return part
        return None


def with_parts(message: Message, parts: Sequence[Part]) -> Message:
    """Return the message with the parts; the message itself if they are the same objects."""
    is_same = len(parts) == len(message.parts) and all(map(operator.is_, parts, message.parts))
    return message if is_same else replace(message, parts=tuple(parts))


class MessageDraft(msgspec.Struct, frozen=True):
    """A message that is being written: the content of the composer."""

    text: str = ""
    attachments: tuple[Attachment, ...] = ()


def user_message(text: str, attachments: tuple[Attachment, ...] = ()) -> Message:
    """Return a user's message, not yet stamped."""
    texts = (Text(text),) if text.strip() or not attachments else ()
    return Message(role=Role.USER, parts=(*texts, *attachments))
