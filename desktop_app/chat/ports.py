"""Ports: the protocols through which conversations use models, tools and the archive.

`models/` and `tools/` implement them independently of each other; `engine/compose` connects them.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Literal, Protocol

import msgspec
from msgspec.structs import replace

from desktop_app.context.counting.tokens import Tokenizer
from desktop_app.conversation.events import Failure, TurnEvent, WorldError
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message, ToolCall, Usage
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.tools import ChangePreview, RequiredPermission, ToolContext, ToolOutcome, ToolSpec
from desktop_app.conversation.transcript import AnyEntry
from desktop_app.conversation.unsent import UnsentMessages
from desktop_app.conversation.words import translatable


class Price(msgspec.Struct, frozen=True):
    """The price of a model, in US dollars per token. None: cached tokens cost the same as others."""

    prompt: float
    reply: float
    cached: float | None = None
    cache_written: float | None = None

    def of(self, usage: Usage) -> float:
        """Return the cost of a request with that usage, in US dollars."""
        cached = self.prompt if self.cached is None else self.cached
        written = self.prompt if self.cache_written is None else self.cache_written
        plain = usage.prompt_tokens - usage.cached_tokens - usage.cache_written_tokens
        prompt = plain * self.prompt + usage.cached_tokens * cached + usage.cache_written_tokens * written
        return prompt + usage.reply_tokens * self.reply


def with_price(usage: Usage | None, price: Price | None) -> Usage | None:
    """Return the usage with its cost: as the provider reported it, otherwise by the price, if there is one."""
    if usage is None or usage.dollars is not None or price is None:
        return usage
    return replace(usage, dollars=price.of(usage))


NO_OPTIONS = ReplyOptions()
MESSAGE_STORED = translatable("Your message is stored.")
FRAME_SECONDS = 0.025
"""How often what streams is handed on: a screen shows sixty pictures a second, and half of them look smooth. Less often
would stutter, and more often would cost time for what nobody can read."""
Emit = Callable[[TurnEvent], None]
"""Called with events in order, each after the change that it reports has been stored."""


ErrorKind = Literal[
    "provider",
    "overflow",
    "rate_limit",
    "quota",
    "auth",
    "not_found",
    "malformed",
    "content_filter",
    "unsupported",
    "server",
    "loading",
    "timeout",
    "connection",
    "cut",
    "garbage",
]
"""The kinds of a provider's errors; "provider" if the kind is unknown."""


DELETED = Failure(
    kind="deleted",
    title=translatable("This conversation was deleted"),
    kept=translatable("Nothing was sent or changed."),
    advice=translatable("Restore it first."),
)


class ModelError(WorldError):
    """An error of a provider.

    is_overflow: the request was too long. retry_after: seconds to wait before the next attempt, if the provider says.
    limit, observed: tokens that the provider accepts, and that it counted; 0 if it does not say. reply: how many of
    the observed tokens were requested for the reply, if it says so.
    """

    def __init__(
        self,
        failure: Failure,
        is_overflow: bool = False,
        kind: ErrorKind = "provider",
        retry_after: float | None = None,
        limit: int = 0,
        observed: int = 0,
        reply: int = 0,
    ) -> None:
        super().__init__(failure)
        self.kind: ErrorKind = "overflow" if is_overflow else kind
        self.is_overflow = self.kind == "overflow"
        self.retry_after = retry_after
        self.limit = limit
        self.observed = observed
        self.reply = reply
        self.cured: ChatModel | None = None
        """The same model if the server has said how it wants its requests: this one may be repeated with it."""


class WindowUnknown(ModelError):
    """The size of the model's window is unknown. `info` and `tokenizer` contain what is known."""

    def __init__(self, failure: Failure, info: ModelInfo, tokenizer: Tokenizer, kind: ErrorKind = "provider") -> None:
        super().__init__(failure, kind=kind)
        self.info = info
        self.tokenizer = tokenizer


class TextPiece(msgspec.Struct, frozen=True):
    """Text to append to the reply."""

    text: str


class ReasoningPiece(msgspec.Struct, frozen=True):
    """Text to append to the reply's reasoning."""

    text: str


class TextWasReasoning(msgspec.Struct, frozen=True):
    """All text of the reply so far turned out to be reasoning, which its end marks."""


class ReceivedSummary(msgspec.Struct, frozen=True):
    """A summary in its provider's own form."""

    content: str
    """The blocks or items in JSON."""
    text: str
    """What can be read of it: the summary, or the messages that accompany an encrypted one."""
    is_encrypted: bool = False


class ReplyEnd(msgspec.Struct, frozen=True):
    """The last piece of each stream that was not cut off."""

    reason: str
    """"stop"; "tool_calls"; "length": `max_tokens` was reached; "window": the window is full; "content_filter": refused
    by the provider or the model; "malformed_call": dropped by the provider."""
    usage: Usage | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    summary: ReceivedSummary | None = None
    """The provider's own summary, if `SummaryOptions` asked for one."""


class ToolCallPiece(msgspec.Struct, frozen=True):
    """Text to append to the arguments of a tool call. `ReplyEnd` contains the complete call."""

    index: int
    """The index of the call in the reply."""
    name: str
    text: str


