"""A small engine that speaks the real protocol from a script: a process for tests of the window.

    python scripted_engine.py --data-dir D [--messages N] [--delay SECONDS]

It keeps its record in D/scripted.json, so that it can be killed and started again. A user's message steers it:
"!die" ends the process in the middle of the reply, "!fail" fails the turn, "!wait" streams until it is stopped,
"!flood N" sends N deltas at once, "!compact" makes room in the middle of the turn; `scripted_tools` knows some more;
anything else is answered with a Markdown reply of several deltas.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from scripted_record import MODEL, ScriptedRecord
from scripted_tools import ScriptedTools
from scripted_world import Refused, ScriptedWorld

from desktop_app.conversation.events import (
    Failure,
    GaugeChanged,
    MessageState,
    ReplyStarted,
    TextDelta,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.engine import protocol as p

TurnRequest = p.Send | p.Regenerate | p.GoOn | p.StartResearch
REPLY = (
    "The tests pass. Two things remain:\n\n",
    "1. `currency` still allows null.\n",
    "2. The down step drops data.\n\n",
    "```python\ndef down() -> None:\n    ...\n```\n",
)
FAILURE = Failure(
    kind="provider", title="The model did not answer", detail="503 Service Unavailable",
    kept="Your message is stored.", advice="Choose Regenerate to try again.",
)  # fmt: skip


class ScriptedEngine:
    """Answers requests, and plays turns in a thread. write: sends a line; die: ends the engine at once."""

    def __init__(
        self, folder: Path, messages: int, delay: float, write: Callable[[bytes], None], die: Callable[[], object]
    ) -> None:
        self._delay = delay
        self._lock = threading.Lock()
        self._write_line = write
        self._die = die
        self._running: set[str] = set()
        self._stopped = threading.Event()
        self._record = ScriptedRecord(folder, messages, self._tell)
        self._tools = ScriptedTools(self._tell, self._record.append)
        self._world = ScriptedWorld(self._record)

    def take(self, line: bytes) -> bool:
        """Answer a request, and play the turn that it begins; return False for Shutdown."""
        ask = p.decode_request(line)
        try:
            answer = p.ResponseLine(ask.number, response=self._answer(ask.request))
        except LookupError as error:
            failure = Failure(kind="not_found", title="There is no such conversation", detail=str(error))
            answer = p.ResponseLine(ask.number, failure=failure)
        except Refused as refused:
            answer = p.ResponseLine(ask.number, failure=refused.failure)
        self._write(answer)
        if isinstance(ask.request, TurnRequest):
            threading.Thread(target=self._turn, args=(ask.request,), daemon=True).start()
        return not isinstance(ask.request, p.Shutdown)

    def stop(self) -> None:
        """End the turn that runs."""
        self._stopped.set()

    def _answer(self, wish: p.AnyRequest) -> p.EngineResponse:
        for part in (self._tools, self._world, self._record):
            told = part.answer(wish)
            if told is not None:
                return told
        match wish:
            case p.UseOwnWindow(name):
                self._tell(GaugeChanged(name, self._record.gauge(name)))
            case p.Hello():
                return p.Welcome(p.VERSION)
            case p.CreateConversation(title, _, project):
                name = self._record.new(title, project=project)
                self._write(p.ConversationsChanged(self._record.keep().conversations, self._record.projects()))
                return self._opened(name)
            case p.Fork(name):
                info = self._record.kept.conversations[name]
                return self._opened(self._record.new(f"{info.title} (copy)", info.messages))
            case p.StartFresh():
                return self._opened(self._record.new("Started fresh", 2))
            case p.OpenConversation(name) | p.ChooseModel(name) | p.ChangeSetup(name):
                return self._opened(name)
            case p.ChooseFolder(name, folder):
                infos = self._record.kept.conversations
                infos[name] = msgspec.structs.replace(infos[name], folder=folder)
                return self._opened(name)
            case p.Stop():
                self._stopped.set()
            case _:
                pass
        return p.Done()

    def _opened(self, name: str) -> p.ConversationOpened:
        waiting = tuple(asked for asked in self._tools.waiting if asked.conversation == name)
        return self._record.opened(name, name in self._running, waiting)

    def _turn(self, wish: TurnRequest) -> None:
        name = wish.conversation
        self._stopped.clear()
        self._running.add(name)
        self._tell(TurnStarted(name))
        if isinstance(wish, p.Send):
            self._record.append(name, user_message(wish.text, wish.attachments))
        elif isinstance(wish, p.StartResearch):
            self._record.append(name, user_message(f"researched: {wish.question}"))
        elif isinstance(wish, p.Regenerate):
            self._record.change(name, self._record.kept.rows[name][-1].message.id, state=MessageState.ABANDONED)
            self._record.kept.rows[name].pop()
        text = self._record.kept.rows[name][-1].message.text
        reply_id = f"{name}-{len(self._record.kept.rows[name])}"
        self._tell(ReplyStarted(name, reply_id, MODEL.label))
        if text == "!fail":
            self._tell(TurnFailed(name, FAILURE))
            self._tell(TurnFinished(name, "failed"))
            return
        if isinstance(wish, p.Send) and self._tools.play(name, reply_id, text):
            self._tell(TurnFinished(name))
            return
        if text == "!compact":
            self._record.compact(name, "What was said.")
        arrived = ""
        for delta in self._deltas(text):
            arrived += delta
            self._tell(TextDelta(name, reply_id, delta))
            if text == "!die":
                self._die()
                return
            if self._stopped.wait(self._delay):
                break
        was_stopped = self._stopped.is_set()
        reply = Message(role=Role.ASSISTANT, parts=(Text(arrived),), model=MODEL.label, is_interrupted=was_stopped)
        self._record.append(name, reply, reply_id)
        self._tell(TurnFinished(name, "stopped" if was_stopped else "finished"))

    def _deltas(self, text: str) -> Iterator[str]:
        if text == "!wait":
            yield from (f"word{n} " for n in itertools.count())
        if text.startswith("!flood "):
            yield from (f"word{n} " for n in range(int(text.removeprefix("!flood "))))
        else:
            yield from REPLY

    def _tell(self, event: TurnEvent) -> None:
        if isinstance(event, TurnFinished):
            self._running.discard(event.conversation)
        self._write(p.EventLine(event))

    def _write(self, line: p.EngineLine) -> None:
        with self._lock:
            self._write_line(p.encode_line(line))


def _write_out(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--messages", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.01)
    chosen = parser.parse_args()
    engine = ScriptedEngine(chosen.data_dir, chosen.messages, chosen.delay, _write_out, lambda: os._exit(3))
    for line in sys.stdin.buffer:
        if not engine.take(line):
            break
