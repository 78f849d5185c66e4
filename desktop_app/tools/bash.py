"""`bash`: a command line, run in the working folder. Whatever it starts ends with it."""

from __future__ import annotations

import asyncio
import codecs
import os
import re
import shutil
import signal
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing, closing
from glob import has_magic, iglob
from itertools import islice
from pathlib import Path
from typing import Annotated

from desktop_app.conversation.tools import RequiredPermission, ToolContext, ToolOutcome, ToolSpec
from desktop_app.permissions.command_line import Command, parse_commands
from desktop_app.permissions.command_options import changes_what_follows
from desktop_app.permissions.rules import escape_pattern, possible_paths, suggest_pattern
from desktop_app.permissions.secret_paths import may_mean_secret
from desktop_app.settings import Settings

from .child_process import ChildProcess
from .command_sandbox import Access, CommandSandbox
from .path_policy import MAX_PATH, PathPolicy, working_folder
from .sandbox.sandbox import Sandbox
from .tool import Arguments, Tool, ToolFailed, field, parameters_of

SECONDS, MAX_SECONDS = 120, 600
MAX_HEAD = MAX_TAIL = 5_000_000
"""Bytes of output that are kept at each end."""
MAX_STREAMED = 200_000
"""Characters that are shown while it runs; a program that never stops writing would keep the window busy."""
TICK_SECONDS = 0.05
MAX_LATE_READS = 32
"""Chunks that are read after the command has ended. What it had written arrives in fewer; what follows is written in
the background."""
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\U000e0000-\U000e007f]"
)
"""Characters that reorder or hide others. Joiners of letters, which some scripts need, are shown where the user is
asked."""
MAX_MATCHES = 2_000
"""Names that one pattern is expanded to."""
MAX_PATTERN_FOLDERS = 3
"""Names with wildcards in one pattern: each may multiply what has to be looked at."""


class BashArguments(Arguments, frozen=True):
    """The arguments of `bash`."""

    command: Annotated[str, field("Command line", min_length=1)]
    timeout: Annotated[int, field("Seconds", ge=1, le=MAX_SECONDS)] = SECONDS


class SandboxedArguments(BashArguments, frozen=True):
    """The arguments where there is a sandbox."""

    access: Annotated[Access, field("What it needs beside the sandbox")] = ""


