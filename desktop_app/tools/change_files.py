"""`write` and `edit`: replace text files, or texts within them, atomically and in their encodings."""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import errno
import mimetypes
import os
import secrets
import shutil
import stat
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar
from weakref import WeakValueDictionary

import msgspec

from desktop_app.chat.ports import MayRead
from desktop_app.conversation.tools import ChangeNote, ChangePreview, DiffLine, ToolContext
from desktop_app.conversation.words import pluralize
from desktop_app.open_databases import open_other
from desktop_app.paths import sync_folder

from .path_policy import (
    PathArguments,
    PathPolicy,
    PathTool,
    display_path,
    one_line,
    open_file,
    open_folder,
    resolve_path,
)
from .text_encodings import NAMES, TextRun, bom_of, decode_lines, encode_part, other_encoding
from .tool import ToolFailed, field

SNIFFED = 8_192
"""Bytes at the beginning of a file that are used to distinguish text from binary."""


class TextFile(msgspec.Struct, frozen=True):
    """A file's text, with the encoding and the byte order mark needed to write it back unchanged."""

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""
    runs: tuple[TextRun, ...] = ()
    """The parts of a file in several encodings; then the lines that are not UTF-8 are in `encoding`."""

    @property
    def name(self) -> str:
        """The usual name of the encoding, or of both; "" for UTF-8."""
        named = NAMES.get(self.encoding, self.encoding)
        return "" if self.encoding == "utf-8" else f"UTF-8 and {named}" if self.runs else named

    def encode(self, text: str) -> bytes:
        """Return another text in this file's encoding. Raises ToolFailed."""
        try:
            return self.bom + text.encode("utf-8" if self.runs else self.encoding)
        except UnicodeEncodeError as error:
            wrong = text[error.start : error.end][:20]
            raise ToolFailed(f"The file is {self.encoding}, which cannot hold {wrong!r}.") from None

    def replaced(self, places: Sequence[int], old: str, new: str) -> bytes:
        """Return the file with another text at these places. All other bytes stay, also in several encodings.

        Raises ToolFailed.
        """
        if not self.runs:
            return self.encode(self.text.replace(old, new))
        pieces, at, inserted = [self.bom], 0, self.encode(new).removeprefix(self.bom)
        for place in places:
            pieces += [encode_part(self.text, self.runs, at, place), inserted]
            at = place + len(old)
        return b"".join([*pieces, encode_part(self.text, self.runs, at, len(self.text))])


def read_content(path: Path, max_bytes: int, advice: str) -> bytes:
    """Return the content of a text file. path: resolved. advice: the end of the message for a file that is too large.

    Raises ToolFailed for a file that is not regular, is binary, or is too large; OSError, also for a folder or a link
    in the path.
    """

    def open_it(_: str, flags: int) -> int:
        flags |= getattr(os, "O_NONBLOCK", 0)  # otherwise, opening a pipe waits for a writer
        return open_other(path, flags, lambda _, flags: open_file(path, flags))

    with open(path, "rb", opener=open_it) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ToolFailed(f"{one_line(str(path))} is not a regular file.")
        if status.st_size > max_bytes:
            raise ToolFailed(
                f"{one_line(str(path))} has {status.st_size:,} bytes; the limit is {max_bytes:,}. {advice}"
            )
        content = file.read(max_bytes)
    _refuse_binary(path, content[:SNIFFED], len(content))
    return content


def _refuse_binary(path: Path, start: bytes, size: int) -> None:
    """Raise ToolFailed if the first bytes of a file are not text."""
    if b"\0" in start and not bom_of(start)[0]:
        is_image = (mimetypes.guess_type(path.name)[0] or "").startswith("image/")
        advice = "ask the user to attach it" if is_image else "look at it with bash (file, xxd, strings)"
        raise ToolFailed(f"{one_line(str(path))} is a binary file ({size:,} bytes): {advice}.")


def decode_text(content: bytes) -> TextFile:
    """Decode bytes reversibly: as the BOM says, as UTF-8, or as what they look like, line by line if that differs."""
    bom, named = bom_of(content)
    if named.startswith(("utf-16", "utf-32")):
        with contextlib.suppress(UnicodeError):
            text = content[len(bom) :].decode(named)
            if bom + text.encode(named) == content:
                return TextFile(text, named, bom)
        bom = b""  # not a byte order mark
    content = content[len(bom) :]
    other = other_encoding(content)
    if other is None:
        return TextFile(content.decode(), "utf-8", bom)
    if not other.is_mixed:
        with contextlib.suppress(UnicodeError):
            text = content.decode(other.name)
            if text.encode(other.name) == content:
                return TextFile(text, other.name, bom)
    text, runs = decode_lines(content, other)
    return TextFile(text, other.name, bom, runs)


