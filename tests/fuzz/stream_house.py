"""Turns of the real application against a stream: litellm, archive, tools that count; and what must hold behind each.

Everything that a turn waits for is short here, as if a fast clock went: the limits are those that the window shows,
with smaller numbers.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace
from process_memory import memory, reset_peak
from stream_arrivals import Arrivals
from stream_events import OF_NAME
from stream_maker import Recipe, Stream
from stream_parts import PATIENCE, Write
from stream_server import StreamServer

from desktop_app.archive.archive import Archive
from desktop_app.chat.compaction.summarize import SummaryService
from desktop_app.chat.conversations import Conversations
from desktop_app.chat.ports import ChatModel, Price
from desktop_app.chat.session import Session
from desktop_app.chat.turn import recovery
from desktop_app.chat.turn.tool_runtime import ToolRuntime
from desktop_app.chat.turn_services import Services
from desktop_app.context.presets import OwnPolicy
from desktop_app.conversation.events import TextDelta, TurnEvent, TurnFailed, TurnFinished
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message, Role, ToolCall
from desktop_app.conversation.tools import RequiredPermission, ToolContext, ToolOutcome, ToolSpec
from desktop_app.conversation.transcript import replace_surrogates_in_text
from desktop_app.engine import protocol as p
from desktop_app.models.dialect_fields import dialect_fields
from desktop_app.models.endpoint import Endpoint
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel
from desktop_app.models.tokens.tokenizers import tokenizer_for
from desktop_app.permissions.rules import rules_of_option
from desktop_app.settings import Settings
from desktop_app.tools.spill import SpillFolder

TURN_SECONDS = 20.0
"""No turn may take longer: its limits, each at its worst and one after the other, come to less than half of that."""
MAX_GROWTH = 200 * 1024 * 1024
WINDOW = 16_000
SHORT = {
    "desktop_app.models.litellm_model.TRAILER_SECONDS": 0.2,
    "desktop_app.models.server_stream.MAX_REPLY_BYTES": 5 * 1024 * 1024,
    "desktop_app.models.server_stream.CONNECT_SECONDS": 1.0,
    "desktop_app.models.discovery.PROBE_SECONDS": 0.3,
    "desktop_app.chat.turn.reply.KEEP_EVERY": 0.05,
    "desktop_app.chat.turn.incoming_reply.KEEP_EVERY": 0.05,
    "desktop_app.chat.turn.incoming_reply.MAX_CHARACTERS": 1_000_000,
}
"""Limits that are constants, smaller."""
LIMITS: dict[str, Any] = {"stream_quiet_seconds": 3, "max_retry_wait": 1}
"""Limits that are numbers of the policy."""
POLICIES = (
    OwnPolicy("short", "balanced", LIMITS),
    OwnPolicy("long", "balanced", LIMITS | {"stream_quiet_seconds": 60}),
)
SCHEMA = '{"type":"object","properties":{"mark":{"type":"string"},"text":{"type":"string"}}}'


class Failed(Exception):
    """Something did not hold."""


class CountingTools:
    """The `Toolbox` port: `count` changes something, `look` does not, and how often each ran is kept."""

    def __init__(self) -> None:
        self.runs: list[tuple[str, str]] = []

    async def specs(self, context: ToolContext) -> tuple[ToolSpec, ...]:
        return tuple(ToolSpec(name, f"Does {name}.", SCHEMA) for name in ("count", "look"))

    async def get_ready(self, *_: object) -> None: ...

    def owns(self, name: str) -> bool:
        return False

    async def needs(self, call: ToolCall, context: ToolContext) -> tuple[RequiredPermission, ...]:
        return (RequiredPermission("count", "write", "/tmp/count"),) if call.name == "count" else ()

    async def preview(self, *_: object) -> None: ...

    async def run(self, call: ToolCall, context: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        self.runs.append((call.name, call.arguments))
        await asyncio.sleep(0)
        known = call.name in ("count", "look")
        yield ToolOutcome("Done." if known else "There is no such tool.", is_error=not known)

    def failures(self) -> tuple[Any, ...]:
        return ()


class AnyKind:
    """The `ModelCatalogue` port: a model of every kind, all behind the same address."""

    def __init__(self, litellm: LiteLLM, root_url: str) -> None:
        self._models = {name: self._made(name, litellm, root_url) for name in OF_NAME}

    @staticmethod
    def _made(name: str, litellm: LiteLLM, root_url: str) -> LiteLLMModel:
        kind = OF_NAME[name]
        info = ModelInfo(name, kind.model, WINDOW, 2_000, Provenance.MEASURED, **dialect_fields(kind.kind, kind.model))
        endpoint = Endpoint(f"Server {name}", root_url + kind.path, "sk-SECRET-0123456789", kind.kind)
        return LiteLLMModel(info, tokenizer_for("gpt-4o"), litellm, endpoint, kind.model)

    def infos(self) -> tuple[ModelInfo, ...]:
        return tuple(model.info for model in self._models.values())

    def model(self, model_id: str) -> ChatModel:
        return self._models[model_id]

    async def resolve_model(self, model_id: str, asks_again: bool = False) -> ChatModel:
        return self._models[model_id]

    async def learn(self, model_id: str, quirk: str = "", window: int | None = None) -> ChatModel:
        return self._models[model_id]

    async def count_tools(self, model_id: str, tools: tuple[ToolSpec, ...]) -> int | None:
        return None

    def price(self, model_id: str) -> Price | None:
        return None


@contextmanager
def short_limits() -> Iterator[None]:
    """Every wait and every limit at a fraction of itself."""
    waits = {kind: tuple(0.001 for _ in seconds) for kind, seconds in recovery.WAITS.items()}
    patches = [patch(name, value) for name, value in SHORT.items()] + [patch.dict(recovery.WAITS, waits)]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()


class StreamHouse:
    """One application for many trials: one archive, one litellm, a conversation a trial."""

    def __init__(self, archive: Archive, litellm: LiteLLM, arrivals: Arrivals, folder: Path) -> None:
        self.archive, self.litellm = archive, litellm
        self.events: list[TurnEvent] = []
        self.bugs: list[BaseException] = []
        self.tools = CountingTools()
        self._script: list[Stream] = []
        self._kind = "openai"
        self.turn_seconds = TURN_SECONDS
        self.asked: list[bytes] = []
        self.arrivals = arrivals
        self.server = StreamServer(self._answer)
        self.settings = Settings(
            chat_model="openai", policy="short", policies=POLICIES, max_rounds=3, is_memory_on=False
        )
        self._finished = asyncio.Event()
        spills = SpillFolder(folder / "spills")

        async def keep(_: Any) -> None:
            """No rule is kept."""

        bench = ToolRuntime(
            self.tools, spills, lambda: self.settings, keep, self.bugs.append, rules_of_option("all"), is_attended=False
        )
        models = AnyKind(litellm, self.server.root_url)
        summaries = SummaryService(models, lambda: self.settings, None)
        services = Services(models, lambda: self.settings, summaries, self.bugs.append, tools=bench)
        self.chats = Conversations(archive, self.settings, services, self._publish, lambda: None)

    @classmethod
    async def open(cls, folder: Path, litellm: LiteLLM) -> StreamHouse:
        litellm.patience = litellm.nearby_patience = PATIENCE
        archive = await Archive.open(folder / "archive.sqlite3")
        return cls(archive, litellm, Arrivals(), folder)

    async def be_patient(self, times: float) -> None:
        """Wait so many times longer for the next byte: on a busy machine the pause may be our own."""
        await self.litellm.close()
        self.litellm.patience = self.litellm.nearby_patience = PATIENCE * times
        self.turn_seconds = TURN_SECONDS * times
        self.chats.change_settings(replace(self.settings, policy="long" if times > 1 else "short"))

    async def close(self) -> None:
        await self.chats.close()
        await self.archive.close()
        await self.litellm.close()
        self.arrivals.close()
        await asyncio.to_thread(self.server.stop)

    def _publish(self, event: TurnEvent) -> None:
        self.events.append(event)
        if isinstance(event, TurnFinished):
            self._finished.set()

    def _answer(self, body: bytes, port: int) -> Stream | None:
        """The next stream of the script for a request for a reply; a sound one behind its end."""
        if not body:
            return None
        self.asked.append(body)
        stream = self._script.pop(0) if self._script else sound_stream(self._kind)
        self.arrivals.sent.append((stream, port))
        return stream

    async def turn(self, session: Session, text: str, script: list[Stream]) -> list[TurnEvent]:
        """Send a message, which is answered by the script; the events of its turn."""
        self._script, self.asked = list(script), []
        self.arrivals.begin()
        self.events = []
        self._finished.clear()
        await self.chats.turns.send(session, text)
        try:
            await asyncio.wait_for(self._finished.wait(), self.turn_seconds)
        except TimeoutError:
            await self.chats.turns.stop(session.id)
            raise Failed(f"the turn took more than {self.turn_seconds} s") from None
        await self.chats.turns.wait_until_idle(session.id, with_room=True)
        return self.events

    async def try_out(self, script: list[Stream]) -> None:
        """A turn against that script, then a sound one, in a conversation of its own. Raises Failed."""
        self._kind = script[0].kind
        self.tools.runs.clear()
        self.bugs.clear()
        reset_peak()
        before = memory("VmRSS")
        session = await self.chats.create(model=self._kind)
        events = await self.turn(session, "Hello", script)
        self._check_turn(session, events)
        await self._check_record(session)
        await self._check_next(session)
        growth = memory("VmHWM") - before
        if growth > MAX_GROWTH:
            raise Failed(f"memory grew by {growth // 2**20} MB")
        await self.chats.delete(session.id)

    def _check_turn(self, session: Session, events: list[TurnEvent]) -> None:
        if self.bugs:
            raise Failed(f"a bug of ours: {self.bugs[0]!r}") from self.bugs[0]
        for event in events:
            p.decode_engine_line(p.encode_line(p.EventLine(event)))
            if isinstance(event, TurnFailed) and event.failure.kind == "bug":
                raise Failed(f"a bug card: {event.failure.detail}")
            if isinstance(event, TurnFailed) and "SECRET" in repr(event.failure):
                raise Failed("the card shows the key")
        messages = [entry for entry in session.transcript.entries if isinstance(entry, Message)]
        replies = [message for message in messages if message.role is Role.ASSISTANT]
        text = "".join(reply.text for reply in replies)
        shown = replace_surrogates_in_text("".join(e.text for e in events if isinstance(e, TextDelta)))
        if text != shown:
            raise Failed(f"shown {shown[-80:]!r}, kept {text[-80:]!r}")
        arrived = self.arrivals.text(events)
        if not text.startswith(replace_surrogates_in_text(arrived)):
            raise Failed(f"{arrived[-80:]!r} arrived, {text[-80:]!r} was kept")
        self._check_calls(session, messages)

    def _check_calls(self, session: Session, messages: list[Message]) -> None:
        """Each call of a whole reply ran once at most and has one result; none of a reply that broke off ran."""
        calls = [call for m in messages if m.role is Role.ASSISTANT for call in m.tool_calls]
        results = [message for message in messages if message.tool_result is not None]
        broken = [m for m in messages if m.is_interrupted and m.tool_calls]
        if broken:
            raise Failed("a reply that broke off has calls")
        if len(results) != len(calls):
            raise Failed(f"{len(calls)} calls, {len(results)} results")
        recorded = sorted((call.name, call.arguments) for call in calls)
        ran = [(replace_surrogates_in_text(name), replace_surrogates_in_text(given)) for name, given in self.tools.runs]
        for one in set(ran):
            if ran.count(one) > recorded.count(one):
                raise Failed(f"{one} ran {ran.count(one)} times for {recorded.count(one)} calls")
        if session.view.open_calls:
            raise Failed("a call is open")

    async def _check_record(self, session: Session) -> None:
        stored = await self.archive.entries(session.id)
        if list(stored) != list(session.transcript.entries):
            raise Failed("the archive holds another record")

    async def _check_next(self, session: Session) -> None:
        events = await self.turn(session, "And now?", [])
        if self.bugs:
            raise Failed(f"a bug of ours in the next turn: {self.bugs[0]!r}") from self.bugs[0]
        finished = next(event for event in events if isinstance(event, TurnFinished))
        failures = [event.failure for event in events if isinstance(event, TurnFailed)]
        if finished.reason != "finished" or failures:
            raise Failed(f"the next turn {finished.reason}: {failures}")
        last = session.transcript.entries[-1]
        if not isinstance(last, Message) or last.text != SOUND:
            raise Failed(f"the next turn's reply is {last!r:.200}")


SOUND = "All is well again, 世界."


def sound_stream(kind: str) -> Stream:
    """A reply as it should be."""
    from stream_events import events_of

    from provider_script import Reply

    body = b"".join(event.encoded() for event in events_of(OF_NAME[kind], Reply(SOUND)))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n" % len(body)
    return Stream(kind, (Write(head + body),), ((len(body), SOUND),), is_kept=True)


def script_of(seed: int) -> list[Recipe]:
    """What the requests of one turn are answered with: one to three streams, sound ones behind them."""
    first = Recipe.of_seed(seed)
    again = seed % 4
    return [first, *(Recipe.of_seed(seed, n, first.kind) for n in range(1, again))]
