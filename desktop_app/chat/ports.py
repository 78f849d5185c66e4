"""The ports: what the verbs need from the outside, as protocols.

`models/` and `tools/` fit them, without knowing each other; `engine/compose` joins them.
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
    """What a model costs, in US dollars for each token. None: cached tokens cost what others cost."""

    prompt: float
    reply: float
    cached: float | None = None
    cache_written: float | None = None

    def of(self, usage: Usage) -> float:
        """Return what a request with that usage costs, in US dollars."""
        cached = self.prompt if self.cached is None else self.cached
        written = self.prompt if self.cache_written is None else self.cache_written
        plain = usage.prompt_tokens - usage.cached_tokens - usage.cache_written_tokens
        prompt = plain * self.prompt + usage.cached_tokens * cached + usage.cache_written_tokens * written
        return prompt + usage.reply_tokens * self.reply


def with_price(usage: Usage | None, price: Price | None) -> Usage | None:
    """Return the usage with what it cost: as the provider said, else by the price list, if the model is in it."""
    if usage is None or usage.dollars is not None or price is None:
        return usage
    return replace(usage, dollars=price.of(usage))


NO_OPTIONS = ReplyOptions()
MESSAGE_STORED = translatable("Your message is stored.")
Emit = Callable[[TurnEvent], None]
"""Where events go, in order, each once what it tells is stored."""


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
    "timeout",
    "connection",
    "cut",
    "garbage",
]
"""The kinds of a provider's errors; "provider" where the kind is not known."""


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
    the observed ones were asked for as the reply, where it says so.
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


class WindowUnknown(ModelError):
    """It is not known how many tokens the model accepts. `info` and `tokenizer` hold what is known."""

    def __init__(self, failure: Failure, info: ModelInfo, tokenizer: Tokenizer) -> None:
        super().__init__(failure)
        self.info = info
        self.tokenizer = tokenizer


class TextPiece(msgspec.Struct, frozen=True):
    """Text that the reply has grown by."""

    text: str


class ReasoningPiece(msgspec.Struct, frozen=True):
    """Reasoning that the reply has grown by."""

    text: str


class ReplyEnd(msgspec.Struct, frozen=True):
    """The last piece of every stream that was not cut."""

    reason: str
    """"stop", "tool_calls"; "length", the longest that was asked for; "window", where that was full; "content_filter",
    which the provider or the model refused; "malformed_call", which the provider dropped."""
    usage: Usage | None = None
    tool_calls: tuple[ToolCall, ...] = ()


class ToolCallPiece(msgspec.Struct, frozen=True):
    """Text that the arguments of a tool call have grown by; the whole call comes with `ReplyEnd`."""

    index: int
    """Which of the calls."""
    name: str
    text: str


Piece = TextPiece | ReasoningPiece | ToolCallPiece | ReplyEnd


class ChatModel(Protocol):
    """A language model that can be talked to."""

    @property
    def info(self) -> ModelInfo:
        """Its name, window and limits."""
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """What counts for it. The first use may load data from disk."""
        ...

    def stream(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        tools: Sequence[ToolSpec] = (),
        options: ReplyOptions = NO_OPTIONS,
    ) -> AsyncGenerator[Piece, None]:
        """Yield the reply piece by piece, ending with `ReplyEnd`. Raises only ModelError.

        Closing the iterator or cancelling the task closes the connection. Messages start with the system
        prompt, if there is one, then a user message; calls and results are paired. tools: those on offer. options:
        those that the provider does not take are not sent.
        """
        ...

    async def prepare(self) -> None:
        """Get ready for a request that is expected soon: start a local server. Never raises."""
        ...

    async def read_ahead(self, messages: Sequence[Message]) -> None:
        """Let a local server read the messages now, so that a request that begins with them starts sooner.

        Does nothing where reading costs money. Never raises; cancelling it is cheap.
        """
        ...


MayRead = Callable[[tuple[RequiredPermission, ...]], Awaitable[bool]]


class Toolbox(Protocol):
    """The tools that a model may call."""

    async def specs(self, context: ToolContext) -> tuple[ToolSpec, ...]:
        """Return the tools on offer there, in an order that does not change; none of a server that does not answer."""
        ...

    async def needs(self, call: ToolCall, context: ToolContext) -> tuple[RequiredPermission, ...]:
        """Return the permissions that the call needs; none if it is harmless, or cannot be run anyway."""
        ...

    async def preview(self, call: ToolCall, context: ToolContext, may_read: MayRead) -> ChangePreview | None:
        """Return what the call would change in a file; None for other calls. may_read: whether the file may be looked
        at without asking for these permissions."""
        ...

    def run(self, call: ToolCall, context: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        """Yield output as it comes, if the tool shows any, and finally the outcome. Never raises WorldError.

        Closing the iterator or cancelling the task ends the tool and all its children.
        """
        ...

    def failures(self) -> tuple[Failure, ...]:
        """Return which servers of tools do not answer, and why."""
        ...


class Spills(Protocol):
    """Where the whole text of truncated outputs lies, named by its SHA-256."""

    async def keep(self, text: str) -> str:
        """Store the text once, and return its name. Raises WorldError."""
        ...

    async def read(self, name: str) -> str | None:
        """Return the text; None if there is none of that name. Raises WorldError."""
        ...


class ModelCatalogue(Protocol):
    """The models that are set up."""

    def infos(self) -> tuple[ModelInfo, ...]:
        """Return the models that can be chosen, the built-in one first."""
        ...

    def model(self, model_id: str) -> ChatModel:
        """Return that model. Raises WindowUnknown, or ModelError with the known ids if it is unknown."""
        ...

    async def resolve_model(self, model_id: str) -> ChatModel:
        """Return that model, after asking its server for its window unless that was done. Takes seconds at most.

        Raises ModelError: for a window that was never known it says what the server answered, or that it did not.
        """
        ...

    async def count_tools(self, model_id: str, tools: tuple[ToolSpec, ...]) -> int | None:
        """Return the tokens that the template of the model's own server makes of these tools; None where none can be
        asked. Takes seconds at most. Never raises."""
        ...

    def price(self, model_id: str) -> Price | None:
        """Return what the model costs; None if that is not known, or nothing."""
        ...


class EntryStore(Protocol):
    """Where a session stores its record. Every method raises only ArchiveError; what it returned from is stored."""

    async def append(
        self,
        conversation: str,
        *entries: AnyEntry,
        archived: Sequence[str] = (),
        restored: Sequence[str] = (),
        unsent: UnsentMessages | None = None,
    ) -> None:
        """Add to the record in one transaction. A message whose id was in flight is no longer in flight.

        archived, restored: messages that the entries take out of the view or bring back, marked so for searches.
        unsent: the draft and the queue from now on; None if they stay.
        """
        ...

    async def store_partial(self, conversation: str, partial: Message) -> None:
        """Store what has arrived of a reply, in place of what was stored of it before."""
        ...
