"""The process of a server that communicates over standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import subprocess
from asyncio.subprocess import PIPE, SubprocessStreamProtocol
from collections.abc import Callable, Mapping, Sequence

from desktop_app.tools.child_process import MARK, kill_marked

MAX_LINE = 32_000_000
"""Bytes of one message, such as a result with a whole table or several images."""
MAX_DECODED_AT_ONCE = 1_000_000
"""Bytes of a message that is decoded on the event loop, which takes up to 10 ms; others use a thread."""
MAX_READ_AHEAD = 1_000_000
"""Bytes that are buffered before they are requested; a server that writes more has to wait."""
MAX_UNREAD = 16_000_000
"""Bytes that a server may leave unread on its input before it is considered dead."""
MAX_ERRORS = 8_192
"""Last bytes of standard error that are kept."""
ASK_SECONDS = 0.5
"""Time from closing the input until SIGTERM."""
TERM_SECONDS = 0.3
"""Time from SIGTERM until SIGKILL to the process and its children."""
KILL_SECONDS = 1.0
"""Maximum time until the exit of a killed process is noticed: usually milliseconds, more on a busy machine. The sum of
these three is below the 2 s that closing may take."""
LAST_OUTPUT_SECONDS = 0.2
"""Time to read the last output after the exit: a surviving child may keep the pipe open."""
INHERITED = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "TMPDIR", "TMP", "TEMP"),
    *("LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT"),
    *("GIT_SSL_CAINFO", "NODE_USE_SYSTEM_CA", "NODE_USE_ENV_PROXY", "UV_SYSTEM_CERTS", "UV_NATIVE_TLS"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "PATHEXT", "COMSPEC", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "USERPROFILE"),
)
"""Environment variables that a server inherits; none of them is a provider's key. Others have to be in its settings."""
_SHELL = "/bin/sh"
_WATCH = f"""
trap '' HUP INT TERM
groups=' ' marks=' '
while read -r verb name; do
    case $verb in
        expect) marks="$marks$name " ;;
        start) groups="$groups$name " ;;
        end) case $groups in *" $name "*) groups="${{groups%% "$name" *}} ${{groups#* "$name" }}" ;; esac ;;
        forget) case $marks in *" $name "*) marks="${{marks%% "$name" *}} ${{marks#* "$name" }}" ;; esac ;;
    esac
done
for group in $groups; do kill -s TERM -- "-$group"; done 2>/dev/null
[ "$groups$marks" = '  ' ] || sleep 1
for group in $groups; do kill -s KILL -- "-$group"; done 2>/dev/null
for mark in $marks $marks; do
    grep -lsF "{MARK}=$mark" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do kill -s KILL "$pid"; done
done 2>/dev/null
"""
"""A script that kills everything it still watches when its input ends: first the groups, then processes that have left
them. It handles each mark twice, because a killed process may just have started another one."""


def inherited_environment() -> dict[str, str]:
    """Return the variables that a server inherits from this process's environment."""
    return {name: os.environ[name] for name in INHERITED if name in os.environ}


class Guard:
    """A small process that ends the servers if this process dies; it knows them by their groups and marks.

    It reads from a pipe whose only writing end is in this process, and so notices any end of it. Without a shell on the
    system, it does nothing.
    """

    def __init__(self) -> None:
        self._shell: subprocess.Popen[bytes] | None = None

    def expect(self, mark: str) -> None:
        """Guard processes with a mark in their environment. Called before one is started.

        Otherwise, it could survive if this process was killed at that moment.
        """
        if self._shell is None and os.path.exists(_SHELL):
            self._shell = subprocess.Popen(
                [_SHELL, "-c", _WATCH],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"PATH": os.environ.get("PATH", os.defpath)},
                cwd="/",
                start_new_session=True,  # Ctrl-C must not reach the guard
            )
        self._send(f"expect {mark}\n")

    def watch(self, group: int) -> None:
        """Guard a process group, after `expect` was called for its mark."""
        self._send(f"start {group}\n")

    def forget(self, mark: str, group: int | None = None) -> None:
        """Stop guarding processes that have ended, and their group, whose number may be reused."""
        self._send(f"forget {mark}\n" + (f"end {group}\n" if group is not None else ""))

    def close(self) -> None:
        """End the guard, and everything that it still watches."""
        shell, self._shell = self._shell, None
        if shell is not None and shell.stdin is not None:
            shell.stdin.close()
            shell.wait()  # takes milliseconds, because it has nothing left to kill

    def _send(self, line: str) -> None:
        if self._shell is not None and self._shell.stdin is not None:
            try:
                self._shell.stdin.write(line.encode())
                self._shell.stdin.flush()
            except OSError:  # the guard was killed; servers still notice the end of their input
                self._shell = None


class _Streams(SubprocessStreamProtocol):
    """Streams that notice the exit of the process at once; asyncio's own class waits for the end of the output."""

    def __init__(self) -> None:
        super().__init__(limit=MAX_READ_AHEAD, loop=asyncio.get_running_loop())
        self.exited = asyncio.Event()
        self.errors = b""

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        if fd == 2 and isinstance(data, bytes):
            self.errors = (self.errors + data)[-MAX_ERRORS:]
        else:
            super().pipe_data_received(fd, data)

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


