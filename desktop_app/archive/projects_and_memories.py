"""The tables of projects and memories. Functions that write run inside a transaction of their caller."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Generic, TypeVar

import msgspec
from peewee import SqliteDatabase

from desktop_app.conversation.events import ArchiveError, Failure
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.setup import Project, find_project, normal_name
from desktop_app.conversation.transcript import replace_surrogates_in_text
from desktop_app.conversation.words import translatable

from .disk_failures import DATABASE_ERRORS, UNCHANGED, is_damage
from .reading import readable_rows

log = logging.getLogger(__name__)

T = TypeVar("T", Project, Memory)


class _Table(Generic[T]):
    """A table with a column for each field of a type, and one row for each value; row numbers are not stored in it."""

    def __init__(self, name: str, kind: type[T], numbers: tuple[str, ...], texts: tuple[str, ...]) -> None:
        """numbers, texts: the fields, which are also the names of the columns."""
        self._name, self._kind, self._texts = name, kind, texts
        self._one = kind.__name__.lower()
        self._fields = (*numbers, *texts)
        # As bytes, because sqlite3 fails for the entire result if one text in it is not valid UTF-8.
        self._columns = ", ".join(("number", *numbers, *(f"CAST({text} AS BLOB)" for text in texts)))

    def read(self, database: SqliteDatabase, with_deleted: bool) -> list[T]:
        """Return the values, without unreadable ones, which are logged. Raises errors of peewee."""
        found = [value for row in self._rows(database) if (value := self._value(row)) is not None]
        return [value for value in found if with_deleted or not value.is_deleted]

    def unreadable(self, database: SqliteDatabase) -> list[str]:
        """Return the unreadable rows, each as "memory NUMBER". Raises errors of peewee, including damage."""
        rows = list(database.execute_sql(f"SELECT {self._columns} FROM {self._name} ORDER BY number"))
        return [f"{self._one} {row[0]}" for row in rows if self._value(row) is None]

    def store(self, database: SqliteDatabase, values: Iterable[T], constant: str = "id", also: str = "") -> None:
        """Insert values, or update the rows with their ids.

        constant: a field that is not updated. also: more of the update in SQL.
        """
        marks = ", ".join("?" * len(self._fields))
        changed = [f"{name} = excluded.{name}" for name in self._fields if name not in ("id", constant)]
        upsert = f"""INSERT INTO {self._name} ({", ".join(self._fields)}) VALUES ({marks})
            ON CONFLICT (id) DO UPDATE SET {", ".join(changed)}{also}"""
        database.connection().executemany(upsert, [self._row(value) for value in values])

    def _row(self, value: T) -> list[Any]:
        row = (getattr(value, name) for name in self._fields)
        return [replace_surrogates_in_text(field) if isinstance(field, str) else field for field in row]

    def _value(self, row: Sequence[Any]) -> T | None:
        number, *fields = row
        values = dict(zip(self._fields, fields, strict=True))
        try:
            values |= {name: str(values[name], "utf-8") for name in self._texts}
            values |= {name: bool(field) for name, field in values.items() if name.startswith("is_")}
            return msgspec.convert(values, self._kind)
        except (TypeError, UnicodeDecodeError, msgspec.ValidationError) as error:
            log.error("%s number %s cannot be read: %s", self._one, number, error)
            return None

    def _rows(self, database: SqliteDatabase) -> list[Sequence[Any]]:
        try:
            return readable_rows(database, self._name, self._columns)
        except DATABASE_ERRORS as error:
            if not is_damage(error):
                raise
            log.error("no %s can be read: %s", self._one, error)
            return []


_PROJECTS = _Table(
    "projects",
    Project,
    ("created_at", "is_deleted"),
    ("id", "name", "folder", "instructions", "policy", "model", "recall_in"),
)
_MEMORIES = _Table(
    "memories",
    Memory,
    ("at", "changed_at", "is_on", "is_deleted"),
    ("id", "text", "conversation", "author", "scope", "folder", "project"),
)


def unreadable(database: SqliteDatabase) -> list[str]:
    """Return the unreadable memories and projects, each as "memory NUMBER". Raises errors of peewee."""
    return _MEMORIES.unreadable(database) + _PROJECTS.unreadable(database)


def projects(database: SqliteDatabase, with_deleted: bool = False) -> tuple[Project, ...]:
    """Return the projects, sorted by name. Unreadable ones are skipped and logged. Raises errors of peewee."""
    found = _PROJECTS.read(database, with_deleted)
    return tuple(sorted(found, key=lambda project: (project.name.casefold(), project.name, project.id)))


def store_project(database: SqliteDatabase, project: Project) -> None:
    """Store a project: a new one, or a changed one with a known id.

    Raises ArchiveError if another project that is not deleted has the same name.
    """
    named = find_project((each for each in projects(database) if each.id != project.id), project.name)
    if named is not None and not project.is_deleted:
        raise ArchiveError(
            Failure(
                "exists",
                translatable("A project “{name}” already exists").format(name=named.name),
                kept=UNCHANGED,
                advice=translatable("Choose another name."),
            )
        )
    _PROJECTS.store(database, [project], constant="created_at")


def project_named(database: SqliteDatabase, name: str, at: float) -> str:
    """Return the id of the project with a name, created if necessary; "" for "". at: seconds since 1970, UTC."""
    if not (name := normal_name(name)):
        return ""
    known = find_project(projects(database), name)
    if known is None:
        known = Project(uuid.uuid4().hex, name, created_at=at)
        store_project(database, known)
    return known.id


def same_named(database: SqliteDatabase, rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Map the ids of another archive's projects to the ids of the projects with the same names here, if they differ."""
    existing = projects(database)
    found = {row["id"]: find_project(existing, str(row["name"])) for row in rows if not row["is_deleted"]}
    return {foreign: project.id for foreign, project in found.items() if project is not None and project.id != foreign}


