"""Which file a path means, and what it takes from the user to read or write it."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from desktop_app.conversation.tools import NeedKind, RequiredPermission, ToolContext
from desktop_app.permissions.rules import literal
from desktop_app.permissions.secret_paths import is_secret

from .tool import CHANGED, ToolFailed

STARTS_PROGRAMS = frozenset(
    {".git", ".hg", ".svn", ".jj", ".husky", ".vscode", ".idea", ".devcontainer", "launchagents", "launchdaemons"}
)
"""Folders with hooks and tasks that run by themselves later on. In small letters."""


def folder_of(place: ToolContext) -> Path:
    """The working folder; the home folder if none was chosen, as in a new terminal."""
    return Path(place.folder) if place.folder else Path.home()


def resolved(path: str, place: ToolContext) -> Path:
    """The absolute path that is meant, with `~`, `..` and symbolic links followed. Raises ToolFailed."""
    if "\0" in path:
        raise ToolFailed("A path cannot hold a NUL character.")
    try:
        meant = os.path.join(folder_of(place), os.path.expanduser(path))
        return Path(os.path.realpath(meant))
    except (OSError, ValueError) as error:  # a name that is too long, or lone surrogates
        raise ToolFailed(f"{path!r} is no path: {error}") from None


def told(path: Path, place: ToolContext) -> str:
    """The path as the model would name it: relative to the working folder where that is shorter."""
    folder = Path(os.path.realpath(folder_of(place)))
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)


class PathPolicy(msgspec.Struct, frozen=True):
    """What reading and writing take. data: our own data folder, which is nothing for a model; keys: a file of keys,
    where the user has one."""

    data: Path
    keys: Path | None = None

    def reading(self, tool: str, path: Path, place: ToolContext) -> tuple[RequiredPermission, ...]:
        """Nothing within the working folder, but for secrets; elsewhere the user's word."""
        is_inside = bool(place.folder) and path.is_relative_to(os.path.realpath(place.folder))
        if is_inside and not self.is_private(path):
            return ()
        return (self._need(tool, "read", path, self.is_private(path)),)

    def reading_checked(self, tool: str, path: Path, place: ToolContext) -> None:
        """Check that the call may read that file, to which its path leads now. Raises ToolFailed."""
        _check(self.reading(tool, path, place), place)

    def writing_checked(self, tool: str, path: Path, place: ToolContext) -> None:
        """Check that the call may write that file, to which its path leads now. Raises ToolFailed."""
        _check(self.writing(tool, path, place), place)

    def writing(self, tool: str, path: Path, place: ToolContext) -> tuple[RequiredPermission, ...]:
        """The user's word, everywhere. No pattern is proposed for what runs later on: hooks and tasks, and outside of
        the working folder all that is hidden, since start-up files and settings of programs are."""
        folder = Path(os.path.realpath(folder_of(place)))
        is_project = path.is_relative_to(folder) and not Path.home().resolve().is_relative_to(folder)
        parts = (path.relative_to(folder) if is_project else path).parts
        is_risky = any(part.lower() in STARTS_PROGRAMS or (part.startswith(".") and not is_project) for part in parts)
        return (self._need(tool, "write", path, is_risky or self.is_private(path)),)

    def _need(self, tool: str, kind: NeedKind, path: Path, is_always_asked: bool) -> RequiredPermission:
        is_folder = path.is_dir()
        folder = path if is_folder else path.parent
        target = os.path.join(path, "") if is_folder else str(path)  # ends in a slash: covered by its own pattern
        return RequiredPermission(
            tool, kind, target, "" if is_always_asked else os.path.join(literal(str(folder)), "*")
        )

    def is_private(self, path: Path) -> bool:
        """Return whether a file or folder, by its absolute path without links, holds secrets or data of ours."""
        # Small and capital letters are the same on some systems.
        own, asked = Path(os.path.realpath(self.data).lower()), Path(str(path).lower())
        is_own = asked.is_relative_to(own) or own.is_relative_to(asked)
        is_keys = self.keys is not None and os.path.realpath(self.keys).lower() == str(asked)
        return is_own or is_keys or is_secret(str(path))


def _check(needs: tuple[RequiredPermission, ...], place: ToolContext) -> None:
    """Raises ToolFailed if the call that runs there was not allowed all of these: a link was put there since."""
    if place.allowed is not None and not set(needs) <= set(place.allowed):
        raise ToolFailed(CHANGED)
