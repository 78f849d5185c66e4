"""Child processes that end, together with their descendants, with the call that started them or with the engine."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import secrets
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.own_processes import ARGUMENTS_VARIABLE, isolated_command
from desktop_app.process_secrets import is_key

from .tool import ToolFailed

if TYPE_CHECKING:
    import psutil

MARK = "PALIMPSEST_CALL"
"""The environment variable that identifies the processes of a call, or of an MCP server, in any process group or
session."""
GRACE_SECONDS = 0.1
"""Seconds between SIGTERM and SIGKILL: a stopped call ends within 0.25 s."""
MAX_PRINTED = 10_000_000
"""Bytes of a script's output."""
_NOT_INHERITED = re.compile(r"PALIMPSEST_.*|BASHOPTS|SHELLOPTS", re.IGNORECASE)
"""Palimpsest's settings, and shell options that change which files a pattern matches."""
_QUIET = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
}
"""Settings for use without a terminal: no pagers, colors or prompts. `git status` and `git diff` write nothing."""
_SWEEP = f'grep -lsF "{MARK}=$0" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do kill -KILL "$pid"; done'
_WATCHED = (
    # When the engine's end of the pipe closes, kills the processes that left the group, and then the group, so that a
    # killed engine leaves nothing running. Twice, because a killed process may just have started another one.
    f"exec 9<&0 </dev/null; {{ read -r _ <&9; {_SWEEP}; {_SWEEP}; kill -KILL -$$; }} >/dev/null 2>&1 & "
    f'exec 9<&-; {MARK}="$0" exec "$@"'
)


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a command: without the providers' keys, and set up for use without a terminal."""
    kept = (name for name in environment if not is_key(name) and not _NOT_INHERITED.fullmatch(name))
    count = environment.get("GIT_CONFIG_COUNT", "")
    number = int(count) if count.isdecimal() else 0  # the user's own settings come first
    git = {"GIT_CONFIG_COUNT": str(number + 1), f"GIT_CONFIG_KEY_{number}": "diff.autoRefreshIndex"}
    return {name: environment[name] for name in kept} | git | {f"GIT_CONFIG_VALUE_{number}": "false"} | _QUIET


class ChildProcess:
    """A program in its own session, without standard input. Call `start`, and `end` in a `finally` clause."""

    def __init__(self, process: asyncio.subprocess.Process, mark: str, is_confined: bool = False) -> None:
        assert process.stdout is not None
        self._process = process
        self._mark = mark
        self._is_confined = is_confined
        self._pipe = _pipe_name(process)
        self.output = process.stdout

    @classmethod
    async def start(
        cls,
        argv: Sequence[str],
        folder: str | Path,
        with_errors: bool = True,
        environment: Mapping[str, str] | None = None,
        is_confined: bool = False,
        handles: Sequence[int] = (),
    ) -> ChildProcess:
        """Start a program. Raises OSError and ValueError.

        with_errors: redirect standard error to the output. environment: None for this process's, without keys.
        is_confined: the program is bubblewrap, whose children should get SIGTERM before it ends.
        handles: file descriptors that the program inherits.
        """
        mark = secrets.token_hex(16)
        starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                *("/bin/sh", "-c", _WATCHED, mark, *argv),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT if with_errors else asyncio.subprocess.DEVNULL,
                cwd=folder,
                env=clean_environment(os.environ) if environment is None else environment,
                start_new_session=True,
                pass_fds=handles,
            )
        )
        try:
            return cls(await asyncio.shield(starting), mark, is_confined)
        except asyncio.CancelledError:
            with contextlib.suppress(OSError, ValueError):  # it could not be started, which no longer matters
                await cls(await starting, mark).end()
            raise

    @property
    def exit_code(self) -> int | None:
        """None while the process runs; a negative number is the signal that ended it."""
        return self._process.returncode

    async def wait(self) -> int:
        """Wait for the exit code. Unlike `Process.wait`, do not wait until the output is closed."""
        while self.exit_code is None:
            await asyncio.sleep(0.002)
        return self.exit_code

    async def end(self) -> None:
        """End the process and its descendants within 0.25 s. May be called at any time, and repeatedly."""
        group = self._process.pid
        family: list[psutil.Process] = []
        try:
            if self.exit_code is None:
                family = await asyncio.to_thread(_descendants, group)
                if self._is_confined:  # bubblewrap itself would end at once and kill its children without SIGTERM
                    await asyncio.to_thread(_terminate, family)
                else:
                    _signal_group(group, signal.SIGTERM)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.wait(), GRACE_SECONDS)
        finally:
            _signal_group(group, signal.SIGKILL)
            await asyncio.to_thread(_kill_rest, family, self._mark, self._pipe)
            if self._process.stdin is not None:
                self._process.stdin.close()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), GRACE_SECONDS)
            self._process._transport.close()  # type: ignore[attr-defined]  # prevents a ResourceWarning for open pipes


