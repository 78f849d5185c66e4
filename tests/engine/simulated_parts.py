"""What the engine meets outside of itself, in a form that a seed decides: models, a tool, files to import, clocks."""

from __future__ import annotations

import asyncio
import errno
import json
import random
import re
import threading
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

from schedule_moments import Moment, ToolAnswered, storing

from desktop_app.archive import writing
from desktop_app.chat.compaction.summarize import SummaryService
from desktop_app.chat.ports import NO_OPTIONS, ChatModel, Piece
from desktop_app.chat.turn.incoming_reply import ReplyBounds
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.conversation.events import Failure
from desktop_app.conversation.foreign import (
    ForeignConversation,
    ForeignMessage,
    ImportReply,
    ImportRequest,
    ReadConversation,
)
from desktop_app.conversation.message import Message, Role, Text, ToolCall
from desktop_app.conversation.setup import OptionName, ReplyOptions
from desktop_app.conversation.tools import RequiredPermission, ToolContext, ToolOutcome, ToolSpec
from desktop_app.conversation.transcript import AnyEntry
from desktop_app.tools.sandbox.sandbox import NOT_LINUX, SandboxProbe
from deterministic_loop import DeterministicLoop
from fake_catalogue import FakeCatalogue, NoKeys, catalogue_of
from fake_model import FakeModel
from provider import AnyStep, Call, Cut, Hang, Overflow, Reply, Request, Status
from provider_shapes import Shape
from request_rules import legal_for_all

WALL = 1_900_000_000.0
"""Seconds since 1970 at the virtual clock's zero."""
PROSE = tuple(
    re.findall(r"\w+", "the river was long and the evening late and so we went on and told of what lay behind")
)


MOODS = (0.4, 0.12), (0.8, 0.1), (0.2, 0.5)
"""How many requests a provider answers with calls, and how many with failures."""


class Happenings:
    """Tells whoever looks of moments of which no event tells."""

    def __init__(self) -> None:
        self.look: Callable[[Moment], None] = lambda moment: None


class Disk:
    """Fills up for a moment: the next records of what the user says or does are refused, those of replies are not."""

    def __init__(self) -> None:
        self.failures = 0

    def check(self, entries: Sequence[AnyEntry]) -> None:
        """Raise OSError if these entries are not stored."""
        is_spared = any(isinstance(entry, Message) and entry.role is not Role.USER for entry in entries)
        if self.failures and entries and not is_spared:
            self.failures -= 1
            raise OSError(errno.ENOSPC, "No space left on device")


class Faults(list[str]):
    """What must not have happened, in words."""


class SeededProvider:
    """Answers each request as the seed says, and notes what no provider would accept."""

    def __init__(self, choices: random.Random, faults: Faults) -> None:
        self._choices, self._faults = choices, faults
        self._calling, self._failing = choices.choice(MOODS)
        self.client_left, self.released = threading.Event(), threading.Event()
        self.requests = 0

    def take(self, request: Request, shape: Shape) -> AnyStep:
        """The step that answers this request."""
        self.requests += 1
        chat = request.body["messages"]
        self._faults += [f"request {self.requests} is not legal: {problem}" for problem in legal_for_all(chat)]
        if not any(message["role"] == "user" for message in chat):
            self._faults.append(f"request {self.requests} asks nothing: {chat}")
            return Status(400)
        asked = str(chat[-1].get("content"))
        return self._aside(asked) or self._reply(asked, bool(request.body.get("tools")), chat[-1]["role"] == "tool")

    def _aside(self, asked: str) -> AnyStep | None:
        """What answers a request that is not the conversation's own."""
        rng = self._choices
        if '{"summary"' in asked:
            whole = json.dumps({"summary": f"## Primary intent\n{self._prose(30)}", "keep": []})
            return rng.choice((Reply(whole, size=40, pause=0.01), Reply(whole), Reply("no JSON"), Status(500)))
        if '{"memories"' in asked or "Call save_memory once" in asked:
            note = json.dumps({"memories": [{"text": f"The user likes {self._prose(2)}.", "replaces": ""}]})
            return rng.choice((Reply("SILENT"), Reply(note), Reply(note, delay=0.2), Status(500)))
        if asked.startswith("User:\n") and "\n\nAnswer:\n" in asked:
            return rng.choice((Reply(f"A talk of {self._prose(2)}", delay=rng.random()), Status(500)))
        return None

    def _reply(self, asked: str, has_tools: bool, is_result: bool) -> AnyStep:
        rng, kind = self._choices, self._choices.random()
        pause = rng.choice((0.0, 0.0, 0.01, 0.05, 0.3))
        text = self._prose(rng.choice((3, 10, 40, 120)))
        if has_tools and kind < self._calling * (0.4 if is_result else 1):
            return Reply(rng.choice(("", "I look.")), calls=self._calls(), size=20, pause=pause, usage=None)
        if kind > 1 - self._failing:
            failures = Cut(text[:40]), Status(500), Status(429, retry_after=1), Overflow(), Hang("Well")
            return rng.choices(failures, (3, 1, 1, 1, 1))[0]
        return Reply(text, size=rng.choice((8, 40, 200)), pause=pause, delay=rng.choice((0, 0, 0.1, 1)), usage=None)

    def _calls(self) -> tuple[Call, ...]:
        rng = self._choices
        count = rng.choice((1, 1, 2, 3))
        return tuple(Call(*self._call(), f"call_{rng.randrange(10**9)}") for _ in range(count))

    def _call(self) -> tuple[str, str]:
        size, seconds = self._choices.choice((20, 400, 6_000)), self._choices.choice((0.0, 0.1, 2.0))
        looks = json.dumps({"size": size, "seconds": seconds})
        memory = json.dumps({"text": f"The user wants {self._prose(2)}."})
        recall = json.dumps({"query": self._prose(2)})
        calls = (("probe", looks), ("probe", looks), ("change", looks), ("recall", recall), ("save_memory", memory))
        return self._choices.choice((*calls, ("nowhere", "{}")))

    def _prose(self, words: int) -> str:
        return " ".join(self._choices.choice(PROSE) for _ in range(words))


