"""A small engine that speaks the real protocol from a script: a process for tests of the window.

    python scripted_engine.py --data-dir D [--messages N] [--delay SECONDS]

It keeps its record in D/scripted.json, so that it can be killed and started again. A user's message steers it:
"!die" ends the process in the middle of the reply, "!fail" fails the turn, "!wait" streams until it is stopped,
"!flood N" sends N deltas at once; `scripted_tools` knows some more; anything else is answered with a Markdown reply of
several deltas.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
from scripted_tools import ScriptedTools
from transcript_rows import changes_of

from desktop_app.conversation.events import (
    Failure,
    GaugeChanged,
    MessageRecorded,
    MessageRow,
    OperationRow,
    ReplyStarted,
    RoomStarted,
    State,
    TextDelta,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
    ViewChanged,
)
from desktop_app.conversation.facts import Fidelity
from desktop_app.conversation.gauge import Gauge, Segment, Status
from desktop_app.conversation.listing import ConversationInfo, ModelInfo, SearchResult
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.conversation.transcript import Trigger
from desktop_app.engine import protocol as p
from desktop_app.settings import Settings

MODEL = ModelInfo(id="builtin", label="SmolLM2 135M", window=8_192, max_output=2_048, is_builtin=True)
OTHER_MODEL = ModelInfo(id="far/large", label="Large", window=200_000, max_output=8_192, note="The server is not up.")
NOW = 1_760_000_000.0
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


class Record(msgspec.Struct):
    """All that this engine knows; written to disk before anything is told."""

    conversations: dict[str, ConversationInfo] = {}
    rows: dict[str, list[MessageRow]] = {}
    operations: dict[str, list[OperationRow]] = {}
    deleted: list[str] = []
    settings: Settings = Settings()


class ScriptedEngine:
    """Reads wishes, answers, and plays turns in a thread."""

    def __init__(self, folder: Path, messages: int, delay: float) -> None:
        self._file = folder / "scripted.json"
        self._delay = delay
        self._lock = threading.Lock()
        self._running: set[str] = set()
        self._stopped = threading.Event()
        self._tools = ScriptedTools(self._tell, self._append)
        if self._file.exists():
            self._record = msgspec.json.decode(self._file.read_bytes(), type=Record)
        else:
            self._record = Record()
            if messages:
                self._add("c1", "Migrating the billing service", messages)
                self._add("c2", "Trip to Lisbon", 4)
            self._keep()

    def serve(self) -> None:
        """Until the end of the input, or Shutdown."""
        for line in sys.stdin.buffer:
            ask = p.decode_ask(line)
            try:
                answer = p.Answer(ask.number, thing=self._answer(ask.wish))
            except LookupError as error:
                failure = Failure(kind="not_found", title="There is no such conversation", detail=str(error))
                answer = p.Answer(ask.number, failure=failure)
            self._write(answer)
            if isinstance(ask.wish, p.Send | p.Regenerate | p.GoOn | p.Research | p.OptimizeAndRetry):
                threading.Thread(target=self._turn, args=(ask.wish,), daemon=True).start()
            if isinstance(ask.wish, p.Shutdown):
                return

    def _answer(self, wish: p.AnyWish) -> p.AnyThing:
        record = self._record
        told = self._tools.answer(wish)
        if told is not None:
            return told
        match wish:
            case p.Hello():
                return p.Welcome(p.VERSION)
            case p.ListConversations():
                return self._list()
            case p.CreateConversation(title):
                name = f"c{len(record.conversations) + 1}"
                self._add(name, title or "New conversation", 0)
                self._write(p.ConversationsChanged(self._keep().conversations))
                return self._opened(name)
            case p.OpenConversation(name) | p.ChooseModel(name):
                return self._opened(name)
            case p.ReadMessages(name, before, limit):
                rows = [row for row in record.rows[name] if row.index < before]
                return p.Messages(tuple(rows[-limit:]), len(record.rows[name]))
            case p.ReadOperation(name, operation, query):
                rows = [row for row in record.rows[name] if row.operation_id == operation]
                rows = [row for row in rows if query in row.message.text]
                return p.Messages(tuple(rows), len(rows))
            case p.ListPins(name):
                rows = tuple(row for row in record.rows[name] if row.is_pinned)
                return p.Messages(rows, len(rows))
            case p.Search(query):
                return p.Found(tuple(self._found(query)))
            case _:
                return self._answer_change(wish)

    def _answer_change(self, wish: p.AnyWish) -> p.AnyThing:
        record = self._record
        match wish:
            case p.Rename(name, title):
                record.conversations[name] = msgspec.structs.replace(record.conversations[name], title=title)
                return self._keep()
            case p.Delete(name):
                record.deleted.append(name)
                return self._keep()
            case p.Restore(name):
                record.deleted.remove(name)
                return self._keep()
            case p.PinMessage(name, message) | p.UnpinMessage(name, message):
                return self._change(name, message, is_pinned=isinstance(wish, p.PinMessage))
            case p.BringBackMessages(name, messages):
                for message in messages:
                    self._change(name, message, state=State.IN_VIEW)
                return p.Done()
            case p.PlanOptimize(name):
                return self._plan(name)
            case p.ApplyPlan(name, _, summary):
                return self._compact(name, summary)
            case p.UndoOperation(name, operation) | p.RedoOperation(name, operation):
                return self._undo(name, operation, isinstance(wish, p.UndoOperation))
            case _:
                return self._answer_small(wish)

    def _answer_small(self, wish: p.AnyWish) -> p.AnyThing:
        match wish:
            case p.CountDraft(_, text):
                return p.DraftCounted(len(text) // 4)
            case p.Stop():
                self._stopped.set()
            case p.ListModels():
                return p.Models((MODEL, OTHER_MODEL))
            case p.ReadSettings():
                return p.SettingsRead(self._record.settings, (), "the system keyring")
            case p.WriteSettings(settings):
                self._record.settings = settings
                self._keep()
                return p.SettingsRead(settings, (), "the system keyring")
            case p.ChooseFolder(name, folder):
                info = self._record.conversations[name]
                self._record.conversations[name] = msgspec.structs.replace(info, folder=folder)
                return self._opened(name)
            case p.StartFresh():
                name = f"c{len(self._record.conversations) + 1}"
                self._add(name, "Started fresh", 2)
                return self._opened(name)
            case p.ImportFile(path):
                raise LookupError(path)
        return p.Done()

    def _turn(self, wish: p.Send | p.Regenerate | p.GoOn | p.Research | p.OptimizeAndRetry) -> None:
        name = wish.conversation
        self._stopped.clear()
        self._running.add(name)
        self._tell(TurnStarted(name))
        if isinstance(wish, p.Send):
            self._append(name, user_message(wish.text))
        elif isinstance(wish, p.Research):
            self._append(name, user_message(f"researched: {wish.question}"))
        elif isinstance(wish, p.Regenerate):
            self._change(name, self._record.rows[name][-1].message.id, state=State.ABANDONED)
        text = self._record.rows[name][-1].message.text
        reply_id = f"{name}-{len(self._record.rows[name])}"
        self._tell(ReplyStarted(name, reply_id, "SmolLM2 135M"))
        if text == "!fail":
            self._tell(TurnFailed(name, FAILURE))
            self._tell(TurnFinished(name, "failed"))
            return
        if isinstance(wish, p.Send) and self._tools.play(name, reply_id, text):
            self._tell(TurnFinished(name))
            return
        arrived = ""
        for delta in self._deltas(text):
            arrived += delta
            self._tell(TextDelta(name, reply_id, delta))
            if text == "!die":
                os._exit(3)
            if self._stopped.wait(self._delay):
                break
        was_stopped = self._stopped.is_set()
        reply = Message(role=Role.ASSISTANT, parts=(Text(arrived),), model="SmolLM2 135M", is_interrupted=was_stopped)
        self._append(name, reply, reply_id)
        self._tell(TurnFinished(name, "stopped" if was_stopped else "finished"))

    def _deltas(self, text: str) -> Iterator[str]:
        if text == "!wait":
            while True:
                yield "word "
        if text.startswith("!flood "):
            yield from (f"word{n} " for n in range(int(text.removeprefix("!flood "))))
        else:
            yield from REPLY

    def _append(self, name: str, message: Message, message_id: str = "") -> None:
        rows = self._record.rows[name]
        stamped = msgspec.structs.replace(message, id=message_id or f"{name}-{len(rows)}", at=NOW)
        row = MessageRow(stamped, len(rows), max(len(message.text) // 4, 1))
        rows.append(row)
        self._keep()
        self._tell(MessageRecorded(name, row))
        self._tell(GaugeChanged(name, self._gauge(name)))

    def _change(self, name: str, message: str, **changes: object) -> p.Done:
        rows = self._record.rows[name]
        position = next(i for i, row in enumerate(rows) if row.message.id == message)
        rows[position] = msgspec.structs.replace(rows[position], **changes)
        self._keep()
        self._tell(ViewChanged(name, (), changes_of([rows[position]])))
        return p.Done()

    def _compact(self, name: str, summary: str) -> p.Done:
        self._tell(RoomStarted(name, Trigger.USER))
        rows = self._record.rows[name]
        head = rows[: max(len(rows) - 4, 0)]
        operation = OperationRow(
            id=f"op{len(self._record.operations[name]) + 1}", kind="compaction", at=NOW, trigger=Trigger.USER,
            strategies={"extractive": 1}, messages=len(head), tokens_before=5_102, tokens_after=2_871,
            after_message_id=head[-1].message.id, summary=summary, fidelity=Fidelity(58, 31, 11, 0),
        )  # fmt: skip
        self._record.operations[name].append(operation)
        return self._archive(name, operation, head, State.ARCHIVED)

    def _undo(self, name: str, operation_id: str, is_undone: bool) -> p.Done:
        operations = self._record.operations[name]
        position = next(i for i, o in enumerate(operations) if o.id == operation_id)
        operations[position] = msgspec.structs.replace(operations[position], is_undone=is_undone)
        last = operations[position].after_message_id
        rows = self._record.rows[name]
        head = rows[: next(i for i, row in enumerate(rows) if row.message.id == last) + 1]
        return self._archive(name, operations[position], head, State.IN_VIEW if is_undone else State.ARCHIVED)

    def _archive(self, name: str, operation: OperationRow, head: list[MessageRow], state: State) -> p.Done:
        shown = operation.id if state is State.ARCHIVED else ""
        changed = [msgspec.structs.replace(row, state=state, operation_id=shown) for row in head]
        self._record.rows[name][: len(head)] = changed
        self._keep()
        self._tell(ViewChanged(name, (operation,), changes_of(changed), operation.trigger))
        self._tell(GaugeChanged(name, self._gauge(name)))
        return p.Done()

    def _plan(self, name: str) -> p.Plan:
        gauge = self._gauge(name)
        return p.Plan(
            id="plan1", before=gauge, after=gauge, pruned=(), archived=(), tokens_freed_by_prune=0,
            tokens_freed_by_compaction=0, kept=4, pins=0, rules=0, summary="What was said.", summary_tokens=4,
            fidelity=Fidelity(58, 31, 11, 0), tail_tokens=1_000, tail_least=100, tail_most=4_000,
        )  # fmt: skip

    def _found(self, query: str) -> Iterator[SearchResult]:
        for name, rows in self._record.rows.items():
            for row in rows:
                if query in row.message.text:
                    title = self._record.conversations[name].title
                    yield SearchResult(name, title, row.message.id, row.index, row.message.role, False, f"«{query}»", 1)

    def _add(self, name: str, title: str, messages: int) -> None:
        info = ConversationInfo(name, title, NOW, time.time() - 120 * len(self._record.rows), messages, MODEL.id, 0.4)
        self._record.conversations[name] = info
        self._record.operations[name] = []
        rows = self._record.rows[name] = []
        for n in range(messages):
            role, text = (Role.USER, f"Question {n}") if n % 2 == 0 else (Role.ASSISTANT, f"Answer {n}\n\n- one\n- two")
            message = Message(id=f"{name}-{n}", at=NOW + n, role=role, parts=(Text(text),), model="SmolLM2 135M")
            rows.append(MessageRow(message, n, 12))

    def _opened(self, name: str) -> p.Opened:
        rows = self._record.rows[name]
        return p.Opened(
            self._record.conversations[name], MODEL, tuple(rows[-p.PAGE :]), len(rows),
            tuple(self._record.operations[name]), self._gauge(name), name in self._running,
            tuple(asked for asked in self._tools.waiting if asked.conversation == name),
        )  # fmt: skip

    def _gauge(self, name: str) -> Gauge:
        total = sum(row.tokens for row in self._record.rows[name] if row.state is State.IN_VIEW)
        return Gauge({Segment.USER: total}, total, MODEL.window, 1_638, Status.SAFE)

    def _list(self) -> p.Conversations:
        shown = [info for name, info in self._record.conversations.items() if name not in self._record.deleted]
        return p.Conversations(tuple(sorted(shown, key=lambda info: -info.updated_at)))

    def _keep(self) -> p.Conversations:
        new = self._file.with_suffix(".new")
        new.write_bytes(msgspec.json.encode(self._record))
        new.replace(self._file)
        return self._list()

    def _tell(self, event: TurnEvent) -> None:
        if isinstance(event, TurnFinished):
            self._running.discard(event.conversation)
        self._write(p.Happened(event))

    def _write(self, line: p.EngineLine) -> None:
        with self._lock:
            sys.stdout.buffer.write(p.encode_line(line))
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--messages", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.01)
    chosen = parser.parse_args()
    ScriptedEngine(chosen.data_dir, chosen.messages, chosen.delay).serve()
