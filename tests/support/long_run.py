"""A long session of an agent, made up: turns with tool calls and large outputs, against a provider with a true window.

    run = await long_run(data, folder, turns=500, shape="anthropic", window=16_000, policy="balanced")
    run.events, run.session, run.provider_requests, run.dollars_of(CLAUDE)

Everything between is real: the engine's parts, the tools on real files, litellm, HTTP on loopback.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from desktop_app.chat.session import Session
from desktop_app.conversation.events import TurnEvent, TurnFinished
from desktop_app.engine.compose import compose_services
from desktop_app.engine.services import EngineServices
from desktop_app.models.tokens.tokenizers import tokenizer_for
from desktop_app.permissions.rules import rules_of_option
from desktop_app.settings import Server, ServerKind, Settings
from provider import Call, Reply, Request, ScriptedProvider
from provider_flavours import FLAVOURS
from provider_window import Measured, Windowed

ASIDES = ("You keep the long-term memory", "Before the question, what was said", "an instruction by the program that")
"""Parts of the questions that ride on a request of the conversation's: for what must last, and for a summary."""
RULES = (
    "Always answer in British English.",
    "Never edit files below vendor/.",
    "The service must listen on port 7431.",
)
SPREAD = (50, 25, 15, 7, 3)
"""In a hundred calls, so many of each size."""
SYSTEM = "You are a careful engineer who works on the project in the working folder."
STEP = re.compile(r"Step \d+: look at \w+ again and tell me what it does with \d+\.")
MODULES = ("parser", "lexer", "store", "index", "cache", "server", "client", "render")


class Price(msgspec.Struct, frozen=True):
    """US dollars for a million tokens, as Anthropic prices its prompt cache: written 1.25 times, read 0.1 times."""

    prompt: float = 3.0
    reply: float = 15.0
    written: float = 3.75
    read: float = 0.30

    def of(self, measured: Measured) -> float:
        plain = measured.prompt_tokens - measured.cached_tokens - measured.written_tokens
        dollars = plain * self.prompt + measured.written_tokens * self.written
        dollars += measured.cached_tokens * self.read + measured.reply_tokens * self.reply
        return dollars / 1e6


def is_aside(request: Request) -> bool:
    """Whether the request asks for something besides the next reply of the conversation."""
    return any(part in request.text for part in ASIDES)


class LongRun(msgspec.Struct, frozen=True):
    """What came of it. bodies: of the requests as they were sent. seconds: of all turns."""

    events: list[TurnEvent]
    session: Session
    measured: list[Measured]
    requests: list[Request]
    seconds: float

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def chat(self) -> list[Request]:
        """The requests of the conversation itself, without those for summaries and memory."""
        return [r for r in self.requests if r.body.get("tools") and not is_aside(r)]

    @property
    def extending(self) -> float:
        """The share of the conversation's requests whose prompt begins with the whole prompt of the one before."""
        keys = [[block.key for block in FLAVOURS[r.flavour].blocks(r.body)] for r in self.chat]
        return sum(later[: len(one)] == one for one, later in pairwise(keys)) / (len(keys) - 1)

    def dollars(self, price: Price | None = None) -> float:
        """What all requests cost, those for summaries too."""
        asked = price or Price()
        return sum(asked.of(m) for m in self.measured if not m.is_refused)


