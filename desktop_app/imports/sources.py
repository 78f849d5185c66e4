"""The files of an import: one file, a folder, a zip, or another program's database.

A zip is never unpacked. A database is copied first, since its program may be using it. A pipe or a device is refused:
it may never end.
"""

from __future__ import annotations

import errno
import io
import lzma
import os
import shutil
import sqlite3
import stat
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import IO

import ijson

from desktop_app.conversation.words import translatable


def open_file(path: Path) -> IO[bytes]:
    """Open a file at once; raises OSError for what is none."""
    return open(path, "rb", opener=_opened)


def _opened(path: str, flags: int) -> int:
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise OSError(errno.EINVAL, translatable("it is neither a file nor a folder"))


BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BEGINNING = 65_536
"""Bytes of a file by which a format recognizes it."""
SMALL_BUFFER = 1_024
"""Bytes that are parsed at once, so that nothing behind the first object is."""
LARGE_BUFFERS = 4 * 2**20, 16 * 2**20
"""The least and the most, of a file that is read to its end: what is there of a string is looked at again with each, so
that one of 40 MB took 7 seconds with 64 KB, and one of 2 GB an hour."""
MAX_WHOLE = 256 * 2**20
"""Bytes of a file that is read whole: lists of conversations are not, a list of one conversation's messages is."""
MAX_IMAGE = 20 * 2**20
"""Bytes of an image that is taken along."""
CANNOT_BE_OPENED = translatable("it cannot be opened ({error})")
LONG_LINE = translatable("it has a line of more than {megabytes} MB")

OpenStream = Callable[[], IO[bytes]]


