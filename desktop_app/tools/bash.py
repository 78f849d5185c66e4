"""`bash`: runs a command line in the working folder, inside the sandbox if there is one.

All processes of a command end with it. If the sandbox prevented something, the result says so.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing, closing
from glob import has_magic, iglob
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

from desktop_app.conversation.message import CallSandbox
from desktop_app.conversation.tools import OUTSIDE, WITH_NETWORK, RequiredPermission, ToolContext, ToolOutcome, ToolSpec
from desktop_app.permissions.command_line import Command, parse_commands
from desktop_app.permissions.command_options import changes_what_follows
from desktop_app.permissions.rules import COMMANDS, escape_pattern, possible_paths, suggest_pattern
from desktop_app.permissions.secret_paths import may_mean_secret
from desktop_app.settings import Settings

from .child_process import ChildProcess, clean_environment
from .path_policy import MAX_PATH, PathPolicy, working_folder
from .sandbox.sandbox import Confined, Rights, Sandbox, Unconfinable
from .text_encodings import decode_lines, other_encoding
from .tool import Arguments, Tool, ToolFailed, field, parameters_of

Access = Literal["", "network", "outside"]
"""Rights that a command needs in addition to the sandbox's: the network, or to run outside the sandbox."""
RULES: dict[CallSandbox, str] = {"network": WITH_NETWORK, "outside": OUTSIDE}
"""The tool names in permission rules for commands with such rights."""
ABOUT = (
    " It runs in a sandbox: only the working folder and /tmp, which is its own, can be written, keys are hidden"
    "{network}. For what needs more, such as git push or an installation, set access: the user is asked."
)
NO_NETWORK, HAS_NETWORK = ", there is no network", ""
NETWORK_OFF = "The user has switched the network off for commands. Go on without it, or ask the user."
IN_THE_WAY = re.compile(
    r"Read-only file system|Permission denied|Operation not permitted|Device or resource busy|EROFS|EACCES|EPERM|EBUSY"
    r"|resolve host|name resolution|getaddrinfo|EAI_AGAIN|ENETUNREACH|Network is (?:unreachable|down)|could not resolve"
    r"|name or service not known|connection refused|ECONNREFUSED|failed to lookup address|no such host|^bwrap: ",
    re.IGNORECASE | re.MULTILINE,
)
"""Error messages that the sandbox may have caused; other problems also cause them."""
MAX_LOOKED_AT = 20_000
"""Characters at the end of an output in which error messages are searched."""
CLOSED_NOTE = (
    "\n[It ran in the sandbox: files outside of the working folder and /tmp cannot be written, nor .git/hooks and"
    " .git/config, and files with keys cannot be read.{network}{git} If that was in the way, and only then, call it"
    ' again with access "outside"{or_network}: the user is asked.]'
)
_GIT_SETTINGS = re.compile(r"could not (?:write|lock) config file")
GIT_NOTE = " For one command git -c NAME=VALUE sets what would stand in .git/config, such as user.name and user.email."
_GIT_REMOVAL = re.compile(r"(?:cannot remove|failed to delete) .*Device or resource busy")
REMOVAL_NOTE = " A repository or a working tree that was there before the command can be emptied, but not removed."


