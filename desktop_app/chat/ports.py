"""What the verbs need from the outside, as protocols.

`models/`, `tools/` and `archive/` fit them, without knowing each other; `engine/compose` joins them.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

import msgspec

from desktop_app.context.counting import Tokenizer
from desktop_app.conversation.events import Failure
from desktop_app.conversation.listing import ConversationInfo, ModelInfo, SearchResult
from desktop_app.conversation.message import Message, ToolCall, Usage
from desktop_app.conversation.transcript import AnyEntry


class WorldError(Exception):
    """An error of the world. Its failure can be shown to the user as it is."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.title)
        self.failure = failure


class ModelError(WorldError):
    """A provider did not do what was asked. is_overflow: it said that the request was too long."""

    def __init__(self, failure: Failure, is_overflow: bool = False) -> None:
        super().__init__(failure)
        self.is_overflow = is_overflow


class ArchiveError(WorldError):
    """The archive could not read or write: disk full, read-only, damaged, not ours."""


class TextPiece(msgspec.Struct, frozen=True):
    """Text that the reply has grown by."""

    text: str


class ReasoningPiece(msgspec.Struct, frozen=True):
    """Reasoning that the reply has grown by."""

    text: str


class ReplyEnd(msgspec.Struct, frozen=True):
    """The last piece of every stream that was not cut. reason: "stop", "length" or "tool_calls"."""

    reason: str
    usage: Usage | None = None
    tool_calls: tuple[ToolCall, ...] = ()


Piece = TextPiece | ReasoningPiece | ReplyEnd


class Price(msgspec.Struct, frozen=True):
    """What a model costs, in US dollars for each token."""

    prompt: float
    reply: float


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

    def stream(self, messages: Sequence[Message], max_tokens: int) -> AsyncGenerator[Piece, None]:
        """The reply, piece by piece, ending with `ReplyEnd`. Raises only ModelError.

        Closing the iterator or cancelling the task closes the connection. Messages start with the system
        prompt, if there is one, then a user message; calls and results are paired.
        """
        ...

    async def prepare(self) -> None:
        """Gets ready for a request that is expected soon: a local server is started. Never raises."""
        ...

    async def read_ahead(self, messages: Sequence[Message]) -> None:
        """Lets a local server read the messages now, so that a request that begins with them starts sooner.

        Does nothing where reading costs money. Never raises; cancelling it is cheap.
        """
        ...


class Models(Protocol):
    """The models that are set up."""

    def infos(self) -> tuple[ModelInfo, ...]:
        """All that can be chosen, the built-in one first."""
        ...

    def model(self, model_id: str) -> ChatModel:
        """That model. Raises ModelError when it is unknown, saying which there are."""
        ...

    def price(self, model_id: str) -> Price | None:
        """What it costs, if that is known; None for what costs nothing, too."""
        ...


class Archive(Protocol):
    """The durable store. Every method raises only ArchiveError; what it returned from is stored."""

    async def conversations(self) -> tuple[ConversationInfo, ...]:
        """Those that are not deleted, newest first."""
        ...

    async def conversation(self, conversation: str) -> ConversationInfo:
        """One of them."""
        ...

    async def create(self, info: ConversationInfo, entries: Sequence[AnyEntry] = ()) -> None:
        """A new conversation with its first entries, in one transaction."""
        ...

    async def change(
        self, conversation: str, *, title: str | None = None, model: str | None = None, is_deleted: bool | None = None
    ) -> None:
        """Renames, chooses a model, deletes or restores. Nothing is ever erased."""
        ...

    async def note_gauge(self, conversation: str, share: float, status: str) -> None:
        """Keeps how full the window was, for the sidebar."""
        ...

    async def entries(self, conversation: str) -> tuple[AnyEntry, ...]:
        """The whole record in its order."""
        ...

    async def append(self, conversation: str, *entries: AnyEntry) -> None:
        """Adds to the record in one transaction. A message whose id was in flight is no longer in flight."""
        ...

    async def keep_partial(self, conversation: str, partial: Message) -> None:
        """Keeps what has arrived of a reply. One per conversation: a later one replaces it."""
        ...

    async def recover_partials(self) -> int:
        """Turns every reply that a crash left in flight into an interrupted message. Returns how many."""
        ...

    async def set_archived(self, conversation: str, archived: Sequence[str], restored: Sequence[str]) -> None:
        """Marks which messages are archived, for search results."""
        ...

    async def search(self, query: str, conversation: str | None, limit: int) -> tuple[SearchResult, ...]:
        """Messages found by their words, best first, archived ones too."""
        ...
