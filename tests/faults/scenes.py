"""Turns in which an engine can be killed, and a provider that answers each in its way."""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Callable

from desktop_app.conversation.events import (
    MessageRecorded,
    ReplyStarted,
    RoomProgressed,
    RoomStarted,
    TextDelta,
    ToolOutputReceived,
    ToolStarted,
    TurnEvent,
    TurnFinished,
    TurnStarted,
)
from provider import AnyStep, Call, Reply, Request, Status
from provider_shapes import Shape
from request_rules import legal_for_all

WINDOW = 16_000
LONG = ("sleep 60", "sleep 60 & sleep 60", "setsid sleep 60 & sleep 60", "(sleep 60; echo never) & wait")
QUICK = ("sleep 0.3", "ls", "for i in 1 2 3; do echo $i; sleep 0.1; done")
"""Commands of tools, in the background and in the foreground."""
WORDS = "The river is long and the evening is late so we go on and tell of what lies behind the hills. "

Is = Callable[[TurnEvent], bool]


def has_calls(event: TurnEvent) -> bool:
    return isinstance(event, MessageRecorded) and bool(event.row.message.tool_calls)


def happened(*kinds: type) -> Is:
    return lambda event: isinstance(event, kinds)


SCENES: dict[str, tuple[Is, float]] = {
    "before the first token": (happened(TurnStarted), 0.8),
    "in the stream": (happened(TextDelta), 2.5),
    "while it thinks": (happened(ReplyStarted), 1.5),
    "between call and result": (has_calls, 0.1),
    "while tools run": (happened(ToolStarted), 1.0),
    "once a tool has spoken": (happened(ToolOutputReceived), 0.5),
    "in the call's arguments": (happened(TextDelta), 0.8),
    "between rounds": (lambda event: isinstance(event, MessageRecorded) and event.row.message.role == "tool", 0.4),
    "when room is due": (happened(RoomStarted), 0.15),
    "while a summary is written": (happened(RoomProgressed), 0.6),
    "at the end": (happened(TurnFinished), 0.1),
    "at any time": (happened(TurnStarted), 3.0),
}
"""For each moment: the event that it comes after, and within how many seconds."""
AT_THE_START = "while it starts"
OPERATIONS = "in operations"
LONG_ONE = "\n".join(
    json.dumps({"role": ("user", "assistant")[n % 2], "content": f"{n} @: " + WORDS * 5}) for n in range(110)
)
"""A conversation, to be imported, in which room is due. @ stands for what makes it another one."""
ROOM = ("when room is due", "while a summary is written")
SERVER_SCENES: dict[str, tuple[Is, float]] = {
    "while servers start": (happened(TurnStarted), 1.0),
    "before servers answer": (has_calls, 0.1),
    "while servers work": (happened(ToolStarted), 1.5),
    "once a server has answered": (
        lambda event: isinstance(event, MessageRecorded) and event.row.message.role == "tool",
        0.4,
    ),
    "between calls of servers": (happened(TurnFinished), 0.3),
}
"""The same, of an engine with servers of tools."""
SERVERS = ("life", "other")


class Scenes:
    """The script of a provider: a user's message names its scene. malformed: requests that the API would refuse."""

    window = WINDOW

    def __init__(self, seed: str) -> None:
        self.malformed: list[str] = []
        self._random = random.Random(seed)
        self._lock = threading.Lock()

    def take(self, request: Request, shape: Shape) -> AnyStep:
        """The step that answers it."""
        if problems := legal_for_all(request.body.get("messages", ())):
            self.malformed += problems
        if wrong := shape.malformed(request.body):
            self.malformed.append(wrong)
            return Status(400, wrong, kind="invalid_request_error")
        said = [text for role, text in request.turns if role == "user"]
        with self._lock:
            return self._summary() if _is_summary(request.text) else self._reply(said[-1], request.role == "tool")

    def _summary(self) -> Reply:
        summary = "## Primary intent\nThe user tells of a river, and wants the story to go on. " + WORDS
        return Reply(json.dumps({"summary": summary, "keep": []}), pause=self._random.uniform(0, 0.03))

    def _reply(self, said: str, is_result: bool) -> Reply:
        marker, name = re.findall(r"\[(\w+) ([^]]+)]", said)[-1]  # what was recalled stands before it
        story = WORDS * self._random.randint(3, 12)
        if name == "with a long output" and not is_result:
            return Reply("I look. ", calls=(Call("bash", json.dumps({"command": f"seq 1 40000; echo {marker}"})),))
        if name in SERVER_SCENES and not is_result:
            return Reply("I ask. ", calls=self._server_calls(marker, "work" in name))
        if name == "next":
            return Reply(f"Here I am again, {marker}.", size=8)
        if is_result:
            return Reply("All results are in. " + story, size=12, pause=0.01)
        if name == "before the first token":
            return Reply(story, delay=self._random.uniform(0.5, 2.0))
        if name == "while it thinks":
            return Reply(story, reasoning=story, size=6, pause=0.02)
        if name in ("in the stream", *ROOM):
            return Reply(story, size=5, pause=self._random.choice((0.01, 0.03, 0.1)))
        if name == "at the end":
            return Reply("Short.")
        return Reply(
            "I look. ",
            calls=self._calls(marker, name == "at any time"),
            pause=0.03 if "arguments" in name else 0.002,
            size=6,
        )

    def _server_calls(self, marker: str, is_long: bool) -> tuple[Call, ...]:
        seconds = self._random.uniform(2, 5) if is_long else self._random.uniform(0, 0.3)
        arguments = json.dumps({"marker": marker, "seconds": seconds})
        return tuple(Call(f"{server}__work", arguments, f"call_{server}") for server in SERVERS)

    def _calls(self, marker: str, is_quick: bool) -> tuple[Call, ...]:
        chosen = self._random.choices(QUICK if is_quick else LONG, k=self._random.randint(1, 3))
        commands = [f"echo {marker} begins; {command}" for command in chosen]
        calls = [Call("bash", json.dumps({"command": command}), f"call_{n}") for n, command in enumerate(commands)]
        return (*calls, Call("list", '{"path": "."}', "call_l"), Call("read", '{"path": "notes.txt"}', "call_r"))


def _is_summary(said: str) -> bool:
    return "Answer with one JSON object" in said or "Call save_memory once for each note" in said
