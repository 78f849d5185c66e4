"""A reply while it arrives, and its pieces with pauses, so that a stalled one is kept, too."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator

from desktop_app.chat.ports import Piece, ReasoningPiece, ReplyEnd, TextPiece
from desktop_app.conversation.message import Message, Part, Reasoning, ReplyEnding, Role, Text, Usage

ENDINGS: dict[str, ReplyEnding] = {
    "length": "length",
    "content_filter": "content_filter",
    "malformed_call": "malformed_call",
}
"""What the reasons of `ReplyEnd` mean that no whole answer has."""
KEEP_EVERY = 0.4
"""Seconds between two savings of a partial reply; the design promises half a second."""


class ReplyInFlight:
    """A reply that is still growing; `message()` is what has arrived so far, as the record would have it.

    model: who writes it, as the record names it. continues: the id of the stored message that it continues, whose
    text so far, with what that one continued, is `before`.
    """

    def __init__(self, model: str, continues: str = "", before: str = "") -> None:
        self.id = uuid.uuid4().hex
        self.started_at = time.time()
        self.continues = continues
        self.before = before
        # Whether the window knows of it.
        self.is_announced = False
        # Of a request that was not heard out.
        self.usage: Usage | None = None
        # What its newest request was assembled from.
        self.as_of = ""
        # The tool of a call that was cut.
        self.lost_call = ""
        # Characters so far, of text and reasoning.
        self.length = 0
        self._model = model
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._end: ReplyEnd | None = None

    def add(self, piece: Piece) -> None:
        """Add a piece. Of a call only what `ReplyEnd` says is kept."""
        match piece:
            case TextPiece(text):
                self._text.append(text)
                self.length += len(text)
            case ReasoningPiece(text):
                self._reasoning.append(text)
                self.length += len(text)
            case ReplyEnd():
                self._end = piece
            case _:
                pass

    @property
    def text(self) -> str:
        """The text that has arrived."""
        return "".join(self._text)

    @property
    def has_reasoning(self) -> bool:
        """Whether the model was heard thinking."""
        return bool(self._reasoning)

    @property
    def is_whole(self) -> bool:
        """Whether the provider said that the reply has ended."""
        return self._end is not None

    @property
    def is_empty(self) -> bool:
        """Whether nothing worth keeping has arrived."""
        return not (self._text or self._reasoning or (self._end and self._end.tool_calls))

    def message(self) -> Message:
        """Return what has arrived. Interrupted, unless the provider said that the reply is whole."""
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
            usage=self._end.usage if self._end else self.usage,
            seconds=time.time() - self.started_at,
            continues=self.continues,
            as_of=self.as_of,
            ending=self._ending(),
            lost_call=self.lost_call,
        )

    def _ending(self) -> ReplyEnding:
        """Return why the provider ended it early. What continues a reply is an answer with no word more, too."""
        if self._end is None:
            return ""
        if self._end.reason in ENDINGS:
            return ENDINGS[self._end.reason]
        has_answer = self.text.strip() or self._end.tool_calls or self.continues
        return "" if has_answer else "empty"


async def with_pauses(pieces: AsyncGenerator[Piece, None]) -> AsyncGenerator[Piece | None, None]:
    """Yield the pieces, and None whenever none came for a while. Closing it closes the pieces' source."""
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