class CommandSandbox:
    """The sandbox of commands, according to the current settings."""

    def __init__(self, sandbox: Sandbox, settings: Callable[[], Settings]) -> None:
        self._sandbox = sandbox
        self._settings = settings

    async def is_on(self) -> bool:
        """Return whether commands of models run in the sandbox."""
        return self._settings().is_sandboxed and not await self._sandbox.fault()

    async def about(self) -> str:
        """Return the description of the sandbox for the model; "" if it is off."""
        if not await self.is_on():
            return ""
        return ABOUT.format(network=HAS_NETWORK if self._settings().command_network == "allowed" else NO_NETWORK)

    async def place_of(self, access: Access, context: ToolContext) -> CallSandbox:
        """Return the kind of sandbox that a command runs in. Commands typed by the user run as in a terminal.

        Raises ToolFailed.
        """
        settings = self._settings()
        if context.is_by_user or not settings.is_sandboxed:
            return ""
        if await self._sandbox.fault():
            return "missing" if sys.platform == "linux" else ""
        if access == "outside":
            return "outside"
        if access == "network" and settings.command_network == "off":
            raise ToolFailed(NETWORK_OFF)
        return "network" if access == "network" or settings.command_network == "allowed" else "closed"

    def rule_of(self, place: CallSandbox) -> str:
        """Return the tool name in rules for commands in that sandbox: the general one unless they have extra rights."""
        is_usual = place == "network" and self._settings().command_network == "allowed"
        return COMMANDS if is_usual else RULES.get(place, COMMANDS)

    async def confine(self, argv: tuple[str, ...], place: CallSandbox, context: ToolContext) -> Confined | None:
        """Return the confined form of a command; None if it runs outside the sandbox. Raises ToolFailed."""
        if place not in ("closed", "network"):
            return None
        allowed = tuple(need.target for need in context.allowed or () if need.kind == "read")
        rights = Rights(context.conversation, place == "network", self._settings().writable_folders, allowed)
        try:
            return await self._sandbox.confine(argv, working_folder(context), clean_environment(os.environ), rights)
        except Unconfinable as error:
            raise ToolFailed(f'{error} A command can run there with access "outside": the user is asked.') from None

    def note(self, place: CallSandbox, output: str) -> str:
        """Return the note about the sandbox for a failed command; "" if the sandbox was probably not the cause."""
        end = output[-MAX_LOOKED_AT:]
        if place not in ("closed", "network") or not IN_THE_WAY.search(end):
            return ""
        has_network, mode = place == "network", self._settings().command_network
        return CLOSED_NOTE.format(
            network="" if has_network else " There is no network.",
            git=GIT_NOTE * bool(_GIT_SETTINGS.search(end)) + REMOVAL_NOTE * bool(_GIT_REMOVAL.search(end)),
            or_network=' or "network"' if not has_network and mode == "ask" else "",
        )


SECONDS, MAX_SECONDS = 120, 600
MAX_HEAD = MAX_TAIL = 5_000_000
"""Bytes of output that are kept at the beginning and at the end."""
MAX_STREAMED = 200_000
"""Characters that are shown during the call; a program that writes endlessly would keep the window busy."""
TICK_SECONDS = 0.05
WRITTEN_OVER = "[Some lines were written over with carriage returns: this is how they were left.]\n"
MAX_LATE_READS = 32
"""Chunks that are read after the command has ended. Its own output arrives in fewer; any more comes from background
processes."""
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\U000e0000-\U000e007f]"
)
"""Characters that reorder or hide others. Joiners, which some scripts need, are allowed; the permission question shows
them."""
MAX_MATCHES = 2_000
"""File names that one pattern is expanded to."""
MAX_PATTERN_FOLDERS = 3
"""Path components with wildcards in one pattern; each may multiply the number of files to check."""


class BashArguments(Arguments, frozen=True):
    """The arguments of `bash`."""

    command: Annotated[str, field("Command line", min_length=1)]
    timeout: Annotated[int, field("Seconds", ge=1, le=MAX_SECONDS)] = SECONDS


