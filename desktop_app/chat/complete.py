"""One small request to a model beside the conversation: for a title, for a digest, for what is in an image."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing

import msgspec

from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import AuxiliaryUsage

from .ports import ChatModel, ModelError, Price, ReplyEnd, TextPiece, with_price

CHARACTERS_MOST = 20_000
"""Of a reply: who writes more does not mind the limit."""


class Completion(msgspec.Struct, frozen=True):
    """What a model said, and what it took, which is to be recorded."""

    text: str
    upkeep: AuxiliaryUsage


async def complete(
    model: ChatModel, purpose: str, messages: Sequence[Message], tokens: int, seconds: float, price: Price | None
) -> Completion:
    """The whole reply, of at most `tokens`, which is waited for that long; one that is cut there is taken as it is.

    purpose: as `AuxiliaryUsage` has it. Raises ModelError. Cancelling closes the connection.
    """
    label, arrived, length, usage = model.info.label, list[str](), 0, None
    most = min(tokens, model.info.max_output or tokens)
    try:
        async with asyncio.timeout(seconds), aclosing(model.stream(messages, most)) as pieces:
            async for piece in pieces:
                if isinstance(piece, TextPiece):
                    arrived.append(piece.text)
                    length += len(piece.text)
                elif isinstance(piece, ReplyEnd):
                    usage = with_price(piece.usage, price)
                if length > CHARACTERS_MOST:
                    raise ModelError(Failure("garbage", f"{label} wrote more than it may"), kind="garbage")
    except TimeoutError:
        failure = Failure("timeout", f"{label} took longer than {seconds:.0f} s")
        raise ModelError(failure, kind="timeout") from None
    return Completion(
        "".join(arrived).strip(), AuxiliaryUsage(purpose=purpose, model=model.info.record_name, usage=usage)
    )
