"""The engine's process: started, watched, restarted when it dies, and shut down in order."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from pathlib import Path
from signal import Signals
from time import monotonic

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from desktop_app.conversation.words import translatable
from desktop_app.own_processes import module_command
from desktop_app.process_secrets import keys_for_child

from .translation import tr

log = logging.getLogger(__name__)

READING_SLICE = 0.008  # seconds of decoding in one pass of the event loop: half a frame
RESTARTS_A_MINUTE = 5
ORDERLY_END = 2.0  # seconds that the engine has to store what is in progress
FORCED_END = 1.0


BY_SIGNAL = translatable("It was ended by the signal {signal}.")
BY_KILL = translatable("It was killed from outside (SIGKILL), as the system does when memory runs out.")
BY_ITSELF = translatable("It ended with exit code {code}.")
NOT_STARTED = translatable("It could not be started.")


def words_of_end(code: int, is_crash: bool) -> str:
    """Return a sentence about how a process ended, in the window's language.

    code: its exit code or, after a crash, the number of the signal or a Windows status code.
    """
    if not is_crash:
        return tr(BY_ITSELF).format(code=code)
    name = Signals(code).name if code in list(Signals) else str(code)
    return tr(BY_KILL) if name == "SIGKILL" else tr(BY_SIGNAL).format(signal=name)


def engine_command(data_folder: Path) -> list[str]:
    """Return the command line that starts the engine on that data folder."""
    return module_command("", "engine", "--data-dir", str(data_folder))


class EngineProcess(QObject):
    """A child process that reads and writes lines.

    first_backoff: seconds before it is started again, doubled with each death within a minute.
    take_line: called with each line that it wrote, without the newline; returns True if the event loop should run
    before the next line. Signals: started; died, when it ended unasked and will be started again;
    gave_up, when it died too often.
    """

    started = Signal()
    died = Signal()
    gave_up = Signal()

    def __init__(
        self,
        command: list[str],
        log_file: Path | None,
        first_backoff: float,
        take_line: Callable[[bytes], bool],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._command = command
        self._log_file = log_file
        self._first_backoff = first_backoff
        self._take_line = take_line
        self._process: QProcess | None = None
        self._is_up = False
        self._is_ending = False
        self.last_end = ""
        """A sentence about how it last ended unasked; "" if it never did."""
        self._unread = bytearray()
        self._starts: deque[float] = deque()
        self._more = QTimer(self, singleShot=True, interval=0)
        self._more.timeout.connect(self._read_lines)
        self._again = QTimer(self, singleShot=True)
        self._again.timeout.connect(self._launch)

    @property
    def is_up(self) -> bool:
        """Whether it can be written to."""
        return self._is_up

    @property
    def pid(self) -> int:
        """Its process id; 0 while it does not run."""
        return self._process.processId() if self._process is not None else 0

    def start(self) -> None:
        """Start it, and forget its earlier deaths."""
        self._starts.clear()
        self._is_ending = False
        self._launch()

    def write(self, line: bytes) -> None:
        """Write to its standard input; it must be up."""
        assert self._process is not None
        self._process.write(line)

    async def end(self, last_line: bytes) -> None:
        """Send a last line that asks it to end, and wait; if it does not end, terminate it, then kill it."""
        self._is_ending = True
        self._again.stop()
        process = self._process
        if process is None:
            return
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        process.finished.connect(lambda *_: ended.done() or ended.set_result(None))
        if self._is_up:
            process.write(last_line)
            process.closeWriteChannel()
        steps = ((None, ORDERLY_END), (process.terminate, FORCED_END), (process.kill, FORCED_END))
        for force, seconds in steps:
            if ended.done() or process.state() == QProcess.ProcessState.NotRunning:
                return
            if force is not None:
                force()
            await asyncio.wait([ended], timeout=seconds)

    def stop_for_good(self) -> None:
        """Kill it, and do not restart it until `start` is called."""
        self._is_ending = True
        if self._process is not None:
            self._process.kill()

    def _launch(self) -> None:
        self._unread.clear()
        process = self._process = QProcess(self)
        if self._log_file is not None:
            process.setStandardErrorFile(str(self._log_file), QProcess.OpenModeFlag.Append)
        else:
            process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        process.started.connect(self._on_started)
        process.readyReadStandardOutput.connect(self._receive)
        process.finished.connect(self._on_finished)
        process.errorOccurred.connect(self._on_error)
        self._starts.append(monotonic())
        environment = QProcessEnvironment.systemEnvironment()
        with keys_for_child() as variables:  # the engine removes them from its own environment
            for name, value in variables.items():
                environment.insert(name, value)
            process.setProcessEnvironment(environment)
            process.start(self._command[0], self._command[1:])

    def _on_started(self) -> None:
        self._is_up = True
        self.started.emit()

    def _receive(self) -> None:
        if self._process is not None:
            self._unread += self._process.readAllStandardOutput().data()
        if not self._more.isActive():
            self._read_lines()

    def _read_lines(self) -> None:
        """Handle lines for one slice of time; the others wait for the next pass of the event loop."""
        deadline = monotonic() + READING_SLICE
        while (end := self._unread.find(b"\n")) >= 0:
            line = bytes(self._unread[:end])
            del self._unread[: end + 1]
            if self._take_line(line) or monotonic() > deadline:
                self._more.start()
                break

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:  # `finished` does not follow
            log.error("The engine could not be started: %s", " ".join(self._command))
            self._note_end(tr(NOT_STARTED))

    def _on_finished(self, code: int, status: QProcess.ExitStatus) -> None:
        is_crash = status == QProcess.ExitStatus.CrashExit
        if not self._is_ending:
            log.error("The engine ended unasked: %s %d", "signal" if is_crash else "exit code", code)
        self._note_end(words_of_end(code, is_crash))

    def _note_end(self, sentence: str) -> None:
        ended, self._process = self._process, None
        self._is_up = False
        while self._more.isActive():  # lines that it wrote before its end count
            self._more.stop()
            self._read_lines()
        if ended is not None:
            ended.deleteLater()
        if self._is_ending:
            return
        self.last_end = sentence
        self._start_again()

    def _start_again(self) -> None:
        now = monotonic()
        while self._starts and self._starts[0] < now - 60:
            self._starts.popleft()
        if len(self._starts) > RESTARTS_A_MINUTE:
            self.gave_up.emit()
            return
        self._again.start(round(1000 * self._first_backoff * 2 ** max(len(self._starts) - 1, 0)))
        self.died.emit()
