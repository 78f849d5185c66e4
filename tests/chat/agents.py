"""A scripted agent that calls again as long as it does not see its result, and tools that count how often they ran."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

from desktop_app.chat.session import Session
from desktop_app.chat.turn.tool_runtime import ToolRuntime
from desktop_app.conversation.events import (
    MessageRecorded,
    ReplyStarted,
    RetryScheduled,
    TurnEvent,
    TurnFinished,
    ViewChanged,
)
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import RequiredPermission, ToolContext, ToolOutcome, ToolSpec
from desktop_app.models.tokens.tokenizers import tokenizer_for
from desktop_app.permissions.rules import rules_of_option
from desktop_app.tools.spill import SpillFolder
from provider import AnyStep, Call, Reply, Request, Windowed

ARGUMENT = '{"type":"object","properties":{"command":{"type":"string","description":"What is run, on one line."}}}'
RUN = ToolSpec("run", "Run a command of the project.", ARGUMENT)


def schemas_of_servers(count: int) -> tuple[ToolSpec, ...]:
    """Tools as servers offer them, of some 100 tokens each."""
    properties = {
        f"{name}_{kind}": {"type": kind, "description": f"The {name} of the element, as the page gives it."}
        for name in ("reference", "position")
        for kind in ("string", "number")
    }
    schema = json.dumps({"type": "object", "properties": properties})
    text = "Act on the page that is open, then return what changed on it."
    return tuple(ToolSpec(f"browser_{n}", text, schema, "playwright") for n in range(count))


class CountedTools:
    """A toolbox of one tool of ours beside those of servers. result_of: what a command puts out at its nth run."""

    def __init__(self, result_of: Callable[[str, int], str], more: tuple[ToolSpec, ...] = ()) -> None:
        self.runs: Counter[str] = Counter()
        self._result_of = result_of
        self._more = more

    async def specs(self, context: ToolContext) -> tuple[ToolSpec, ...]:
        return (RUN, *self._more)

    async def get_ready(self, *_: object) -> None: ...

    def owns(self, name: str) -> bool:
        return False

    async def needs(self, call: ToolCall, context: ToolContext) -> tuple[RequiredPermission, ...]:
        command = command_of(call)
        return () if command.startswith("look") else (RequiredPermission("run", "run", command),)

    async def preview(self, *_: object, **__: object) -> None: ...

    async def run(self, call: ToolCall, context: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        command = command_of(call)
        self.runs[command] += 1
        yield ToolOutcome(self._result_of(command, self.runs[command]))

    def failures(self) -> tuple:
        return ()


def command_of(call: ToolCall) -> str:
    return str(json.loads(call.arguments)["command"])


def ran(command: str, call_id: str = "a") -> Call:
    return Call("run", json.dumps({"command": command}), call_id)


class Agent:
    """Runs `step N` for "Turn N", calls it again as long as its result is not in the request, and then says so."""

    def __init__(self, calls: int = 1) -> None:
        self._calls = calls
        self._number = 0

    def __call__(self, request: Request) -> AnyStep:
        if not request.body.get("tools"):
            return Reply("- The steps were run in their order, and each did what it should.", size=400)
        asked = "\n".join(text for role, text in request.turns if role == "user")
        turn = re.findall(r"Turn (\d+) of", asked)[-1]
        results = "\n".join(text for role, text in request.turns if role == "tool")
        commands = [f"step {turn}.{n}" for n in range(self._calls)]
        unseen = [command for command in commands if f"[{command}]" not in results]
        if not unseen:
            return Reply("Done: each result says what it should.", size=400)
        calls = tuple(ran(command, f"c{self._next()}") for command in unseen)
        return Reply("I run it.", calls=calls, finish="tool_calls", size=400)

    def _next(self) -> int:
        self._number += 1
        return self._number


def output(tokens: int) -> Callable[[str, int], str]:
    """Of a command: its name, and about so many tokens, different for each."""
    return lambda command, _: f"[{command}]\n" + "".join(f"{command} line {n}: ok\n" for n in range(tokens // 10))


def agent_script(window: int, answer: Callable[[Request], AnyStep], **more) -> Windowed:
    return Windowed(window, answer, count=tokenizer_for("gpt-4o").count, **more)


async def equipped_with(home, folder: Path, tools: CountedTools) -> Session:
    """A conversation whose model has those tools; nobody is asked."""
    spills = SpillFolder(folder / "spills")
    rules = rules_of_option("all")

    async def keep(rule) -> None: ...

    runtime = ToolRuntime(tools, spills, lambda: home.chats.settings, keep, home.bugs.append, rules, False)
    home.furnish(tools=runtime)
    return await home.chats.create("Steps")


def steps_in(events: list[TurnEvent]) -> int:
    """How many prunes and compactions the turn recorded before it ended."""
    end = next(index for index, event in enumerate(events) if isinstance(event, TurnFinished))
    changes = [event for event in events[:end] if isinstance(event, ViewChanged)]
    return sum(row.kind in ("prune", "compaction") for change in changes for row in change.operations)


def tries_in(events: list[TurnEvent]) -> int:
    """How often the turn made room before it ended: steps between which no request was sent are one try."""
    count, is_new = 0, True
    for event in events:
        if isinstance(event, TurnFinished):
            return count
        if isinstance(event, ViewChanged) and any(row.kind in ("prune", "compaction") for row in event.operations):
            count += is_new
            is_new = False
        is_new = is_new or isinstance(event, ReplyStarted | MessageRecorded | RetryScheduled)
    raise AssertionError("the turn has not ended")
