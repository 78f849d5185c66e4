"""Token counts of messages, each counted once and cached, and of texts that grow piece by piece, without drift."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from typing import Protocol

import msgspec
from msgspec.structs import replace

from desktop_app.context.view.dialect import reasoning_of, returns_metadata, sent_part
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.listing import Dialect
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.tools import ToolSpec

from .picture_tokens import PictureRule, picture_tokens
from .renderings import CallForm, ToolForm, call_texts, to_json, tool_texts

AS_IT_IS = Dialect()

SEPARATOR = "\n\n"
"""What stands between two texts of one message, as it is sent."""


MAX_REASONING, MAX_TOOLS = 1_024, 16
"""Texts of reasoning, and sets of tools, whose counts are kept."""


class Overhead(msgspec.Struct, frozen=True):
    """What a chat template writes around the texts, in tokens. The defaults are OpenAI's published counting rule."""

    message: int = 4
    """Around each message."""
    assistant: int | None = None
    """Around each of the model's own; None: as around each message."""
    priming: int = 3
    """Once a request, to start the reply; it belongs to the system segment."""
    calling: int = 0
    """Around a reply that has calls, more than around another one."""
    silent: int = 0
    """Around a reply that has calls and no text, besides."""
    system: int | None = None
    """Around the system prompt; None: as around each message."""
    unasked: int = 0
    """What stands in its place where none is sent, such as a prompt of the template's own."""
    result: int | None = None
    """Around the only result of a reply; None: as around each message."""
    results: int = 0
    """How much of it is around all results of one reply together. A message is counted by itself, so that each result
    has it, and a reply with several calls has it less often, as a part of the results."""
    calls: int = 0
    """Around all calls of one reply together."""
    call: int = 0
    """Around each call."""
    argument: int = 0
    """Around each argument of a call."""
    tools: int = 0
    """How the tools are introduced, once."""
    tool: int = 8
    """Around each tool. OpenAI does not say; what is wrong with it is learned from reports."""
    tools_alone: int = 0
    """Beside the tools where no system prompt is sent."""
    call_form: CallForm = "plain"
    tool_form: ToolForm = "plain"
    drops_text: bool = False
    """Whether the text of a reply that has calls is left out."""
    pictures: PictureRule = ""
    """By which rule a picture is counted."""
    quotes_results: bool = False
    """Whether results are written as JSON strings."""

    def forms(self, call_form: CallForm, tool_form: ToolForm) -> Overhead:
        """Return the same numbers for calls and tools in those forms."""
        return replace(self, call_form=call_form, tool_form=tool_form)

    def around(self, role: Role) -> int:
        of_roles = {Role.ASSISTANT: self.assistant, Role.TOOL: self.result, Role.SYSTEM: self.system}
        own = of_roles.get(role)
        return self.message if own is None else own

    def not_generated(self, message: Message) -> int:
        """Return the tokens that are counted with a reply, and that its model does not write."""
        around = self.around_calls(message)
        return self.around(Role.ASSISTANT) + sum(tokens for s, tokens in around.items() if s is not Segment.CALLS)

    def around_calls(self, message: Message) -> dict[Segment, int]:
        """Return what is around a reply because it has calls, and what the results of several have less than if each
        were the only one."""
        calls = len(message.tool_calls)
        if not calls:
            return {}
        frame = self.calling + (0 if message.text else self.silent)
        around = {Segment.ASSISTANT: frame, Segment.CALLS: self.calls}
        return {**around, Segment.RESULTS: self.results * (1 - calls)} if self.results and calls > 1 else around

    def without_system(self, has_tools: bool) -> int:
        """Return the tokens that a request has more where no system prompt is sent."""
        return self.unasked + (self.tools_alone if has_tools else 0)


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
    role_segment, overhead = SEGMENT_OF_ROLE[message.role], tokenizer.overhead
    by_segment = {role_segment: overhead.around(message.role)}
    if message.speaker:
        by_segment[role_segment] += tokenizer.count(message.speaker)
    written, calls = 0, message.tool_calls
    for part in message.parts:
        match sent_part(part, dialect):
            case Text(text):
                segment, tokens = role_segment, 0 if calls and overhead.drops_text else tokenizer.count(text)
                written += 1
            case Reasoning():
                continue  # whether it is sent back depends on the request
            case ToolCall() as call:
                segment, tokens = Segment.CALLS, _call_tokens(call, tokenizer)
            case ToolResult(_, _, text):
                segment = Segment.RESULTS
                tokens = tokenizer.count(to_json(text) if overhead.quotes_results else text)
                written += 1
            case Attachment() as attachment:
                segment = Segment.ATTACHMENTS
                is_image, rule = attachment.is_image, overhead.pictures
                tokens = picture_tokens(attachment, rule) if is_image else tokenizer.count(attachment.as_text)
                written += not attachment.is_image
        by_segment[segment] = by_segment.get(segment, 0) + tokens
    for segment, tokens in overhead.around_calls(message).items():
        by_segment[segment] = by_segment.get(segment, 0) + tokens
    if calls and any(_has_details(call, dialect) for call in calls):
        by_segment[Segment.REASONING] = tokenizer.count(reasoning_of(message))
    if written > 1 and message.role is Role.SYSTEM and set(by_segment) == {role_segment}:
        # Each request has it: it is counted as the one text that is sent, and not by its parts.
        sent = [sent_part(part, dialect) for part in message.parts]
        texts = [part.text for part in sent if isinstance(part, Text)]
        by_segment[role_segment] += tokenizer.count(SEPARATOR.join(texts)) - sum(map(tokenizer.count, texts))
    elif written > 1:
        by_segment[role_segment] += (written - 1) * tokenizer.count(SEPARATOR)
    return Tokens(sum(by_segment.values()), tuple(by_segment.items()))


