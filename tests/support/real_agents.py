"""Histories of real agents, compared with what a scripted model said, whichever parts of it they store.

    with ScriptedModel(agent) as model:
        ask(agent, model, home, "[[work]] Look at the pond")
    check_import(agent, model, history)
    check_cuts(history, file)

The newest mark in what the user said tells the model what to do: `[[work]]` calls the agent's shell, first once, then
twice in one reply, and reports; `[[again]]` replies. Any other request, such as one for a title, gets a short text.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from coding_agents import Home
from desktop_app.conversation.foreign import ForeignConversation, ForeignMessage
from desktop_app.conversation.foreign_record import new_entries
from desktop_app.conversation.message import Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.imports.formats import read_all
from desktop_app.imports.sources import sources_in
from provider import Request, ScriptedProvider
from provider_script import AnyStep, Call, Reply
from provider_shapes import Shape

MODEL = "pond-1"
PATIENCE = 180
"""Seconds that times may differ."""
CUTS = 30
SHELLS = ("bash", "shell", "terminal", "run_shell_command", "run_commands", "run_command", "execute_command")
"""Names of the tools that run a command, in small letters."""
MARKS = ("[[work]]", "[[again]]")


class RealAgent(msgspec.Struct, frozen=True):
    """How an agent is installed and asked, and what its history holds."""

    program: str
    """Its name as an import says it."""
    install: Callable[[], Path]
    """Return the folder of its commands."""
    command: Callable[[str, bool], list[str]]
    """Return the command for a prompt. The second argument: whether an earlier conversation goes on."""
    history: str
    """Its history below the home; "" for the folder in which it works."""
    configure: Callable[[Path, str], dict[str, str]] = lambda home, url: {}
    """Write its settings below the home for the model at a URL; return variables for its environment."""
    grows: str = ""
    """A pattern for the file that grows, below the history; "" if it is a database, or many files."""
    has_tools: bool = True
    has_thoughts: bool = True
    has_times: bool = True
    has_usage: bool = True
    has_call_ids: bool = True
    at_once: int = 2
    """The calls in the second reply to `[[work]]`: how many of one reply it runs."""


class Said(msgspec.Struct, frozen=True):
    """A reply of the scripted model."""

    at: float
    reply: Reply

    @property
    def results(self) -> list[str]:
        """What the commands of its calls print."""
        return [f"RESULT-{call.call_id}" for call in self.reply.calls]


class ScriptedModel:
    """A model that works as the marks in the prompts tell it."""

    window = 128_000

    def __init__(self, agent: RealAgent) -> None:
        self._at_once, self._has_tools = agent.at_once, agent.has_tools
        self.said: list[Said] = []
        self.prompts: list[tuple[float, str]] = []
        self.provider = ScriptedProvider(self, models=(MODEL,))

    def __enter__(self) -> ScriptedModel:
        self.provider.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.provider.stop()

    def take(self, request: Request, shape: Shape) -> AnyStep:
        """Return the reply to a request."""
        del shape
        turns = request.turns
        asked = [n for n, (role, text) in enumerate(turns) if role == "user" and any(mark in text for mark in MARKS)]
        if not asked or (self._has_tools and not request.body.get("tools")):
            return Reply("A pond")
        is_work = "[[work]]" in turns[asked[-1]][1]
        rounds = sum(role == "assistant" and "REPLY-" in text for role, text in turns[asked[-1] + 1 :])
        calls = {0: 1, 1: self._at_once}.get(rounds, 0) if is_work else 0
        words = "I look, 二つ." if calls else "**Done** – ✓ the pond is deep."
        return self._say(words, _shell(request.body) * calls)

    def _say(self, text: str, tools: tuple[tuple[str, dict[str, Any]], ...]) -> Reply:
        number = len(self.said) + 1
        calls = tuple(_call(name, schema, f"call-{number}-{n}") for n, (name, schema) in enumerate(tools))
        usage = (1_000 + 10 * number, 50 + number, 300 + number)
        finish = "tool_calls" if calls else "stop"
        thought = f"THOUGHT-{number}: how deep is it?"
        reply = Reply(f"REPLY-{number}: {text}", reasoning=thought, calls=calls, usage=usage, finish=finish)
        self.said.append(Said(time.time(), reply))
        return reply


def _shell(body: dict[str, Any]) -> tuple[tuple[str, dict[str, Any]], ...]:
    """Return the shell among the tools of a request, with the schema of its arguments."""
    functions = [each.get("function") or each for each in body.get("tools") or []]
    found = [(f["name"], f.get("parameters") or {}) for f in functions if f.get("name", "").lower() in SHELLS]
    return tuple(found[:1])


def _call(name: str, schema: dict[str, Any], call_id: str) -> Call:
    command = f"echo RESULT-{call_id}"
    arguments: dict[str, Any] = {}
    for argument, about in (schema.get("properties") or {}).items():
        if argument in ("command", "cmd", "commands"):
            arguments[argument] = [command] if about.get("type") == "array" else command
        elif argument in (schema.get("required") or ()):
            types = {"boolean": False, "integer": 1, "number": 1, "array": [], "object": {}}
            arguments[argument] = (about.get("enum") or [types.get(about.get("type"), "to look")])[0]
    return Call(name, json.dumps(arguments), call_id)


def ask(agent: RealAgent, model: ScriptedModel, home: Home, prompt: str) -> None:
    """Ask an agent, and note the prompt."""
    before = len(model.said)
    model.prompts.append((time.time(), prompt))
    printed = home.run(*agent.command(prompt, len(model.prompts) > 1))
    assert len(model.said) > before, f"nothing was asked: {printed[-2_000:]}"


def end_daemons(folder: Path) -> None:
    """End what an agent left running: its command line names the test's folder, as the hub of Cline does."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if str(folder).encode() in (process / "cmdline").read_bytes():
                os.kill(int(process.name), signal.SIGTERM)


