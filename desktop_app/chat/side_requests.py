"""Single requests outside the conversation: for a summary, a title, a digest, notes, or an image caption.

They go to the model that the settings name for the task, or to its fallback.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import Message, Part, Role, Text
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import AuxiliaryUsage
from desktop_app.conversation.words import translatable

from .ports import (
    NO_OPTIONS,
    ChatModel,
    ModelCatalogue,
    ModelError,
    Piece,
    Price,
    ReplyEnd,
    TextPiece,
    TextWasReasoning,
    with_price,
)

MAX_CHARACTERS_PER_TOKEN = 20
"""A reply with more characters per token than this has ignored `max_tokens`. Text has 2 to 6."""


MAX_CURES = 6
"""Repetitions of a request in another form, as its refusals ask."""


class Unfinished(ModelError):
    """The reply is incomplete. The failure's title completes "because …"."""


class Completion(msgspec.Struct, frozen=True):
    """A complete reply."""

    text: str
    end: ReplyEnd
    """The end of the stream; its usage includes the cost, if known."""
    model: str
    """The model's name in the record."""

    def used_for(self, purpose: str) -> AuxiliaryUsage:
        """Return the entry that records the usage of the reply."""
        return AuxiliaryUsage(purpose=purpose, model=self.model, usage=self.end.usage)


async def complete(
    model: ChatModel,
    messages: Sequence[Message],
    *,
    max_tokens: int,
    seconds: float,
    price: Price | None = None,
    tools: Sequence[ToolSpec] = (),
    options: ReplyOptions = NO_OPTIONS,
    on_piece: Callable[[Piece], None] | None = None,
) -> Completion:
    """Return the model's reply to the messages, whatever its stop reason.

    options: for a request that continues the conversation's own, whose cached beginning depends on them. on_piece:
    called with each piece as it arrives. Raises ModelError; Unfinished if the reply takes longer than `seconds`, is
    endless or is cut off. Cancelling closes the connection.
    """
    for _ in range(MAX_CURES):
        try:
            return await _complete(model, messages, max_tokens, seconds, price, tools, options, on_piece)
        except ModelError as error:
            if error.cured is None:
                raise
            model = error.cured
    return await _complete(model, messages, max_tokens, seconds, price, tools, options, on_piece)


async def _complete(
    model: ChatModel,
    messages: Sequence[Message],
    max_tokens: int,
    seconds: float,
    price: Price | None,
    tools: Sequence[ToolSpec],
    options: ReplyOptions,
    on_piece: Callable[[Piece], None] | None,
) -> Completion:
    info, text, length = model.info, list[str](), 0
    max_tokens = min(max_tokens, info.max_output or max_tokens)
    try:
        async with asyncio.timeout(seconds), aclosing(model.stream(messages, max_tokens, tools, options)) as pieces:
            async for piece in pieces:
                if on_piece is not None:
                    on_piece(piece)
                if isinstance(piece, ReplyEnd):
                    end = replace(piece, usage=with_price(piece.usage, price))
                    return Completion("".join(text), end, info.record_name)
                if isinstance(piece, TextPiece):
                    text.append(piece.text)
                    length += len(piece.text)
                if isinstance(piece, TextWasReasoning):
                    text.clear()
                if length > max_tokens * MAX_CHARACTERS_PER_TOKEN:
                    raise Unfinished(Failure("garbage", LONG_REPLY.format(model=info.label)))
    except TimeoutError:
        title = translatable("{model} took too long").format(model=info.label)
        raise Unfinished(Failure("timeout", title)) from None
    raise Unfinished(Failure("cut", translatable("the reply of {model} was cut off").format(model=info.label)))


LONG_REPLY = translatable("the reply of {model} was longer than it may be")


class RoleModel(msgspec.Struct, frozen=True):
    """The model for a task."""

    model: ChatModel
    price: Price | None = None
    replaces: str = ""
    """The id of the model that the settings name, if it cannot be used; "" otherwise."""
    why_replaced: str = ""

    @property
    def label(self) -> str:
        """The model's label, with the id of the model that it replaces."""
        label = self.model.info.label
        in_place = translatable("{model} (in place of {other})")
        return in_place.format(model=label, other=self.replaces) if self.replaces else label

    async def ask(self, prompt: str, *parts: Part, max_tokens: int, seconds: float) -> Completion:
        """Return the reply to a user message of these parts, with that system prompt. Raises as `complete` does."""
        messages = (Message(role=Role.SYSTEM, parts=(Text(prompt),)), Message(role=Role.USER, parts=parts))
        return await complete(self.model, messages, max_tokens=max_tokens, seconds=seconds, price=self.price)


def resolve_role(models: ModelCatalogue, chosen: str, fallback: ChatModel) -> RoleModel:
    """Return the chosen model, or the fallback if none is chosen ("") or the choice cannot be used."""
    try:
        model = models.model(chosen) if chosen else fallback
    except ModelError as error:
        return RoleModel(fallback, models.price(fallback.info.id), chosen, error.failure.title)
    return RoleModel(model, models.price(model.info.id))
