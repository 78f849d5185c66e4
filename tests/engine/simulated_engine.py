"""A whole engine under the deterministic loop: asked by lines as the window asks it, and everything that it told."""

from __future__ import annotations

import asyncio
import re
import tempfile
import weakref
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from event_rules import EventRules, WatchedCoalescer
from record_rules import RecordReader
from schedule_moments import Moment, ToolAnswered
from simulated_parts import Faults, Parts
from window_mirror import WindowMirror

from desktop_app.archive.archive import Archive
from desktop_app.chat.session import Session
from desktop_app.chat.tasks import Job, TaskKey
from desktop_app.conversation.events import (
    MessageRecorded,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnEvent,
    TurnFinished,
    ViewChanged,
)
from desktop_app.engine import protocol as p
from desktop_app.engine.compose import compose_engine
from desktop_app.engine.serve import EngineServer
from desktop_app.paths import database_file, settings_file
from desktop_app.settings import Server, Settings, write_settings
from deterministic_loop import DeterministicLoop
from stores import Store

SETTINGS = Settings(
    chat_model="scripted/small",
    servers=(Server("scripted", "http://127.0.0.1:9/v1", ("small", "large"), 4_000, 600),),
    system_prompt="Be brief.",
    tools_off=("web_search", "web_fetch", "read", "fetch"),
)
ID = re.compile(r"\b[0-9a-f]{32}\b")
STOP_SECONDS, STOP_SECONDS_OF_DISK = 1.0, 0.2
"""Virtual seconds in which a turn is stopped, whatever is stored and told then; the second for each time that the disk
takes as long as otherwise."""
FOREVER = (Job.BACKUPS.of(),)
"""Tasks of an engine that is at rest."""