class BashTool(Tool[SandboxedArguments]):
    """Runs a command line."""

    name = "bash"
    description = (
        "Run a bash command in the working folder. Each call is a new shell without input or terminal; "
        "background processes end with the call."
    )
    arguments = SandboxedArguments

    def __init__(self, policy: PathPolicy, sandbox: Sandbox, settings: Callable[[], Settings] = Settings) -> None:
        self._policy = policy
        self._sandbox = CommandSandbox(sandbox, settings)
        self._files_lock = asyncio.Lock()  # one look at files at a time, so that calls are asked for in their order
        self._shell = shutil.which("bash") or shutil.which("sh") or ""

    @property
    def is_available(self) -> bool:
        """Whether there is a shell, and process groups that can be ended as a whole."""
        return bool(self._shell) and hasattr(os, "killpg")

    async def spec(self) -> ToolSpec:
        about = await self._sandbox.about()
        arguments = SandboxedArguments if about else BashArguments
        return ToolSpec(self.name, self.description + about, parameters_of(arguments))

    async def needs(self, arguments: SandboxedArguments, context: ToolContext) -> tuple[RequiredPermission, ...]:
        """Return a permission for each simple command, and for each private file that it may read.

        One for the whole line instead, where it cannot be parsed, or where a part alone would not show that something
        is substituted in it, or that an earlier one changes its meaning.
        """
        line = _check_visible(arguments.command).strip(" \t\n")  # other blanks are a part of a word
        tool = self._sandbox.rule_of(await self._sandbox.place_of(arguments.access, context))
        async with self._files_lock:
            return await asyncio.to_thread(_needs_of, line, tool, self._policy, context)

    async def run(self, arguments: SandboxedArguments, context: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        """Yield the output as it is produced, then all of it, with the exit code."""
        folder = working_folder(context)
        if not await asyncio.to_thread(folder.is_dir):
            raise ToolFailed(f"The working folder {folder} is not there.")
        started = time.monotonic()
        place = await self._sandbox.place_of(arguments.access, context)
        argv = (self._shell, "-c", _check_visible(arguments.command))
        confined = await self._sandbox.confine(argv, place, context)
        try:
            if confined is None:
                child = await ChildProcess.start(argv, folder)
            else:
                with closing(confined):
                    child = await ChildProcess.start(
                        confined.argv, folder, True, confined.environment, True, confined.handles
                    )
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
        text = output.text()
        if confined is not None and code is not None and code - 128 in set(signal.Signals):
            code = 128 - code  # how bubblewrap tells the signal
        ending = _ending(code, time.monotonic() - started, arguments.timeout)
        if code != 0:
            ending += self._sandbox.note(place, text)
        whole = text + ("" if not text or text.endswith("\n") else "\n") + ending
        yield ToolOutcome(whole, is_error=code != 0, sandbox=place)


def _check_visible(command: str) -> str:
    """Return the command. Raises ToolFailed if it looks like another one to the user who is asked."""
    if found := _INVISIBLE.search(command):
        raise ToolFailed(f"The command holds U+{ord(found[0]):04X}, which is invisible: escape it ($'\\u…').")
    return command


def _needs_of(line: str, tool: str, policy: PathPolicy, context: ToolContext) -> tuple[RequiredPermission, ...]:
    commands = parse_commands(line)
    whole_line = RequiredPermission(tool, "run", line, escape_pattern(line))
    if commands is None:
        return (whole_line,)
    private = _private_files(commands, policy, context)
    if any(parse_commands(command.text) != (command,) for command in commands):
        proposed = suggest_pattern(commands[0]) if len(commands) == 1 else ""
        is_wide = proposed not in ("", escape_pattern(commands[0].text))
        return (RequiredPermission(tool, "run", line, proposed) if is_wide else whole_line, *private)
    if len(commands) > 1 and any(map(changes_what_follows, commands)):
        return (whole_line, *private)
    needs = (RequiredPermission(tool, "run", command.text, suggest_pattern(command)) for command in commands)
    return (*dict.fromkeys(needs), *private)


def _private_files(
    commands: Sequence[Command], policy: PathPolicy, context: ToolContext
) -> tuple[RequiredPermission, ...]:
    """Return a permission for each private file that the words of a command may name: by links, relative to its folder,
    and by what a shell would substitute there. What the words alone say is checked in permissions/rules.py."""
    folder = os.path.realpath(working_folder(context))
    found: dict[str, None] = {}
    for command in commands:
        for word in (*command.words[1:], *command.reads):
            if word in command.expanded and sum(map(has_magic, word.split("/"))) > MAX_PATTERN_FOLDERS:
                found[os.path.join(folder, word)] = None  # expanding it would take too long
                continue
            for path in _existing_paths(word, folder, word in command.expanded):
                real = os.path.realpath(path)
                if real not in found and not Path(folder).is_relative_to(real) and policy.is_private(Path(real)):
                    found[real] = None
    return tuple(RequiredPermission(BashTool.name, "read", path) for path in found)


def _existing_paths(word: str, folder: str, is_expanded: bool) -> Iterator[str]:
    """Yield the existing files that the word may name."""
    for part in possible_paths(word):
        if not part or len(part) > MAX_PATH or "\0" in part:
            continue
        path = os.path.join(folder, os.path.expanduser(os.path.expandvars(part) if is_expanded else part))
        if is_expanded and has_magic(part) and not may_mean_secret(part):  # else permission is required anyway
            yield from islice(iglob(path), MAX_MATCHES)
        if os.path.lexists(path):
            yield path


async def _read(child: ChildProcess, output: Output, deadline: float) -> AsyncGenerator[str, None]:
    """Yield what it writes until it has ended, or time is up."""
    late_reads, reading = 0, None
    try:
        while time.monotonic() < deadline and late_reads < MAX_LATE_READS:
            had_ended = child.exit_code is not None
            late_reads += had_ended
            # Not cancelled at the end of a tick: on a busy loop, what had just arrived would be lost.
            reading = reading or asyncio.ensure_future(child.output.read(65_536))
            await asyncio.wait({reading}, timeout=min(TICK_SECONDS, max(deadline - time.monotonic(), 0)))
            if not reading.done():
                if had_ended:
                    return  # what still holds the pipe runs in the background
                continue
            chunk, reading = reading.result(), None
            if chunk:
                if text := output.add(chunk):
                    yield text
                await asyncio.sleep(0)  # a program that never pauses must not keep the others waiting
            elif child.exit_code is not None:
                return
            else:
                await asyncio.sleep(TICK_SECONDS / 5)  # it closed its output, and goes on
    finally:
        if reading is not None:
            reading.cancel()


def _ending(code: int | None, seconds: float, timeout: int) -> str:
    if code is None:
        return f"[Stopped after {timeout} seconds: time is up. Set timeout for more, at most {MAX_SECONDS}.]"
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else -code
        return f"[ended by signal {name}, exit code {128 - code}]"
    return f"[exit code {code}{f', {seconds:.0f} s' if seconds >= 10 else ''}]"


class Output:
    """The first and the last bytes of what a program has written."""

    def __init__(self, max_head: int = MAX_HEAD, max_tail: int = MAX_TAIL) -> None:
        self._head, self._tail = bytearray(), bytearray()
        self._max_head, self._max_tail = max_head, max_tail
        self._omitted = self._streamed = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def add(self, chunk: bytes) -> str:
        """Keep a chunk, and return the text to show of it."""
        room = self._max_head - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 2 * self._max_tail:  # not at each chunk, which would move all of it
            self._cut_tail()
        if self._streamed >= MAX_STREAMED:
            return ""
        text = self._decoder.decode(chunk).replace("\0", "\ufffd")
        self._streamed += len(text)
        return text if self._streamed < MAX_STREAMED else f"{text}\n[… more output follows; it is not shown live …]\n"

    def text(self) -> str:
        """Return what is kept as UTF-8; other bytes, and NULs, which some providers refuse, are replaced."""
        self._cut_tail()
        gap = f"\n[… {self._omitted:,} bytes left out here …]\n".encode() if self._omitted else b""
        return (self._head + gap + self._tail).decode(errors="replace").replace("\0", "\ufffd")

    def _cut_tail(self) -> None:
        excess = max(len(self._tail) - self._max_tail, 0)
        del self._tail[:excess]
        self._omitted += excess
