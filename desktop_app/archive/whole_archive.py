"""Export of the entire archive to a zip file, and import of such a file: docs/archive-format.md describes the format.

Such a file may come from anyone, so its parts are read with limits.
"""

from __future__ import annotations

import json
import logging
import re
import sqlite3
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from peewee import IntegrityError, SqliteDatabase

from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.foreign import FoundConversation
from desktop_app.conversation.installation import WholeArchive
from desktop_app.conversation.message import Message
from desktop_app.conversation.setup import NO_FOLDER
from desktop_app.conversation.transcript import Permit
from desktop_app.open_databases import open_other
from desktop_app.paths import create_file, replace_private_file, sync_file, sync_folder

from .backups import check_target
from .disk_failures import backup_failed, bad_export, failing_as, world_errors
from .migrations import OnProgress, ignore_progress
from .opening import open_to_read
from .projects_and_memories import project_named, same_named
from .reading import setup
from .tables import UNREADABLE, UnreadableEntry, decode, decode_unsent
from .writing import append, change, narrow_folder, store_unsent

FORMAT, VERSION = "palimpsest-archive", 1
INDEX, CONVERSATIONS, MEMORIES = "archive.json", "conversations.jsonl", "memories.jsonl"
PROJECTS = "projects.jsonl"
MAX_LINE = 256 * 2**20
"""Bytes of a line, and of a spill; more would be an attempt to fill memory."""
MAX_INDEX = 65_536

Row = dict[str, Any]


def is_whole_archive(path: Path) -> bool:
    """Return whether a file was written by `export_whole`, in any version."""
    with suppress(OSError, zipfile.BadZipFile, ValueError, NotImplementedError, RuntimeError, KeyError):
        if path.is_file():
            with open_zip(path) as zipped, zipped.open(INDEX) as stream:
                return json.loads(stream.read(MAX_INDEX))["format"] == FORMAT
    return False


@contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an exported archive. Raises OSError, also for a database that is open in this process, and BadZipFile."""
    with open(path, "rb", opener=open_other) as file, zipfile.ZipFile(file) as zipped:
        yield zipped


def check_index(zipped: zipfile.ZipFile, path: Path) -> Row:
    """Return the metadata of an exported archive. Raises ArchiveError for another version."""
    about: Row = json.loads(read_part(zipped, INDEX, MAX_INDEX))
    if about.get("version") != VERSION:
        detail = f"It is of version {about.get('version')}; this program knows version {VERSION}."
        raise bad_export(path, detail)
    return about


def read_part(zipped: zipfile.ZipFile, file: str, limit: int) -> bytes:
    """Return the content of a file in the zip. Raises ValueError if it has more than `limit` bytes."""
    with zipped.open(file) as stream:
        content = stream.read(limit + 1)  # the size in the zip may be wrong
    if len(content) > limit:
        raise ValueError(f"{file} has more than {limit:,} bytes")
    return content


def lines_in(zipped: zipfile.ZipFile, file: str, is_optional: bool = False) -> Iterator[Row]:
    """Yield the objects of a file of JSON Lines in the zip; nothing if an optional file is missing."""
    if not is_optional or file in zipped.namelist():
        yield from map(json.loads, texts_in(zipped, file))


def texts_in(zipped: zipfile.ZipFile, file: str) -> Iterator[bytes]:
    """Yield the lines of a file in the zip."""
    with zipped.open(file) as stream:
        while line := stream.readline(MAX_LINE):
            yield line


@contextmanager
def reading_whole(path: Path) -> Iterator[None]:
    """Raise ArchiveError, which says that nothing was imported, for a damaged file."""
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


log = logging.getLogger(__name__)

_SPILL = re.compile(r"spills/[0-9a-f]{2}/([0-9a-f]{64})")


def export_whole(
    archive: Path, spills: Path, target: Path, is_replacing: bool = False, on_progress: OnProgress = ignore_progress
) -> WholeArchive:
    """Write everything to a file, completely or not at all. Raises ArchiveError.

    An existing file is not overwritten (a failure of the kind "exists") unless `is_replacing`. on_progress: called with
    numbers of conversations and spills; an exception from it ends the export.
    """
    check_target(target, is_replacing)
    unfinished = target.with_name(target.name + ".unfinished")
    with failing_as(lambda error: backup_failed(target, error)), world_errors(target):
        try:
            with (
                closing(open_to_read(archive)) as database,
                database.atomic("DEFERRED"),
                open(create_file(unfinished), "w+b") as file,
                zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written,
            ):
                summary = _write(database, spills, written, target, on_progress)
            sync_file(unfinished)
            unfinished.replace(target)
            sync_folder(target.parent)
        finally:
            unfinished.unlink(missing_ok=True)
    return summary


def _write(
    database: SqliteDatabase, spills: Path, written: zipfile.ZipFile, target: Path, on_progress: OnProgress
) -> WholeArchive:
    index: list[Row] = []
    unreadable = 0
    rows = list(_rows(database, "conversations", "created_at, id"))
    for number, row in enumerate(rows, 1):
        on_progress(number, len(rows))
        file = f"conversations/{number:06}.jsonl"
        count, bad = _write_entries(database, row["id"], written, file)
        index.append({"file": file, "entries": count, "info": row} | _archived_and_unsent(database, row["id"]))
        unreadable += bad
    _write_lines(written, CONVERSATIONS, index)
    memories = _write_lines(written, MEMORIES, _rows(database, "memories", "number"))
    projects = _write_lines(written, PROJECTS, _rows(database, "projects", "number"))
    texts = _write_spills(spills, written, on_progress)
    entries = sum(line["entries"] for line in index)
    summary = WholeArchive(str(target), len(index), entries, memories, texts, projects, unreadable=unreadable)
    about = {"format": FORMAT, "version": VERSION, "made_at": datetime.now(UTC).timestamp()}
    counts = {"conversations": len(index), "entries": entries, "memories": memories, "spills": texts}
    written.writestr(INDEX, json.dumps(about | counts | {"projects": projects}))
    return summary


def _archived_and_unsent(database: SqliteDatabase, conversation: str) -> Row:
    """Return the ids of a conversation's archived messages, and its draft and queued messages."""
    archived = database.execute_sql(
        """SELECT e.id FROM archived a JOIN entries e ON e.number = a.entry
        WHERE e.conversation = ? ORDER BY e.position""",
        (conversation,),
    )
    unsent = database.execute_sql("SELECT body FROM drafts WHERE conversation = ?", (conversation,)).fetchone()
    return {"archived": [name for (name,) in archived], "unsent": unsent and unsent[0]}


