"""A conversation with a keeper of memory, for the tests of what is remembered."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace
from test_summarize import chat

from desktop_app.chat.memory_flusher import MemoryFlusher
from desktop_app.chat.session import Session
from desktop_app.context.memory.flush import FlushPrompts
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Flush, Trigger
from desktop_app.paths import RESOURCES
from desktop_app.settings import Settings
from provider import Call, Reply

PROMPTS = FlushPrompts(
    *((RESOURCES / "prompts" / f"{name}.md").read_text(encoding="utf-8") for name in FlushPrompts.__struct_fields__)
)
TEA = "The user drinks tea in the morning."
RULE = "The user said: “Never restart the server on Fridays”"
"""What code finds in the conversations of these tests."""


def save(text: str, replaces: str = "", call_id: str = "call_1") -> Call:
    return Call("save_memory", json.dumps({"text": text, "replaces": replaces}), call_id)


def saving(*texts: str, **more) -> Reply:
    return Reply(calls=tuple(save(text, call_id=f"call_{n}") for n, text in enumerate(texts)), **more)


class Home:
    """A session of a house, and the keeper of its memories. settings: change them with `choose`."""

    def __init__(self, home, session: Session, prompts: FlushPrompts | None = PROMPTS) -> None:
        self.house, self.session, self.archive = home, session, home.archive
        self.settings = Settings()
        self.keeper = MemoryFlusher(home.archive, home.models, lambda: self.settings, lambda: prompts)

    def choose(self, **changes) -> None:
        self.settings = replace(self.settings, **changes)

    async def flushed(self, trigger: Trigger = Trigger.USER) -> list:
        return await self.keeper.flush(self.session, trigger)

    @property
    def requests(self) -> list:
        return self.house.provider.requests

    @property
    def flushes(self) -> list[Flush]:
        return [entry for entry in self.session.transcript.entries if isinstance(entry, Flush)]

    async def texts(self) -> list[str]:
        return [memory.text for memory in await self.archive.memories()]


@pytest.fixture
def made(house):
    """`await made(script, messages)`: a session of that conversation, and its keeper."""

    async def make(script: list, messages: list[Message] | None = None, window: int = 32_000, **more) -> Home:
        home = await house(script, window=window, **more)
        return Home(home, await home.chats.create("Long", chat(8) if messages is None else messages))

    return make
