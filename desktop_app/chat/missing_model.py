"""A model that cannot be used now: its server is gone, or has not told its window yet.

Its conversations can still be read, searched and optimized. Nothing is compacted for its window, which is not known.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from desktop_app.context.counting.tokens import Tokenizer
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.tools import ToolSpec

from .ports import ModelError, Piece, WindowUnknown


class MissingModel:
    """Fits the `ChatModel` port; every request is answered with the reason why the model is missing.

    tokenizer: of a model that is there, where nothing is known of this one.
    """

    def __init__(self, model_id: str, reason: ModelError, tokenizer: Tokenizer) -> None:
        self._reason = reason
        if isinstance(reason, WindowUnknown):
            self._info, self._tokenizer = reason.info, reason.tokenizer
        else:
            label = model_id.rsplit("/", 1)[-1] or model_id
            self._info, self._tokenizer = ModelInfo(model_id, label, 0, 0, note=reason.failure.title), tokenizer

    @property
    def info(self) -> ModelInfo:
        """Its name, and a window of 0: not known."""
        return self._info

    @property
    def tokenizer(self) -> Tokenizer:
        """What counts for it."""
        return self._tokenizer

    async def stream(
        self, messages: Sequence[Message], max_tokens: int, tools: Sequence[ToolSpec] = ()
    ) -> AsyncGenerator[Piece, None]:
        """Raises the reason."""
        raise self._reason
        yield  # makes this a generator, as the port wants it

    async def prepare(self) -> None:
        """Nothing can be prepared."""

    async def read_ahead(self, messages: Sequence[Message]) -> None:
        """Nobody reads."""
