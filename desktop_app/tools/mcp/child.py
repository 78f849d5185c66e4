"""The process of a server that is spoken to over its standard input and output: its lines, its errors, its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Mapping, Sequence

from .guard import Guard

MOST_LINE = 4_000_000
"""Bytes of one message. Decoding that takes 10 to 50 ms, in which nothing else happens."""
MOST_AHEAD = 1_000_000
"""Bytes that are read before somebody wants them; a server that writes more waits."""
MOST_UNREAD = 16_000_000
"""Bytes that a server may leave unread on its input before it counts as dead."""
ERRORS_KEPT = 8_192
"""The last bytes of standard error."""
ASK_SECONDS = 0.5
"""From the end of its input until a server is asked to end by a signal."""
TERM_SECONDS = 0.3
"""From there until it is killed, with all its children."""
KILL_SECONDS = 1.0
"""Until the end of what was killed is noted: some milliseconds, on a busy machine more. The three together are below
the 2 s that closing may take."""
LAST_OUTPUT_SECONDS = 0.2
"""After its end, for what it has written last: a child that lives on may hold its output open."""

INHERITED = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "TMPDIR", "TMP", "TEMP"),
    *(
        "LANG",
        "LANGUAGE",
        "LC_ALL",
        "LC_CTYPE",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR",
    ),
    *("SYSTEMROOT", "SYSTEMDRIVE", "PATHEXT", "COMSPEC", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "USERPROFILE"),
)
"""Variables that a server gets from ours: none of them is a key. What else it needs is in its settings."""


def minimal_environment(given: Mapping[str, str]) -> dict[str, str]:
    """What every program needs, and what the settings name for this one."""
    return {name: os.environ[name] for name in INHERITED if name in os.environ} | dict(given)


class Child(asyncio.SubprocessProtocol):
    """A running server, in a session and a group of processes of its own."""

    def __init__(self, guard: Guard, on_end: Callable[[], None]) -> None:
        self._guard = guard
        self._on_end = on_end
        self._transport: asyncio.SubprocessTransport | None = None
        self._arrived = bytearray()
        self._is_paused = False
        self._changed = asyncio.Event()
        self._is_at_end = False
        self._exited = asyncio.Event()
        self._errors = bytearray()
        self.garbage = ""
        """The first line that was no message."""

    @staticmethod
    async def start(
        command: Sequence[str],
        environment: Mapping[str, str],
        folder: str,
        guard: Guard,
        on_end: Callable[[], None],
    ) -> Child:
        """Starts it. on_end: called when it will write nothing more. Raises OSError, and ValueError for a command or
        folder that cannot be one."""
        child = Child(guard, on_end)
        await asyncio.get_running_loop().subprocess_exec(
            lambda: child, *command, env=minimal_environment(environment), cwd=folder or None, start_new_session=True
        )
        guard.watch(child.pid)
        return child

    @property
    def pid(self) -> int:
        """Its number, and that of its group."""
        return self._transport.get_pid() if self._transport is not None else 0

    @property
    def code(self) -> int | None:
        """What it ended with; None while it runs. Below zero: the signal that ended it."""
        return self._transport.get_returncode() if self._transport is not None else None

    def last_words(self, lines: int = 6) -> str:
        """The last lines of its standard error."""
        return "\n".join(self._errors.decode(errors="replace").strip().splitlines()[-lines:])

    def write(self, line: bytes) -> None:
        """Puts a line on its input, without waiting. Raises ConnectionError if it has ended, or reads nothing."""
        pipe = self._transport.get_pipe_transport(0) if self._transport is not None else None
        if not isinstance(pipe, asyncio.WriteTransport) or pipe.is_closing():
            raise ConnectionResetError("its input is closed")
        if pipe.get_write_buffer_size() > MOST_UNREAD:
            raise ConnectionAbortedError("it does not read its input")
        pipe.write(line)

    async def line(self) -> bytes | None:
        """The next line of its output; None at the end. Of one that is too long, its first kilobyte and no end."""
        searched, too_long = 0, b""
        while True:
            end = self._arrived.find(b"\n", searched)
            if end >= 0:
                line = bytes(self._arrived[: end + 1])
                self._take(end + 1)
                return too_long or line
            searched = len(self._arrived)
            if searched > MOST_LINE:
                too_long = too_long or bytes(self._arrived[:1024])
                self._take(searched)
                searched = 0
            if self._is_at_end:
                return None
            self._want_more()
            self._changed.clear()
            await self._changed.wait()

    async def has_exited(self, seconds: float) -> bool:
        """Whether it ends within that time."""
        try:
            await asyncio.wait_for(self._exited.wait(), seconds)
        except TimeoutError:
            return False
        return True

    async def stop(self) -> None:
        """Ends it and all its children: first its input, then signals. Takes 2 s at most."""
        transport = self._transport
        if transport is None:
            return
        self._want_more(is_draining=True)
        with contextlib.suppress(OSError):
            pipe = transport.get_pipe_transport(0)
            if pipe is not None:
                pipe.close()
        try:
            if not await self.has_exited(ASK_SECONDS):
                self._signal_group(signal.SIGTERM)
                await self.has_exited(TERM_SECONDS)
            self.kill()
            await self.has_exited(KILL_SECONDS)
        finally:  # whoever is in more of a hurry cancels this
            self.kill()
            self._guard.forget(self.pid)
            transport.close()

    def kill(self) -> None:
        """Ends it and all its children at once, without waiting."""
        self._signal_group(getattr(signal, "SIGKILL", signal.SIGTERM))

    def _signal_group(self, number: int) -> None:
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self.pid, number)  # those of its children that are left, too, when it has ended itself
            elif self.code is None:
                os.kill(self.pid, number)

    def _take(self, count: int) -> None:
        del self._arrived[:count]

    def _want_more(self, is_draining: bool = False) -> None:
        if is_draining:
            self._arrived.clear()
            self._is_at_end = True
        if self._is_paused and self._transport is not None:
            self._is_paused = False
            with contextlib.suppress(RuntimeError, AttributeError):
                self._transport.get_pipe_transport(1).resume_reading()  # type: ignore[union-attr]

    # --- What asyncio calls ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It runs."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """It has written."""
        if fd == 2:
            self._errors = (self._errors + data)[-ERRORS_KEPT:]
        elif not self._is_at_end:
            self._arrived += data
            self._changed.set()
            if len(self._arrived) > MOST_AHEAD and self._transport is not None:
                pipe = self._transport.get_pipe_transport(1)
                if isinstance(pipe, asyncio.ReadTransport):
                    self._is_paused = True
                    pipe.pause_reading()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """It has closed one of its ends."""
        if fd == 1:
            self._end()

    def process_exited(self) -> None:
        """It has ended. What it wrote last may still be under way."""
        self._exited.set()
        asyncio.get_running_loop().call_later(LAST_OUTPUT_SECONDS, self._end)

    def _end(self) -> None:
        self._is_at_end = True
        self._changed.set()
        self._on_end()