class BadFile(Exception):
    """Raised for what cannot be read. reason: in words for the user."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Source:
    """One file."""

    def __init__(self, name: str, size: int, modified: float, open_stream: OpenStream, folder: Sources) -> None:
        self.name = name
        """Its path within the folder or the zip, with "/"."""
        self.size = size
        self.modified = modified
        """When, in seconds since 1970, for what has no times of its own; 0.0 if that is not known."""
        self.folder = folder
        """What lies beside it."""
        self._open = open_stream

    def open(self) -> io.BufferedReader:
        """Return its content as a stream. Raises BadFile."""
        try:
            return io.BufferedReader(_CountedStream(self._open(), self.folder))
        except RuntimeError as error:  # of zipfile
            raise BadFile(translatable("it is locked with a password")) from error
        except (OSError, zipfile.BadZipFile, NotImplementedError) as error:
            raise BadFile(CANNOT_BE_OPENED.format(error=error)) from error

    @property
    def beginning(self) -> bytes:
        """Its first bytes, as many as recognizing it takes, without a byte order mark. Raises BadFile.

        Of a folder's files that of the last one is kept: of 10,000 files all of them would take 640 MB.
        """
        if self.folder.begun is None or self.folder.begun[0] != self.name:
            with self.open() as stream, _reading():
                self.folder.begun = self.name, stream.read(BEGINNING).removeprefix(BYTE_ORDER_MARK)
        return self.folder.begun[1]

    @cached_property
    def first_keys(self) -> frozenset[str]:
        """The keys of the first JSON object, alone, on a line or in a list, as far as its beginning shows them; none
        of a file that does not begin with one. Raises BadFile."""
        keys: set[str] = set()
        depth = 0
        with suppress(ijson.JSONError, UnicodeDecodeError):  # it ends where the beginning does
            # Without use_float, a number of more digits than Python reads ends the process in ijson 3.6.
            found = ijson.basic_parse(self.beginning, multiple_values=True, use_float=True, buf_size=SMALL_BUFFER)
            for event, value in found:
                if depth == 0 and event not in ("start_map", "start_array"):
                    break
                depth += event.startswith("start") - event.startswith("end")
                if event == "start_array" and not keys and depth == 1:
                    depth = 0
                elif event == "map_key" and depth == 1:
                    keys.add(value)
                elif event == "end_map" and depth == 0:
                    break
        return frozenset(keys)

    def read(self, limit: int = MAX_WHOLE) -> bytes:
        """Return all of it. Raises BadFile, for more than `limit` bytes too, whatever the size is said to be."""
        with self.open() as stream, _reading():
            content = stream.read(limit + 1)
        if len(content) > limit:
            raise BadFile(translatable("it is larger than {megabytes} MB").format(megabytes=limit // 2**20))
        return content

    def copy_to(self, path: Path) -> None:
        """Write all of it to a new file, whatever its size. Raises BadFile."""
        with self.open() as stream, _reading(), path.open("wb") as copy:
            shutil.copyfileobj(stream, copy)

    def lines(self) -> Iterator[bytes]:
        """Return its lines that are not blank, one after the other. Raises BadFile, for an endless line too."""
        with self.open() as stream, _reading():
            while line := stream.readline(MAX_WHOLE):
                if len(line) == MAX_WHOLE:
                    raise BadFile(LONG_LINE.format(megabytes=MAX_WHOLE // 2**20))
                if line.strip():
                    yield line

    def values(self) -> Iterator[object]:
        """Return the elements of a list one after the other, or the one value of the file. Raises BadFile."""
        return self.items("item" if self.beginning.lstrip().startswith(b"[") else "")

    def items(self, path: str) -> Iterator[object]:
        """Return the values at a path of a JSON file one after the other, so that a large one does not fill memory.

        path: as ijson's: "item" for the elements of a list, "conversations.item". Raises BadFile where it is no JSON
        any more; what stood before was returned.
        """
        least, most = LARGE_BUFFERS
        buffer = min(max(least, self.size // 64), most)
        with self.open() as stream, _reading():
            try:
                if stream.peek(3).startswith(BYTE_ORDER_MARK):
                    stream.read(3)
                yield from ijson.items(stream, path, use_float=True, buf_size=buffer)
            except ijson.JSONError as error:
                raise BadFile(translatable("it is not whole: {error}").format(error=_first_line(error))) from error
            except UnicodeDecodeError as error:
                raise BadFile(translatable("it is not UTF-8 text")) from error


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


class _CountedStream(io.RawIOBase):
    """A stream that tells its folder how much of it was read."""

    def __init__(self, stream: IO[bytes], folder: Sources) -> None:
        self._stream = stream
        self._folder = folder

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        content: bytes | None = self._stream.read(len(buffer))
        if content is None:
            raise BlockingIOError("nothing can be read now")  # of the kernel's log, which is waited for
        buffer[: len(content)] = content
        self._folder.bytes_read += len(content)
        return len(content)

    def close(self) -> None:
        self._stream.close()
        super().close()


@contextmanager
def _reading() -> Iterator[None]:
    """Turn what goes wrong while a stream is read into BadFile."""
    try:
        yield
    except (OSError, EOFError, zipfile.BadZipFile, NotImplementedError, zlib.error, lzma.LZMAError) as error:
        raise BadFile(translatable("it cannot be read ({error})").format(error=error)) from error


class Sources:
    """All files of a folder or a zip, or one alone."""

    def __init__(self) -> None:
        self._files: dict[str, Source] = {}
        self._folders: dict[str, dict[str, Source]] = {}
        self.bytes_read = 0
        """Of all files so far; a file that is looked at twice counts twice."""
        self.begun: tuple[str, bytes] | None = None
        """The name of the file whose beginning was read last, and that beginning."""

    def add(self, name: str, size: int, modified: float, open_stream: OpenStream) -> None:
        """Add a file of that path."""
        self._files[name] = Source(name, size, modified, open_stream, self)
        self._folders.setdefault(name.rpartition("/")[0], {})[name] = self._files[name]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(source.size for source in self)

    def __iter__(self) -> Iterator[Source]:
        return iter(self._files.values())

    def named(self, name: str) -> Source | None:
        """Return the file of that path."""
        return self._files.get(name)

    def under(self, folder: str) -> list[Source]:
        """Return the files in a folder and the folders in it, in the order of their paths."""
        return [source for name, source in sorted(self._files.items()) if name.startswith(folder.rstrip("/") + "/")]

    def directly_in(self, folder: str) -> list[Source]:
        """Return the files in a folder, without those in the folders in it, in the order of their names."""
        return [source for _, source in sorted(self._folders.get(folder, {}).items())]

    def beginning_with(self, name: str) -> Source | None:
        """Return a file whose own name begins so, wherever it lies."""
        return next((s for path, s in self._files.items() if path.rpartition("/")[2].startswith(name)), None)


def sources_in(path: Path) -> Sources:
    """Return the files of a folder or a zip, or that one file. Raises BadFile."""
    try:
        if path.is_dir():
            return _of_folder(path)
        with open_file(path) as file:
            if zipfile.is_zipfile(file):
                return _of_zip(path)
            status = os.fstat(file.fileno())
    except (OSError, ValueError) as error:  # ValueError: it is no name that a file can have
        raise BadFile(_why_not_opened(error)) from error
    alone = Sources()
    alone.add(path.name, status.st_size, status.st_mtime, partial(open_file, path))
    return alone


def _why_not_opened(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return translatable("there is no such file or folder")
    if isinstance(error, PermissionError):
        return translatable("you do not have permission to read it")
    return CANNOT_BE_OPENED.format(error=getattr(error, "strerror", None) or error)


def _of_folder(folder: Path) -> Sources:
    found = Sources()
    for directory, folders, names in os.walk(folder):  # follows no links to folders, which could go round in a circle
        folders.sort()
        for name in sorted(names):
            file = Path(directory, name)
            if file.is_file():  # no pipe, which would be waited for
                status = file.stat()
                found.add(
                    _text_of(file.relative_to(folder).as_posix()),
                    status.st_size,
                    status.st_mtime,
                    partial(open_file, file),
                )
    return found


def _text_of(name: str) -> str:
    """Return a name with `\\xe9` for a byte that is no UTF-8: what is no character cannot be sent or stored."""
    return name.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _of_zip(path: Path) -> Sources:
    found = Sources()
    with ExitStack() as opened:
        file = opened.enter_context(open_file(path))
        try:
            archive = zipfile.ZipFile(file)
        except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError) as error:  # of a name or a place, too
            raise BadFile(translatable("it is a damaged zip file ({error})").format(error=error)) from error
        opened.pop_all()
    weakref.finalize(found, file.close)  # left to the collector, it may go unclosed
    for info in archive.infolist():
        if not info.filename.endswith("/"):
            found.add(info.filename, info.file_size, _time_of(info), partial(archive.open, info))
    return found


def _time_of(info: zipfile.ZipInfo) -> float:
    """Return when a file of a zip was changed: it says so in the local time of wherever it was made."""
    try:
        return datetime(*info.date_time).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


SQLITE = b"SQLite format 3\0"


@contextmanager
def database_in(source: Source) -> Iterator[sqlite3.Connection]:
    """Open a copy of a database, with what is in its log of newest changes. Raises BadFile."""
    with tempfile.TemporaryDirectory(prefix="palimpsest-") as folder:
        path = Path(folder, "copy.db")
        source.copy_to(path)
        if log := source.folder.named(f"{source.name}-wal"):
            log.copy_to(path.with_name("copy.db-wal"))
        try:
            connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
        except sqlite3.Error as error:
            raise BadFile(CANNOT_BE_OPENED.format(error=error)) from error
        connection.row_factory = sqlite3.Row
        connection.text_factory = _text
        with closing(connection):
            yield connection


def _text(content: bytes) -> str:
    return content.decode(errors="replace")
