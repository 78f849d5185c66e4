"""One reply as it streams: what has arrived is told at once, and kept at least every half second."""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator

from desktop_app.context.breakdown import grown_by
from desktop_app.conversation.events import GaugeChanged, ReasoningDelta, ReplyStarted, TextDelta, TurnEvent
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import Message, Part, Reasoning, Role, Text

from .ports import Piece, ReasoningPiece, ReplyEnd, TextPiece
from .session import Session

KEEP_EVERY = 0.4
"""Seconds between two savings of a partial reply; the design promises half a second."""


class ReplyInFlight:
    """A reply that is still growing. `message` is what has arrived so far, as the record would have it."""

    def __init__(self, model: str) -> None:
        self.id = uuid.uuid4().hex
        self.started_at = time.time()
        self._model = model
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._end: ReplyEnd | None = None

    def add(self, piece: Piece) -> None:
        """Grows by a piece."""
        match piece:
            case TextPiece(text):
                self._text.append(text)
            case ReasoningPiece(text):
                self._reasoning.append(text)
            case ReplyEnd():
                self._end = piece

    @property
    def is_empty(self) -> bool:
        """Whether nothing worth keeping has arrived."""
        return not (self._text or self._reasoning or (self._end and self._end.tool_calls))

    def message(self) -> Message:
        """What has arrived. Interrupted, unless the provider said that the reply is whole."""
        parts: list[Part] = []
        if self._reasoning:
            parts.append(Reasoning("".join(self._reasoning)))
        if self._text:
            parts.append(Text("".join(self._text)))
        if self._end is not None:
            parts.extend(self._end.tool_calls)
        return Message(
            id=self.id,
            at=self.started_at,
            role=Role.ASSISTANT,
            parts=tuple(parts),
            model=self._model,
            is_interrupted=self._end is None,
            usage=self._end.usage if self._end else None,
            seconds=time.time() - self.started_at,
        )


async def reply_streamed(session: Session, reply: ReplyInFlight, messages: list[Message]) -> AsyncIterator[TurnEvent]:
    """Sends the request and grows `reply`, event by event. Raises ModelError; what had arrived stays in `reply`."""
    yield ReplyStarted(session.id, reply.id, session.model_info.label)
    gauge, told = session.gauge(), 0
    pieces = session.model.stream(messages, session.budget.reserve)
    kept_at, is_kept = time.monotonic(), True
    async with contextlib.aclosing(_with_pauses(pieces)) as arriving:
        async for piece in arriving:
            if piece is not None:
                reply.add(piece)
                is_kept = False
                text = piece.text if isinstance(piece, TextPiece | ReasoningPiece) else ""
                told += session.counts.text(text)
                if isinstance(piece, TextPiece):
                    yield TextDelta(session.id, reply.id, text)
                elif isinstance(piece, ReasoningPiece):
                    yield ReasoningDelta(session.id, reply.id, text)
                yield GaugeChanged(
                    session.id, grown_by(gauge, Segment.ASSISTANT, session.estimated(told), session.policy)
                )
            if not is_kept and time.monotonic() - kept_at >= KEEP_EVERY:
                await session.archive.keep_partial(session.id, reply.message())
                kept_at, is_kept = time.monotonic(), True


async def _with_pauses(pieces: AsyncGenerator[Piece, None]) -> AsyncGenerator[Piece | None, None]:
    """The pieces, and None whenever none came for a while: a stalled stream must be kept, too."""
    arriving: asyncio.Task[Piece] | None = None
    try:
        while True:
            arriving = arriving or asyncio.ensure_future(anext(pieces))
            done, _ = await asyncio.wait({arriving}, timeout=KEEP_EVERY)
            if not done:
                yield None
                continue
            finished, arriving = arriving, None
            try:
                yield finished.result()
            except StopAsyncIteration:
                return
    finally:
        if arriving is not None:
            arriving.cancel()
            await asyncio.wait({arriving})
        await pieces.aclose()
