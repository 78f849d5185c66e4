"""The built-in model as a `ChatModel`, whose server is started at the first request, and again after a crash."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress

import msgspec

from desktop_app.chat.ports import NO_OPTIONS, ModelError, Piece
from desktop_app.context.counting.tokens import Tokenizer
from desktop_app.conversation.events import Failure
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.openai_chat import Json
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.words import translatable

from .builtin import MODEL_ID
from .endpoint import Endpoint
from .litellm_library import LiteLLM
from .litellm_model import LiteLLMModel
from .llama_server import LlamaServer
from .tokens.tokenizers import tokenizer_for

OPTIONS: Json = {"temperature": 0.3, "extra_body": {"repeat_penalty": 1.1, "cache_prompt": True}}
"""SmolLM2's model card uses a temperature of 0.2; without the penalty it falls into loops."""


class BuiltinModel(msgspec.Struct, frozen=True):
    """Reaches its server through litellm, like any other local server. server: None if it is not installed."""

    info: ModelInfo
    litellm: LiteLLM
    server: LlamaServer | None

    @property
    def tokenizer(self) -> Tokenizer:
        return tokenizer_for(MODEL_ID)

    async def stream(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        tools: Sequence[ToolSpec] = (),
        options: ReplyOptions = NO_OPTIONS,
    ) -> AsyncGenerator[Piece, None]:
        """Yield the reply piece by piece. Raises ModelError.

        If the server has died before anything was yielded, it is restarted, and the request is repeated once.
        """
        has_begun = False
        for is_last_try in (False, True):
            server = await self._start()
            try:
                endpoint = Endpoint("The built-in model", server.base_url, server.token)
                model = LiteLLMModel(self.info, self.tokenizer, self.litellm, endpoint, MODEL_ID, OPTIONS)
                async with aclosing(model.stream(messages, max_tokens, options=options)) as pieces:
                    async for piece in pieces:
                        has_begun = True
                        yield piece
                return
            except ModelError as error:
                may_be_dead = error.kind in ("connection", "cut")
                if is_last_try or has_begun or not may_be_dead or not await server.has_died():
                    raise

    async def prepare(self) -> None:
        """Start the server, so that the first message does not wait for it. Never raises; `stream` does."""
        with suppress(ModelError):
            await self._start()

    async def read_ahead(self, messages: Sequence[Message]) -> None:
        """Have the server read the messages into its cache, at 100 tokens a second.

        Never raises. Cancelling it stops the server within a second.
        """
        with suppress(ModelError):
            async with aclosing(self.stream(messages, 1)) as pieces:
                async for _ in pieces:
                    pass

    async def _start(self) -> LlamaServer:
        if self.server is None:
            raise ModelError(
                Failure(
                    "not_found",
                    translatable("The built-in model is not installed"),
                    self.info.note,
                    kept=translatable("Your message is stored."),
                )
            )
        await self.server.start()
        return self.server
