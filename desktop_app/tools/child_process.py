"""Child processes that end with the call that started them: with their children, and with the engine itself."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from desktop_app.process_secrets import is_key

MARK = "PALIMPSEST_CALL"
"""The variable by which a process is known to stem from a call, whatever group or session it has moved to."""
GRACE_SECONDS = 0.1
"""Between the request to end and the end: a stopped call ends within 0.25 s."""
_OURS = re.compile(r"PALIMPSEST_.*|BASHOPTS|SHELLOPTS", re.IGNORECASE)
"""Our own settings, and options of a shell that change what a pattern in a command fits."""
_QUIET = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
}
"""There is no terminal: nothing should page, colour, or ask. `git status` and `git diff`
write nothing."""
_SWEEP = f'grep -lsF "{MARK}=$0" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do kill -KILL "$pid"; done'
_WATCHED = (
    # When the engine's end of the pipe closes, ends what left the group and the group itself, so that a killed engine
    # leaves nothing running. Twice: one that is killed may just have started another one.
    f"exec 9<&0 </dev/null; {{ read -r _ <&9; {_SWEEP}; {_SWEEP}; kill -KILL -$$; }} >/dev/null 2>&1 & "
    f'exec 9<&-; {MARK}="$0" exec "$@"'
)


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What a command gets: everything but keys of providers, and what makes programs talk to a terminal."""
    kept = (name for name in environment if not is_key(name) and not _OURS.fullmatch(name))
    count = environment.get("GIT_CONFIG_COUNT", "")
    number = int(count) if count.isdecimal() else 0  # the user's own come first
    git = {"GIT_CONFIG_COUNT": str(number + 1), f"GIT_CONFIG_KEY_{number}": "diff.autoRefreshIndex"}
    return {name: environment[name] for name in kept} | git | {f"GIT_CONFIG_VALUE_{number}": "false"} | _QUIET


class ChildProcess:
    """A program in a session of its own, without standard input. Start it, and end it in a `finally`."""

    def __init__(self, process: asyncio.subprocess.Process, mark: str) -> None:
        assert process.stdout is not None
        self._process = process
        self._mark = mark
        self._pipe = _name_of_output(process)
        self.output = process.stdout

    @classmethod
    async def start(cls, argv: Sequence[str], folder: str | Path, is_error_shown: bool = True) -> ChildProcess:
        """Starts it. is_error_shown: whether standard error comes with the output. Raises OSError, ValueError."""
        mark = secrets.token_hex(16)
        starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                *("/bin/sh", "-c", _WATCHED, mark, *argv),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT if is_error_shown else asyncio.subprocess.DEVNULL,
                cwd=folder,
                env=clean_environment(os.environ),
                start_new_session=True,
            )
        )
        try:
            return cls(await asyncio.shield(starting), mark)
        except asyncio.CancelledError:
            with contextlib.suppress(OSError, ValueError):  # it could not be started, and was not wanted any more
                await cls(await starting, mark).end()
            raise

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative: the signal that ended it."""
        return self._process.returncode

    async def end(self) -> None:
        """Ends it with all that stems from it, within 0.25 s. Can be called at any time, and again."""
        group = self._process.pid
        family: set[int] = set()
        try:
            if self.exit_code is None:
                family = await asyncio.to_thread(_descendants, group)
                _signal_group(group, signal.SIGTERM)
                for _ in range(10):
                    if self.exit_code is not None:
                        break
                    await asyncio.sleep(GRACE_SECONDS / 10)
        finally:
            _signal_group(group, signal.SIGKILL)
            await asyncio.to_thread(_kill_rest, family, self._mark, self._pipe)
            if self._process.stdin is not None:
                self._process.stdin.close()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GRACE_SECONDS):
                    await self._process.wait()
            self._process._transport.close()  # type: ignore[attr-defined]  # else a pipe held open warns at the end


def _name_of_output(process: asyncio.subprocess.Process) -> str:
    """What /proc calls the pipe that it writes to; "" if nobody does any more, so that it is closed."""
    reading = process._transport.get_pipe_transport(1).get_extra_info("pipe")  # type: ignore[attr-defined]
    try:
        return f"pipe:[{os.fstat(reading.fileno()).st_ino}]"
    except (OSError, ValueError):
        return ""


def _signal_group(group: int, sign: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, sign)


def _kill_rest(family: set[int], mark: str, pipe: str) -> None:
    """Kills what left the group, such as daemons: those that stemmed from it a moment ago, have its mark, or write
    where it wrote. Where there is no /proc, the group is all that can be found."""
    for _ in range(10):  # one that is killed may just have started another one, and takes a moment to go
        found = [pid for pid in _own_processes() if pid in family or _has_mark(pid, mark) or _writes_to(pid, pipe)]
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            return
        family = set()  # their numbers may be given to others
        time.sleep(GRACE_SECONDS / 20)


def _own_processes() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    except OSError:
        return []


def _descendants(ancestor: int) -> set[int]:
    """Its children and theirs, as far as each has its parent still."""
    parents = {pid: _parent_of(pid) for pid in _own_processes()}
    found, wave = set[int](), {ancestor}
    while wave:
        wave = {pid for pid, parent in parents.items() if parent in wave} - found
        found |= wave
    return found


def _parent_of(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def _has_mark(pid: int, mark: str) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return f"{MARK}={mark}".encode() in file.read()
    except OSError:  # gone, or somebody else's
        return False


def _writes_to(pid: int, pipe: str) -> bool:
    try:
        return pipe in (os.readlink(f"/proc/{pid}/fd/1"), os.readlink(f"/proc/{pid}/fd/2"))
    except OSError:
        return False
