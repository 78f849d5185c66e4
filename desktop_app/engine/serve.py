"""The engine process: reads requests from standard input, writes responses and events to standard output.

It ends in bounded time after its window has gone. If the archive cannot be opened, it reports the reason, and can
restore a backup or begin with an empty archive.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from desktop_app.archive.backups import restore_backup, set_damaged_aside
from desktop_app.chat.ports import WorldError
from desktop_app.chat.tasks import Job, TaskKey, Tasks
from desktop_app.chat.turn.take_turn import failure_of
from desktop_app.conversation.events import Failure
from desktop_app.conversation.words import translatable
from desktop_app.paths import database_file
from desktop_app.time_zone import follow_time_zone

from . import protocol as p
from .allocator import give_back_large_blocks
from .compose import compose_engine
from .engine import Engine, log_bug
from .event_coalescer import EventCoalescer
from .protocol import (
    AnyRequest,
    ChangeSetup,
    ConversationsChanged,
    EditMessage,
    GoOn,
    ListConversations,
    ProtocolError,
    ReadSetup,
    Regenerate,
    RequestLine,
    ResponseLine,
    Send,
    StartResearch,
    decode_request,
    number_of,
)
from .requests import respond
from .requests.conversation_responses import list_conversations
from .requests.settings_responses import backups_listed


async def refuse_everything(
    reader: asyncio.StreamReader, coalescer: EventCoalescer, data: Path, failure: Failure
) -> None:
    """Answer requests with that failure, except those that repair the archive, until the window closes."""
    while line := await reader.readline():
        with contextlib.suppress(p.ProtocolError):
            request_line = p.decode_request(line)
            coalescer.send(await _answer(request_line, data, failure))
            if isinstance(request_line.request, p.Shutdown):
                return


async def _answer(line: p.RequestLine[p.AnyRequest], data: Path, failure: Failure) -> p.ResponseLine[p.EngineResponse]:
    archive, request = database_file(data), line.request
    try:
        match request:
            case p.Shutdown():
                return p.ResponseLine(line.number, p.Done())
            case p.ListBackups():
                return p.ResponseLine(line.number, await asyncio.to_thread(backups_listed, data))
            case p.RestoreBackup():
                kept = await asyncio.to_thread(restore_backup, archive, Path(request.file))
                return p.ResponseLine(line.number, p.BackupRestored(str(kept or "")))
            case p.BeginEmpty() if failure.kind == p.DAMAGED:
                kept = await asyncio.to_thread(set_damaged_aside, archive)
                return p.ResponseLine(line.number, p.BackupRestored(str(kept or "")))
            case _:
                return p.ResponseLine(line.number, failure=failure)
    except WorldError as error:
        return p.ResponseLine(line.number, failure=error.failure)


MAX_LINE = 64 * 1024 * 1024
"""Maximum bytes of one line from the window: enough for a pasted book."""

NICENESS = 5
"""Added to the nice value, so that the window has priority if all cores are busy. Child processes inherit it."""

ENDING_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))
"""Signals for an orderly end: at logout, at Ctrl+C, or when the terminal is closed."""

END_SECONDS = 5.0
"""Seconds after the shutdown request at which the process is killed if something hangs. At most half a second of a
partial reply is lost then, since it is stored twice a second."""

NOT_UNDERSTOOD = Failure(
    "engine",
    translatable("The engine does not know this request"),
    translatable(
        "The window and the engine seem to have different versions, perhaps because an update was not completed."
    ),
    translatable("Nothing was changed."),
    translatable("Close Palimpsest and start it again."),
)

log = logging.getLogger(__name__)


def serve(data: Path) -> NoReturn:
    """Serve one window until it disconnects, and end the process."""
    faulthandler.enable(sys.stderr)  # if a native library crashes, logs the stacks of all threads, without values
    give_back_large_blocks()
    write = _claim_standard_output()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    asyncio.run(_serve(data, write))
    raise AssertionError("the process has ended")


def _claim_standard_output() -> Callable[[bytes], None]:
    """Return a writer to standard output, and redirect anything else that is printed there to standard error."""
    lines = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return lambda line: _write_all(lines.fileno(), line)


def _write_all(descriptor: int, line: bytes) -> None:
    """Write the whole line. A broken pipe is ignored: the end of standard input shows that the window is gone."""
    rest = memoryview(line)
    with contextlib.suppress(BrokenPipeError):
        while rest:
            rest = rest[os.write(descriptor, rest) :]


async def _serve(data: Path, write: Callable[[bytes], None]) -> NoReturn:
    end_process(await serve_lines(data, await _standard_input(), write))


async def serve_lines(data: Path, reader: asyncio.StreamReader, write: Callable[[bytes], None]) -> int:
    """Serve the window at the other end of the reader until it disconnects, then close. Return the exit code."""
    coalescer = EventCoalescer(write)
    server = EngineServer(coalescer)
    try:
        server.engine = await compose_engine(data, coalescer, server.tell_list_changed, log_bug)
    except WorldError as error:
        await refuse_everything(reader, coalescer, data, error.failure)
        return 1
    except Exception:
        log.exception("the engine could not begin, by a bug")
        return 1
    return await _run(server, reader)


async def _run(server: EngineServer, reader: asyncio.StreamReader) -> int:
    """Serve until the end, then close. Log the reason, and return the exit code."""
    try:
        try:
            log.info("the engine ends: %s", await server.run(reader))
        finally:
            limit_end()
            await server.close()
    except Exception:
        log.exception("the engine ends by a bug")
        return 1
    return 0


UNDER_SETUP = (ChangeSetup, ReadSetup, Send, EditMessage, Regenerate, GoOn, StartResearch)
"""Requests that depend on the conversation's setup."""


