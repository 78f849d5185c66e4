"""`write` and `edit`: replace files, and texts within them. A file is replaced atomically, or not at all."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from pathlib import Path
from typing import Annotated, TypeVar
from weakref import WeakValueDictionary

from desktop_app.conversation.tools import ToolContext
from desktop_app.conversation.words import pluralize

from .path_policy import PathArguments, PathPolicy, PathTool, display_path, resolve_path
from .replacement import diff_of, find_places, match_line_ends
from .text_files import decode_text, read_content, replace_file
from .tool import ToolFailed, field

MAX_EDITED = 5_000_000
"""Bytes of a file that is edited. It is searched as a whole, and each search holds up all of Python."""


class FileLocks:
    """One change at a time for each file: the calls of one reply run side by side."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    def lock_of(self, path: Path) -> asyncio.Lock:
        """Return the file's lock, which lives as long as anybody holds it or waits for it."""
        lock = self._locks.get(path)
        if lock is None:
            lock = self._locks[path] = asyncio.Lock()
        return lock


C = TypeVar("C", bound=PathArguments)


class ChangeTool(PathTool[C]):
    """A tool that changes one file."""

    access = "write"

    def __init__(self, policy: PathPolicy, locks: FileLocks) -> None:
        super().__init__(policy)
        self._locks = locks

    async def answer(self, arguments: C, context: ToolContext) -> str:
        lock = self._locks.lock_of(await asyncio.to_thread(resolve_path, arguments.path, context))
        await lock.acquire()
        change = asyncio.ensure_future(asyncio.to_thread(self._check_and_change, arguments, context))

        def release(done: asyncio.Future[str]) -> None:
            lock.release()
            _ = done.cancelled() or done.exception()  # a call that was stopped has no use for it

        # A thread cannot be stopped: until it is done, nobody else may change the file, but whoever stops may go on.
        change.add_done_callback(release)
        return await asyncio.shield(change)

    def _check_and_change(self, arguments: C, context: ToolContext) -> str:
        path = self._checked_path(arguments, context)
        return self._change(path, display_path(path, context), arguments)

    @abstractmethod
    def _change(self, path: Path, name: str, arguments: C) -> str:
        """Change the file and return what was done. name: as the model knows it. Raises ToolFailed and OSError."""


class WriteArguments(PathArguments, frozen=True):
    """The arguments of `write`."""

    content: str


class WriteTool(ChangeTool[WriteArguments]):
    """Creates a file, or replaces its whole content."""

    name = "write"
    description = "Create a file, or replace a whole one. Missing folders are made."
    arguments = WriteArguments

    def _change(self, path: Path, name: str, arguments: WriteArguments) -> str:
        if path.is_dir():
            raise ToolFailed(f"{name} is a folder.")
        if path.exists() and not path.is_file():
            raise ToolFailed(f"{name} is not a regular file.")
        try:
            content = arguments.content.encode()
        except UnicodeEncodeError:
            raise ToolFailed("The content holds half of a character (a lone surrogate).") from None
        verb = "Replaced" if path.exists() else "Created"
        replace_file(path, content)
        lines = arguments.content.count("\n") + (not arguments.content.endswith("\n") and arguments.content != "")
        return f"{verb} {name}: {pluralize(lines, 'line')}, {pluralize(len(content), 'byte')}."


class EditArguments(PathArguments, frozen=True):
    """The arguments of `edit`."""

    old_text: Annotated[str, field("Exact text of the file, without line numbers; must be unique", min_length=1)]
    new_text: str
    replace_all: bool = False


class EditTool(ChangeTool[EditArguments]):
    """Replaces a text within a file."""

    name = "edit"
    description = "Replace old_text by new_text in a file."
    arguments = EditArguments

    def _change(self, path: Path, name: str, arguments: EditArguments) -> str:
        if arguments.old_text == arguments.new_text:
            raise ToolFailed("old_text and new_text are the same: there is nothing to change.")
        try:
            file = decode_text(read_content(path, MAX_EDITED, "Change it with bash."))
        except FileNotFoundError:
            raise ToolFailed(f"There is no file {name}: make it with write.") from None
        except IsADirectoryError:
            raise ToolFailed(f"{name} is a folder.") from None
        old, new = match_line_ends(file.text, arguments.old_text, arguments.new_text)
        places = find_places(file.text, old, arguments.replace_all)
        replace_file(path, file.encode(file.text.replace(old, new)))
        return f"Edited {name} in {pluralize(len(places), 'place')}.\n{diff_of(file.text, places, old, new)}"
