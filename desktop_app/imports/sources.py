"""The files of an import: one file, a folder, a zip, or another program's database.

A zip is never unpacked to disk. A database is copied first, because its program may be using it. Pipes and devices are
refused, because reading them may never end.
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
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any

import ijson

from desktop_app.conversation.words import translatable


def open_file(path: Path) -> IO[bytes]:
    """Open a file without waiting. Raises OSError for anything that is not a regular file."""
    return open(path, "rb", opener=_opened)


def _opened(path: str, flags: int) -> int:
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise OSError(errno.EINVAL, translatable("it is neither a file nor a folder"))


BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BEGINNING = 65_536
"""Bytes of a file that formats recognize it by."""
SMALL_BUFFER = 1_024
"""Bytes parsed at a time when looking for the first object, so that little after it is parsed."""
LARGE_BUFFERS = 4 * 2**20, 16 * 2**20
"""Minimum and maximum bytes parsed at a time when reading to the end of a file. The parser scans an incomplete string
again for each buffer: with 64 KB, a string of 40 MB took 7 seconds, and one of 2 GB an hour."""
MAX_WHOLE = 256 * 2**20
"""Bytes of a file that is read at once: a list of one conversation's messages is, a list of conversations is not."""
MAX_IMAGE = 20 * 2**20
"""Bytes of an image that is imported."""
CANNOT_BE_OPENED = translatable("it cannot be opened ({error})")
LONG_LINE = translatable("it has a line of more than {megabytes} MB")

OpenStream = Callable[[], IO[bytes]]


