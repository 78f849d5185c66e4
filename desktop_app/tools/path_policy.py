"""Resolution of paths, the permissions that they require, and opening them without following links.

A path is resolved before it is checked against the rules. Each component is then opened relative to the folder opened
before it, so that a link created in the meantime cannot lead elsewhere. On systems without such calls (Windows), the
path is opened in one call.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar, Literal, TypeVar

import msgspec

from desktop_app.conversation.tools import RequiredPermission, ToolContext, leads_to_other_host
from desktop_app.permissions.rules import escape_pattern
from desktop_app.permissions.secret_paths import is_secret

from .tool import CHANGED, Arguments, FilePath, Tool, ToolFailed

Access = Literal["read", "write"]
STARTS_PROGRAMS = frozenset(
    {".git", ".hg", ".svn", ".jj", ".husky", ".vscode", ".idea", ".devcontainer", "launchagents", "launchdaemons"}
)
"""Folders with hooks and tasks that run automatically later, in lower case."""
IS_WINDOWS = os.name == "nt"
MAX_PATH = 4_096
"""Characters of a path that Linux can open; the limits of other systems are lower or hardly higher."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_NO_CHARACTER = re.compile("[\ud800-\udfff]")
"""Lone surrogates, which represent bytes of a name that are not UTF-8."""
_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""Characters that HFS+ ignores when it compares names."""


def working_folder(context: ToolContext) -> Path:
    """Return the working folder; if none was chosen, the home folder, as in a new terminal."""
    return Path(context.folder) if context.folder else Path.home()


def resolve_path(path: str, context: ToolContext) -> Path:
    """Return the absolute path, with `~`, `..` and symbolic links resolved. Raises ToolFailed."""
    if "\0" in path:
        raise ToolFailed("A path cannot hold a NUL character.")
    if len(path) > MAX_PATH:
        raise ToolFailed(f"A path of {len(path):,} characters cannot be opened: at most {MAX_PATH:,} can.")
    if IS_WINDOWS and leads_to_other_host(path, str(working_folder(context))):  # resolving it would contact that host
        raise ToolFailed("A path on another computer is not opened, unless the working folder is on the same share.")
    try:
        return Path(os.path.realpath(os.path.join(working_folder(context), os.path.expanduser(path))))
    except (OSError, ValueError) as error:  # a name that is too long, or lone surrogates
        raise ToolFailed(f"{path!r} is no path: {error}") from None


def display_path(path: Path, context: ToolContext) -> str:
    """Return the path as the model would write it: relative to the working folder if it is inside."""
    folder = os.path.realpath(working_folder(context))
    return one_line(str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path))


def one_line(name: str) -> str:
    """Return the name of a file with control characters escaped and U+FFFD for lone surrogates.

    A line feed would make the name look like two entries, and a direction override would disguise its extension.
    """
    return _NO_CHARACTER.sub("\ufffd", _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), name))


class PathPolicy(msgspec.Struct, frozen=True):
    """Decides which permissions the access to a file requires. Paths are absolute and without links."""

    data: Path
    """Palimpsest's data folder, which models must not read without permission."""
    keys: Path | None = None
    """The file with the user's keys; None if there is none."""

    def needs(self, tool: str, access: Access, path: Path, context: ToolContext) -> tuple[RequiredPermission, ...]:
        """Return the required permissions: none for reading within the working folder, except for secrets."""
        is_private = self.is_private(path)
        if access == "write":
            return (self._need(tool, access, path, is_private or _is_risky_to_write(path, context)),)
        if context.folder and path.is_relative_to(os.path.realpath(context.folder)) and not is_private:
            return ()
        return (self._need(tool, access, path, is_private),)

    def check(self, tool: str, access: Access, path: Path, context: ToolContext) -> None:
        """Raise ToolFailed if the running call has no permission for the access, e.g. because of a new link."""
        if context.allowed is not None and not set(self.needs(tool, access, path, context)) <= set(context.allowed):
            raise ToolFailed(CHANGED)

    def is_private(self, path: Path) -> bool:
        """Return whether a file or folder contains secrets or Palimpsest's own data."""
        # Some file systems are case-insensitive.
        data, lower = Path(os.path.realpath(self.data).lower()), Path(str(path).lower())
        is_data = lower.is_relative_to(data) or data.is_relative_to(lower)
        is_keys = self.keys is not None and os.path.realpath(self.keys).lower() == str(lower)
        return is_data or is_keys or is_secret(str(path))

    def _need(self, tool: str, access: Access, path: Path, is_always_asked: bool) -> RequiredPermission:
        is_folder = path.is_dir()
        folder = path if is_folder else path.parent
        target = os.path.join(path, "") if is_folder else str(path)  # with a slash, so that FOLDER/* matches it
        suggestion = "" if is_always_asked else os.path.join(escape_pattern(str(folder)), "*")
        return RequiredPermission(tool, access, target, suggestion)


