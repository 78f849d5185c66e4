"""A model that is not set up any more: its conversations can still be read, searched and optimized."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from desktop_app.context.counting import Tokenizer
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.tools import ToolSpec

from .ports import ChatModel, ModelError, Piece


class MissingModel:
    """Fits the `ChatModel` port; every request is answered with the reason why the model is missing.

    stand_in: a model that is there; its tokenizer and its window give figures to look at.
    """

    def __init__(self, model_id: str, reason: ModelError, stand_in: ChatModel) -> None:
        self._reason = reason
        self._stand_in = stand_in
        label = model_id.rsplit("/", 1)[-1] or model_id
        there = stand_in.info
        self._info = ModelInfo(model_id, label, there.window, there.max_output, note=reason.failure.title)

    @property
    def info(self) -> ModelInfo:
        """The missing model's name, with the stand-in's limits."""
        return self._info

    @property
    def tokenizer(self) -> Tokenizer:
        """The stand-in's."""
        return self._stand_in.tokenizer

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
