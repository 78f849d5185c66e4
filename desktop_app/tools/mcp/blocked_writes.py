"""Recognition of what the sandbox kept a server from writing, in its results and its errors."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

import msgspec

from desktop_app.conversation.events import Failure
from desktop_app.conversation.words import translatable
from desktop_app.permissions.secret_paths import is_secret
from desktop_app.tools.sandbox.confinement import is_within

from .schema import clean_text

MAX_LOOKED_AT = 20_000
"""Characters at the end of a text in which error messages are searched."""
_READ_ONLY = re.compile(r"read-?only file ?system|EROFS|Errno 30\b|os error 30\b|readonly database", re.IGNORECASE)
_REFUSED = re.compile(
    r"permission denied|operation not permitted|EACCES|EPERM|Errno 13\b|os error 13\b|unable to open database file"
    r"|ENOENT: no such file or directory, mkdir",  # what Node reports for folders in a read-only one
    re.IGNORECASE,
)
_PATH = re.compile(r"""["'‘“`](/[^"'’”`\n]+)["'’”`]|(?<![\w.:/-])(/[\w.@+~/-]+[\w@+~/-])""")
_OF_MANY = (".cache", ".config", ".local", ".local/share", ".local/state")
"""Folders of a home that belong to many programs: one inside of them is named instead."""


class BlockedWrite(msgspec.Struct, frozen=True):
    """A write that the sandbox prevented. path: "" if it is not known."""

    path: str = ""

    @property
    def folder(self) -> str:
        """The folder that would have to be writable; "" if there is none that can be proposed."""
        home = os.path.expanduser("~")
        if not self.path or is_secret(self.path):
            return ""
        if not is_within(self.path, home):
            folder = self.path if os.path.isdir(self.path) else os.path.dirname(self.path)
            return "" if folder.count("/") < 2 else folder
        names = os.path.relpath(self.path, home).split("/")
        depth = 1
        while depth < len(names) and "/".join(names[:depth]) in _OF_MANY:
            depth += 1
        top = os.path.join(home, *names[:depth])
        is_folder = os.path.isdir(top) or depth < len(names) or not os.path.splitext(names[-1].lstrip("."))[1]
        return top if is_folder and "/".join(names[:depth]) not in ("", ".", *_OF_MANY) else ""


def blocked_write(text: str, writable: Sequence[str]) -> BlockedWrite | None:
    """Return the write outside of the writable folders that an error in the text is about; None if there is none."""
    for line in text[-MAX_LOOKED_AT:].splitlines():
        is_read_only = _READ_ONLY.search(line) is not None
        if not is_read_only and not _REFUSED.search(line):
            continue
        outside = next((path for path in _paths_in(line) if not any(is_within(path, own) for own in writable)), "")
        if outside or is_read_only:
            return BlockedWrite(outside)
    return None


def _paths_in(line: str) -> Iterator[str]:
    """Yield the absolute paths that a line names, those in quotation marks first."""
    found = [match.groups() for match in _PATH.finditer(line)]
    for quoted, bare in sorted(found, key=lambda groups: not groups[0]):
        yield os.path.normpath(quoted or bare)


def note_for_model(blocked: BlockedWrite, server: str, writable: Sequence[str]) -> str:
    """Return what the model reads below the result of a call that the sandbox was in the way of."""
    what = f"{blocked.path} cannot be written" if blocked.path else "It tried to write elsewhere"
    return (
        f"\n[The MCP server runs in a sandbox and can write only {', '.join(writable)}. {what}. "
        f"The user can allow more folders in Settings, Tools, “{server}”.]"
    )


def failure_of_write(blocked: BlockedWrite, server: str) -> Failure:
    """Return what the user sees of a write that the sandbox prevented."""
    title = translatable("The MCP server “{server}” wants to write outside of its folders")
    wanted = translatable("Its sandbox kept it from writing {path}.").format(path=clean_text(blocked.path, 300))
    unknown = translatable("Its sandbox kept it from writing a file; its error does not name it.")
    return Failure(
        "sandbox",
        title.format(server=clean_text(server, 60)),
        wanted if blocked.path else unknown,
        translatable("The call failed, and nothing was written there."),
        translatable("If it should, add the folder to those that it may write, in its settings."),
        setting=f"mcp_servers/{server}/writable",
    )