class WatchedModel(FakeModel):
    """A fake model that notes a prompt which is larger than its window."""

    faults: Faults

    async def stream(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        tools: Sequence[ToolSpec] = (),
        options: ReplyOptions = NO_OPTIONS,
    ) -> AsyncGenerator[Piece, None]:
        counts = TokenCounts(self.tokenizer, self.info.dialect)
        tokens = sum(counts.total(message) for message in messages)
        if tokens > self.info.window:
            self.faults.append(f"{tokens} tokens were sent to {self.info.id}, whose window has {self.info.window}")
        async for piece in super().stream(messages, max_tokens, tools, options):
            yield piece


class SeededCatalogue(FakeCatalogue):
    """Its models are watched, and its servers are asked as long as they may take."""

    faults: Faults

    def fake(self, model: ChatModel) -> FakeModel:
        """Return what answers in the place of that model."""
        made = WatchedModel(model.info, self.provider)
        made.faults = self.faults
        return made

    async def supported_options(self, model_id: str) -> tuple[OptionName, ...]:
        """Return what litellm would say of it."""
        await asyncio.sleep(0)
        return await super().supported_options(model_id)

    async def discover(self) -> None:
        """The servers say nothing that the settings do not."""
        await asyncio.sleep(0.2)

    async def count_tools(self, model_id: str, tools: tuple[ToolSpec, ...]) -> int | None:
        """The servers do not count what their templates make of tools."""
        await asyncio.sleep(0.1)
        return None


