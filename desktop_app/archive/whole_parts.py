"""Reading the parts of a file of the whole archive, within limits: anybody may have made it."""

from __future__ import annotations

import json
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
from peewee import IntegrityError

from desktop_app.chat.ports import ArchiveError
from desktop_app.open_databases import open_other

from .failures import bad_export
from .rows import UnreadableEntry

FORMAT, VERSION = "palimpsest-archive", 1
INDEX, CONVERSATIONS, MEMORIES = "archive.json", "conversations.jsonl", "memories.jsonl"
PROJECTS = "projects.jsonl"
MAX_LINE = 256 * 2**20
"""Bytes of a line, and of a long output; more than that was made to fill memory."""
MAX_INDEX = 65_536

Row = dict[str, Any]


def is_whole_archive(path: Path) -> bool:
    """Return whether it is a file that `export_whole` has written, of any version."""
    with suppress(OSError, zipfile.BadZipFile, ValueError, NotImplementedError, RuntimeError, KeyError):
        if path.is_file():
            with open_zip(path) as zipped, zipped.open(INDEX) as stream:
                return json.loads(stream.read(MAX_INDEX))["format"] == FORMAT
    return False


@contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open such a file. Raises OSError, also for a database that is open here, and BadZipFile."""
    with open(path, "rb", opener=open_other) as file, zipfile.ZipFile(file) as zipped:
        yield zipped


def check_index(zipped: zipfile.ZipFile, path: Path) -> Row:
    """Return what the file says of itself. Raises ArchiveError for another version."""
    about: Row = json.loads(read_part(zipped, INDEX, MAX_INDEX))
    if about.get("version") != VERSION:
        detail = f"It is of version {about.get('version')}; this program knows version {VERSION}."
        raise bad_export(path, detail)
    return about


def read_part(zipped: zipfile.ZipFile, file: str, limit: int) -> bytes:
    """Return a file in it. Raises ValueError for one of more than `limit` bytes."""
    with zipped.open(file) as stream:
        content = stream.read(limit + 1)  # whatever size it says it has
    if len(content) > limit:
        raise ValueError(f"{file} has more than {limit:,} bytes")
    return content


def lines_in(zipped: zipfile.ZipFile, file: str, is_optional: bool = False) -> Iterator[Row]:
    """Return the objects of a file of JSON Lines in it; none where it is not there, if it need not be."""
    if not is_optional or file in zipped.namelist():
        yield from map(json.loads, texts_in(zipped, file))


def texts_in(zipped: zipfile.ZipFile, file: str) -> Iterator[bytes]:
    """Return the lines of a file in it."""
    with zipped.open(file) as stream:
        while line := stream.readline(MAX_LINE):
            yield line


@contextmanager
def reading_whole(path: Path) -> Iterator[None]:
    """Say of a file that is damaged that nothing of it was imported."""
    try:
        yield
    except ArchiveError:
        raise
    except (IntegrityError, sqlite3.IntegrityError) as error:
        raise bad_export(path, f"It does not fit what is here already: {error}") from error
    except (
        *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
        *(msgspec.DecodeError, ValueError, KeyError, TypeError, AttributeError, OverflowError, UnreadableEntry),
    ) as error:
        raise bad_export(path, f"{type(error).__name__}: {error}") from error
