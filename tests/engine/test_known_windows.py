"""What is known of a model's window at each moment, and what is done as long as it is not. All parts, one process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from msgspec.structs import replace

from desktop_app.conversation.events import GaugeChanged, ModelChanged, TurnEvent, TurnFailed, TurnFinished, ViewChanged
from desktop_app.conversation.gauge import Status
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.engine import protocol as p
from desktop_app.engine.compose import compose_services
from desktop_app.engine.engine import Engine
from desktop_app.engine.event_coalescer import EventCoalescer
from desktop_app.engine.requests import respond
from desktop_app.engine.services import EngineServices
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.paths import last_known_file
from desktop_app.settings import Server, ServerKind, Settings, write_settings
from provider import Reply, ScriptedProvider

pytestmark = pytest.mark.wire
WINDOW = 65_536
LONG = tuple(
    message
    for number in range(60)
    for message in (
        user_message(f"Question {number}: what does the depot at pier nine keep? " + "Please be exact. " * 30),
        Message(role=Role.ASSISTANT, parts=(Text(f"Crate {number} of lamp oil. " * 30),)),
    )
)
"""Some 20,000 tokens: more than twice the window of the model that used to stand in."""
FLAVOURS: dict[ServerKind, tuple[str, str]] = {
    "vllm": ("vllm", "/v1"),
    "openai_compatible": ("groq", "/v1"),
    "lm_studio": ("lmstudio", "/v1"),
    "llama_cpp": ("llama.cpp", "/v1"),
    "ollama": ("ollama", ""),
}


class Run:
    """One run of the engine: its parts, and what it told."""

    def __init__(self) -> None:
        self.events: list[TurnEvent] = []
        self.bugs: list[BaseException] = []
        self.services: EngineServices

    async def turn(self, conversation: str, text: str) -> list[TurnEvent]:
        """Sends a message, and the events of its turn."""
        start, chats = len(self.events), self.services.conversations
        await chats.turns.send(await chats.open(conversation), text)
        await chats.turns.wait_until_idle(conversation, with_room=True)
        return self.events[start:]


Restart = Callable[[], Awaitable[Run]]


@pytest_asyncio.fixture
async def restart(tmp_path: Path) -> AsyncIterator[Restart]:
    """`await restart()`: another run on the same data, once the one before has ended."""
    runs: list[Run] = []
    litellm = LiteLLM()

    async def another() -> Run:
        if runs:
            await runs[-1].services.close()
        run = Run()
        run.services = await compose_services(tmp_path, run.events.append, lambda: None, run.bugs.append)
        runs.append(run)
        return run

    yield another
    await runs[-1].services.close()
    await litellm.close()
    assert not [bug for run in runs for bug in run.bugs]


def serving(kind: ServerKind, key: str = "") -> ScriptedProvider:
    flavour = FLAVOURS[kind][0]
    return ScriptedProvider(
        [Reply("Noted.")], flavour=flavour, models=("big",), key=key, window=WINDOW, repeat_last=True
    )


def set_up(data: Path, kind: ServerKind, provider: ScriptedProvider) -> Server:
    server = Server("home", provider.root_url + FLAVOURS[kind][1], ("big",), kind=kind)
    write_settings(data / "settings.json", Settings(chat_model="home/big", servers=(server,)))
    return server


def windows(events: list[TurnEvent]) -> set[int]:
    return {event.gauge.window for event in events if isinstance(event, GaugeChanged)}


def failures(events: list[TurnEvent]) -> list:
    return [event.failure for event in events if isinstance(event, TurnFailed)]


@pytest.mark.parametrize("kind", FLAVOURS)
async def test_a_restart_forgets_no_window(restart: Restart, tmp_path: Path, kind: ServerKind) -> None:
    with serving(kind) as provider:
        set_up(tmp_path, kind, provider)
        run = await restart()
        session = await run.services.conversations.create("Long", LONG)
        assert (session.counter.gauge().window, session.counter.gauge().status) == (0, Status.UNKNOWN), (
            "nobody was asked yet"
        )
        for is_forgotten in (False, False, True):
            events = await run.turn(session.id, "And now?")
            assert [event.reason for event in events if isinstance(event, TurnFinished)] == ["finished"], events
            assert windows(events) == {WINDOW}
            assert not [event for event in events if isinstance(event, ViewChanged)]
            if is_forgotten:
                last_known_file(tmp_path).unlink()
            run = await restart()
            session = await run.services.conversations.open(session.id)
            assert session.counter.gauge().window == (0 if is_forgotten else WINDOW)
            assert session.counter.gauge().total > 15_000
        assert not session.operations()


@pytest.mark.parametrize("was_known", [False, True])
async def test_a_server_that_is_away_is_named_and_tried_again_in_its_last_known_window(
    restart: Restart, tmp_path: Path, was_known: bool
) -> None:
    with serving("vllm") as provider:
        port = int(provider.root_url.rpartition(":")[2])
        set_up(tmp_path, "vllm", provider)
        run = await restart()
        session = await run.services.conversations.create("Long", LONG)
        if was_known:
            await run.turn(session.id, "And now?")
            assert session.model.info.window_reported_at == 0
    run = await restart()
    session = await run.services.conversations.open(session.id)
    events = await run.turn(session.id, "Are you there?")
    [failure] = failures(events)
    assert (failure.kind, failure.setting) == ("connection", "servers/home/address")
    assert "home" in failure.title
    assert windows(events) == {WINDOW if was_known else 0}
    assert bool(session.model.info.window_reported_at) is was_known, "it says that it is of an earlier run"
    assert not [event for event in events if isinstance(event, ViewChanged)]
    assert session.view.items[-1].message.text == "Are you there?", "what was said is stored"
    back = serving("vllm").start(port)
    try:
        await run.services.conversations.turns.go_on(session)
        await run.services.conversations.turns.wait_until_idle(session.id)
        assert session.view.items[-1].message.text == "Noted."
        assert session.counter.gauge().window == WINDOW
    finally:
        back.stop()


async def test_another_address_is_another_server_whose_window_open_conversations_learn(
    restart: Restart, tmp_path: Path
) -> None:
    with serving("vllm") as provider:
        server = set_up(tmp_path, "vllm", provider)
        run = await restart()
        session = await run.services.conversations.create("Long", LONG)
        await run.services.ask_servers()
        assert [event.model.window for event in run.events if isinstance(event, ModelChanged)] == [WINDOW]
        assert session.counter.gauge().window == WINDOW
    moved = Settings(chat_model="home/big", servers=(replace(server, base_url="http://127.0.0.1:9/v1"),))
    write_settings(tmp_path / "settings.json", moved)
    run = await restart()
    assert (await run.services.conversations.open(session.id)).counter.gauge().window == 0


async def test_without_a_window_room_is_still_made_by_the_user_s_word(restart: Restart, tmp_path: Path) -> None:
    with serving("vllm") as provider:
        set_up(tmp_path, "vllm", provider)
    run = await restart()
    session = await run.services.conversations.create("Long", LONG)

    engine = Engine(run.services, EventCoalescer(lambda _: None))
    plan = await respond(engine, p.PlanOptimize(session.id, strategy="extractive"))
    assert isinstance(plan, p.Plan)
    assert plan.tokens_freed_by_compaction > 0
    suggested = await respond(engine, p.PlanOptimize(session.id))
    assert isinstance(suggested, p.Plan)
    assert suggested.strategy == "extractive", "no model could say how much it reads"


async def test_a_slow_server_is_waited_for_while_the_message_is_stored(restart: Restart, tmp_path: Path) -> None:
    stored = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await asyncio.gather(asyncio.sleep(3), stored.wait())
        body = b'{"data":[{"id":"big","max_model_len":65536}]}'
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        )
        writer.close()

    slow = await asyncio.start_server(answer, "127.0.0.1", 0)
    server = Server("home", f"http://127.0.0.1:{slow.sockets[0].getsockname()[1]}/v1", ("big",), kind="vllm")
    write_settings(tmp_path / "settings.json", Settings(chat_model="home/big", servers=(server,)))
    run = await restart()
    session = await run.services.conversations.create("Long", LONG)
    await run.services.conversations.turns.send(session, "And now?")
    async with asyncio.timeout(60):
        while session.view.items[-1].message.text != "And now?":
            await asyncio.sleep(0.01)
    assert session.counter.gauge().window == 0
    stored.set()
    await run.services.conversations.turns.wait_until_idle(session.id)
    assert session.counter.gauge().window == WINDOW, "one answer that takes three seconds is waited for"
    slow.close()
