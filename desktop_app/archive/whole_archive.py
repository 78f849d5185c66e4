"""The whole archive as files in a zip, and back: docs/archive-format.md describes it."""

from __future__ import annotations

import json
import logging
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec.structs import replace
from peewee import SqliteDatabase

from desktop_app.conversation.project import NO_FOLDER
from desktop_app.conversation.transcript import Permit
from desktop_app.paths import create_file, replace_private_file, sync_file, sync_folder

from .backup import check_target
from .failures import backup_failed, failing_as, world_errors
from .importing import narrow_folder
from .migrations import OnProgress, ignore_progress
from .opening import open_to_read
from .projects import project_named, same_named
from .reading import setup
from .rows import decode, decode_unsent
from .whole_parts import (
    CONVERSATIONS,
    FORMAT,
    INDEX,
    MAX_LINE,
    MEMORIES,
    PROJECTS,
    VERSION,
    Row,
    check_index,
    lines_in,
    open_zip,
    read_part,
    reading_whole,
    texts_in,
)
from .writing import append, change, store_unsent

log = logging.getLogger(__name__)

_SPILL = re.compile(r"spills/[0-9a-f]{2}/([0-9a-f]{64})")


class WholeArchive(msgspec.Struct, frozen=True):
    """What was written to such a file, or read from it."""

    file: str
    conversations: int
    entries: int
    memories: int
    spills: int
    projects: int = 0
    """None in files of versions that had no projects."""
    known: int = 0
    """Conversations that the archive had already, which stayed as they were."""
    unreadable: int = 0
    """Entries that the archive itself cannot read."""


def export_whole(
    archive: Path, spills: Path, target: Path, is_replacing: bool = False, on_progress: OnProgress = ignore_progress
) -> WholeArchive:
    """Write everything to that file, complete or not at all. Raises ArchiveError.

    A file that is there already stays, with a failure of the kind "exists", unless `is_replacing`. on_progress: called
    with conversations and long outputs; what it raises ends the writing.
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
                made = _write(database, spills, written, target, on_progress)
            sync_file(unfinished)
            unfinished.replace(target)
            sync_folder(target.parent)
        finally:
            unfinished.unlink(missing_ok=True)
    return made


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
        index.append({"file": file, "entries": count, "info": row} | _beside(database, row["id"]))
        unreadable += bad
    _write_lines(written, CONVERSATIONS, index)
    memories = _write_lines(written, MEMORIES, _rows(database, "memories", "number"))
    projects = _write_lines(written, PROJECTS, _rows(database, "projects", "number"))
    texts = _write_spills(spills, written, on_progress)
    entries = sum(line["entries"] for line in index)
    made = WholeArchive(str(target), len(index), entries, memories, texts, projects, unreadable=unreadable)
    about = {"format": FORMAT, "version": VERSION, "made_at": datetime.now(UTC).timestamp()}
    counts = {"conversations": len(index), "entries": entries, "memories": memories, "spills": texts}
    written.writestr(INDEX, json.dumps(about | counts | {"projects": projects}))
    return made


def _beside(database: SqliteDatabase, conversation: str) -> Row:
    """Return what is stored of a conversation beside its entries: which of them are archived, and what is not sent."""
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
        with suppress(FileNotFoundError):  # cleaned away meanwhile: nothing refers to it
            if _SPILL.fullmatch(name):
                written.writestr(name, file.read_bytes())
                count += 1
    return count


def _write_entries(database: SqliteDatabase, conversation: str, written: zipfile.ZipFile, file: str) -> tuple[int, int]:
    """Write the entries of a conversation, and return how many there are, and how many cannot be read."""
    count = bad = 0
    rows = database.execute_sql(
        "SELECT id, body FROM entries WHERE conversation = ? ORDER BY position", (conversation,)
    )
    with written.open(file, "w", force_zip64=True) as stream:
        for name, body in rows:
            try:
                decode(body)
            except (msgspec.DecodeError, TypeError, RecursionError) as error:
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
    """Store everything of such a file, inside a transaction of the caller. Raises ArchiveError.

    Conversations and memories that the archive has already stay as they are. on_progress: called with conversations;
    what it raises ends the reading. only: the conversations that are wanted; then no memories are stored, and what was
    deleted of these here is there again.
    """
    stored: list[int | None] = []
    with reading_whole(path), open_zip(path) as zipped:
        whole = int(check_index(zipped, path)["conversations"])
        texts = _store_spills(zipped, spills)
        found = list(lines_in(zipped, PROJECTS, is_optional=True))
        joined = same_named(database, found)
        projects = sum(_store_project(database, line) for line in found if line["id"] not in joined)
        for line in lines_in(zipped, CONVERSATIONS):
            if only is not None and line["info"]["id"] not in only:
                continue
            on_progress(len(stored), whole)
            stored.append(_store_conversation(database, zipped, line, joined))
        for name in only or ():
            database.execute_sql("UPDATE conversations SET is_deleted = 0 WHERE id = ?", (name,))
        beside = lines_in(zipped, MEMORIES) if only is None else ()
        memories = sum(_store_memory(database, line, joined) for line in beside)
        new = [count for count in stored if count is not None]
        known = len(stored) - len(new)
        return WholeArchive(str(path), len(new), sum(new), memories, texts, projects, known)


def _store_conversation(
    database: SqliteDatabase, zipped: zipfile.ZipFile, line: Row, projects: Mapping[str, str]
) -> int | None:
    """Return how many entries were stored; None if the archive has the conversation already."""
    info: Row = line["info"]
    if database.execute_sql("SELECT 1 FROM conversations WHERE id = ?", (info["id"],)).fetchone():
        return None  # its entries need not be read
    section = str(info.pop("section", ""))  # of a version that had no projects
    entries = [decode(text.decode()) for text in texts_in(zipped, line["file"])]
    if len(entries) != line["entries"]:
        raise ValueError(f"{line['file']} has {len(entries)} entries, not {line['entries']}")
    # A file, which may be anybody's, allows nothing here.
    entries = [entry for entry in entries if not (isinstance(entry, Permit) and entry.rule.is_allowed)]
    info["project"] = projects.get(info.get("project", ""), info.get("project", ""))
    if info.get("folder") != NO_FOLDER:
        info["folder"] = narrow_folder(info.get("folder", ""))
    _insert(database, "conversations", info)
    held = setup(database, info["id"])
    if held.recall_in is not None:
        change(database, info["id"], setup=replace(held, recall_in="conversation"))
    if section:
        change(database, info["id"], project=project_named(database, section, float(info["created_at"])))
    append(database, info["id"], entries, line["archived"])
    if line["unsent"] is not None:
        store_unsent(database, info["id"], decode_unsent(line["unsent"]))
    database.execute_sql("UPDATE conversations SET updated_at = ? WHERE id = ?", (info["updated_at"], info["id"]))
    return len(entries)


def _store_project(database: SqliteDatabase, line: Row) -> bool:
    if line.get("recall_in") == "everything":
        line = line | {"recall_in": "project"}  # what it holds comes from the file: that may be recalled
    return _insert(database, "projects", line | {"folder": narrow_folder(line.get("folder", ""))})


def _store_memory(database: SqliteDatabase, line: Row, projects: Mapping[str, str]) -> bool:
    project = line.get("project", "")
    return _insert(database, "memories", line | {"project": projects.get(project, project)})


def _insert(database: SqliteDatabase, table: str, row: Row) -> bool:
    """Insert a row, and return whether it is new."""
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
