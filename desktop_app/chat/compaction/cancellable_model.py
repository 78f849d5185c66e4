"""A model that is asked only as long as its work is wanted: what is switched off spends no token more."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from desktop_app.chat.ports import ChatModel, ModelError, Piece
from desktop_app.context.counting.tokens import Tokenizer
from desktop_app.conversation.events import Failure
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.tools import ToolSpec


class CancellableModel:
    """Fits the `ChatModel` port. is_wanted: asked before each request, and at each piece of a reply."""

    def __init__(self, model: ChatModel, is_wanted: Callable[[], bool]) -> None:
        self._model = model
        self._is_wanted = is_wanted

    @property
    def info(self) -> ModelInfo:
        return self._model.info

    @property
    def tokenizer(self) -> Tokenizer:
        return self._model.tokenizer

    async def stream(
        self, messages: Sequence[Message], max_tokens: int, tools: Sequence[ToolSpec] = ()
    ) -> AsyncGenerator[Piece, None]:
        """Yield the model's reply. Raises ModelError, of kind "cancelled" once the reply is not wanted any more."""
        self._refuse_if_unwanted()
        async with aclosing(self._model.stream(messages, max_tokens, tools)) as pieces:
            async for piece in pieces:
                yield piece
                self._refuse_if_unwanted()

    async def prepare(self) -> None:
        """Get the model ready, if it is wanted."""
        if self._is_wanted():
            await self._model.prepare()

    async def read_ahead(self, messages: Sequence[Message]) -> None:
        """Let the model read, if it is wanted."""
        if self._is_wanted():
            await self._model.read_ahead(messages)

    def _refuse_if_unwanted(self) -> None:
        if not self._is_wanted():
            raise ModelError(Failure("cancelled", "Summaries by a model were switched off"))
