"""The connection between the window and the engine: requests go out as lines, responses and events come back.

All coroutines of the window run in tasks that the bridge owns.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import msgspec
from PySide6.QtCore import QObject, Signal

from desktop_app.conversation.events import Failure, TurnEvent
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import (
    DAMAGED,
    MENDING,
    VERSION,
    ConversationsChanged,
    Done,
    EngineRequest,
    EngineResponse,
    EngineWarned,
    EventLine,
    Hello,
    ProtocolError,
    RequestLine,
    ResponseLine,
    Shutdown,
    Welcome,
    decode_engine_line,
    encode_line,
)
from desktop_app.process_secrets import forget_line

from .engine_process import EngineProcess
from .translation import tr

log = logging.getLogger(__name__)

R = TypeVar("R", bound=EngineResponse)
E = TypeVar("E", bound=TurnEvent)
Args = ParamSpec("Args")

HELLO_NUMBER = 0
FIRST_BACKOFF = 0.1  # seconds before the engine is started again

EVERYTHING_KEPT = translatable("Everything shown as saved is saved.")
ENGINE_DIED = Failure(
    kind="engine",
    title=translatable("The engine stopped"),
    detail=translatable("The part of Palimpsest that talks to models and keeps the record stopped unexpectedly."),
    kept=EVERYTHING_KEPT,
    advice=translatable("It is being restarted. If your last action had no effect, repeat it."),
)
ENGINE_GAVE_UP = Failure(
    kind="engine",
    title=translatable("The engine keeps stopping"),
    detail=translatable("It stopped several times within a minute, so it is not restarted automatically."),
    kept=EVERYTHING_KEPT,
    advice=translatable("Choose Restart. If this happens again, run “palimpsest doctor” to find out why."),
)
ENGINE_IS_FOREIGN = msgspec.structs.replace(
    ENGINE_GAVE_UP,
    title=translatable("The engine has a different version"),
    detail=translatable("The window and the engine do not match, perhaps because an update was not completed."),
    advice=translatable("Close Palimpsest and install it again. Your conversations are kept."),
)
CLOSING = Failure(kind="engine", title=translatable("Palimpsest is closing"), kept=EVERYTHING_KEPT)


def in_task(
    method: Callable[Concatenate[Any, Args], Coroutine[Any, Any, None]],
) -> Callable[Concatenate[Any, Args], None]:
    """Decorate a coroutine method so that it is a slot: a call starts it in a task of the object's `_bridge`."""

    @wraps(method)
    def start(self: Any, *args: Args.args, **named: Args.kwargs) -> None:
        self._bridge.start(method(self, *args, **named))

    return start


