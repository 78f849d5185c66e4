"""What the scripted engine plays of tools, questions and recovery: a script, not an implementation.

A user's message steers it: "!tool N" calls a tool that puts out N lines as fast as it can, "!slow N" at 1,000 lines a
second, "!ask" asks for permission twice, "!rounds" asks whether to go on, "!too-many" fails when nobody said so,
"!overflow" fails as a full window does, "!nearly" as one that is nearly full, "!cut" tells of a server that may have
cut the request, "!continue" stops a reply to make room and goes on with it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.events import (
    Failure,
    Noticed,
    QuestionAnswered,
    QuestionAsked,
    ReplyStarted,
    RoomEnded,
    RoomStarted,
    TextDelta,
    ToolFinished,
    ToolOutputReceived,
    ToolStarted,
    TurnEvent,
    TurnFailed,
)
from desktop_app.conversation.message import Message, Part, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.tools import PermissionAnswer, RequiredPermission
from desktop_app.conversation.transcript import Trigger
from desktop_app.engine import protocol as p

BATCH = 10  # lines in one event of "!slow"
OVERFLOW = Failure(
    kind="overflow", title="The conversation does not fit", detail="prompt is too long: 9,000 tokens > 8,192",
    kept="Everything is stored.", advice="Make room, or choose a larger model.",
)  # fmt: skip


class ScriptedTools:
    """tell: sends an event. append: stores a message in a conversation and tells it."""

    def __init__(self, tell: Callable[[TurnEvent], None], append: Callable[..., None]) -> None:
        self._tell = tell
        self._append = append
        self._answers: dict[str, tuple[threading.Event, list[Any]]] = {}
        self._stopped = threading.Event()
        self.waiting: list[QuestionAsked] = []

    def answer(self, wish: p.AnyRequest) -> p.EngineResponse | None:
        """Its part of the answers; None for what it does not know."""
        match wish:
            case p.AnswerQuestion(_, question, answer):
                event, said = self._answers.get(question, (threading.Event(), []))
                said.append(answer)
                event.set()
                return p.Done()
            case p.StopTool():
                self._stopped.set()
                return p.Done()
            case _:
                return None

    def play(self, name: str, reply_id: str, text: str) -> bool:
        """The turn that such a message asks for; False if it asks for none of these."""
        word, _, number = text.partition(" ")
        match word:
            case "!tool" | "!slow":
                self._run_tool(name, reply_id, int(number or 3), is_slow=word == "!slow")
            case "!ask":
                self._ask_twice(name, reply_id)
            case "!rounds":
                said = self._asked(QuestionAsked(name, f"{name}-rounds", "rounds", rounds=25))
                self._append(name, _reply(Text("on" if said.is_allowed else "ended")), reply_id)
            case "!too-many":
                self._append(name, _reply(Text("Round 25 is done.")), reply_id)
                from desktop_app.chat.turn.take_turn import TOO_MANY_ROUNDS

                self._tell(TurnFailed(name, TOO_MANY_ROUNDS))
            case "!overflow":
                self._tell(TurnFailed(name, OVERFLOW))
            case "!nearly":
                self._tell(TurnFailed(name, replace(OVERFLOW, kind="nearly_full")))
            case "!cut":
                self._append(name, _reply(Text("Here it is.")), reply_id)
                self._tell(Noticed(name, replace(OVERFLOW, kind="silent_cut")))
            case "!continue":
                self._continue(name, reply_id)
            case _:
                return False
        return True

    def _run_tool(self, name: str, reply_id: str, lines: int, *, is_slow: bool) -> None:
        call = ToolCall("t1", "bash", '{"command": "make all"}')
        self._append(name, _reply(call), reply_id)
        self._stopped.clear()
        self._tell(ToolStarted(name, reply_id, call))
        started = time.monotonic()
        for first in range(0, lines, BATCH):
            batch = "".join(f"line {n} of the output\n" for n in range(first, min(first + BATCH, lines)))
            self._tell(ToolOutputReceived(name, "t1", batch, reply_id))
            if is_slow and self._stopped.wait(max(started + (first + BATCH) / 1_000 - time.monotonic(), 0)):
                break
        was_stopped = self._stopped.is_set()
        self._finish_tool(name, call, "Stopped." if was_stopped else f"{lines} lines", reply_id, is_error=was_stopped)
        self._append(name, _reply(Text("Built.")))

    def _finish_tool(
        self, name: str, call: ToolCall, text: str, reply_id: str, place: int = 0, *, is_error: bool = False
    ) -> None:
        result = ToolResult(call.call_id, call.name, text, is_error)
        self._append(name, Message(role=Role.TOOL, parts=(result,), seconds=0.5))
        self._tell(ToolFinished(name, call.call_id, "", call.name, is_error, 0.5, 0, reply_id, place))

    def _ask_twice(self, name: str, reply_id: str) -> None:
        run = ToolCall("t1", "bash", '{"command": "rm -rf build"}')
        fetch = ToolCall("t2", "web_fetch", '{"url": "https://example.org/a"}')
        needs = (
            RequiredPermission("bash", "run", "rm -rf build", "rm *"),
            RequiredPermission("web_fetch", "network", "example.org", "example.org"),
        )
        self._append(name, _reply(run, fetch), reply_id)
        for place, (call, need) in enumerate(zip((run, fetch), needs, strict=True)):
            said = self._asked(QuestionAsked(name, f"{name}-{call.call_id}", "permission", call, (need,)))
            words = f"{said.is_allowed} {said.scope} {said.pattern}"
            self._finish_tool(name, call, words, reply_id, place, is_error=not said.is_allowed)
        self._append(name, _reply(Text("Both answered.")))

    def _asked(self, asked: QuestionAsked) -> Any:
        event, said = self._answers[asked.question] = (threading.Event(), [])
        self.waiting.append(asked)
        self._tell(asked)
        event.wait(15)
        self.waiting.remove(asked)
        answer = said[0] if said else PermissionAnswer(is_allowed=False)  # the window was closed meanwhile
        self._tell(QuestionAnswered(asked.conversation, asked.question, answer.is_allowed))
        return answer

    def _continue(self, name: str, reply_id: str) -> None:
        self._tell(TextDelta(name, reply_id, "The first ha"))
        self._append(name, _reply(Text("The first ha"), is_interrupted=True), reply_id)
        self._tell(RoomStarted(name, Trigger.STREAMING))
        self._tell(RoomEnded(name))
        self._tell(ReplyStarted(name, f"{reply_id}b", "SmolLM2 135M", continues=reply_id))
        self._tell(TextDelta(name, f"{reply_id}b", "lf and more"))
        self._append(name, _reply(Text("lf and more"), continues=reply_id), f"{reply_id}b")


def _reply(*parts: Part, **fields: Any) -> Message:
    return msgspec.structs.replace(Message(role=Role.ASSISTANT, parts=parts, model="SmolLM2 135M"), **fields)
