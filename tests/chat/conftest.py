"""Conversations over an archive on disk and a fake model, or, in tests marked `wire`, a scripted server and litellm."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from msgspec.structs import replace

from desktop_app.archive.archive import Archive
from desktop_app.chat.compaction.making_room import make_room
from desktop_app.chat.compaction.summarize import SummaryService
from desktop_app.chat.conversations import Conversations
from desktop_app.chat.ports import ChatModel, ModelError, Price
from desktop_app.chat.session import Session
from desktop_app.chat.turn.reply import StreamedReply
from desktop_app.chat.turn_services import Services
from desktop_app.context.summary.prompt import Prompts
from desktop_app.conversation.events import Failure, TurnEvent, TurnFinished
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.quirks import Learned, with_quirk
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import Trigger
from desktop_app.models.litellm_library import Endpoint, LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel
from desktop_app.models.tokens.tokenizers import tokenizer_for
from desktop_app.settings import Settings
from fake_model import FakeModel
from provider import ScriptedProvider

SETTINGS = Settings(chat_model="scripted/scripted", system_prompt="Be brief.")


class OneServer:
    """The `ModelCatalogue` port with the scripted provider's models. litellm: None for the fake."""

    def __init__(self, provider: ScriptedProvider, window: int, max_output: int, litellm: LiteLLM | None) -> None:
        self.cost: Price | None = None
        self.info = ModelInfo("scripted/scripted", "Scripted", window, max_output)
        self.others: dict[str, ModelInfo] = {}
        self.tokens_of_tools: int | None = None  # as its server renders them
        self.window_when_asked_again = 0
        self.provider = provider
        self.litellm = litellm

    def infos(self) -> tuple[ModelInfo, ...]:
        return (self.info, *self.others.values())

    async def resolve_model(self, model_id: str, asks_again: bool = False) -> ChatModel:
        if asks_again and self.window_when_asked_again:
            self.info = replace(self.info, window=self.window_when_asked_again)
        return self.model(model_id)

    async def learn(self, model_id: str, quirk: str = "", window: int | None = None) -> ChatModel:
        if model_id == self.info.id:
            known = self.info.learned
            learned = Learned(known.window if window is None else window, known.quirks)
            quirks = with_quirk(self.info.quirks, quirk) if quirk else self.info.quirks
            self.info = replace(self.info, learned=learned, quirks=quirks)
        return self.model(model_id)

    async def count_tools(self, model_id: str, tools: tuple[ToolSpec, ...]) -> int | None:
        return self.tokens_of_tools

    def price(self, model_id: str) -> Price | None:
        return self.cost

    def model(self, model_id: str) -> ChatModel:
        info = self.info if model_id == self.info.id else self.others.get(model_id)
        if info is None:
            raise ModelError(Failure("not_found", f"There is no model “{model_id}”"))
        if self.litellm is None:
            return FakeModel(info, self.provider)
        endpoint = Endpoint("scripted", self.provider.base_url)
        return LiteLLMModel(info, tokenizer_for("gpt-4o"), self.litellm, endpoint, "scripted")


class House:
    """Conversations in place, what they published, and ways to wait for it."""

    def __init__(
        self, archive: Archive, models: OneServer, provider: ScriptedProvider, prompts: Prompts | None
    ) -> None:
        self.provider = provider
        self.archive = archive
        self.models = models
        self.events: list[TurnEvent] = []
        self.bugs: list[BaseException] = []
        self._changed = asyncio.Event()
        self.furnish(prompts=prompts)

    def furnish(
        self,
        settings: Settings = SETTINGS,
        prompts: Prompts | None = None,
        words: Callable[[], str] | None = None,
        **parts: Any,
    ) -> None:
        """Put conversations into the house. prompts, words: of a summary, and of a digest, by a model. parts: of the
        services."""
        read = (lambda: prompts) if prompts else None
        summaries = SummaryService(self.models, self.settings, read, digest_prompt=words)
        self.services = Services(self.models, self.settings, summaries, self.bugs.append, **parts)
        self.chats = Conversations(self.archive, settings, self.services, self.publish, lambda: None)

    async def reopen(self, session: Session) -> Session:
        """Restart the house: the conversation as it is read again."""
        await self.chats.close()
        self.chats = Conversations(self.archive, self.chats.settings, self.services, self.publish, lambda: None)
        return await self.chats.open(session.id)

    def settings(self) -> Settings:
        return self.chats.settings

    def publish(self, event: TurnEvent) -> None:
        self.events.append(event)
        self._changed.set()

    async def make_room(self, session: Session, trigger: Trigger) -> bool:
        return await make_room(session, self.services, trigger, self.publish)

    def reply(self, session: Session, is_automatic: bool = True) -> StreamedReply:
        """A reply that tells the house what happens."""
        return StreamedReply(session, self.services, self.publish, is_automatic)

    async def until(self, is_met: Callable[[], bool]) -> None:
        """Waits until what was published meets the condition."""
        async with asyncio.timeout(100):  # pytest's own limit would not say where it waits
            while not is_met():
                self._changed.clear()
                await self._changed.wait()

    async def turn(self, session: Session, text: str) -> list[TurnEvent]:
        """Sends a message, and the events of the turn once it is over."""
        start = len(self.events)
        await self.chats.turns.send(session, text)
        await self.until(lambda: any(isinstance(event, TurnFinished) for event in self.events[start:]))
        while self.chats.turns.is_running(session.id):
            await asyncio.sleep(0.001)  # the archive's thread wants the processor, too
        return self.events[start:]

    def of(self, kind: type) -> list:
        """The published events of that kind."""
        return [event for event in self.events if isinstance(event, kind)]


MakeHouse = Callable[..., object]


@pytest_asyncio.fixture
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MakeHouse]:
    """`await house(script, window=8_192)`: a house that is torn down in order. prompts: a model writes summaries.
    max_output: the longest reply of the model, 0: not known."""
    houses: list[tuple[House, OneServer]] = []
    is_real = any(request.node.get_closest_marker(name) for name in ("wire", "slow"))

    async def make(
        script: list,
        window: int = 8_192,
        repeat_last: bool = False,
        prompts: Prompts | None = None,
        max_output: int = 1_000,
    ) -> House:
        provider = ScriptedProvider(script, repeat_last=repeat_last)
        archive = await Archive.open(tmp_path / f"{len(houses)}" / "archive.sqlite3")
        models = OneServer(provider, window, max_output, LiteLLM(20.0, 20.0) if is_real else None)
        if models.litellm is not None:
            provider.start()
        houses.append((House(archive, models, provider, prompts), models))
        return houses[-1][0]

    yield make
    for made, models in houses:
        await made.chats.close()
        await made.archive.close()
        if models.litellm is not None:
            await models.litellm.close()
            made.provider.stop()
        assert not made.bugs, made.bugs


@pytest.fixture
def talk(house):
    """`await talk(script, messages=(), **more)`: such a house, and a conversation of these messages in it."""

    async def make(script: list, *, messages: Sequence[Message] = (), **more) -> tuple[House, Session]:
        home = await house(script, **more)
        return home, await home.chats.create("Talk" if messages else "", messages)

    return make