class EngineFailure(Exception):
    """Raised when the engine did not carry out a request. Its failure can be shown to the user unchanged."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.title)
        self.failure = failure


class Bridge(QObject):
    """Sends requests to the engine, and turns its responses into awaited values and its events into signals.

    Signals: became_ready(Welcome) after each start; happened(TurnEvent); conversations_changed(tuple of
    ConversationInfo), and before it projects_changed(tuple of Project); engine_died() when the engine ended and will be
    started again; engine_gave_up(Failure) when it will not; archive_refused(Failure) when it runs, but accepts only
    requests that repair the archive; failed(Failure) for an EngineFailure that a started coroutine did not handle, or a
    warning that the engine sent unasked; crashed(str) for a bug, once for each text.
    """

    became_ready = Signal(object)
    happened = Signal(object)
    conversations_changed = Signal(object)
    projects_changed = Signal(object)
    engine_died = Signal()
    engine_gave_up = Signal(object)
    archive_refused = Signal(object)
    failed = Signal(object)
    crashed = Signal(str)

    def __init__(self, command: list[str], log_file: Path | None = None, first_backoff: float = FIRST_BACKOFF) -> None:
        super().__init__()
        self.log_file = log_file
        self._engine = EngineProcess(command, log_file, first_backoff, self._take_line, self)
        self._engine.started.connect(self._greet)
        self._engine.died.connect(self._on_died)
        self._engine.gave_up.connect(lambda: self._give_up(self.with_last_end(ENGINE_GAVE_UP)))
        self._refusal: Failure | None = None
        self._is_mending = False
        self._number = HELLO_NUMBER
        self._awaited: dict[int, asyncio.Future[EngineResponse]] = {}
        self._unsent: list[bytes] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._reported_bugs: set[str] = set()
        self._listeners: list[tuple[Callable[[Any], object], tuple[type, ...]]] = []
        self._listeners_of: dict[type, tuple[Callable[[Any], object], ...]] = {}
        self.happened.connect(self._notify_listeners)

    @property
    def engine_pid(self) -> int:
        """The engine's process id; 0 while it does not run."""
        return self._engine.pid

    @property
    def is_refusing(self) -> bool:
        """Whether requests fail at once, because the engine neither runs nor is starting."""
        return self._refusal is not None

    def with_last_end(self, failure: Failure) -> Failure:
        """Return the failure, whose detail also says how the engine last ended unasked."""
        return msgspec.structs.replace(failure, detail=f"{tr(failure.detail)} {self._engine.last_end}".strip())

    def start_engine(self) -> None:
        """Start the engine; also after it gave up."""
        self._refusal, self._is_mending = None, False
        self._engine.start()

    async def ask(self, request: EngineRequest[R]) -> R:
        """Return the engine's response, waiting for an engine that is starting.

        Raises EngineFailure, and TypeError if the response has the wrong type, which is a bug of the engine.
        """
        if self._refusal is not None and not (self._is_mending and type(request) in MENDING):
            raise EngineFailure(self._refusal)
        self._number += 1
        number = self._number
        future = self._awaited[number] = asyncio.get_running_loop().create_future()
        line = encode_line(RequestLine(number, request))
        if self._engine.is_up:
            self._engine.write(line)
        else:
            self._unsent.append(line)
        try:
            return request.checked(await future)
        finally:
            self._awaited.pop(number, None)
            if getattr(request, "key", "") or getattr(request, "keys", None):
                self._forget(line)

    def _forget(self, line: bytes) -> None:
        """Leave no copy of a line with a key in this process's memory, which programs of the user may read."""
        if self._engine.is_up:
            self._engine.write(b" " * (len(line) - 1) + b"\n")  # over what is left of it in the buffer of the pipe
        forget_line(line)

    async def restart_engine(self) -> None:
        """Shut the engine down and start it again. Requests that are still pending fail as if it had died."""
        self._number += 1
        await self._engine.end(encode_line(RequestLine(self._number, Shutdown())))
        self._fail_awaited(ENGINE_DIED)
        if self._refusal is not CLOSING:
            self.start_engine()

    def post(self, request: EngineRequest[Done]) -> None:
        """Send a request in a task and ignore its response; a failure is emitted as a signal."""

        async def ask() -> None:
            await self.ask(request)

        self.start(ask())

    def start(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in a task that is referenced until it ends. Its failure or its bug is emitted as a signal."""
        if self._refusal is CLOSING:
            coroutine.close()
            return
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._finish_task)

    def note_bug(self, error: BaseException) -> None:
        """Log a bug, and report it once."""
        log.error("A bug in the window", exc_info=error)
        self._report_bug(f"{type(error).__name__}: {error}")

    async def close(self) -> None:
        """Shut the engine down, and cancel the tasks that are still running."""
        self._refusal = CLOSING
        self._fail_awaited(CLOSING)
        await self._engine.end(encode_line(RequestLine(self._number + 1, Shutdown())))
        others = self._tasks - {asyncio.current_task()}
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others)

    def _greet(self) -> None:
        self._engine.write(encode_line(RequestLine(HELLO_NUMBER, Hello(VERSION))))
        for line in self._unsent:
            self._engine.write(line)
        self._unsent.clear()

    def _take_line(self, line: bytes) -> bool:
        """Handle a line; return whether a task awaits it and should run before the next line is read."""
        try:
            value = decode_engine_line(line)
        except ProtocolError as error:
            log.error("The engine wrote a line of %d bytes that is not of the protocol: %s", len(line), error)
            self._report_bug(tr("The engine wrote something that this window does not understand."))
            return False
        match value:
            case ResponseLine(number=0):
                self._take_welcome(value)
            case ResponseLine():
                return self._resolve(value)
            case EventLine(event):
                self.happened.emit(event)
            case ConversationsChanged(conversations, projects):
                self.projects_changed.emit(projects)
                self.conversations_changed.emit(conversations)
            case EngineWarned(failure):
                self.failed.emit(failure)
        return False

    def listen(self, listener: Callable[[E], object], *kinds: type[E]) -> None:
        """Call the listener with each event of these kinds, or with every event, after those that listen already."""
        self._listeners.append((listener, kinds))
        self._listeners_of.clear()

    def _notify_listeners(self, event: TurnEvent) -> None:
        kind = type(event)
        if kind not in self._listeners_of:
            listeners = (listener for listener, kinds in self._listeners if not kinds or kind in kinds)
            self._listeners_of[kind] = tuple(listeners)
        for listener in self._listeners_of[kind]:
            listener(event)

    def _take_welcome(self, line: ResponseLine[EngineResponse]) -> None:
        if isinstance(line.response, Welcome) and line.response.version == VERSION:
            self.became_ready.emit(line.response)
            return
        if line.failure is not None and line.failure.kind == DAMAGED:
            self._refusal, self._is_mending = line.failure, True
            self._fail_awaited(line.failure)
            self.archive_refused.emit(line.failure)
            return
        self._engine.stop_for_good()
        self._give_up(line.failure or ENGINE_IS_FOREIGN)

    def _resolve(self, line: ResponseLine[EngineResponse]) -> bool:
        future = self._awaited.get(line.number)
        if future is None or future.done():
            return False
        if line.failure is not None:
            future.set_exception(EngineFailure(line.failure))
        elif line.response is not None:
            future.set_result(line.response)
        else:
            future.set_exception(TypeError(f"Response {line.number} is empty"))
        return True

    def _on_died(self) -> None:
        self._fail_awaited(ENGINE_DIED)
        self.engine_died.emit()

    def _give_up(self, failure: Failure) -> None:
        self._refusal = failure
        self._fail_awaited(failure)
        self.engine_gave_up.emit(failure)

    def _fail_awaited(self, failure: Failure) -> None:
        self._unsent.clear()
        for future in self._awaited.values():
            if not future.done():
                future.set_exception(EngineFailure(failure))

    def _finish_task(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, EngineFailure):
            if error.failure is not CLOSING and error.failure.kind != "cancelled":  # its canceller knows
                self.failed.emit(error.failure)
        elif error is not None:
            self.note_bug(error)

    def _report_bug(self, words: str) -> None:
        if words not in self._reported_bugs:
            self._reported_bugs.add(words)
            self.crashed.emit(words)