class BadFile(Exception):
    """Raised if a file cannot be read. reason: a text for the user."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Source:
    """One file of an import."""

    def __init__(self, name: str, size: int, modified: float, open_stream: OpenStream, folder: Sources) -> None:
        self.name = name
        """The file's path within the folder or the zip, with "/"."""
        self.size = size
        self.modified = modified
        """Time of the last change in seconds since 1970, for formats without times of their own; 0.0 if unknown."""
        self.folder = folder
        """All files of the folder or the zip."""
        self._open = open_stream

    def open(self) -> io.BufferedReader:
        """Return the content as a stream. Raises BadFile."""
        try:
            return io.BufferedReader(_CountedStream(self._open(), self.folder))
        except RuntimeError as error:  # raised by zipfile
            raise BadFile(translatable("it is locked with a password")) from error
        except (OSError, zipfile.BadZipFile, NotImplementedError) as error:
            raise BadFile(CANNOT_BE_OPENED.format(error=error)) from error

    @property
    def beginning(self) -> bytes:
        """The first BEGINNING bytes, without a byte order mark. Raises BadFile.

        A folder caches the beginning of one file only: for 10,000 files, they would take 640 MB.
        """
        if self.folder.begun is None or self.folder.begun[0] != self.name:
            with self.open() as stream, _reading():
                self.folder.begun = self.name, stream.read(BEGINNING).removeprefix(BYTE_ORDER_MARK)
        return self.folder.begun[1]

    @cached_property
    def first_keys(self) -> frozenset[str]:
        """The keys of the first JSON object, alone, on a line or in a list, as far as they are in `beginning`.

        Empty if the file does not begin with an object. Raises BadFile.
        """
        keys: set[str] = set()
        depth = 0
        with suppress(ijson.JSONError, UnicodeDecodeError):  # the beginning is usually truncated JSON
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
        """Return the entire content. Raises BadFile, also if it is longer than `limit` bytes, whatever `size` says."""
        with self.open() as stream, _reading():
            content = stream.read(limit + 1)
        if len(content) > limit:
            raise BadFile(translatable("it is larger than {megabytes} MB").format(megabytes=limit // 2**20))
        return content

    def copy_to(self, path: Path) -> None:
        """Write the content to a new file, without a size limit. Raises BadFile."""
        with self.open() as stream, _reading(), path.open("wb") as copy:
            shutil.copyfileobj(stream, copy)

    def lines(self) -> Iterator[bytes]:
        """Yield the lines that are not blank. Raises BadFile, also for a line longer than MAX_WHOLE."""
        with self.open() as stream, _reading():
            while line := stream.readline(MAX_WHOLE):
                if len(line) == MAX_WHOLE:
                    raise BadFile(LONG_LINE.format(megabytes=MAX_WHOLE // 2**20))
                if line.strip():
                    yield line

    def values(self) -> Iterator[object]:
        """Yield the elements of a list, or the one value of the file. Raises BadFile."""
        return self.items("item" if self.beginning.lstrip().startswith(b"[") else "")

    def items(self, path: str) -> Iterator[object]:
        """Yield the values at a path of a JSON file one at a time, so that a large file does not fill memory.

        path: in ijson's syntax: "item" for the elements of a list, "conversations.item". Raises BadFile at invalid
        JSON; the values before it have then been yielded.
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
    """A stream that adds the bytes read to its folder's counter."""

    def __init__(self, stream: IO[bytes], folder: Sources) -> None:
        self._stream = stream
        self._folder = folder

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        content: bytes | None = self._stream.read(len(buffer))
        if content is None:
            raise BlockingIOError("nothing can be read now")  # e.g. the kernel's log, where a read would wait
        buffer[: len(content)] = content
        self._folder.bytes_read += len(content)
        return len(content)

    def close(self) -> None:
        self._stream.close()
        super().close()


@contextmanager
def _reading() -> Iterator[None]:
    """Raise BadFile for errors while a stream is read."""
    try:
        yield
    except (OSError, EOFError, zipfile.BadZipFile, NotImplementedError, zlib.error, lzma.LZMAError) as error:
        raise BadFile(translatable("it cannot be read ({error})").format(error=error)) from error


class Sources:
    """All files of a folder or a zip, or a single file."""

    def __init__(self, path: Path = Path()) -> None:
        """path: the folder, the zip or the file."""
        self.path = path
        self._files: dict[str, Source] = {}
        self._folders: dict[str, dict[str, Source]] = {}
        self._logs: dict[str, Source] = {}
        self.bytes_read = 0
        """Bytes read of all files so far; a file that is read twice counts twice."""
        self.begun: tuple[str, bytes] | None = None
        """The name and the beginning of the file whose beginning was read last."""
        self.copied: DatabaseCopy | None = None
        """The copy of the database that was opened last."""

    def add(self, name: str, size: int, modified: float, open_stream: OpenStream) -> None:
        """Add a file. name: its path."""
        self._files[name] = Source(name, size, modified, open_stream, self)
        self._folders.setdefault(name.rpartition("/")[0], {})[name] = self._files[name]

    def add_log(self, name: str, size: int, modified: float, open_stream: OpenStream) -> None:
        """Add the write-ahead log of a database that was given alone; it is found by its name only."""
        self._logs[name] = Source(name, size, modified, open_stream, self)

    def close(self) -> None:
        """Remove the copy of a database."""
        if self.copied is not None:
            self.copied.close()
            self.copied = None

    @property
    def size(self) -> int:
        """Total size of the files in bytes."""
        return sum(source.size for source in self)

    def __iter__(self) -> Iterator[Source]:
        return iter(self._files.values())

    def named(self, name: str) -> Source | None:
        """Return the file with that path; None if there is none."""
        return self._files.get(name) or self._logs.get(name)

    def under(self, folder: str) -> list[Source]:
        """Return the files in a folder and its subfolders, in the order of their paths."""
        return [source for name, source in sorted(self._files.items()) if name.startswith(folder.rstrip("/") + "/")]

    def directly_in(self, folder: str) -> list[Source]:
        """Return the files in a folder, without its subfolders, in the order of their names."""
        return [source for _, source in sorted(self._folders.get(folder, {}).items())]

    def beginning_with(self, name: str) -> Source | None:
        """Return a file in any folder whose own name begins with `name`; None if there is none."""
        return next((s for path, s in self._files.items() if path.rpartition("/")[2].startswith(name)), None)


def sources_in(path: Path) -> Sources:
    """Return the files of a folder or a zip, or the single file. Raises BadFile."""
    try:
        if path.is_dir():
            return _of_folder(path)
        with open_file(path) as file:
            if zipfile.is_zipfile(file):
                return _of_zip(path)
            status = os.fstat(file.fileno())
    except (OSError, ValueError) as error:  # ValueError: an invalid file name
        raise BadFile(_why_not_opened(error)) from error
    alone = Sources(path)
    alone.add(path.name, status.st_size, status.st_mtime, partial(open_file, path))
    log = path.with_name(f"{path.name}-wal")
    with suppress(OSError):  # most files have none
        status = log.stat()
        alone.add_log(log.name, status.st_size, status.st_mtime, partial(open_file, log))
    return alone


def _why_not_opened(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return translatable("there is no such file or folder")
    if isinstance(error, PermissionError):
        return translatable("you do not have permission to read it")
    return CANNOT_BE_OPENED.format(error=getattr(error, "strerror", None) or error)


def _of_folder(folder: Path) -> Sources:
    found = Sources(folder)
    for directory, folders, names in os.walk(folder):  # follows no links to folders, which could form a cycle
        folders.sort()
        for name in sorted(names):
            file = Path(directory, name)
            if file.is_file():  # not a pipe, where a read would wait
                status = file.stat()
                found.add(
                    _text_of(file.relative_to(folder).as_posix()),
                    status.st_size,
                    status.st_mtime,
                    partial(open_file, file),
                )
    return found


def _text_of(name: str) -> str:
    """Return a name with `\\xe9` for a byte that is not UTF-8: surrogates cannot be sent or stored."""
    return name.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _of_zip(path: Path) -> Sources:
    found = Sources(path)
    with ExitStack() as opened:
        file = opened.enter_context(open_file(path))
        try:
            archive = zipfile.ZipFile(file)
        except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError) as error:  # ValueError: a name, an offset
            raise BadFile(translatable("it is a damaged zip file ({error})").format(error=error)) from error
        opened.pop_all()
    weakref.finalize(found, file.close)  # the garbage collector may not close it
    for info in archive.infolist():
        if not info.filename.endswith("/"):
            found.add(info.filename, info.file_size, _time_of(info), partial(archive.open, info))
    return found


def _time_of(info: zipfile.ZipInfo) -> float:
    """Return when a file in a zip was modified. The zip has local time without a zone; this machine's is assumed."""
    try:
        return datetime(*info.date_time).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


SQLITE = b"SQLite format 3\0"


COPIES = 5
"""Attempts to copy a database while its program writes the log into it."""
LOG_HEADER = 32
"""Bytes at the beginning of a write-ahead log; they change when the log begins again."""


class DatabaseCopy:
    """A copy of a database and its write-ahead log, which is removed with the object. Raises BadFile."""

    def __init__(self, source: Source) -> None:
        folder = tempfile.mkdtemp(prefix="palimpsest-")
        self.close = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.name, self.path = source.name, Path(folder, "copy.db")
        log, copy_of_log = source.folder.named(f"{source.name}-wal"), self.path.with_name("copy.db-wal")
        for _ in range(COPIES):
            before = _beginning_of(log)
            source.copy_to(self.path)
            if log is None:
                break
            log.copy_to(copy_of_log)
            if _beginning_of(log) == before:
                break


def _beginning_of(log: Source | None) -> bytes:
    if log is None:
        return b""
    with log.open() as stream, _reading():
        return stream.read(LOG_HEADER)


@contextmanager
def database_in(source: Source) -> Iterator[sqlite3.Connection]:
    """Open a copy of a database, including its write-ahead log. Raises BadFile.

    The folder keeps the copy of the database that was opened last: one is opened to recognize it, then to read it.
    """
    folder = source.folder
    if folder.copied is None or folder.copied.name != source.name:
        folder.close()
        folder.copied = DatabaseCopy(source)
    try:
        connection = sqlite3.connect(f"{folder.copied.path.as_uri()}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise BadFile(CANNOT_BE_OPENED.format(error=error)) from error
    connection.row_factory = sqlite3.Row
    connection.text_factory = _text
    with closing(connection):
        yield connection


def columns_in(source: Source) -> dict[str, frozenset[str]]:
    """Return the columns of each table of a database; {} for other files and damaged databases. Raises BadFile."""
    if not source.beginning.startswith(SQLITE):
        return {}
    found: dict[str, frozenset[str]] = {}
    # UnicodeDecodeError: in the name of a column
    with suppress(sqlite3.Error, UnicodeDecodeError), database_in(source) as database:
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            with suppress(sqlite3.Error):  # a virtual table of a module that is not installed
                columns = database.execute("SELECT name FROM pragma_table_info(?)", (name,))
                found[str(name)] = frozenset(str(column) for (column,) in columns)
    return found


def has_tables(source: Source, needed: Mapping[str, set[str]]) -> bool:
    """Return whether a file is a database with these tables and, in each of them, these columns. Raises BadFile."""
    tables = columns_in(source)
    return all(columns <= tables.get(name, frozenset()) for name, columns in needed.items())


def rows_of(database: sqlite3.Connection, query: str, *values: object) -> list[dict[str, Any]]:
    """Return the rows that a query finds. Raises BadFile."""
    try:
        return [dict(row) for row in database.execute(query, values)]
    except (sqlite3.Error, UnicodeDecodeError) as error:  # UnicodeDecodeError: in the name of a column
        raise BadFile(translatable("it is a damaged database ({error})").format(error=error)) from error


def _text(content: bytes) -> str:
    return content.decode(errors="replace")