def project_of_folder(database: SqliteDatabase, folder: str, at: float) -> str:
    """Return the id of the project with a folder; it is created with the folder's name if necessary; "" for "".

    folder: an absolute path. at: seconds since 1970, UTC.
    """
    if not folder:
        return ""
    stored = projects(database)
    if known := next((project for project in stored if project.folder == folder), None):
        return known.id
    path = PurePath(folder)
    names = (path.name, f"{path.parent.name}/{path.name}", folder)  # two folders may be called "api"
    name = next(name for name in names if name == folder or find_project(stored, name) is None)
    project = Project(uuid.uuid4().hex, name, folder, created_at=at)
    store_project(database, project)
    return project.id


def memories(database: SqliteDatabase, with_deleted: bool = False) -> tuple[Memory, ...]:
    """Return the memories, oldest first. Unreadable ones are skipped and logged. Raises errors of peewee."""
    return tuple(sorted(_MEMORIES.read(database, with_deleted), key=lambda memory: memory.at))


def store_memories(database: SqliteDatabase, *memories: Memory, replaced: Mapping[str, str] | None = None) -> None:
    """Store new or changed memories. replaced: the ids of memories to delete, each with its successor's id."""
    at = max((memory.changed_at for memory in memories), default=0.0)
    # Storing a memory that is not deleted clears replaced_by: after the user restores it, nothing replaces it.
    _MEMORIES.store(
        database, memories, also=", replaced_by = CASE excluded.is_deleted WHEN 0 THEN '' ELSE replaced_by END"
    )
    database.connection().executemany(
        "UPDATE memories SET is_deleted = 1, changed_at = MAX(changed_at, ?), replaced_by = ? WHERE id = ?",
        [(at, new, old) for old, new in (replaced or {}).items()],
    )


def undo_memories(database: SqliteDatabase, ids: Sequence[str], at: float) -> None:
    """Delete memories, and restore the ones that they replaced. at: seconds since 1970, UTC."""
    _mark(database, "id", ids, True, at)
    _mark(database, "replaced_by", ids, False, at)


def redo_memories(database: SqliteDatabase, ids: Sequence[str], at: float) -> None:
    """Restore memories, and delete again the ones that they replace. at: seconds since 1970, UTC."""
    _mark(database, "id", ids, False, at)
    _mark(database, "replaced_by", ids, True, at)


def _mark(database: SqliteDatabase, column: str, ids: Sequence[str], is_deleted: bool, at: float) -> None:
    database.connection().executemany(
        f"UPDATE memories SET is_deleted = ?, changed_at = ? WHERE {column} = ? AND is_deleted != ?",
        [(is_deleted, at, memory_id, is_deleted) for memory_id in ids],
    )