class SeededTools:
    """A source of two tools, in the place of servers of tools: one that only looks, and one that must be allowed."""

    choices: random.Random
    happenings: Happenings

    def __init__(self, *_: object, **named: object) -> None: ...

    async def specs(self, context: ToolContext) -> tuple[ToolSpec, ...]:
        return ToolSpec("probe", "Looks."), ToolSpec("change", "Changes.")

    async def get_ready(self, *_: object) -> None: ...

    def owns(self, name: str) -> bool:
        return False

    async def needs(self, call: ToolCall, context: ToolContext) -> tuple[RequiredPermission, ...]:
        await asyncio.sleep(0)
        return (RequiredPermission("change", "mcp", "a/change", "a/*"),) if call.name == "change" else ()

    async def preview(self, *_: object) -> None: ...

    async def run(self, call: ToolCall, context: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        arguments = json.loads(call.arguments)
        yield "begun\n"
        await asyncio.sleep(arguments["seconds"])
        words = f"found {self.choices.randrange(10**9)}, "
        self.happenings.look(ToolAnswered(context.conversation, call.call_id, words))
        yield ToolOutcome(words + "found " * (arguments["size"] // 6), is_error=self.choices.random() < 0.1)

    def failures(self) -> tuple[Failure, ...]:
        return ()

    async def change(self, *_: object) -> None: ...

    async def close(self) -> None: ...


class SeededFiles:
    """A file of another program: its one conversation has grown each time that it is read. said: by its length."""

    grown = 2

    async def read(self, request: ImportRequest) -> AsyncGenerator[ImportReply, None]:
        await asyncio.sleep(0.05)
        yield ReadConversation("session.jsonl", foreign_conversation(int(request.paths[0].rpartition("/")[2])))


def foreign_conversation(length: int) -> ForeignConversation:
    """Return the conversation of another program once it has so many messages."""
    roles, said = (Role.USER, Role.ASSISTANT), list[ForeignMessage]()
    for n in range(length):
        text = f"Message {n} of the ticket T-{n}: " + f"the part {n} of the river was long, " * 16
        message = Message(role=roles[n % 2], at=n + 1.0, parts=(Text(text),))
        said.append(ForeignMessage(f"f{n}", f"f{n - 1}" if n else "", message))
    return ForeignConversation("Elsewhere", "talk", "Imported", tuple(said), updated_at=length + 1.0)


class Clocks:
    """The clocks of the process, over the loop's own. skew: of the wall clock, in seconds.

    Other threads, which another test may have left, have the real ones: to sleep there would move the loop's.
    """

    def __init__(self, loop: DeterministicLoop) -> None:
        self.loop = loop
        self.skew = 0.0
        self._thread, self._real = threading.get_ident(), (time.time, time.monotonic, time.sleep)

    @property
    def _is_own(self) -> bool:
        return threading.get_ident() == self._thread

    def time(self) -> float:
        return WALL + self.loop.now + self.skew if self._is_own else self._real[0]()

    def monotonic(self) -> float:
        return self.loop.now if self._is_own else self._real[1]()

    def sleep(self, seconds: float) -> None:
        if self._is_own:
            self.loop.now += seconds
        else:
            self._real[2](seconds)


class Parts(NamedTuple):
    """What a seed decides, or an action."""

    clocks: Clocks
    provider: SeededProvider
    disk: Disk
    happenings: Happenings


@contextmanager
def simulated_parts(loop: DeterministicLoop, faults: Faults) -> Iterator[Parts]:
    """Put all of that into the places of the real ones."""
    clocks, provider, disk = Clocks(loop), SeededProvider(loop.choices, faults), Disk()
    happenings = Happenings()
    stored = writing.append

    def catalogue(*arguments: Any, **named: Any) -> SeededCatalogue:
        made = catalogue_of(provider, SeededCatalogue)(*arguments, **named)
        made.faults = faults
        return made

    def tools(*arguments: object, **named: object) -> SeededTools:
        made = SeededTools(*arguments, **named)
        made.choices, made.happenings = loop.choices, happenings
        return made

    def new_id() -> uuid.UUID:
        return uuid.UUID(int=loop.choices.getrandbits(128), version=4)

    def append(database: Any, conversation: str, entries: Sequence[AnyEntry], *marks: Sequence[str]) -> None:
        disk.check(entries)
        stored(database, conversation, entries, *marks)
        if entries:
            happenings.look(storing(conversation, entries))

    with ExitStack() as stack:
        for target, value in {
            "desktop_app.engine.compose.Catalogue": catalogue,
            "desktop_app.engine.compose.Keys": NoKeys,
            "desktop_app.engine.compose.McpServers": tools,
            "desktop_app.engine.requests.settings_responses.ForeignFileReader": SeededFiles,
            # A real process would be waited for by the virtual clock, for as many seconds as the machine is busy.
            "desktop_app.tools.sandbox.sandbox.probe": lambda: SandboxProbe(NOT_LINUX),
        }.items():
            stack.enter_context(patch(target, value))
        for name in ("time", "monotonic", "sleep"):
            stack.enter_context(patch.object(time, name, getattr(clocks, name)))
        stack.enter_context(patch.object(uuid, "uuid4", new_id))
        stack.enter_context(patch.object(ReplyBounds.__init__, "__defaults__", (clocks.monotonic, None)))
        *others, _, prompt = SummaryService.__init__.__defaults__ or ()
        stack.enter_context(patch.object(SummaryService.__init__, "__defaults__", (*others, clocks.time, prompt)))
        stack.enter_context(patch.object(writing, "append", append))
        yield Parts(clocks, provider, disk, happenings)
