"""`write` and `edit`: files as a whole, and texts within them. A file is replaced in one step, or not at all."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from pathlib import Path
from typing import Annotated, TypeVar
from weakref import WeakValueDictionary

from desktop_app.conversation.plurals import pluralize
from desktop_app.conversation.tools import RequiredPermission, ToolContext

from .places import PathPolicy, resolved, told
from .replacement import as_in, checked_places, shown
from .text_files import read_text, replace_file
from .tool import Arguments, FilePath, Tool, ToolFailed, about

EDITED_MOST = 5_000_000
"""Bytes of a file in which texts are replaced. It is looked at as a whole, and each look holds up all of Python."""


class FileLocks:
    """One change at a time for each file: calls of one reply run side by side."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    def of(self, file: Path) -> asyncio.Lock:
        """The file's lock, as long as anybody holds it or waits for it."""
        lock = self._locks.get(file)
        if lock is None:
            lock = self._locks[file] = asyncio.Lock()
        return lock


class Change(Arguments, frozen=True):
    """What every change has: its file."""

    path: FilePath


C = TypeVar("C", bound=Change)


class ChangeTool(Tool[C]):
    """Changes one file."""

    def __init__(self, borders: PathPolicy, locks: FileLocks) -> None:
        self._borders = borders
        self._locks = locks

    async def needs(self, arguments: C, place: ToolContext) -> tuple[RequiredPermission, ...]:
        """Always the user's word."""
        file = await asyncio.to_thread(resolved, arguments.path, place)
        return await asyncio.to_thread(self._borders.writing, self.name, file, place)

    async def answer(self, arguments: C, place: ToolContext) -> str:
        """What was changed."""
        file = await asyncio.to_thread(resolved, arguments.path, place)
        lock = self._locks.of(file)
        await lock.acquire()
        changing = asyncio.ensure_future(asyncio.to_thread(self._checked, file, arguments, place))

        def release(done: asyncio.Future[str]) -> None:
            lock.release()
            _ = done.cancelled() or done.exception()  # a call that was stopped has no use for it

        # A thread cannot be stopped: until it is done, nobody else may change the file, but whoever stops may go on.
        changing.add_done_callback(release)
        return await asyncio.shield(changing)

    def _checked(self, file: Path, arguments: C, place: ToolContext) -> str:
        self._borders.writing_checked(self.name, file, place)
        return self._changed(file, told(file, place), arguments)

    @abstractmethod
    def _changed(self, file: Path, name: str, arguments: C) -> str:
        """Changes it, and says what was done. name: as the model knows it. Raises ToolFailed, OSError."""


class WriteArguments(Change, frozen=True):
    """All that is to stand in the file."""

    content: str


class WriteTool(ChangeTool[WriteArguments]):
    """Makes a file, or replaces all that stands in one."""

    name = "write"
    description = "Create a file, or replace a whole one. Missing folders are made."
    arguments = WriteArguments

    def _changed(self, file: Path, name: str, arguments: WriteArguments) -> str:
        if file.is_dir():
            raise ToolFailed(f"{name} is a folder.")
        if file.exists() and not file.is_file():
            raise ToolFailed(f"{name} is no plain file.")
        try:
            encoded = arguments.content.encode()
        except UnicodeEncodeError:
            raise ToolFailed(
                "The content holds half of a character (a lone surrogate), which no file can hold."
            ) from None
        did = "Replaced" if file.exists() else "Created"
        replace_file(file, encoded)
        lines = arguments.content.count("\n") + (not arguments.content.endswith("\n") and arguments.content != "")
        return f"{did} {name}: {pluralize(lines, 'line')}, {pluralize(len(encoded), 'byte')}."


class EditArguments(Change, frozen=True):
    """What stands in the file, and what is to stand there instead."""

    old_text: Annotated[str, about("Exact text of the file, without line numbers; must be unique", min_length=1)]
    new_text: str
    replace_all: bool = False


class EditTool(ChangeTool[EditArguments]):
    """Replaces a text within a file."""

    name = "edit"
    description = "Replace old_text by new_text in a file."
    arguments = EditArguments

    def _changed(self, file: Path, name: str, arguments: EditArguments) -> str:
        if arguments.old_text == arguments.new_text:
            raise ToolFailed("old_text and new_text are the same: there is nothing to change.")
        try:
            was = read_text(file, EDITED_MOST)
        except FileNotFoundError:
            raise ToolFailed(f"There is no file {name}: make it with write.") from None
        except IsADirectoryError:
            raise ToolFailed(f"{name} is a folder.") from None
        old, new = as_in(was.text, arguments.old_text, arguments.new_text)
        places = checked_places(was.text, old, arguments.replace_all)
        replace_file(file, was.encoded(was.text.replace(old, new)))
        times = f"{len(places):,} places" if len(places) > 1 else "1 place"
        return f"Edited {name} in {times}.\n{shown(was.text, places, old, new)}"
