"""An engine on a folder of its own, asked as the window asks it, and what it told."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from desktop_app.conversation.events import TurnEvent
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.engine import protocol as p
from desktop_app.engine.compose import compose_engine
from desktop_app.engine.engine import Engine
from desktop_app.engine.event_coalescer import EventCoalescer
from desktop_app.engine.requests import respond
from desktop_app.paths import settings_file
from desktop_app.settings import Server, Settings, write_settings
from provider import AnyStep, ScriptedProvider

R = TypeVar("R", bound=p.EngineResponse)
RULE = "Never restart the server on Fridays."


class Desk:
    """The engine, the lines that it wrote, and the server of its model, if it has one."""

    def __init__(self, engine: Engine, lines: list[bytes], bugs: list[BaseException]) -> None:
        self.engine, self.lines, self.bugs = engine, lines, bugs
        self.provider = ScriptedProvider()
        self.conversation = ""

    async def ask(self, request: p.EngineRequest[R]) -> R:
        return request.checked(await respond(self.engine, request))

    async def plan(self, strategy: str = "", is_fresh: bool = False) -> p.Plan:
        return await self.ask(p.PlanOptimize(self.conversation, strategy=strategy, is_fresh=is_fresh))

    async def opened(self) -> p.ConversationOpened:
        return await self.ask(p.OpenConversation(self.conversation))

    def events(self) -> list[TurnEvent]:
        self.engine.coalescer.flush()
        lines = map(p.decode_engine_line, b"".join(self.lines).splitlines())  # a frame's lines are written together
        return [line.event for line in lines if isinstance(line, p.EventLine)]

    async def close(self) -> None:
        await self.engine.services.close()
        self.provider.stop()
        assert not self.bugs


async def open_desk(data: Path, settings: Settings | None = None) -> Desk:
    if settings is not None:
        write_settings(settings_file(data), settings)
    lines: list[bytes] = []
    bugs: list[BaseException] = []
    return Desk(await compose_engine(data, EventCoalescer(lines.append), lambda: None, bugs.append), lines, bugs)


async def open_long_desk(data: Path, steps: list[AnyStep]) -> Desk:
    """A desk with a scripted model, and a conversation that is too long for its window."""
    provider = ScriptedProvider(steps).start()
    server = Server("scripted", provider.base_url, ("scripted",), window=12_000, max_output=1_000)
    desk = await open_desk(data, Settings(chat_model="scripted/scripted", servers=(server,), is_memory_on=False))
    desk.provider = provider
    messages = [user_message(f"{RULE} Let us begin.")]
    for n in range(50):
        messages.append(Message(role=Role.ASSISTANT, parts=(Text(f"Answer {n}. " + f"detail{n} said " * 15),)))
        messages.append(user_message(f"Go on with {n}, " + f"about topic{n} " * 15))
    desk.conversation = (await desk.engine.conversations.create("Long", messages)).id
    return desk