def _write_spills(spills: Path, written: zipfile.ZipFile, on_progress: OnProgress) -> int:
    count = 0
    files = sorted(spills.glob("*/*"))
    for number, file in enumerate(files, 1):
        on_progress(number, len(files))
        name = f"spills/{file.parent.name}/{file.name}"
        with suppress(FileNotFoundError):  # removed in the meantime because nothing refers to it
            if _SPILL.fullmatch(name):
                written.writestr(name, file.read_bytes())
                count += 1
    return count


def _write_entries(database: SqliteDatabase, conversation: str, written: zipfile.ZipFile, file: str) -> tuple[int, int]:
    """Write the entries of a conversation; return the number of written ones, and of unreadable ones."""
    count = bad = 0
    rows = database.execute_sql(
        "SELECT id, body FROM entries WHERE conversation = ? ORDER BY position", (conversation,)
    )
    with written.open(file, "w", force_zip64=True) as stream:
        for name, body in rows:
            try:
                decode(body)
            except UNREADABLE as error:
                log.error("entry %s of conversation %s cannot be read: %s", name, conversation, error)
                bad += 1
                continue
            stream.write(msgspec.json.format(body, indent=-1).encode() + b"\n")
            count += 1
    return count, bad


def _write_lines(written: zipfile.ZipFile, file: str, rows: Iterable[Row]) -> int:
    lines = [json.dumps(row) + "\n" for row in rows]
    written.writestr(file, "".join(lines))
    return len(lines)


def _rows(database: SqliteDatabase, table: str, order: str) -> Iterator[Row]:
    found = database.execute_sql(f"SELECT * FROM {table} ORDER BY {order}")
    names = [column[0] for column in found.description]
    for row in found.fetchall():
        yield {name: value for name, value in zip(names, row, strict=True) if name != "number"}


def import_whole(
    database: SqliteDatabase,
    spills: Path,
    path: Path,
    on_progress: OnProgress = ignore_progress,
    only: frozenset[str] | None = None,
) -> WholeArchive:
    """Store the content of an exported archive, inside a transaction of the caller. Raises ArchiveError.

    Conversations and memories that the archive has already are not changed. on_progress: called with numbers of
    conversations; an exception from it ends the import. only: the ids of the conversations to import, without memories;
    if these are deleted in the archive, they are restored. None for everything.
    """
    stored: list[int | None] = []
    with reading_whole(path), open_zip(path) as zipped:
        total = int(check_index(zipped, path)["conversations"])
        texts = _store_spills(zipped, spills)
        found = list(lines_in(zipped, PROJECTS, is_optional=True))
        joined = same_named(database, found)
        projects = sum(_store_project(database, line) for line in found if line["id"] not in joined)
        for line in lines_in(zipped, CONVERSATIONS):
            if only is not None and line["info"]["id"] not in only:
                continue
            on_progress(len(stored), total)
            stored.append(_store_conversation(database, zipped, line, joined))
        for name in only or ():
            database.execute_sql("UPDATE conversations SET is_deleted = 0 WHERE id = ?", (name,))
        memory_lines = lines_in(zipped, MEMORIES) if only is None else ()
        memories = sum(_store_memory(database, line, joined) for line in memory_lines)
        new = [count for count in stored if count is not None]
        known = len(stored) - len(new)
        return WholeArchive(str(path), len(new), sum(new), memories, texts, projects, known)


