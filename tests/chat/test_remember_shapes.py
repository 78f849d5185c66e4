"""The flush over each kind of server: what is asked is legal there, wherever the conversation stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from engine_that_dies import NoCatalogue
from msgspec.structs import replace
from remembering import PROMPTS, TEA, saving

from desktop_app.archive.archive import ArchiveThread
from desktop_app.chat.memory.memory_flusher import MemoryFlusher
from desktop_app.chat.session import Session
from desktop_app.context.memory.flush import SAVE_MEMORY
from desktop_app.context.policy import BALANCED
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text, ToolCall, ToolResult, user_message
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import Flush, RequestContext, Trigger
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.settings import Settings
from kinds_of_server import OF_KIND

READ = ToolSpec("read", "Reads a file", '{"type":"object","properties":{"path":{"type":"string"}}}')
SYSTEM = Message(id="s", role=Role.SYSTEM, parts=(Text("Be brief."),))
ASKED = replace(user_message("What does a hold? I drink tea in the morning."), id="u")
CALLS = Message(id="a", role=Role.ASSISTANT, parts=(Text("I look."), ToolCall("c1", "read", '{"path": "a"}')))
RESULT = Message(id="t", role=Role.TOOL, parts=(ToolResult("c1", "read", "Nothing."),))
REPLY = Message(id="r", role=Role.ASSISTANT, parts=(Text("It holds nothing."),))
ENDINGS = {
    "user": (SYSTEM, ASKED),
    "reply": (SYSTEM, ASKED, CALLS, RESULT, REPLY),
    "result": (SYSTEM, ASKED, CALLS, RESULT),
}


@pytest.mark.slow
@pytest.mark.parametrize("trigger", [Trigger.USER, Trigger.OVERFLOW], ids=["append_question", "as a record"])
async def test_each_kind_of_server_takes_the_question(tmp_path: Path, trigger: Trigger) -> None:
    litellm = LiteLLM(patience=20.0)
    archive = await ArchiveThread.open(tmp_path / "archive.sqlite3")
    offered = RequestContext(id="e", tools=(READ, SAVE_MEMORY))
    for kind, of_kind in OF_KIND.items():
        for ending, messages in ENDINGS.items():
            name = f"{kind}-{ending}-{trigger}"
            entries = [replace(entry, id=f"{name}-{entry.id}") for entry in (offered, *messages)]
            info = ConversationInfo(name, name, 1.0, 1.0)
            await archive.create(info, entries)
            with of_kind.provider(saving(TEA)) as provider:
                model = of_kind.model_at(provider, litellm)
                session = Session(info, await archive.entries(name), model, BALANCED, archive)
                await MemoryFlusher(archive, NoCatalogue(), Settings, lambda: PROMPTS).flushed(session, trigger)
                flush = session.transcript.entries[-1]
                assert isinstance(flush, Flush)
                assert flush.model, f"{name}: {json.dumps([r.body for r in provider.requests])[:3_000]}"
    assert {memory.text for memory in await archive.memories()} == {TEA}
    await litellm.close()
    await archive.close()