def _call_tokens(call: ToolCall, tokenizer: Tokenizer) -> int:
    overhead = tokenizer.overhead
    texts, arguments = call_texts(call, overhead.call_form)
    return overhead.call + overhead.argument * arguments + sum(map(tokenizer.count, texts))


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
        self._of_tools: dict[tuple[ToolSpec, ...], int] = {}

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

    def pictures(self, message: Message) -> int:
        """Return the tokens of the pictures in that message."""
        parts = (sent_part(part, self.dialect) for part in message.parts) if message.has_image else ()
        rule = self.tokenizer.overhead.pictures
        return sum(picture_tokens(part, rule) for part in parts if isinstance(part, Attachment) and part.is_image)

    def text(self, text: str) -> int:
        """Count loose text; the count is not kept."""
        return self.tokenizer.count(text)

    def tools(self, tools: tuple[ToolSpec, ...]) -> int:
        """Return the tokens of a set of tools: as the model's server has said, else as its template writes them."""
        tokens = self._of_tools.get(tools)
        if tokens is None:
            tokens = self._kept_tools(tools, self._tools(tools))
        return tokens

    def learn_tools(self, tools: tuple[ToolSpec, ...], tokens: int) -> None:
        """Take over what the server itself makes of these tools."""
        self._kept_tools(tools, tokens)

    def _kept_tools(self, tools: tuple[ToolSpec, ...], tokens: int) -> int:
        if len(self._of_tools) >= MAX_TOOLS:
            self._of_tools = {}
        self._of_tools[tools] = tokens
        return tokens

    def _tools(self, tools: tuple[ToolSpec, ...]) -> int:
        return (self.tokenizer.overhead.tools if tools else 0) + sum(map(self.tool, tools))

    def tool(self, tool: ToolSpec) -> int:
        """Return the tokens of one tool, as the template writes it."""
        texts, more = tool_texts(tool, self.tokenizer.overhead.tool_form)
        return self.tokenizer.overhead.tool + more + sum(map(self.tokenizer.count, texts))

    @cached_property
    def separator(self) -> int:
        return self.tokenizer.count(SEPARATOR)


RECOUNT_EVERY = 256
"""Tokens: what is added piece by piece counts a little too much at each border, until it is recounted."""
MAX_TAIL = 16_384
"""Characters without a blank between two words, as of encoded data: more are not kept to be recounted."""


class GrowingCount:
    """Adds up pieces as they come, and recounts the whole now and then, and when asked to be exact."""

    def __init__(self, count: Callable[[str], int], every: int = RECOUNT_EVERY) -> None:
        self._count = count
        self._every = every
        self._tail = ""
        self._settled = self._rough = self._since = 0

    @property
    def tokens(self) -> int:
        """Tokens so far; at most those of `every` tokens are counted piece by piece."""
        return self._settled + self._rough

    def add(self, text: str) -> None:
        tokens = self._count(text)
        self._tail += text
        self._rough += tokens
        self._since += tokens
        if self._since >= self._every:
            self.recount()

    def recount(self) -> int:
        """Return the tokens of the text as a whole."""
        if self._since:
            cut = len(self._tail) if len(self._tail) > MAX_TAIL else _last_border(self._tail)
            self._settled += self._count(self._tail[:cut]) if cut else 0
            self._tail = self._tail[cut:]
            self._rough = self._count(self._tail) if self._tail else 0
            self._since = 0
        return self.tokens


def _last_border(text: str) -> int:
    """Return where the last word begins, with the blank before it: no tokenizer joins what lies on both sides."""
    index = text.rfind(" ")
    while index > 0 and not (text[index + 1 : index + 2].isalpha() and not text[index - 1].isspace()):
        index = text.rfind(" ", 0, index)
    return max(index, 0)
