"""Tokens of messages: each is counted once, and the count is kept."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Protocol

import msgspec

from desktop_app.context.view.dialect import reasoning_of, returns_metadata, sent_part
from desktop_app.conversation.dialect import Dialect
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.tools import ToolSpec

IMAGE_TOKENS = 1_200
"""An image of unknown provider rule (features.md C3; pi-mono uses the same figure)."""
TOOL_OVERHEAD = 8
"""What frames one schema; providers do not say, and what is wrong with it is learned from their reports."""

AS_IT_IS = Dialect()

SEPARATOR = "\n\n"
"""What stands between two texts of one message, as it is sent."""


MAX_REASONING, MAX_TOOLS = 1_024, 16
"""Texts of reasoning, and sets of tools, whose counts are kept."""


class Overhead(msgspec.Struct, frozen=True):
    """Tokens around the text: role and separators. The defaults are OpenAI's published counting rule."""

    message: int = 4
    """Around each message."""
    assistant: int = 4
    """Around each of the model's own, where that differs."""
    priming: int = 3
    """Once a request, to start the reply; it belongs to the system segment."""

    def around(self, role: Role) -> int:
        return self.assistant if role is Role.ASSISTANT else self.message


class Tokenizer(Protocol):
    """Counts text for one family of models."""

    @property
    def name(self) -> str:
        """Such as "o200k" or "smollm2"."""
        ...

    @property
    def overhead(self) -> Overhead: ...

    def count(self, text: str) -> int:
        """Return the tokens of the text. Never raises: special tokens in it count as plain text."""
        ...


class Tokens(msgspec.Struct, frozen=True, gc=False):
    """Tokens of one message, by segment. `total` is their sum."""

    total: int
    parts: tuple[tuple[Segment, int], ...]


READABLE = ("reasoning.text", "reasoning.summary", "thinking")
"""Types of the details of reasoning that goes back as text, OpenRouter's and Claude's."""
SEGMENT_OF_ROLE = {
    Role.SYSTEM: Segment.SYSTEM,
    Role.USER: Segment.USER,
    Role.ASSISTANT: Segment.ASSISTANT,
    Role.TOOL: Segment.RESULTS,
}


def count_message(message: Message, tokenizer: Tokenizer, dialect: Dialect = AS_IT_IS) -> Tokens:
    """Return the tokens of a message as it is sent in that dialect: its parts, and the overhead in its role's segment.

    What depends on the whole request, such as the reasoning that goes back, is not among them: see `breakdown.py`.
    """
    role_segment = SEGMENT_OF_ROLE[message.role]
    by_segment = {role_segment: tokenizer.overhead.around(message.role)}
    if message.speaker:
        by_segment[role_segment] += tokenizer.count(message.speaker)
    written = 0
    for part in message.parts:
        match sent_part(part, dialect):
            case Text(text):
                segment, tokens = role_segment, tokenizer.count(text)
                written += 1
            case Reasoning():
                continue  # whether it is sent back depends on the request
            case ToolCall(_, name, arguments):
                segment, tokens = Segment.CALLS, tokenizer.count(name) + tokenizer.count(arguments)
            case ToolResult(_, _, text):
                segment, tokens = Segment.RESULTS, tokenizer.count(text)
                written += 1
            case Attachment() as attachment:
                segment = Segment.ATTACHMENTS
                tokens = IMAGE_TOKENS if attachment.is_image else tokenizer.count(attachment.as_text)
                written += not attachment.is_image
        by_segment[segment] = by_segment.get(segment, 0) + tokens
    if any(_has_details(call, dialect) for call in message.tool_calls):
        by_segment[Segment.REASONING] = tokenizer.count(reasoning_of(message))
    if written > 1 and message.role is Role.SYSTEM and set(by_segment) == {role_segment}:
        # Each request has it: it is counted as the one text that is sent, and not by its parts.
        sent = [sent_part(part, dialect) for part in message.parts]
        texts = [part.text for part in sent if isinstance(part, Text)]
        by_segment[role_segment] += tokenizer.count(SEPARATOR.join(texts)) - sum(map(tokenizer.count, texts))
    elif written > 1:
        by_segment[role_segment] += (written - 1) * tokenizer.count(SEPARATOR)
    return Tokens(sum(by_segment.values()), tuple(by_segment.items()))


def _content_of(message: Message) -> object:
    """Return what the tokens of a message depend on."""
    return message.role, message.speaker, message.parts


def _has_details(call: ToolCall, dialect: Dialect) -> bool:
    """Return whether readable reasoning goes back to that model with the call. Encrypted one cannot be counted."""
    has_text = any(f'"type":"{kind}"' in call.provider_metadata for kind in READABLE)
    return has_text and returns_metadata(call, dialect)


class TokenCounts:
    """Counts of messages under one tokenizer, each made once: a message is a value and never changes.

    They are kept by identity, and by content for messages that a fold makes anew. The kept message is referenced here,
    so that its identity cannot be given to another one meanwhile. Reasoning and schemas are counted once, too.
    """

    def __init__(self, tokenizer: Tokenizer, dialect: Dialect = AS_IT_IS) -> None:
        self.tokenizer = tokenizer
        self.dialect = dialect
        self._kept: dict[int, tuple[Message, Tokens]] = {}
        self._by_content: dict[object, Tokens] = {}
        self.reasoning = lru_cache(MAX_REASONING)(tokenizer.count)
        self.tools = lru_cache(MAX_TOOLS)(self._tools)

    def of(self, message: Message) -> Tokens:
        kept = self._kept.get(id(message))
        if kept is not None:
            return kept[1]
        content = _content_of(message)
        tokens = self._by_content.get(content)
        if tokens is None:
            tokens = self._by_content[content] = count_message(message, self.tokenizer, self.dialect)
            self._kept[id(message)] = (message, tokens)
        return tokens

    def keep_only(self, messages: Iterable[Message]) -> None:
        """Forget the counts of all others: what has left the view is hardly ever counted again."""
        kept, by_content = dict[int, tuple[Message, Tokens]](), dict[object, Tokens]()
        for message in messages:
            if (tokens := self._by_content.get(content := _content_of(message))) is not None:
                kept[id(message)], by_content[content] = (message, tokens), tokens
        self._kept, self._by_content = kept, by_content  # a thread that counts meanwhile fills those of before

    def total(self, message: Message) -> int:
        kept = self._kept.get(id(message))
        return kept[1].total if kept else self.of(message).total

    def text(self, text: str) -> int:
        """Count loose text; the count is not kept."""
        return self.tokenizer.count(text)

    def _tools(self, tools: tuple[ToolSpec, ...]) -> int:
        return sum(map(self.tool, tools))

    def tool(self, tool: ToolSpec) -> int:
        return TOOL_OVERHEAD + sum(map(self.tokenizer.count, (tool.name, tool.description, tool.parameters)))

    @cached_property
    def separator(self) -> int:
        return self.tokenizer.count(SEPARATOR)