def read_history(history: Path) -> list[ForeignConversation]:
    """Return the conversations in a folder or a file."""
    return [found for _, found in read_all(sources_in(history)) if isinstance(found, ForeignConversation)]


def check_import(agent: RealAgent, model: ScriptedModel, history: Path) -> None:
    """Compare what an import reads with what was said, by the model's own log."""
    found = read_history(history)
    assert {each.program for each in found} == {agent.program}
    assert all(each.unread == () for each in found)
    messages = [e.message for each in found for e in each.entries if isinstance(e, ForeignMessage)]
    places = [_check_reply(agent, said, messages) for said in model.said]
    assert places == sorted(places), "in the order in which it was said"
    for at, prompt in model.prompts:
        (asked,) = [each for each in messages if each.role is Role.USER and prompt in each.text]
        assert not agent.has_times or abs(asked.at - at) < PATIENCE
    assert any(each.title for each in found)


def _check_reply(agent: RealAgent, said: Said, messages: list[Message]) -> int:
    """Check that a reply was imported whole; return its place."""
    reply = said.reply
    (place,) = [n for n, each in enumerate(messages) if each.role is Role.ASSISTANT and reply.text in each.text]
    near = _same_reply(messages, place)
    parts = [part for each in near for part in each.parts]
    assert not agent.has_thoughts or any(isinstance(p, Reasoning) and reply.reasoning in p.text for p in parts)
    assert any(MODEL in each.model for each in near)
    if agent.has_usage and reply.usage is not None:
        usages = [each.usage for each in near if each.usage is not None]
        assert [(each.prompt_tokens, each.cached_tokens) for each in usages] == [(reply.usage[0], reply.usage[2])]
    assert not agent.has_times or abs(messages[place].at - said.at) < PATIENCE
    for call, printed in zip(reply.calls, said.results, strict=True):
        called = [part for part in parts if isinstance(part, ToolCall) and printed in part.arguments]
        (found,) = [part for part in called if not agent.has_call_ids or part.call_id == call.call_id]
        assert found.name == call.name
        assert json.loads(found.arguments) == json.loads(call.arguments)
        results = [p for each in messages for p in each.parts if isinstance(p, ToolResult)]
        (result,) = [each for each in results if each.call_id == found.call_id]
        assert printed in result.text
        assert (result.name, result.is_error) == (call.name, False)
    return place


def _same_reply(messages: list[Message], place: int) -> list[Message]:
    """Return the messages of the model around a place: an agent may store each part of a reply as one, with results
    between them."""
    first = last = place
    while first and messages[first - 1].role is Role.ASSISTANT:
        first -= 1
    while last + 1 < len(messages) and _goes_on(messages, place, last + 1):
        last += 1
    return [each for each in messages[first : last + 1] if each.role is Role.ASSISTANT]


def _goes_on(messages: list[Message], place: int, position: int) -> bool:
    """Return whether a message belongs to the reply at a place: a result does, and a call without words of its own."""
    message = messages[position]
    return message.role is Role.TOOL or (message.role is Role.ASSISTANT and not _has_words(message))


def _has_words(message: Message) -> bool:
    return any(isinstance(part, Text | Reasoning) for part in message.parts)


def check_cuts(history: Path, file: Path, scratch: Path) -> None:
    """Import the beginning of a growing file, then all of it: nothing is lost, and nothing is added a third time.

    A beginning ends between two bytes, as that of a killed agent does.
    """
    content = file.read_bytes()
    whole = {each.id: each for each in read_history(history)}
    for number in range(1, CUTS + 1):
        copy = scratch / f"cut-{number}"
        shutil.copytree(history, copy)
        (copy / file.relative_to(history)).write_bytes(content[: len(content) * number // (CUTS + 1)])
        begun = {each.id: each for each in read_history(copy)}
        shutil.rmtree(copy)
        for name, each in whole.items():
            record = new_entries(begun[name], "") if name in begun else []
            record = [*record, *new_entries(each, "", record)]
            assert new_entries(each, "", record) == []
            assert not _parts(new_entries(each, "")) - _parts(record), f"cut {number} of {CUTS}"


def _parts(record: list[Any]) -> Counter[tuple[Role, Part]]:
    return Counter((e.role, part) for e in record if isinstance(e, Message) for part in e.parts)
