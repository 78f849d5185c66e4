"""`palimpsest projects`, and `--project` of other commands."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.setup import Project
from stores import Store


@pytest.fixture
def projects(data: Path) -> Path:
    with closing(Store(data / "archive.sqlite3")) as store:
        store.store_project(Project("w", "Work", "/work", "Be brief.", "relaxed", recall_in="project", created_at=5.0))
        store.store_project(Project("e", "empty", created_at=6.0))
        store.store_project(Project("d", "Deleted", is_deleted=True))
        for name, project in (("a", "w"), ("b", "w"), ("c", "d")):
            store.create(ConversationInfo(name, name, 1.0, 1.0, project=project))
    return data


def test_they_are_listed_by_name_with_what_they_give(projects: Path, printed) -> None:
    lines = printed("projects", "--data-dir", projects).splitlines()
    assert [line.split()[:2] for line in lines] == [["PROJECT", "CONVERSATIONS"], ["empty", "0"], ["Work", "2"]]
    assert lines[2].endswith("/work   instructions 9 characters, policy relaxed, recall in project")


def test_as_json_with_everything(projects: Path, report) -> None:
    listed = report("projects", "--data-dir", projects)["projects"]
    assert [(one["id"], one["conversations"]) for one in listed] == [("e", 0), ("w", 2)]
    assert listed[1] == {
        "id": "w", "name": "Work", "folder": "/work", "instructions": "Be brief.", "policy": "relaxed", "model": "",
        "recall_in": "project", "created_at": 5.0, "conversations": 2,
    }  # fmt: skip


def test_what_is_imported_stands_where_it_is_wanted(projects: Path, report, printed, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text('{"role": "user", "content": "Hello?"}\n{"role": "assistant", "content": "Yes."}\n')
    report("import", file, "--project", "work", "--data-dir", projects)
    listed = report("projects", "--data-dir", projects)["projects"]
    assert {one["name"]: one["conversations"] for one in listed} == {"empty": 0, "Work": 3}
    wrong = printed("import", file, "--project", "Deleted", "--data-dir", projects, code=2)
    assert "no project “Deleted”" in wrong


def test_none_is_no_error(data: Path, stored, printed) -> None:
    stored(["one"])
    assert "no project yet" in printed("projects", "--data-dir", data)