Piece = TextPiece | ReasoningPiece | TextWasReasoning | ToolCallPiece | ReplyEnd


class ChatModel(Protocol):
    """A language model for chats."""

    @property
    def info(self) -> ModelInfo:
        """The model's name, window and limits."""
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that counts for this model. Its first use may load data from disk."""
        ...

    def stream(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        tools: Sequence[ToolSpec] = (),
        options: ReplyOptions = NO_OPTIONS,
    ) -> AsyncGenerator[Piece, None]:
        """Yield the reply piece by piece, ending with `ReplyEnd`. Raises only ModelError.

        Closing the iterator or cancelling the task closes the connection. messages: begin with the system prompt, if
        there is one, and a user message; calls and results are paired. options: those that the provider does not
        support are not sent.
        """
        ...

    async def prepare(self) -> None:
        """Start a local server, since a request is expected soon. Never raises."""
        ...

    async def read_ahead(self, messages: Sequence[Message]) -> None:
        """Let a local server process the messages now, so that a request that begins with them starts sooner.

        Does nothing where input tokens cost money. Never raises; cancelling it is cheap.
        """
        ...


MayRead = Callable[[tuple[RequiredPermission, ...]], Awaitable[bool]]


class Toolbox(Protocol):
    """The tools that a model can call."""

    async def specs(self, context: ToolContext) -> tuple[ToolSpec, ...]:
        """Return the available tools, in a stable order; servers that do not answer are left out."""
        ...

    async def get_ready(self, context: ToolContext, report: Callable[[Failure], None]) -> None:
        """Wait for tool servers that are starting. report: gets a word if that takes long, and each new failure."""
        ...

    def owns(self, name: str) -> bool:
        """Return whether a tool of that name can only be its own, even if it is not available now."""
        ...

    async def needs(self, call: ToolCall, context: ToolContext) -> tuple[RequiredPermission, ...]:
        """Return the permissions that the call needs; none if it is harmless, or would fail anyway."""
        ...

    async def preview(self, call: ToolCall, context: ToolContext, may_read: MayRead) -> ChangePreview | None:
        """Return the change that the call would make to a file; None for other calls.

        may_read: returns whether the file may be read for this without asking for these permissions.
        """
        ...

    def run(self, call: ToolCall, context: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        """Yield output as it arrives, if the tool streams any, and finally the outcome. Never raises WorldError.

        Closing the iterator or cancelling the task ends the tool and all its children.
        """
        ...

    def failures(self) -> tuple[Failure, ...]:
        """Return a failure for each tool server that does not answer."""
        ...


class Spills(Protocol):
    """The full texts of truncated outputs, named by their SHA-256."""

    async def keep(self, text: str) -> str:
        """Store the text, unless it is stored already, and return its name. Raises WorldError."""
        ...

    async def read(self, name: str) -> str | None:
        """Return the text of that name; None if there is none. Raises WorldError."""
        ...


class ModelCatalogue(Protocol):
    """The configured models."""

    def infos(self) -> tuple[ModelInfo, ...]:
        """Return the models that can be chosen, the built-in one first."""
        ...

    def model(self, model_id: str) -> ChatModel:
        """Return that model. Raises WindowUnknown, or ModelError with the known ids if there is no such model."""
        ...

    async def resolve_model(self, model_id: str, asks_again: bool = False) -> ChatModel:
        """Return that model, after asking its server for the window unless that is known. Takes a few seconds at most.

        asks_again: whether to ask even if it is known, since it may have changed, unless the settings have it. Raises
        ModelError if the window was never known, with the server's answer or the fact that it gave none.
        """
        ...

    async def count_tools(self, model_id: str, tools: tuple[ToolSpec, ...]) -> int | None:
        """Return the tokens of these tools in the template of the model's own server; None if it has no such server.

        Takes a few seconds at most. Never raises.
        """
        ...

    async def learn(self, model_id: str, quirk: str = "", window: int | None = None) -> ChatModel:
        """Remember what a refusal has taught about the model, for all conversations and later runs.

        window: the tokens that it accepts, 0 to forget them; None to change nothing. Return the model with it. Raises
        ModelError if it does not exist.
        """
        ...

    def price(self, model_id: str) -> Price | None:
        """Return the price of the model; None if it is unknown or free."""
        ...


class EntryStore(Protocol):
    """The store of a session's record. Methods return once the data is stored, and raise only ArchiveError."""

    async def append(
        self,
        conversation: str,
        *entries: AnyEntry,
        archived: Sequence[str] = (),
        restored: Sequence[str] = (),
        unsent: UnsentMessages | None = None,
    ) -> None:
        """Append entries to the record in one transaction. A message replaces its stored partial reply.

        archived, restored: ids of messages that the entries take out of the view or bring back, marked for searches.
        unsent: the new draft and queue; None if they do not change.
        """
        ...

    async def store_partial(self, conversation: str, partial: Message) -> None:
        """Store the part of a reply that has arrived, in place of the part stored before."""
        ...
