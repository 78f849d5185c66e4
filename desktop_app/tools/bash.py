"""`bash`: a command line, run in the working folder. Whatever it starts ends with it."""

from __future__ import annotations

import asyncio
import codecs
import os
import re
import shutil
import signal
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from desktop_app.conversation.tools import RequiredPermission, ToolContext, ToolOutcome
from desktop_app.permissions.command_line import simple_commands
from desktop_app.permissions.command_options import changes_what_follows
from desktop_app.permissions.rules import literal, suggested_for

from .child_process import ChildProcess
from .command_files import private_files
from .places import PathPolicy, folder_of
from .tool import Arguments, Tool, ToolFailed, about

SECONDS, SECONDS_MOST = 120, 600
HEAD_MOST = TAIL_MOST = 5_000_000
"""Bytes of output that are kept at each end."""
STREAMED_MOST = 200_000
"""Characters that are shown while it runs; a program that writes without end would keep the window busy."""
TICK_SECONDS = 0.05
LATE_MOST = 32
"""Pieces that are read after the command has ended: what was on its way then comes in fewer. What follows is written
in the background."""
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\U000e0000-\U000e007f]"
)
"""Signs that change the order in which others are shown, or hide a text, or between its letters. Those that join or
part the letters of some scripts are none of them: they are shown where the user is asked."""
BLANKS = " \t\n"
"""Of a shell; others are a part of a word."""


class BashArguments(Arguments, frozen=True):
    """What to run, and for how long at most."""

    command: Annotated[str, about("Command line", min_length=1)]
    timeout: Annotated[int, about("Seconds", ge=1, le=SECONDS_MOST)] = SECONDS


class BashTool(Tool[BashArguments]):
    """Runs a command line."""

    name = "bash"
    description = (
        "Run a bash command in the working folder. Each call is a new shell without input or terminal; "
        "background processes end with the call."
    )
    arguments = BashArguments

    def __init__(self, borders: PathPolicy) -> None:
        self._borders = borders
        self._looking = asyncio.Lock()  # calls are asked for in their order
        self._shell = shutil.which("bash") or shutil.which("sh") or ""

    @property
    def is_there(self) -> bool:
        """Where there is a shell, and groups of processes that can be ended as a whole."""
        return bool(self._shell) and hasattr(os, "killpg")

    async def needs(self, arguments: BashArguments, place: ToolContext) -> tuple[RequiredPermission, ...]:
        """One for each simple command, and for each file that it may read and that is nothing for a model; one for the
        whole line, where it cannot be taken apart, or where a part alone would not say that something in it is filled
        in, or that one before it has changed what it means."""
        line = _as_seen(arguments.command).strip(BLANKS)
        commands = simple_commands(line)
        if commands is None:
            return (RequiredPermission(self.name, "run", line, literal(line)),)
        async with self._looking:
            private = await asyncio.to_thread(private_files, self.name, commands, self._borders, place)
        if any(simple_commands(command.text) != (command,) for command in commands):
            proposed = suggested_for(commands[0]) if len(commands) == 1 else ""
            is_wide = proposed not in ("", literal(commands[0].text))
            return (RequiredPermission(self.name, "run", line, proposed if is_wide else literal(line)), *private)
        if len(commands) > 1 and any(map(changes_what_follows, commands)):
            return (RequiredPermission(self.name, "run", line, literal(line)), *private)
        needs = (RequiredPermission(self.name, "run", command.text, suggested_for(command)) for command in commands)
        return (*dict.fromkeys(needs), *private)

    async def run(self, arguments: BashArguments, place: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        """The output as it comes, and at last all of it, with the exit code."""
        folder = folder_of(place)
        if not await asyncio.to_thread(folder.is_dir):
            raise ToolFailed(f"The working folder {folder} is not there.")
        started = time.monotonic()
        try:
            child = await ChildProcess.start((self._shell, "-c", _as_seen(arguments.command)), folder)
        except ValueError:
            raise ToolFailed("A command cannot hold a NUL character, or half of one (a lone surrogate).") from None
        output = Output()
        try:
            async with aclosing(_read(child, output, started + arguments.timeout)) as pieces:
                async for piece in pieces:
                    yield piece
            code = child.exit_code
        finally:
            await child.end()
        seconds = time.monotonic() - started
        said = output.text()
        ending = _ending(code, seconds, arguments.timeout)
        yield ToolOutcome(said + ("" if not said or said.endswith("\n") else "\n") + ending, is_error=code != 0)


def _as_seen(command: str) -> str:
    """The command. Raises ToolFailed for one that looks like another one to whoever is asked."""
    if found := _UNSEEN.search(command):
        raise ToolFailed(
            f"The command holds U+{ord(found[0]):04X}, which nobody sees: write it as an escape ($'\\u…')."
        )
    return command


async def _read(child: ChildProcess, output: Output, deadline: float) -> AsyncGenerator[str, None]:
    """What it writes, until it has ended, or time is up."""
    late, reading = 0, None
    try:
        while time.monotonic() < deadline and late < LATE_MOST:
            had_ended = child.exit_code is not None
            late += had_ended
            # Not cancelled when the tick is over: what had just come would be taken for nothing on a busy loop.
            reading = reading or asyncio.ensure_future(child.output.read(65_536))
            await asyncio.wait({reading}, timeout=min(TICK_SECONDS, max(deadline - time.monotonic(), 0)))
            if not reading.done():
                if had_ended:
                    return  # what still holds the pipe runs in the background
                continue
            chunk, reading = reading.result(), None
            if chunk:
                if told := output.take(chunk):
                    yield told
                await asyncio.sleep(0)  # a program that never pauses must not keep the others waiting
            elif child.exit_code is not None:
                return
            else:
                await asyncio.sleep(TICK_SECONDS / 5)  # it closed its output, and goes on
    finally:
        if reading is not None:
            reading.cancel()


def _ending(code: int | None, seconds: float, most: int) -> str:
    if code is None:
        return f"[Stopped after {most} seconds: time is up. Set timeout for more, at most {SECONDS_MOST}.]"
    if code < 0:
        return f"[ended by signal {_name_of(-code)}, exit code {128 - code}]"
    return f"[exit code {code}{f', {seconds:.0f} s' if seconds >= 10 else ''}]"


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


class Output:
    """What a program has written: its first and its last bytes."""

    def __init__(self, head_most: int = HEAD_MOST, tail_most: int = TAIL_MOST) -> None:
        self._head, self._tail = bytearray(), bytearray()
        self._head_most, self._tail_most = head_most, tail_most
        self._left_out = self._streamed = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def take(self, chunk: bytes) -> str:
        """Keeps a chunk. Returns the text to show of it."""
        room = self._head_most - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 2 * self._tail_most:  # not at each chunk, which would move all of it
            self._cut_tail()
        if self._streamed >= STREAMED_MOST:
            return ""
        told = self._decoder.decode(chunk).replace("\0", "\ufffd")
        self._streamed += len(told)
        return told if self._streamed < STREAMED_MOST else f"{told}\n[… more output follows; it is not shown live …]\n"

    def text(self) -> str:
        """All that is kept, as UTF-8; other bytes are replaced, and NULs, which some providers refuse."""
        self._cut_tail()
        gap = f"\n[… {self._left_out:,} bytes left out here …]\n".encode() if self._left_out else b""
        return (self._head + gap + self._tail).decode(errors="replace").replace("\0", "\ufffd")

    def _cut_tail(self) -> None:
        gone = max(len(self._tail) - self._tail_most, 0)
        del self._tail[:gone]
        self._left_out += gone