def replace_file(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Replace a file's content atomically, keeping its owner, group, mode and attributes. mode: for a new file.

    Other hard links to the file keep the old content. Raises OSError, also for a link in the path.
    """
    with open_folder(path.parent, create=True) as folder:
        name = path.name if folder is not None else str(path)
        old = _open_old(folder, name, path)
        try:
            _replace(folder, name, path, content, old, mode if old is None else 0o600)
        finally:
            if old is not None:
                os.close(old)


def _replace(folder: int | None, name: str, path: Path, content: bytes, old: int | None, mode: int) -> None:
    """Write a file next to the old one, and rename it. folder: the open folder; None if only paths can be opened."""
    temporary = os.path.join(os.path.dirname(name), f".{path.name[:40]}.{secrets.token_hex(6)}.new")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            if old is not None:
                _copy_attributes(old, file.fileno())
            os.fsync(file.fileno())
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        sync_folder(path.parent)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        if isinstance(error, OSError):
            error.filename, error.filename2 = str(path), None  # instead of the temporary name
        raise


def _open_old(folder: int | None, name: str, path: Path) -> int | None:
    """Open the file that will be replaced, with the access that its mode allows; return None if there is none.

    Raises OSError for a file that is not regular or is write-protected, because replacing it would bypass that.
    """
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.ELOOP if stat.S_ISLNK(status.st_mode) else errno.EINVAL, "It is not regular", str(path))
    if not os.access(name, os.W_OK, dir_fd=folder):
        raise PermissionError(errno.EACCES, "It is write-protected", str(path))
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
    is_readable = os.access(name, os.R_OK, dir_fd=folder)
    flags |= os.O_RDONLY if is_readable else os.O_WRONLY
    return open_other(path, flags, lambda _, flags: os.open(name, flags, dir_fd=folder))


def _copy_attributes(old: int, new: int) -> None:
    before = os.fstat(old)
    if hasattr(os, "fchown"):
        for owner, group in ((-1, before.st_gid), (before.st_uid, -1)):
            with contextlib.suppress(OSError):  # only root can change the owner
                os.fchown(new, owner, group)
    shutil.copystat(old, new)  # type: ignore[arg-type]  # also accepts file descriptors if the system does
    os.utime(new)


MAX_EDITED = 5_000_000
"""Bytes of a file that can be edited. It is searched at once, and each search blocks all Python threads."""
CONTEXT = 2
"""Lines that the result shows before and after a change."""
MAX_PLACES_SHOWN = 3
MAX_LINES_SHOWN = 80
"""Lines of the diff at one place."""
MAX_LINE_SHOWN = 300
MAX_SEARCHED = 500_000
"""Characters of a text that is searched for a similar place."""
CONTEXT_ASKED = 3
"""Lines before and after a change in the preview of a permission question."""
MAX_PREVIEWED = 400
"""Lines of a preview."""
MAX_COMPARED = 2_000
"""Lines between the first and the last difference that are compared, which takes up to quadratic time."""


FileLocks = WeakValueDictionary[Path, asyncio.Lock]
"""Locks that allow one change at a time to each file, because the calls of one reply run in parallel. A lock exists
while a task has acquired it or waits for it."""
C = TypeVar("C", bound=PathArguments)


class ChangeTool(PathTool[C]):
    """A tool that changes one file."""

    access = "write"

    def __init__(self, policy: PathPolicy, locks: FileLocks) -> None:
        super().__init__(policy)
        self._locks = locks

    async def answer(self, arguments: C, context: ToolContext) -> str:
        path = await asyncio.to_thread(resolve_path, arguments.path, context)
        lock = self._locks.setdefault(path, asyncio.Lock())
        await lock.acquire()
        change = asyncio.ensure_future(asyncio.to_thread(self._check_and_change, arguments, context))

        def release(done: asyncio.Future[str]) -> None:
            lock.release()
            _ = done.cancelled() or done.exception()  # marks the exception as retrieved if the call was stopped

        # A thread cannot be stopped: the file stays locked until it is done, but a cancelled call returns at once.
        change.add_done_callback(release)
        return await asyncio.shield(change)

    def _check_and_change(self, arguments: C, context: ToolContext) -> str:
        path = self._checked_path(arguments, context)
        return self._change(path, display_path(path, context), arguments)

    async def preview(self, arguments: C, context: ToolContext, may_read: MayRead) -> ChangePreview:
        """Return the change that the call would make to the current file. Raises ToolFailed and OSError.

        The file is not read if that needs a permission that may_read does not give.
        """
        path = await asyncio.to_thread(resolve_path, arguments.path, context)
        needs = await asyncio.to_thread(self._policy.needs, "read", "read", path, context)
        if needs and not await may_read(needs):
            return ChangePreview(note="private")
        return await asyncio.to_thread(self._preview, path, arguments)

    def _preview(self, path: Path, arguments: C) -> ChangePreview:
        try:
            before = decode_text(read_content(path, MAX_EDITED, "")).text
        except FileNotFoundError:
            before = None
        except IsADirectoryError:
            return ChangePreview(note="folder")
        return self._preview_of(before, arguments)

    @abstractmethod
    def _preview_of(self, before: str | None, arguments: C) -> ChangePreview:
        """Return the change to the text of a file; None if there is no such file."""

    @abstractmethod
    def _change(self, path: Path, name: str, arguments: C) -> str:
        """Change the file and return a report. name: the path as the model knows it. Raises ToolFailed and OSError."""


class WriteArguments(PathArguments, frozen=True):
    """The arguments of `write`."""

    content: str


class WriteTool(ChangeTool[WriteArguments]):
    """Creates a file, or replaces its entire content."""

    name = "write"
    description = "Create a file, or replace a whole one. Missing folders are made."
    arguments = WriteArguments

    def _preview_of(self, before: str | None, arguments: WriteArguments) -> ChangePreview:
        return preview_of(before or "", arguments.content, "new" if before is None else "")

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

    def _preview_of(self, before: str | None, arguments: EditArguments) -> ChangePreview:
        if before is None:
            return ChangePreview(note="missing")
        old, new = match_line_ends(before, arguments.old_text, arguments.new_text)
        places = before.count(old)
        if not places:
            return ChangePreview(note="not_found")
        if places > 1 and not arguments.replace_all:
            return ChangePreview(note="ambiguous")
        return preview_of(before, before.replace(old, new))

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
        replace_file(path, file.replaced(places, old, new))
        return f"Edited {name} in {pluralize(len(places), 'place')}.\n{diff_of(file.text, places, old, new)}"


def match_line_ends(text: str, old: str, new: str) -> tuple[str, str]:
    """Return `old` and `new` with the line ends of the text, because models write line feeds only."""
    if "\r\n" not in text:
        return old, new
    crlf_old, crlf_new = (part.replace("\r\n", "\n").replace("\n", "\r\n") for part in (old, new))
    if old not in text and crlf_old in text:
        return crlf_old, crlf_new
    return old, new if "\n" in text.replace("\r\n", "") else crlf_new


def find_places(text: str, old: str, is_all: bool) -> list[int]:
    """Return the positions of `old` in the text. Raises ToolFailed if there are none, or several unless `is_all`."""
    places: list[int] = []
    at = text.find(old)
    while at >= 0:
        places.append(at)
        at = text.find(old, at + len(old))
    if not places:
        raise ToolFailed(f"old_text was not found: nothing was changed. {_explain(text, old)}")
    if len(places) > 1 and not is_all:
        lines = ", ".join(f"{_line_number(text, at):,}" for at in places[:10])
        more = " and more" if len(places) > 10 else ""
        raise ToolFailed(
            f"old_text occurs {len(places):,} times in the file (lines {lines}{more}): nothing was changed. "
            "Take in more of the lines around it, or set replace_all."
        )
    return places


def diff_of(text: str, places: list[int], old: str, new: str) -> str:
    """Return the changes at the first places as a diff, with line numbers of the original file."""
    hunks = [_hunk(text, at, old, new) for at in places[:MAX_PLACES_SHOWN]]
    more = f"\n[… and {len(places) - MAX_PLACES_SHOWN:,} more places]" if len(places) > MAX_PLACES_SHOWN else ""
    return "\n".join(hunks) + more


def preview_of(before: str, after: str, note: ChangeNote = "") -> ChangePreview:
    """Return the lines in which two texts differ, with the lines around them."""
    if before == after:
        return ChangePreview(note=note or "same")
    old, new = _lines(before), _lines(after)
    if not note and (old == new or ("\r\n" in before) != ("\r\n" in after)):
        note = "line_ends"
    lines = [*_numbered(old, new)]
    return ChangePreview(tuple(lines[:MAX_PREVIEWED]), max(len(lines) - MAX_PREVIEWED, 0), note)


def _lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if not lines[-1] else lines


Change = tuple[int, int, int, int]
"""The range of replaced lines, from 0 and without its end, and the range of new lines."""


def _numbered(old: list[str], new: list[str]) -> Iterator[DiffLine]:
    """Yield the changed lines and the lines around them, each with its number."""
    at = 0  # the first line of the new text that has not been yielded
    changes = _changes(old, new)
    for number, (old_start, old_end, new_start, new_end) in enumerate(changes):
        start = max(at, new_start - CONTEXT_ASKED)
        if start > at and number:
            yield DiffLine(0, " ", "")
        yield from _marked(" ", new, start, new_start)
        yield from _marked("-", old, old_start, old_end)
        yield from _marked("+", new, new_start, new_end)
        following = changes[number + 1][2] if number + 1 < len(changes) else len(new)
        at = min(new_end + CONTEXT_ASKED, following)
        yield from _marked(" ", new, new_end, at)


def _marked(sign: Literal["-", "+", " "], lines: list[str], start: int, end: int) -> Iterator[DiffLine]:
    for n in range(start, end):
        text = f"{lines[n][:MAX_LINE_SHOWN]} …" if len(lines[n]) > MAX_LINE_SHOWN else lines[n]
        yield DiffLine(n + 1, sign, text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _changes(old: list[str], new: list[str]) -> list[Change]:
    """Return the differences in order. Long texts are compared line by line if their lengths are equal; otherwise, the
    change extends from the first to the last difference."""
    shortest = min(len(old), len(new))
    start = next((n for n in range(shortest) if old[n] != new[n]), shortest)
    same = next((n for n in range(shortest - start) if old[-1 - n] != new[-1 - n]), shortest - start)
    old_end, new_end = len(old) - same, len(new) - same
    if max(old_end, new_end) - start <= MAX_COMPARED:
        found = difflib.SequenceMatcher(None, old[start:old_end], new[start:new_end]).get_opcodes()
        return [(start + a, start + b, start + c, start + d) for kind, a, b, c, d in found if kind != "equal"]
    if old_end == new_end:
        return [(n, n + 1, n, n + 1) for n in range(start, old_end) if old[n] != new[n]]
    return [(start, old_end, start, new_end)]


def _line_number(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _explain(text: str, old: str) -> str:
    """Describe where the text differs only in white space, or contains at least the first line."""
    wanted = [line.strip() for line in old.strip().split("\n")] if len(text) <= MAX_SEARCHED else [""]
    lines = [line.strip() for line in text.split("\n")] if wanted[0] else []
    starts = [n for n, line in enumerate(lines) if line == wanted[0]]
    for n in starts:
        if lines[n : n + len(wanted)] == wanted:
            return f"Lines {n + 1:,} to {n + len(wanted):,} differ from it in white space alone: read them again."
    if starts:
        return f"Its first line occurs at line {starts[0] + 1:,}, but what follows there is different."
    return "Read the file again: it may have changed."


def _hunk(text: str, at: int, old: str, new: str) -> str:
    start, end = at, max(at + len(old) - old.endswith("\n"), at) - 1
    for _ in range(CONTEXT + 1):
        start = text.rfind("\n", 0, max(start, 0))
        end = text.find("\n", end + 1) if end < len(text) else end
        end = end if end >= 0 else len(text)
    start += 1
    before = text[start:end]
    after = text[start:at] + new + text[at + len(old) : end]
    return "\n".join([f"@@ line {_line_number(text, at):,} @@", *_diff(before.split("\n"), after.split("\n"))])


def _diff(before: list[str], after: list[str]) -> list[str]:
    diff = [line.removesuffix("\r")[:MAX_LINE_SHOWN] for line in difflib.unified_diff(before, after, n=1_000_000)][3:]
    more = [f"[… {len(diff) - MAX_LINES_SHOWN:,} lines]"] if len(diff) > MAX_LINES_SHOWN else []
    return diff[:MAX_LINES_SHOWN] + more