class ServerProcess:
    """A running server, in its own session and process group."""

    def __init__(
        self,
        transport: asyncio.SubprocessTransport,
        streams: _Streams,
        guard: Guard,
        on_end: Callable[[], None],
        mark: str,
    ) -> None:
        assert streams.stdin is not None
        assert streams.stdout is not None
        self.pid = transport.get_pid()
        """The id of the process, and of its group."""
        self._transport = transport
        self._streams = streams
        self._input, self._output = streams.stdin, streams.stdout
        self._guard = guard
        self.mark = mark
        """The mark in the environment of the process and its children."""
        self._on_end = on_end
        self._ending = asyncio.ensure_future(self._end_output())
        self.garbage = ""
        """The first line that was not a message."""

    @staticmethod
    async def start(
        command: Sequence[str],
        environment: Mapping[str, str],
        folder: str,
        guard: Guard,
        on_end: Callable[[], None],
        handles: Sequence[int] = (),
    ) -> ServerProcess:
        """Start a server. Raises OSError, and ValueError for an invalid command or folder.

        environment: all its variables. on_end: called at the end of its output. handles: file descriptors that it
        inherits.
        """
        mark = secrets.token_hex(16)
        guard.expect(mark)
        try:
            transport, streams = await asyncio.get_running_loop().subprocess_exec(
                _Streams,
                *command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                env={**environment, MARK: mark},
                cwd=folder or None,
                start_new_session=True,
                pass_fds=handles,
            )
        except (OSError, ValueError):
            guard.forget(mark)
            raise
        process = ServerProcess(transport, streams, guard, on_end, mark)
        guard.watch(process.pid)
        return process

    @property
    def exit_code(self) -> int | None:
        """None while the process runs; a negative number is the signal that ended it."""
        return self._transport.get_returncode()

    def last_errors(self, lines: int = 6) -> str:
        """Return the last lines of standard error, without those in which npm recommends a newer npm."""
        written = self._streams.errors.decode(errors="replace").strip().splitlines()
        return "\n".join([line for line in written if not line.startswith("npm notice")][-lines:])

    def write(self, line: bytes) -> None:
        """Write a line to the input without waiting. Raises ConnectionError if the server has ended or never reads."""
        if self._input.is_closing():
            raise ConnectionResetError("its input is closed")
        if self._input.transport.get_write_buffer_size() > MAX_UNREAD:
            raise ConnectionAbortedError("it does not read its input")
        self._input.write(line)

    async def read_line(self) -> bytes | None:
        """Return the next line of output; None at the end. A line that is too long is cut, and has no line end."""
        parts: list[bytes] = []
        size = 0
        while True:
            try:
                part = await self._output.readuntil()
            except asyncio.LimitOverrunError as error:
                part = await self._output.readexactly(error.consumed)
            except (asyncio.IncompleteReadError, ConnectionError):
                self._on_end()
                return None
            size += len(part)
            if size <= MAX_LINE:
                parts.append(part)
            if part.endswith(b"\n"):
                return b"".join(parts) if size <= MAX_LINE else b"".join(parts)[:1024]

    async def has_exited(self, seconds: float) -> bool:
        """Wait for the exit, and return whether it occurred within `seconds`."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._streams.exited.wait(), seconds)
        return self._streams.exited.is_set()

    async def stop(self) -> None:
        """End the process and its children, first by closing its input, then by signals. Takes at most 2 s."""
        self._input.close()
        draining = asyncio.ensure_future(self._drain())  # the process may be waiting until its output is read
        try:
            if not await self.has_exited(ASK_SECONDS):
                self._signal_group(signal.SIGTERM)
                await self.has_exited(TERM_SECONDS)
            self.kill()
            await self.has_exited(KILL_SECONDS)
        finally:  # also when this is cancelled
            self.kill()
            draining.cancel()
            self._ending.cancel()
            self._transport.close()
            await asyncio.shield(self._kill_rest())

    def _kill_rest(self) -> asyncio.Future[None]:
        """Kill processes that have left the group, such as daemons; then stop guarding the server."""
        killing = asyncio.ensure_future(asyncio.to_thread(kill_marked, self.mark))
        killing.add_done_callback(lambda _: self._guard.forget(self.mark, self.pid))
        return killing

    def kill(self) -> None:
        """Kill the process and its children, without waiting."""
        self._signal_group(getattr(signal, "SIGKILL", signal.SIGTERM))

    def _signal_group(self, number: int) -> None:
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self.pid, number)  # also reaches children that are left after its exit
            elif self.exit_code is None:
                os.kill(self.pid, number)

    async def _end_output(self) -> None:
        """Close the output some time after the exit, because a child may keep it open."""
        await self._streams.exited.wait()
        await asyncio.sleep(LAST_OUTPUT_SECONDS)
        if pipe := self._transport.get_pipe_transport(1):
            pipe.close()

    async def _drain(self) -> None:
        while await self._output.read(65_536):
            pass
