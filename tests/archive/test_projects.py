"""Projects in the archive: stored, deleted, restored, and which conversations are in them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from desktop_app.archive.damage import examine
from desktop_app.archive.projects_and_memories import project_named
from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.setup import Project
from stores import Store

WORK = Project("p", "Work", "/work", "Be brief.", "own", "far/large", "project", 5.0)


def test_a_project_comes_back_as_it_was_stored(store: Store) -> None:
    store.store_project(WORK)
    store.store_project(Project("a", "about", created_at=1.0))
    assert store.projects() == (Project("a", "about", created_at=1.0), WORK), "by their names"
    changed = replace(WORK, name="Labour", instructions="half a \ud83d pair")
    store.store_project(changed)
    assert store.projects()[1] == replace(changed, instructions="half a \ufffd pair")


def test_a_name_belongs_to_one_that_is_not_deleted(store: Store) -> None:
    store.store_project(WORK)
    with pytest.raises(ArchiveError, match="already"):
        store.store_project(Project("q", " wORK "))
    store.store_project(replace(WORK, is_deleted=True))
    store.store_project(Project("q", "work"))
    with pytest.raises(ArchiveError, match="already"):
        store.store_project(WORK)
    assert [project.id for project in store.projects(with_deleted=True)] == ["p", "q"]


def test_the_conversations_of_a_deleted_project_are_in_none_until_it_is_restored(store: Store) -> None:
    store.store_project(WORK)
    store.change("c", project="p")
    assert store.conversation("c").project == "p"
    store.store_project(replace(WORK, is_deleted=True))
    assert store.projects() == ()
    assert [info.project for info in store.conversations()] == [""]
    store.store_project(WORK)
    assert [info.project for info in store.conversations()] == ["p"]


def test_a_project_is_found_by_its_name_or_made(store: Store) -> None:
    assert project_named(store.database, "  ", 3.0) == ""
    made = project_named(store.database, "Two  words", 3.0)
    assert project_named(store.database, " two words", 4.0) == made
    assert store.projects() == (Project(made, "Two words", created_at=3.0),)


def test_a_project_that_cannot_be_read_is_left_out_and_examined(store: Store, path: Path) -> None:
    store.store_project(WORK)
    with sqlite3.connect(path) as connection:
        connection.execute(
            "INSERT INTO projects (id, name, recall_in, created_at) VALUES ('x', CAST(x'ff' AS TEXT), 'nowhere', 1.0)"
        )
    connection.close()
    assert store.projects() == (WORK,)
    assert store.read(examine).unreadable == ("project 2",)


def test_no_project_is_ever_erased(store: Store) -> None:
    store.store_project(WORK)
    with pytest.raises(Exception, match="never erased"):
        store.database.execute_sql("DELETE FROM projects")
