"""Makes a flush, and is killed between the saving of the memories and the recording of the flush.

python engine_that_dies.py ARCHIVE CONVERSATION BASE_URL
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from desktop_app.archive.archive import ArchiveThread
from desktop_app.chat.memory.memory_flusher import MemoryFlusher
from desktop_app.chat.session import Session
from desktop_app.context.memory.flush import FlushPrompts
from desktop_app.context.policy import BALANCED
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.transcript import AnyEntry, Flush, Trigger
from desktop_app.models.endpoint import Endpoint
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel
from desktop_app.models.tokens.tokenizers import tokenizer_for
from desktop_app.settings import Settings


class NoCatalogue:
    """The `ModelCatalogue` port without models: the session has its own."""

    def infos(self) -> tuple[ModelInfo, ...]:
        return ()

    async def resolve_model(self, model_id: str) -> LiteLLMModel:
        return self.model(model_id)

    def price(self, model_id: str) -> None:
        return None

    def model(self, model_id: str):
        raise LookupError(model_id)


class StopsAtFlush(ArchiveThread):
    """The archive, up to the moment at which a flush would be recorded."""

    async def append(self, conversation: str, *entries: AnyEntry) -> None:
        if any(isinstance(entry, Flush) for entry in entries):
            print("saved", flush=True)
            await asyncio.Event().wait()
        await super().append(conversation, *entries)


async def opened(archive: ArchiveThread, conversation: str, base_url: str) -> tuple[Session, MemoryFlusher, LiteLLM]:
    """The conversation with a model at that address, the keeper of its memories, and what is to be closed."""
    info, litellm = ModelInfo("scripted/scripted", "Scripted", 32_000, 1_000), LiteLLM(patience=20.0)
    model = LiteLLMModel(info, tokenizer_for("gpt-4o"), litellm, Endpoint("scripted", base_url), "scripted")
    known, entries = await archive.conversation(conversation), await archive.entries(conversation)
    session = Session(known, entries, model, BALANCED, archive)
    prompts = FlushPrompts("Keep.", "By calls.", "By JSON.")
    return session, MemoryFlusher(archive, NoCatalogue(), Settings, lambda: prompts), litellm


async def main(path: str, conversation: str, base_url: str) -> None:
    session, keeper, _ = await opened(await StopsAtFlush.open(Path(path)), conversation, base_url)
    await keeper.flushed(session, Trigger.USER)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