async def run_script(script: str, *arguments: str, seconds: float, folder: str = "/") -> bytes | None:
    """Run a module of this package in a child process, and return its output. Cancelling ends the process.

    Returns None if it fails, prints too much, or takes too long. The arguments, such as search words, are not visible
    to other users of the machine. The module is not imported in this process, because its imports are slow.
    """
    argv = isolated_command(f"tools.{script}")
    environment = clean_environment(os.environ) | {ARGUMENTS_VARIABLE: json.dumps(arguments)}
    try:
        if any(b"\0" in os.fsencode(argument) for argument in arguments):
            raise ValueError
        child = await ChildProcess.start(argv, folder, with_errors=False, environment=environment)
    except ValueError:
        raise ToolFailed("It holds a character that cannot be passed on (NUL, or half of one).") from None
    try:
        async with asyncio.timeout(seconds):
            content = bytearray()
            while chunk := await child.output.read(65_536):
                content += chunk
                if len(content) > MAX_PRINTED:
                    return None
            return bytes(content) if await child.wait() == 0 else None
    except TimeoutError:
        return None
    finally:
        await child.end()


def _pipe_name(process: asyncio.subprocess.Process) -> str:
    """Return the name of the output pipe in /proc; "" if it is closed already."""
    pipe = process._transport.get_pipe_transport(1).get_extra_info("pipe")  # type: ignore[attr-defined]
    try:
        return f"pipe:[{os.fstat(pipe.fileno()).st_ino}]"
    except (OSError, ValueError):
        return ""


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _terminate(family: Sequence[psutil.Process]) -> None:
    import psutil

    for process in family:  # the first process of a sandbox ignores the signal, since it has no handler
        with contextlib.suppress(psutil.Error):
            process.terminate()


def _descendants(pid: int) -> list[psutil.Process]:
    """Return the descendants of a process, except of those whose parent has ended."""
    import psutil  # imported on this thread, to delay neither the start of the engine nor its loop

    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []


def kill_marked(mark: str) -> None:
    """Kill all processes with a mark, in any process group or session."""
    _kill_rest((), mark, "")


def _kill_rest(family: Sequence[psutil.Process], mark: str, pipe: str) -> None:
    """Kill processes that left the group, such as daemons: former descendants, and any with the mark or the pipe."""
    import psutil

    def is_of_call(process: psutil.Process) -> bool:
        try:
            return process in family or process.environ().get(MARK) == mark or _writes_to(process.pid, pipe)
        except psutil.Error:  # it has ended, or belongs to another user
            return False

    for _ in range(10):  # a killed process may just have started another one, and takes a moment to end
        found = [process for process in psutil.process_iter() if process.pid != os.getpid() and is_of_call(process)]
        for process in found:
            with contextlib.suppress(psutil.Error):
                process.kill()
        if not found:
            return
        family = ()  # they are zombies by now
        time.sleep(GRACE_SECONDS / 20)


def _writes_to(pid: int, pipe: str) -> bool:
    try:
        return pipe in (os.readlink(f"/proc/{pid}/fd/1"), os.readlink(f"/proc/{pid}/fd/2"))
    except OSError:
        return False
