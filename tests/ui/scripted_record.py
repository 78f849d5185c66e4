"""What the scripted engine keeps: conversations with their rows and operations, on disk before anything is told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from transcript_rows import changes_of

from desktop_app.conversation.events import (
    GaugeChanged,
    MessageRecorded,
    MessageRow,
    MessageState,
    OperationRow,
    QuestionAsked,
    RoomStarted,
    TurnEvent,
    ViewChanged,
)
from desktop_app.conversation.gauge import Gauge, Segment, Status
from desktop_app.conversation.listing import ConversationInfo, ModelInfo, SearchResult, SearchValues
from desktop_app.conversation.memory import Fidelity
from desktop_app.conversation.message import Message, Role, Text, Totals, Usage
from desktop_app.conversation.setup import Project
from desktop_app.conversation.transcript import Trigger
from desktop_app.engine import protocol as p
from desktop_app.settings import Settings

MODEL = ModelInfo(id="builtin", label="SmolLM2 135M", window=8_192, max_output=2_048, is_builtin=True)
OTHER_MODEL = ModelInfo(id="far/large", label="Large", window=200_000, max_output=8_192, note="The server is not up.")
NOW = 1_760_000_000.0
TOTALS = Totals(Usage(120_300, 4_000, 96_240, 0, 0.1234, 12))


class Kept(msgspec.Struct):
    """What stands in the file."""

    conversations: dict[str, ConversationInfo] = {}
    rows: dict[str, list[MessageRow]] = {}
    operations: dict[str, list[OperationRow]] = {}
    deleted: list[str] = []
    projects: dict[str, Project] = {}
    settings: Settings = Settings()


class ScriptedRecord:
    """tell: sends an event."""

    def __init__(self, folder: Path, messages: int, tell: Callable[[TurnEvent], None]) -> None:
        self._file = folder / "scripted.json"
        self._tell = tell
        if self._file.exists():
            self.kept = msgspec.json.decode(self._file.read_bytes(), type=Kept)
        else:
            self.kept = Kept()
            if messages:
                self.add("c1", "Migrating the billing service", messages)
                self.add("c2", "Trip to Lisbon", 4)
            self.keep()

    def new(self, title: str, messages: int = 0, project: str = "") -> str:
        """Adds a conversation, and gives its name."""
        name = f"c{len(self.kept.conversations) + 1}"
        self.add(name, title, messages)
        self.kept.conversations[name] = msgspec.structs.replace(self.kept.conversations[name], project=project)
        return name

    def answer(self, wish: p.AnyRequest) -> p.EngineResponse | None:
        """Its part of the answers; None for what it does not know."""
        match wish:
            case p.ListConversations():
                return self.listed()
            case p.ListDeleted():
                found = (self.kept.conversations[name] for name in self.kept.deleted)
                return p.ConversationsListed(tuple(found))
            case p.ReadMessages(name, before, limit, around):
                found = [row.index + limit // 2 for row in self.kept.rows[name] if row.message.id == around]
                rows = [row for row in self.kept.rows[name] if row.index < (sum(found) if around else before)]
                return p.MessagesRead(tuple(rows[-limit:]), len(self.kept.rows[name]))
            case p.ReadVersions():
                return p.VersionsRead(())
            case p.ReadOperation(name, operation, query):
                rows = [row for row in self.kept.rows[name] if row.operation_id == operation]
                rows = [row for row in rows if query in row.message.text]
                return p.MessagesRead(tuple(rows), len(rows))
            case p.ListSearchValues():
                return p.SearchValuesListed(SearchValues(("work/large",), ("bash", "read")))
            case p.SearchMessages(query):
                return p.MessagesFound(tuple(self._found(query)))
            case p.FindText(name, text):
                found = [row for row in self.kept.rows[name] if text.lower() in row.message.text.lower()]
                ids, indexes = tuple(row.message.id for row in found), tuple(row.index for row in found)
                return p.TextFound(ids, indexes, tuple(row.message.text.lower().count(text.lower()) for row in found))
            case p.PlanOptimize(name):
                return self._plan(name, wish.is_fresh)
            case _:
                return self._answer_change(wish)

    def _answer_change(self, wish: p.AnyRequest) -> p.EngineResponse | None:
        record = self.kept
        match wish:
            case p.Rename(name, title):
                record.conversations[name] = msgspec.structs.replace(record.conversations[name], title=title)
                return self.keep()
            case p.Delete(names):
                record.deleted.extend(names)
                return self.keep()
            case p.Restore(names):
                record.deleted = [name for name in record.deleted if name not in names]
                return self.keep()
            case p.Arrange(names):
                fields = {f: getattr(wish, f) for f in ("is_pinned", "is_put_away")}
                changes = {field: value for field, value in fields.items() if value is not None}
                for name in names:
                    record.conversations[name] = msgspec.structs.replace(record.conversations[name], **changes)
                return self.keep()
            case p.PinMessage(name, message) | p.UnpinMessage(name, message):
                return self.change(name, message, is_pinned=isinstance(wish, p.PinMessage))
            case p.BringBackMessages(name, messages):
                for message in messages:
                    self.change(name, message, state=MessageState.IN_VIEW)
                return p.Done()
            case p.ApplyPlan(name, _, summary):
                return self.compact(name, summary)
            case p.UndoOperation(name, operation) | p.RedoOperation(name, operation):
                return self._undo(name, operation, isinstance(wish, p.UndoOperation))
            case p.ListProjects() | p.SaveProject() | p.DeleteProject() | p.RestoreProject() | p.MoveConversations():
                return self._change_projects(wish)
            case _:
                return None

    def _change_projects(self, wish: p.AnyRequest) -> p.EngineResponse:
        known, changed = self.kept.projects, ""
        match wish:
            case p.MoveConversations(names, project):
                infos = self.kept.conversations
                infos.update({name: msgspec.structs.replace(infos[name], project=project) for name in names})
                return self.keep()
            case p.SaveProject(project):
                changed = project.id or f"p{len(known) + 1}"
                known[changed] = msgspec.structs.replace(project, id=changed)
            case p.DeleteProject(changed) | p.RestoreProject(changed):
                is_deleted = isinstance(wish, p.DeleteProject)
                known[changed] = msgspec.structs.replace(known[changed], is_deleted=is_deleted)
            case _:
                pass
        self.keep()
        return p.ProjectsListed(self.projects(), changed)

    def projects(self) -> tuple[Project, ...]:
        return tuple(one for one in self.kept.projects.values() if not one.is_deleted)

    def append(self, name: str, message: Message, message_id: str = "") -> None:
        rows = self.kept.rows[name]
        stamped = msgspec.structs.replace(message, id=message_id or f"{name}-{len(rows)}", at=NOW)
        row = MessageRow(stamped, len(rows), max(len(message.text) // 4, 1))
        rows.append(row)
        self.keep()
        self._tell(MessageRecorded(name, row))
        self._tell(GaugeChanged(name, self.gauge(name)))

    def change(self, name: str, message: str, **changes: object) -> p.Done:
        rows = self.kept.rows[name]
        position = next(i for i, row in enumerate(rows) if row.message.id == message)
        rows[position] = msgspec.structs.replace(rows[position], **changes)
        self.keep()
        self._tell(ViewChanged(name, (), changes_of([rows[position]]), None, self.pins(name), TOTALS))
        return p.Done()

    def compact(self, name: str, summary: str) -> p.Done:
        self._tell(RoomStarted(name, Trigger.USER))
        rows = self.kept.rows[name]
        head = rows[: max(len(rows) - 4, 0)]
        operation = OperationRow(
            id=f"op{len(self.kept.operations[name]) + 1}", kind="compaction", at=NOW, trigger=Trigger.USER,
            strategies={"extractive": 1}, messages=len(head), tokens_before=5_102, tokens_after=2_871,
            after_message_id=head[-1].message.id, summary=summary, fidelity=Fidelity(58, 31, 11, 0),
        )  # fmt: skip
        self.kept.operations[name].append(operation)
        return self._archive(name, operation, head, MessageState.ARCHIVED)

    def _undo(self, name: str, operation_id: str, is_undone: bool) -> p.Done:
        operations = self.kept.operations[name]
        position = next(i for i, o in enumerate(operations) if o.id == operation_id)
        operations[position] = msgspec.structs.replace(operations[position], is_undone=is_undone)
        last = operations[position].after_message_id
        rows = self.kept.rows[name]
        head = rows[: next(i for i, row in enumerate(rows) if row.message.id == last) + 1]
        return self._archive(
            name, operations[position], head, MessageState.IN_VIEW if is_undone else MessageState.ARCHIVED
        )

    def _archive(self, name: str, operation: OperationRow, head: list[MessageRow], state: MessageState) -> p.Done:
        shown = operation.id if state is MessageState.ARCHIVED else ""
        changed = [msgspec.structs.replace(row, state=state, operation_id=shown) for row in head]
        self.kept.rows[name][: len(head)] = changed
        self.keep()
        self._tell(ViewChanged(name, (operation,), changes_of(changed), operation.trigger, self.pins(name), TOTALS))
        self._tell(GaugeChanged(name, self.gauge(name)))
        return p.Done()

    def _plan(self, name: str, is_fresh: bool = False) -> p.Plan:
        gauge = self.gauge(name)
        return p.Plan(
            id="plan1", before=gauge, after=gauge, pruned=(), archived=(), tokens_freed_by_prune=0,
            tokens_freed_by_compaction=0, kept=4, pins=0, rules=0, summary="What was said.", summary_tokens=4,
            fidelity=Fidelity(58, 31, 11, 0), tail_tokens=1_000, min_tail=100, max_tail=4_000, tail_kept=1_000,
            pruned_total=0, archived_total=0, is_fresh=is_fresh,
        )  # fmt: skip

    def _found(self, query: str) -> Iterator[SearchResult]:
        for name, rows in self.kept.rows.items():
            for row in rows:
                if query in row.message.text:
                    title = self.kept.conversations[name].title
                    yield SearchResult(name, title, row.message.id, row.index, row.message.role, False, f"«{query}»", 1)

    def add(self, name: str, title: str, messages: int) -> None:
        info = ConversationInfo(name, title, NOW, time.time() - 120 * len(self.kept.rows), messages, MODEL.id, 0.4)
        self.kept.conversations[name] = info
        self.kept.operations[name] = []
        rows = self.kept.rows[name] = []
        for n in range(messages):
            role, text = (Role.USER, f"Question {n}") if n % 2 == 0 else (Role.ASSISTANT, f"Answer {n}\n\n- one\n- two")
            message = Message(id=f"{name}-{n}", at=NOW + n, role=role, parts=(Text(text),), model="SmolLM2 135M")
            rows.append(MessageRow(message, n, 12))

    def listed(self) -> p.ConversationsListed:
        shown = [info for name, info in self.kept.conversations.items() if name not in self.kept.deleted]
        return p.ConversationsListed(tuple(sorted(shown, key=lambda info: -info.updated_at)), self.projects())

    def keep(self) -> p.ConversationsListed:
        new = self._file.with_suffix(".new")
        new.write_bytes(msgspec.json.encode(self.kept))
        new.replace(self._file)
        return self.listed()

    def pins(self, name: str) -> tuple[MessageRow, ...]:
        return tuple(row for row in self.kept.rows[name] if row.is_pinned)

    def gauge(self, name: str) -> Gauge:
        total = sum(row.tokens for row in self.kept.rows[name] if row.state is MessageState.IN_VIEW)
        return Gauge({Segment.USER: total}, total, MODEL.window, 1_638, Status.SAFE)

    def opened(self, name: str, is_running: bool, waiting: tuple[QuestionAsked, ...]) -> p.ConversationOpened:
        rows = self.kept.rows[name]
        return p.ConversationOpened(
            self.kept.conversations[name], MODEL, tuple(rows[-p.PAGE :]), len(rows),
            tuple(self.kept.operations[name]), self.gauge(name), is_running,
            waiting, self.pins(name), TOTALS,
        )  # fmt: skip