def make_project(folder: Path, rng: random.Random) -> None:
    """Files to read: modules of a few hundred lines, and a log of two thousand."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in MODULES:
        lines = [f"def {name}_{n}(value):  # {rng.randrange(10**6)}\n    return value + {n}\n" for n in range(120)]
        (folder / f"{name}.py").write_text("\n".join(lines))
    log = [
        f"2026-03-{n % 28 + 1:02} {rng.choice(MODULES)} took {rng.randrange(900)} ms, request {n}" for n in range(2_000)
    ]
    (folder / "service.log").write_text("\n".join(log))


class Agent:
    """Answers as an agent does: calls first, a short report after their results. The same each time."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._calls = 0

    def __call__(self, request: Request) -> Reply:
        if "tools" not in request.body or not request.body["tools"] or ASIDES[2] in request.text:
            return Reply(self._prose(120), size=400)  # a summary, a title
        if request.role in ("tool",):
            return Reply(self._prose(60), size=400)
        return Reply("I look.", calls=self._some_calls(), size=400)

    def summary_of(self, request: Request) -> str:
        """The steps of the conversation that the request names, as a summary whose form and words are accepted."""
        steps = list(dict.fromkeys(STEP.findall(json.dumps(request.body, ensure_ascii=False))))
        asked = "\n".join(f"- {step}" for step in steps[-12:])
        done = "\n".join(f"- {self._prose(12)}" for _ in range(6))
        return json.dumps(
            {"summary": f"## Primary intent\n{asked}\n\n## Current state\n{done}", "turn": "", "keep": []}
        )

    def _some_calls(self) -> tuple[Call, ...]:
        count = self._rng.choice((1, 1, 1, 2, 3))
        return tuple(self._call() for _ in range(count))

    def _call(self) -> Call:
        self._calls += 1
        name, size = self._rng.choice(MODULES), self._size()
        start, lines = self._rng.randrange(1, 200), max(size // 48, 1)
        tool, arguments = self._rng.choice(
            (
                ("read", {"path": f"{name}.py", "offset": start, "limit": lines}),
                ("bash", {"command": f"sed -n {start},{start + lines}p service.log"}),
                ("bash", {"command": f"head -c {size} service.log; cat missing-{start}.txt"}),
            )
        )
        return Call(tool, json.dumps(arguments), f"toolu_{self._calls:06}")

    def _size(self) -> int:
        """Characters of an output, as they are spread in a recorded session of 373 calls: median 114, mean 691, a tenth
        above 1,550; here with more large ones, 3 % of 20,000 to 90,000."""
        least, most = self._rng.choices(
            ((40, 200), (200, 600), (600, 1_600), (1_600, 4_000), (20_000, 90_000)), SPREAD
        )[0]
        return self._rng.randrange(least, most)

    def _prose(self, words: int) -> str:
        return " ".join(
            self._rng.choice(("the", "parser", "reads", "a", "value", "and", "returns", "it")) for _ in range(words)
        )


class Summarizer(Agent):
    """The same, but its summaries can be used and it has nothing to note; `Agent` answers neither question."""

    def __call__(self, request: Request) -> Reply:
        end = json.dumps(request.body)[-6_000:]
        if '\\"summary\\"' in end:
            return Reply(self.summary_of(request), size=400)
        return Reply("SILENT", size=400) if "SILENT" in end else super().__call__(request)


def user_line(turn: int) -> str:
    if turn == 0:
        return "We build a service. Rules for all that follow:\n" + "\n".join(f"- {rule}" for rule in RULES)
    return f"Step {turn}: look at {MODULES[turn % len(MODULES)]} again and tell me what it does with {turn}."


async def long_run(
    data: Path,
    folder: Path,
    *,
    turns: int,
    shape: ServerKind = "openai_compatible",
    window: int = 16_000,
    policy: str = "balanced",
    factor: float = 1.0,
    seed: int = 7,
    agent: Callable[[int], Callable[[Request], Reply]] = Agent,
) -> LongRun:
    """All turns, one after the other. factor: what the provider counts for one token of o200k. agent: of a seed."""
    make_project(folder, random.Random(seed))
    script = Windowed(window, agent(seed), count=tokenizer_for("gpt-4o").count, factor=factor)
    flavour = "anthropic" if shape == "anthropic" else "openai"
    model = "claude-sonnet-4-5" if shape == "anthropic" else "scripted"
    events: list[TurnEvent] = []
    bugs: list[BaseException] = []
    with ScriptedProvider(script, flavour=flavour, models=(model,)) as provider:
        url = provider.root_url if shape == "anthropic" else provider.base_url
        server = Server("run", url, (model,), window, kind=shape)

        def changed(settings: Settings) -> Settings:
            return replace(
                settings,
                chat_model=f"run/{model}",
                servers=(server,),
                policy=policy,
                folder=str(folder),
                system_prompt=SYSTEM,
                max_rounds=1_000,
            )

        services = await compose_services(
            data, events.append, lambda: None, bugs.append, changed, rules_of_option("all"), is_attended=False
        )
        try:
            started = time.monotonic()
            session = await _all_turns(services, turns)
            seconds = time.monotonic() - started
        finally:
            await services.close()
    assert not bugs, bugs
    assert len([e for e in events if isinstance(e, TurnFinished)]) == turns
    return LongRun(events, session, script.requests, provider.requests, seconds)


async def _all_turns(services: EngineServices, turns: int) -> Session:
    await services.get_ready()
    session = await services.conversations.create()
    for turn in range(turns):
        await services.conversations.turns.send(session, user_line(turn))
        await services.conversations.turns.wait_until_idle(session.id, with_room=True)
    return session