class SimulatedEngine:
    """One engine process after the other on one folder, and the window that looks at it."""

    def __init__(self, folder: Path, loop: DeterministicLoop, parts: Parts, faults: Faults) -> None:
        self.folder, self.loop, self.faults = folder, loop, faults
        self.clocks, self.provider, self.disk, happenings = parts
        happenings.look = self._take_moment
        self._said_since: dict[int, set[str]] = {}
        self.answered: list[ToolAnswered] = []
        """All that tools have found."""
        self.records: dict[str, RecordReader] = defaultdict(RecordReader)
        self._reactions: list[tuple[type, str, float, Callable[[], object]]] = []
        self._due = 0
        self.trace: list[str] = []
        self.bugs: list[BaseException] = []
        self.mirror = WindowMirror()
        self._looks: dict[int, Callable[[p.ConversationOpened], None]] = {}
        self.told_by: dict[str, weakref.ref[Session]] = {}
        """The session of each conversation that has told what the mirror shows of it."""
        self.shown: dict[str, str] = defaultdict(str)
        """The text of each reply, as it was streamed."""
        self.conversations: list[str] = []
        self.kinds: Counter[str] = Counter()
        self.newest_call: ToolStarted | None = None
        self._names: dict[str, str] = {}
        self._reader: Store | None = None
        self._number = 0
        self._is_up = False
        self._unsent: list[bytes] = []
        """What was asked while no engine ran, and waits for the next one: see `ui/bridge.py`."""
        self.slept = 0.0
        self._awaited: dict[int, tuple[p.EngineRequest[Any], asyncio.Future[Any], float]] = {}

    def _turn_of(self, conversation: str) -> asyncio.Task[Any] | None:
        return self.chats._tasks._task(Job.TURN.of(conversation))

    async def start(self) -> None:
        """Start an engine, as after a start of the program."""
        self.rules = EventRules(self.faults, self.loop, self._turn_of)
        coalescer = WatchedCoalescer(self._take_lines, self.rules.take)
        self.server = EngineServer(coalescer)
        self.engine = await compose_engine(self.folder, coalescer, self.server.tell_list_changed, self.bugs.append)
        self.server.engine = self.engine
        self._is_up = True
        for line in self._unsent:
            self.server.take(line)
        self._unsent.clear()

    async def close(self) -> None:
        """End it in order; whoever still waits for a response is let go."""
        await self.server.close()
        self._is_up = False
        if self._reader is not None:
            self._reader.close()
            self._reader = None
        for _, future, _ in self._awaited.values():
            future.cancel()
        self._awaited.clear()

    @property
    def chats(self) -> Any:
        return self.engine.conversations

    @property
    def store(self) -> Archive:
        """The archive without its thread, for `at_once`."""
        return Archive(self.engine.services.archive._store)

    def read_again(self, conversation: str) -> tuple[Any, ...]:
        """Return the record as another process reads it. Raises ArchiveError."""
        return self._second().entries(conversation)

    def _second(self) -> Store:
        """The archive as another process sees it: also while the engine's own store is closed already."""
        self._reader = self._reader or Store(database_file(self.folder), read_only=True)
        return self._reader

    def marked_as_archived(self, conversation: str) -> set[str]:
        """Return the messages that search takes to be archived."""
        query = "SELECT e.id FROM archived a JOIN entries e ON e.number = a.entry WHERE e.conversation = ?"
        return {row[0] for row in self._second().database.execute_sql(query, (conversation,))}

    def is_stored(self, conversation: str, text: str) -> bool:
        """Return whether these words are in the record or wait there, as another process sees it."""
        waiting = self._second().unsent(conversation).queue
        query = """SELECT 1 FROM message_texts t JOIN entries e ON e.number = t.entry
            WHERE e.conversation = ? AND instr(t.text, ?)"""
        found = self._second().database.execute_sql(query, (conversation, text)).fetchone()
        return found is not None or any(text in queued.draft.text for queued in waiting)

    def sessions(self) -> tuple[Session, ...]:
        return self.chats.sessions.cache.all()

    def post(self, request: p.EngineRequest[Any]) -> asyncio.Future[Any]:
        """Send a request. The future has its response, or its failure as it came."""
        self._number += 1
        future = self.loop.create_future()
        self._awaited[self._number] = request, future, self.loop.now - self.slept
        self.note(f"-> {self._number} {self._short(request)}")
        if isinstance(request, p.StartFresh):
            self._said_since[self._number] = self._new_in_view(request)
        line = p.encode_line(p.RequestLine(self._number, request))
        if self._is_up:
            self.server.take(line)
        else:
            self._unsent.append(line)
        return future

    async def ask(self, request: p.EngineRequest[Any]) -> Any:
        """Return the response, or the failure."""
        return await self.post(request)

    async def look_anew(self, conversation: str, look: Callable[[p.ConversationOpened], None]) -> None:
        """Open a conversation for that look alone, at the moment of the response: the mirror sees it in no other way
        than by the events that come meanwhile."""
        self._looks[self._number + 1] = look
        await self.ask(p.OpenConversation(conversation))
        self._looks.clear()

    @property
    def is_answered(self) -> bool:
        """Whether no request waits for its response."""
        return not self._awaited

    def note(self, text: str) -> None:
        """Append a line to the trace, with short names for ids."""
        named = ID.sub(lambda match: self._names.setdefault(match[0], f"#{len(self._names) + 1}"), text)
        self.trace.append(f"{self.loop.now - 1_000:9.3f} {named}")

    def _short(self, value: object) -> str:
        text = f"{type(value).__name__} {value}".replace(str(self.folder), "FOLDER")  # another one each time
        return text[:200]

    def _take_lines(self, lines: bytes) -> None:
        for line in lines.splitlines():  # the lines of a frame are written together
            self._take_line(line)

    def _take_line(self, line: bytes) -> None:
        match p.decode_engine_line(line):
            case p.ResponseLine(number, response, failure):
                request, future, asked_at = self._awaited.pop(number)
                limit = STOP_SECONDS + STOP_SECONDS_OF_DISK * self.loop.slowness
                if isinstance(request, p.Stop) and self.loop.now - self.slept - asked_at > limit:
                    self.faults.append(f"a turn of {request.conversation} was not stopped at once")
                self.note(f"<- {number} {type(response).__name__ if response else failure.title}")  # type: ignore[union-attr]
                if failure is None:
                    self.rules.answered(request)
                    self._check_acknowledged(request)
                    self._check_fresh(number, request)
                if failure is not None and failure.kind == "bug":
                    self.faults.append(f"a bug answers {type(request).__name__}: {failure.detail}")
                if isinstance(request, p.Delete):
                    for conversation in request.conversations:
                        self.mirror.leave(conversation)
                if isinstance(response, p.ConversationOpened):
                    self._looks.get(number, self._take_opened)(response)
                    if isinstance(request, p.Fork | p.StartFresh):  # a window looks at the new one from now on
                        self.mirror.leave(request.conversation)
                if not future.done():
                    future.set_result(failure if response is None else response)
            case p.EventLine(event):
                self._take_event(event)
            case p.ConversationsChanged(conversations):
                self.mirror.listed = conversations

    def _take_opened(self, opened: p.ConversationOpened) -> None:
        if opened.conversation.id not in self.conversations:
            self.conversations.append(opened.conversation.id)
        self.mirror.open(opened)
        self.note_told(opened.conversation.id)

    def note_told(self, conversation: str) -> None:
        """What the mirror shows of it was told by the session that is in memory, if there is one."""
        session = self.chats.sessions.cache.get(conversation)
        self.told_by.pop(conversation, None)
        if session is not None:
            self.told_by[conversation] = weakref.ref(session)

    def is_followed(self, conversation: str) -> bool:
        """Whether the mirror was told of all that has become of it: its session has not left memory since."""
        told_by, session = self.told_by.get(conversation), self.chats.sessions.cache.get(conversation)
        return session is not None and told_by is not None and told_by() is session

    def _take_event(self, event: TurnEvent) -> None:
        self.kinds[type(event).__name__] += 1
        match event:
            case MessageRecorded(conversation, row):
                self.note(
                    f"   recorded {row.message.role} {row.message.id} {row.message.text[:40]!r} in {conversation}"
                )
                self._check_stored(conversation, row.message.id)
            case ToolFinished(conversation, _, message_id):
                self._check_stored(conversation, message_id)
            case TextDelta(_, reply_id, text):
                self.shown[reply_id] += text
            case ViewChanged(conversation, operations):
                self.note(f"   view of {conversation} {[(row.kind, row.id, row.is_undone) for row in operations]}")
            case ToolStarted(conversation, _, call):
                self.newest_call = event
                self.note(f"   tool {call.name} begins in {conversation}")
            case TurnFinished(conversation, reason):
                self.note(f"   turn of {conversation} {reason}")
            case _:
                self.note(f"   {type(event).__name__} {event.conversation} {getattr(event, 'failure', '')}"[:160])
        self.mirror.apply(event, self.loop.now)
        self._react_to(event)

    def _take_moment(self, moment: Moment) -> None:
        self.kinds[type(moment).__name__] += 1
        if isinstance(moment, ToolAnswered):
            self.answered.append(moment)
        self._react_to(moment)

    def react(self, event: type, conversation: str, seconds: float, do: Callable[[], object]) -> None:
        """Do that, once, so many seconds behind the next such event or moment of the conversation."""
        self._reactions.append((event, conversation, seconds, do))

    def calm_down(self) -> None:
        """Let nothing happen by itself any more."""
        self.disk.failures = 0
        self._reactions.clear()

    def _react_to(self, event: TurnEvent | Moment) -> None:
        for reaction in [r for r in self._reactions if isinstance(event, r[0]) and event.conversation == r[1]]:
            self._reactions.remove(reaction)
            self._due += 1
            self.loop.call_later(reaction[2], self._do, reaction[3])

    def _do(self, do: Callable[[], object]) -> None:
        self._due -= 1
        do()

    def _check_acknowledged(self, request: object) -> None:
        """What is acknowledged is stored, at that moment; where a conversation is deleted, what waits is dropped."""
        if not isinstance(request, p.Send | p.EditMessage) or request.conversation not in self.chats.sessions.cache:
            return
        marker, *_ = request.text.split()
        if not self.is_stored(request.conversation, marker):
            self.faults.append(f"{marker} is acknowledged, and not stored")

    def _new_in_view(self, request: p.StartFresh) -> set[str]:
        """Return the messages of the view that a plan for a fresh start was not made of."""
        session, plan = self.chats.sessions.cache.get(request.conversation), self.engine._plans.get(request.plan)
        if session is None or plan is None:
            return set()
        return {item.message.id for item in session.view.items} - {i.message.id for i in plan.snapshot.view.items}

    def _check_fresh(self, number: int, request: object) -> None:
        """Nothing is left out that had been said before the fresh start, and is still there."""
        since = self._said_since.pop(number, set())
        session = self.chats.sessions.cache.get(getattr(request, "conversation", ""))
        if session is not None and since & {item.message.id for item in session.view.items}:
            self.faults.append(f"a fresh start of {session.id} leaves out {since}")

    def _check_stored(self, conversation: str, message: str) -> None:
        found = (
            self._second()
            .database.execute_sql(
                "SELECT COUNT(*) FROM entries WHERE id = ? AND conversation = ?", (message, conversation)
            )
            .fetchone()
        )
        if found != (1,):
            self.faults.append(f"the window was told of message {message}, which is stored {found[0]} times")

    # Rest

    async def rest(self) -> None:
        """Wait until nothing is under way any more: questions are answered, so that no turn waits for the user.

        Each of several replies in a row may hang until its limit, which is minutes.
        """
        for _ in range(20_000):
            for asked in [asked for c in self.conversations for asked in self._questions(c)]:
                answer = p.AnswerQuestion(asked.conversation, asked.question, self._answer())
                await self.ask(answer)
            if self.is_answered and not self.busy() and not self._due:
                self.engine.coalescer.flush()
                return
            await asyncio.sleep(0.5)
        self.faults.append(f"it does not come to rest: {self.busy()} {[str(r) for r, *_ in self._awaited.values()]}")

    def turns_run(self) -> bool:
        """Return whether a turn is under way in any conversation."""
        return any(self.chats.turns.is_running(conversation) for conversation in self.conversations)

    def busy(self) -> list[TaskKey]:
        """Return the keys of all tasks that run, but for those of an engine at rest."""
        registries = (self.chats._tasks, self.server._tasks, self.engine.newest)
        return [key for tasks in registries for key in tasks._running if key not in FOREVER]

    def _questions(self, conversation: str) -> tuple[Any, ...]:
        return self.engine.services.tool_runtime.questions.of(conversation)

    def _answer(self) -> Any:
        from desktop_app.conversation.tools import PermissionAnswer

        return PermissionAnswer(self.loop.choices.random() < 0.7)


def prepare_folder(folder: Path, settings: Settings = SETTINGS) -> None:
    """Write the settings and the empty archive of a new data folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_settings(settings_file(folder), settings)
    database_file(folder).write_bytes(_empty_archive())


@cache
def _empty_archive() -> bytes:
    """Return a new archive: to make one takes as long as half of a schedule."""
    with tempfile.TemporaryDirectory() as name:
        Store(database_file(Path(name))).close()
        return database_file(Path(name)).read_bytes()