class SandboxedArguments(BashArguments, frozen=True):
    """The arguments of `bash` if there is a sandbox."""

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
        self._files_lock = asyncio.Lock()  # serializes file checks, so that questions keep the order of the calls
        self._shell = shutil.which("bash") or shutil.which("sh") or ""

    @property
    def is_available(self) -> bool:
        """Whether there is a shell, and the system can kill process groups."""
        return bool(self._shell) and hasattr(os, "killpg")

    async def spec(self) -> ToolSpec:
        about = await self._sandbox.about()
        arguments = SandboxedArguments if about else BashArguments
        return ToolSpec(self.name, self.description + about, parameters_of(arguments))

    async def needs(self, arguments: SandboxedArguments, context: ToolContext) -> tuple[RequiredPermission, ...]:
        """Return a permission for each simple command, and for each private file that it may read.

        There is one permission for the entire line instead if it cannot be parsed, if a single command would not show a
        substitution in it, or if an earlier command changes the meaning of a later one.
        """
        line = _check_visible(arguments.command).strip(" \t\n")  # other white space belongs to a word
        tool = self._sandbox.rule_of(await self._sandbox.place_of(arguments.access, context))
        async with self._files_lock:
            return await asyncio.to_thread(_needs_of, line, tool, self._policy, context)

    async def run(self, arguments: SandboxedArguments, context: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        """Yield the output as it is produced, then the complete output with the exit code."""
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
            code = 128 - code  # bubblewrap reports a signal as 128 + its number
        ending = _ending(code, time.monotonic() - started, arguments.timeout)
        if code != 0:
            ending += self._sandbox.note(place, text)
        result = text + ("" if not text or text.endswith("\n") else "\n") + ending
        yield ToolOutcome(result, is_error=code != 0, sandbox=place)


def _check_visible(command: str) -> str:
    """Return the command. Raises ToolFailed if it contains characters that would make it look different to the user."""
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
    """Return a permission for each private file that the words of the commands may name through links, relative paths
    or the shell's expansions. The words themselves are checked in permissions/rules.py."""
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
    """Yield the existing files that a word may name."""
    for part in possible_paths(word):
        if not part or len(part) > MAX_PATH or "\0" in part:
            continue
        path = os.path.join(folder, os.path.expanduser(os.path.expandvars(part) if is_expanded else part))
        if is_expanded and has_magic(part) and not may_mean_secret(part):  # otherwise, permission is required anyway
            yield from islice(iglob(path), MAX_MATCHES)
        if os.path.lexists(path):
            yield path


async def _read(child: ChildProcess, output: Output, deadline: float) -> AsyncGenerator[str, None]:
    """Yield the output until the process has ended or the deadline has passed."""
    late_reads, reading = 0, None
    try:
        while time.monotonic() < deadline and late_reads < MAX_LATE_READS:
            had_ended = child.exit_code is not None
            late_reads += had_ended
            # Not cancelled at the end of a tick: on a busy loop, output that has just arrived would be lost.
            reading = reading or asyncio.ensure_future(child.output.read(65_536))
            await asyncio.wait({reading}, timeout=min(TICK_SECONDS, max(deadline - time.monotonic(), 0)))
            if not reading.done():
                if had_ended:
                    return  # only background processes still have the pipe open
                continue
            chunk, reading = reading.result(), None
            if chunk:
                if text := output.add(chunk):
                    yield text
                await asyncio.sleep(0)  # a program that writes without pause must not block other tasks
            elif child.exit_code is not None:
                return
            else:
                await asyncio.sleep(TICK_SECONDS / 5)  # it has closed its output, but is still running
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
    """Collects the first and the last bytes of a program's output."""

    def __init__(self, max_head: int = MAX_HEAD, max_tail: int = MAX_TAIL) -> None:
        self._head, self._tail = bytearray(), bytearray()
        self._max_head, self._max_tail = max_head, max_tail
        self._omitted = self._streamed = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def add(self, chunk: bytes) -> str:
        """Add a chunk, and return the text of it to show."""
        free = self._max_head - len(self._head)
        self._head += chunk[:free]
        self._tail += chunk[free:]
        if len(self._tail) > 2 * self._max_tail:  # not for each chunk, because it moves the entire tail
            self._cut_tail()
        if self._streamed >= MAX_STREAMED:
            return ""
        text = self._decoder.decode(chunk)
        text = (_decoded(chunk) if "\ufffd" in text else text).replace("\0", "\ufffd")
        self._streamed += len(text)
        return text if self._streamed < MAX_STREAMED else f"{text}\n[… more output follows; it is not shown live …]\n"

    def text(self) -> str:
        """Return the collected output as text, as a terminal would show it.

        What is no text in any encoding, and NULs, which some providers reject, are replaced.
        """
        self._cut_tail()
        gap = f"\n[… {self._omitted:,} bytes left out here …]\n".encode() if self._omitted else b""
        return last_states(_decoded(bytes(self._head + gap + self._tail)).replace("\0", "\ufffd"))

    def _cut_tail(self) -> None:
        excess = max(len(self._tail) - self._max_tail, 0)
        del self._tail[:excess]
        self._omitted += excess


def _decoded(content: bytes) -> str:
    """Return an output as text: UTF-8, or the encoding that its lines look like; invalid bytes are replaced."""
    other = other_encoding(content)
    if other is None or not other.is_believed:
        return content.decode(errors="replace")
    return decode_lines(content, other)[0]


def last_states(text: str) -> str:
    """Return an output in which each line that was written over with carriage returns is as it was left."""
    if "\r" not in text:
        return text
    lines = [line.rstrip("\r") for line in text.split("\n")]
    if not any("\r" in line for line in lines):
        return text  # line ends of Windows
    ends = ["\r" * (line.endswith("\r") and "\r" not in line[:-1]) for line in text.split("\n")]
    left = "\n".join(line.rpartition("\r")[2] + end for line, end in zip(lines, ends, strict=True))
    return left + "\n" * (not left.endswith("\n")) + WRITTEN_OVER