def _store_conversation(
    database: SqliteDatabase, zipped: zipfile.ZipFile, line: Row, projects: Mapping[str, str]
) -> int | None:
    """Return the number of stored entries; None if the archive has the conversation already."""
    info: Row = line["info"]
    if database.execute_sql("SELECT 1 FROM conversations WHERE id = ?", (info["id"],)).fetchone():
        return None  # its entries need not be read
    section = str(info.pop("section", ""))  # in versions without projects
    entries = [decode(text.decode()) for text in texts_in(zipped, line["file"])]
    if len(entries) != line["entries"]:
        raise ValueError(f"{line['file']} has {len(entries)} entries, not {line['entries']}")
    # The file may come from anyone, so it must not grant permissions.
    entries = [entry for entry in entries if not (isinstance(entry, Permit) and entry.rule.is_allowed)]
    info["project"] = projects.get(info.get("project", ""), info.get("project", ""))
    if info.get("folder") != NO_FOLDER:
        info["folder"] = narrow_folder(info.get("folder", ""))
    _insert(database, "conversations", info)
    stored = setup(database, info["id"])
    if stored.recall_in is not None:
        change(database, info["id"], setup=replace(stored, recall_in="conversation"))
    if section:
        change(database, info["id"], project=project_named(database, section, float(info["created_at"])))
    append(database, info["id"], entries, line["archived"])
    if line["unsent"] is not None:
        store_unsent(database, info["id"], decode_unsent(line["unsent"]))
    database.execute_sql("UPDATE conversations SET updated_at = ? WHERE id = ?", (info["updated_at"], info["id"]))
    return len(entries)


def _store_project(database: SqliteDatabase, line: Row) -> bool:
    if line.get("recall_in") == "everything":
        line = line | {"recall_in": "project"}  # its conversations also come from the file, so recall may see them
    return _insert(database, "projects", line | {"folder": narrow_folder(line.get("folder", ""))})


def _store_memory(database: SqliteDatabase, line: Row, projects: Mapping[str, str]) -> bool:
    project = line.get("project", "")
    return _insert(database, "memories", line | {"project": projects.get(project, project)})


def _insert(database: SqliteDatabase, table: str, row: Row) -> bool:
    """Insert a row, unless its id is known; return whether it is new."""
    known = {column[1] for column in database.execute_sql(f"PRAGMA table_info({table})")}
    if unknown := sorted(row.keys() - known):
        raise ValueError(f"it was written by a newer Palimpsest: {table} has {', '.join(unknown)}")
    if not all(isinstance(value, str | int | float | None) for value in row.values()):
        raise ValueError(f"{table} has a value that is neither text nor a number")
    if database.execute_sql(f"SELECT 1 FROM {table} WHERE id = ?", (row["id"],)).fetchone():
        return False
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    database.execute_sql(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))
    return True


def _store_spills(zipped: zipfile.ZipFile, folder: Path) -> int:
    names = [match for name in zipped.namelist() if (match := _SPILL.fullmatch(name))]
    for match in names:
        if (folder / match[1][:2] / match[1]).exists():
            continue
        content = read_part(zipped, match[0], MAX_LINE)
        if sha256(content).hexdigest() != match[1]:
            raise ValueError(f"{match[0]} has another content than its name says")
        target = folder / match[1][:2] / match[1]
        replace_private_file(target, content)
    return len(names)


PROGRAM = "Palimpsest"


def describe_whole(path: Path) -> WholeArchive:
    """Return the counts in the metadata of an exported archive. Raises ArchiveError."""
    with world_errors(path), reading_whole(path), open_zip(path) as zipped:
        about = check_index(zipped, path)
        counts = (int(about[name]) for name in ("conversations", "entries", "memories", "spills"))
        return WholeArchive(str(path), *counts, projects=int(about.get("projects", 0)))


def conversations_in(path: Path) -> list[FoundConversation]:
    """Return the conversations in an exported archive, without deleted ones. Raises ArchiveError."""
    with world_errors(path), reading_whole(path), open_zip(path) as zipped:
        check_index(zipped, path)
        return list(_found(zipped, path.name))


def _found(zipped: zipfile.ZipFile, file: str) -> Iterator[FoundConversation]:
    for line in lines_in(zipped, CONVERSATIONS):
        info: Row = line["info"]
        if not info["is_deleted"]:
            messages = [entry for text in texts_in(zipped, line["file"]) if _is_counted(entry := decode(text.decode()))]
            times = [message.at for message in messages if message.at] or [float(info["created_at"])]
            ids = tuple(message.id for message in messages)
            title, name = str(info["title"]), str(info["id"])
            yield FoundConversation(name, PROGRAM, title, file, len(messages), min(times), max(times), ids)


def _is_counted(entry: object) -> bool:
    return isinstance(entry, Message) and entry.is_counted
