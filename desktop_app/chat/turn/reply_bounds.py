"""How much one reply may be, whatever its server sends: calls, characters, time without content."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from desktop_app.chat.ports import ModelError, Piece, ReplyEnd
from desktop_app.context.policy import ContextPolicy
from desktop_app.conversation.events import Failure


class ReplyBounds:
    """The state of one request's reply. model: its label, for people. clock: in seconds."""

    def __init__(self, policy: ContextPolicy, model: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._policy = policy
        self._model = model
        self._clock = clock
        self._characters = 0
        self._content_at = clock()

    def check(self, piece: Piece | None) -> None:
        """Raise ModelError if the reply has become more than it may be. piece: None while nothing comes."""
        if piece is None:
            return self._check_quiet()
        self._content_at = self._clock()
        calls, characters = _size(piece)
        self._characters += characters
        if calls > self._policy.stream_calls:
            raise self._error(f"more than {self._policy.stream_calls:,} tool calls", "None of them was run.")
        if self._characters > self._policy.stream_characters:
            raise self._error(f"more than {self._policy.stream_characters:,} characters", "")
        return None

    def _check_quiet(self) -> None:
        seconds = self._policy.stream_quiet_seconds
        if self._clock() - self._content_at > seconds:
            raise self._error(f"nothing but signs of life for {seconds:,} seconds", "")

    def _error(self, what: str, kept: str) -> ModelError:
        failure = Failure(
            "garbage",
            f"The reply of {self._model} was stopped",
            f"Its server sent {what} in one reply.",
            f"Your message is stored, and so is the text that had arrived. {kept}".strip(),
            "Try again, or choose another model. The limit is a number of the policy.",
        )
        return ModelError(failure, kind="garbage")


def _size(piece: Piece) -> tuple[int, int]:
    """Return how many calls the reply has up to that piece, and how many characters come with it."""
    if isinstance(piece, ReplyEnd):
        return len(piece.tool_calls), 0
    return getattr(piece, "index", -1) + 1, len(piece.text)


async def bounded(
    pieces: AsyncGenerator[Piece | None, None], bounds: ReplyBounds
) -> AsyncGenerator[Piece | None, None]:
    """Yield the pieces as long as they are within the bounds. Raises ModelError. Closing it closes their source."""
    async with aclosing(pieces):
        async for piece in pieces:
            bounds.check(piece)
            yield piece