class EngineServer:
    """Serves the requests of one window, each in a separate task, so that a slow one does not delay the others."""

    engine: Engine

    def __init__(self, coalescer: EventCoalescer) -> None:
        self.coalescer = coalescer
        self._tasks = Tasks(log_bug)
        self._list_is_stale = False
        self._lists = 0
        self._ended_by = "the window asked for it"
        self._setups: dict[str, TaskKey] = {}  # the newest task that changes the setup of a conversation

    async def run(self, reader: asyncio.StreamReader) -> str:
        """Serve until the window disconnects or requests a shutdown, or a signal arrives. Return the reason."""
        for number in ENDING_SIGNALS:
            with contextlib.suppress(NotImplementedError):  # on Windows
                asyncio.get_running_loop().add_signal_handler(number, self._end_by, number)
        ended = asyncio.ensure_future(self.engine.shutdown_requested.wait())
        while not ended.done():
            line = asyncio.ensure_future(reader.readline())
            await asyncio.wait({line, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not line.done():
                line.cancel()
                break
            if not (content := line.result()):
                ended.cancel()
                return "the window has closed its input"
            if not content.isspace():  # which the window writes over a key in its buffer
                self.take(content)
        return self._ended_by

    def _end_by(self, number: signal.Signals) -> None:
        self._ended_by = f"by {number.name}"
        self.engine.shutdown_requested.set()

    async def close(self) -> None:
        """Close the services in order, and write pending events. Requests in progress start no new work."""
        self.engine.shutdown_requested.set()
        await self.engine.services.close()
        await self._tasks.cancel_all()
        self.coalescer.flush()

    def take(self, line: bytes) -> None:
        """Start a task for the request of a line."""
        try:
            follow_time_zone()
            request = decode_request(line)
        except ProtocolError as error:
            log.error("a line that is not of this protocol: %s", error)
            if (number := number_of(line)) is not None:  # without a response, the window would wait forever
                self.coalescer.send(ResponseLine(number, failure=NOT_UNDERSTOOD))
            return
        self._tasks.start(Job.REQUEST.of(request.number), self._respond(request, self._change_before(request)))

    def _change_before(self, line: RequestLine[AnyRequest]) -> TaskKey | None:
        """Return the key of the setup change that must finish before this request, if there is one."""
        if not isinstance(line.request, UNDER_SETUP):
            return None
        conversation = line.request.conversation
        before = self._setups.get(conversation)
        if isinstance(line.request, ChangeSetup):
            self._setups[conversation] = Job.REQUEST.of(line.number)
        return before

    def _note_responded(self, line: RequestLine[AnyRequest]) -> None:
        """Forget a setup change that has finished, unless a later request changes the same setup."""
        request = line.request
        if isinstance(request, ChangeSetup) and self._setups.get(request.conversation) == Job.REQUEST.of(line.number):
            del self._setups[request.conversation]

    async def _respond(self, line: RequestLine[AnyRequest], before: TaskKey | None) -> None:
        try:
            if before is not None:
                await self._tasks.wait(before)
            self.coalescer.send(ResponseLine(line.number, await respond(self.engine, line.request)))
            if isinstance(line.request, ListConversations):
                self.engine.list_was_sent()
        except WorldError as error:
            self.coalescer.send(ResponseLine(line.number, failure=error.failure))
        except Exception as error:
            self.coalescer.send(ResponseLine(line.number, failure=failure_of(error)))
            raise
        finally:
            self._note_responded(line)

    def tell_list_changed(self) -> None:
        """Send the list of conversations after a short delay, once for all changes until then."""
        if not self._list_is_stale:
            self._list_is_stale = True
            self._lists += 1  # a new list may be requested while the previous one is being read
            self._tasks.start(Job.LIST.of(self._lists), self._send_list())

    async def _send_list(self) -> None:
        await asyncio.sleep(0.05)
        self._list_is_stale = False
        try:
            listed = await list_conversations(self.engine)
            self.coalescer.send(ConversationsChanged(listed.conversations, listed.projects))
        except WorldError as error:
            log.warning("the list could not be read: %s", error)


async def _standard_input() -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=MAX_LINE)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


def limit_end(seconds: float = END_SECONDS) -> None:
    """Kill this process, after logging the stacks of all threads, unless it ends within that time."""
    timer = threading.Timer(seconds, _give_up)
    timer.daemon = True
    timer.start()


def end_process(code: int) -> NoReturn:
    """End this process at once, without the interpreter's teardown.

    The teardown may wait forever: for a worker thread that hangs, or for the import lock of a thread that is importing
    litellm, whose objects import modules when they are garbage-collected.
    """
    logging.shutdown()
    sys.stderr.flush()
    os._exit(code)


def _give_up() -> None:
    faulthandler.dump_traceback(sys.stderr)
    os._exit(1)
