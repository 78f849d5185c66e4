"""The table of projects. Functions that write run inside a transaction of their caller."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import msgspec
from peewee import SqliteDatabase

from desktop_app.chat.ports import ArchiveError
from desktop_app.conversation.events import Failure
from desktop_app.conversation.setup import Project, find_project, normal_name
from desktop_app.conversation.transcript import replace_surrogates_in_text
from desktop_app.conversation.words import translatable

from .disk_failures import DATABASE_ERRORS, UNCHANGED, is_damage
from .reading import readable_rows

log = logging.getLogger(__name__)

# As bytes, because sqlite3 fails for the entire result if one text in it is not valid UTF-8.
_NAMES = ("id", "name", "folder", "instructions", "policy", "model", "recall_in")
_COLUMNS = "number, created_at, is_deleted, " + ", ".join(f"CAST({name} AS BLOB)" for name in _NAMES)

_STORE = f"""INSERT INTO projects (created_at, is_deleted, {", ".join(_NAMES)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET is_deleted = excluded.is_deleted,
    {", ".join(f"{name} = excluded.{name}" for name in _NAMES)}"""


def read(database: SqliteDatabase, with_deleted: bool = False) -> tuple[Project, ...]:
    """Return the projects, sorted by name. Unreadable ones are skipped and logged. Raises errors of peewee."""
    found = [project for row in _rows(database) if (project := _project(row)) is not None]
    wanted = [project for project in found if with_deleted or not project.is_deleted]
    return tuple(sorted(wanted, key=lambda project: (project.name.casefold(), project.name, project.id)))


def unreadable(database: SqliteDatabase) -> list[str]:
    """Return the unreadable projects, each as "project NUMBER". Raises errors of peewee, including damage."""
    rows: list[Sequence[Any]] = list(database.execute_sql(f"SELECT {_COLUMNS} FROM projects ORDER BY number"))
    return [f"project {row[0]}" for row in rows if _project(row) is None]


def store(database: SqliteDatabase, project: Project) -> None:
    """Store a project: a new one, or a changed one with a known id.

    Raises ArchiveError if another project that is not deleted has the same name.
    """
    named = find_project((each for each in read(database) if each.id != project.id), project.name)
    if named is not None and not project.is_deleted:
        raise ArchiveError(
            Failure(
                "exists",
                translatable("A project “{name}” already exists").format(name=named.name),
                kept=UNCHANGED,
                advice=translatable("Choose another name."),
            )
        )
    texts = [replace_surrogates_in_text(getattr(project, name)) for name in _NAMES]
    database.execute_sql(_STORE, (project.created_at, project.is_deleted, *texts))


def project_named(database: SqliteDatabase, name: str, at: float) -> str:
    """Return the id of the project with a name, created if necessary; "" for "". at: seconds since 1970, UTC."""
    if not (name := normal_name(name)):
        return ""
    known = find_project(read(database), name)
    if known is None:
        known = Project(uuid.uuid4().hex, name, created_at=at)
        store(database, known)
    return known.id


def same_named(database: SqliteDatabase, rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Map the ids of another archive's projects to the ids of the projects with the same names here, if they differ."""
    existing = read(database)
    found = {row["id"]: find_project(existing, str(row["name"])) for row in rows if not row["is_deleted"]}
    return {foreign: project.id for foreign, project in found.items() if project is not None and project.id != foreign}


def project_of_folder(database: SqliteDatabase, folder: str, at: float) -> str:
    """Return the id of the project with a folder; it is created with the folder's name if necessary; "" for "".

    folder: an absolute path. at: seconds since 1970, UTC.
    """
    if not folder:
        return ""
    projects = read(database)
    if known := next((project for project in projects if project.folder == folder), None):
        return known.id
    path = PurePath(folder)
    names = (path.name, f"{path.parent.name}/{path.name}", folder)  # two folders may be called "api"
    name = next(name for name in names if name == folder or find_project(projects, name) is None)
    project = Project(uuid.uuid4().hex, name, folder, created_at=at)
    store(database, project)
    return project.id


def _project(row: Sequence[Any]) -> Project | None:
    number, created_at, is_deleted, *texts = row
    try:
        values = {name: str(text, "utf-8") for name, text in zip(_NAMES, texts, strict=True)}
        return msgspec.convert({**values, "created_at": created_at, "is_deleted": bool(is_deleted)}, Project)
    except (TypeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        log.error("project number %s cannot be read: %s", number, error)
        return None


def _rows(database: SqliteDatabase) -> list[Sequence[Any]]:
    try:
        return readable_rows(database, "projects", _COLUMNS)
    except DATABASE_ERRORS as error:
        if not is_damage(error):
            raise
        log.error("no project can be read: %s", error)
        return []