def _is_risky_to_write(path: Path, context: ToolContext) -> bool:
    """Return whether no pattern may be proposed for writing a file.

    These are hooks and tasks, which run later, and hidden files outside the working folder, such as start-up files and
    settings of programs.
    """
    folder = Path(os.path.realpath(working_folder(context)))
    is_project = path.is_relative_to(folder) and not Path.home().resolve().is_relative_to(folder)
    parts = (path.relative_to(folder) if is_project else path).parts
    return any(_as_opened(part) in STARTS_PROGRAMS or (part.startswith(".") and not is_project) for part in parts)


def _as_opened(name: str) -> str:
    """Return the name of the folder that some systems open for a name.

    macOS ignores case and invisible characters. Windows ignores trailing dots and spaces, and also accepts a folder's
    short name and the name of its stream.
    """
    plain = _IGNORED.sub("", name).lower().partition(":")[0].rstrip(". ")
    return ".git" if re.fullmatch(r"git~\d", plain) else plain


class PathArguments(Arguments, frozen=True):
    """The arguments of a tool that works on a file or folder."""

    path: FilePath


P = TypeVar("P", bound=PathArguments)


class PathTool(Tool[P]):
    """A tool that requires access to the path of its arguments."""

    access: ClassVar[Access] = "read"

    def __init__(self, policy: PathPolicy) -> None:
        self._policy = policy

    async def needs(self, arguments: P, context: ToolContext) -> tuple[RequiredPermission, ...]:
        return await asyncio.to_thread(self._needs, arguments.path, context)

    def _needs(self, path: str, context: ToolContext) -> tuple[RequiredPermission, ...]:
        return self._policy.needs(self.name, self.access, resolve_path(path, context), context)

    def _checked_path(self, arguments: P, context: ToolContext) -> Path:
        """Return the resolved path. Raises ToolFailed if the call has no permission for it."""
        path = resolve_path(arguments.path, context)
        self._policy.check(self.name, self.access, path, context)
        return path


CAN_WALK = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | _CLOEXEC


@contextmanager
def open_folder(path: Path, create: bool = False, is_listed: bool = False) -> Generator[int | None]:
    """Open a folder by its resolved path; yield None if the system cannot open folders.

    create: make missing folders. is_listed: its entries will be read. Raises OSError, also for a link in the path.
    """
    if not CAN_WALK:
        if create:
            path.mkdir(parents=True, exist_ok=True)
        yield None
        return
    handle = os.open(path.anchor, os.O_RDONLY | _FOLDER)
    try:
        for name in path.parts[1:]:
            handle, parent = _enter(name, handle, create, path), handle
            os.close(parent)
        if is_listed:
            handle, parent = os.open(".", os.O_RDONLY | _FOLDER, dir_fd=handle), handle
            os.close(parent)
        yield handle
    finally:
        os.close(handle)


def open_file(path: Path, flags: int) -> int:
    """Open a file by its resolved path. Raises OSError, also for a link in the path."""
    flags |= getattr(os, "O_NOFOLLOW", 0) | _CLOEXEC
    if path == path.parent:
        return os.open(path, flags)
    with open_folder(path.parent) as folder:
        if folder is None:
            return os.open(path, flags)
        try:
            return os.open(path.name, flags, dir_fd=folder)
        except OSError as error:
            raise _with_path(error, path) from None


def path_of_handle(path: Path, handle: int | None) -> str:
    """Return a path by which a child process enters the open folder, even if its name then belongs to another one."""
    return f"/proc/self/fd/{handle}" if handle is not None and sys.platform == "linux" else str(path)


def _enter(name: str, parent: int, create: bool, path: Path) -> int:
    try:
        try:
            return _open_entry(name, parent)
        except FileNotFoundError:
            if not create:
                raise
        with suppress(FileExistsError):  # another process has just created it
            os.mkdir(name, dir_fd=parent)
        return _open_entry(name, parent)
    except OSError as error:
        raise _with_path(error, path) from None


def _open_entry(name: str, parent: int) -> int:
    """Open a folder with the access that its mode allows. O_PATH is tried second: with it, autofs would not mount."""
    try:
        return os.open(name, os.O_RDONLY | _FOLDER, dir_fd=parent)
    except PermissionError:
        return os.open(name, _FOLDER | getattr(os, "O_PATH", 0), dir_fd=parent)


def _with_path(error: OSError, path: Path) -> OSError:
    """Return the error with the full path, because the system reports only the last component."""
    number = error.errno or errno.EIO
    return OSError(number, os.strerror(number), str(path))
