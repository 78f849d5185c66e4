"""`palimpsest export --all` and `import` of it: the same archive, entry for entry."""

from __future__ import annotations

import json
import zipfile
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from builders import user
from desktop_app.archive.projects_and_memories import memories
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import MessageDraft
from desktop_app.conversation.setup import ConversationSetup, Project
from desktop_app.conversation.transcript import Compaction, Trigger
from desktop_app.conversation.unsent import UnsentMessages
from stores import Store

SPILL = b"a long output " * 1000
NAME = sha256(SPILL).hexdigest()


@pytest.fixture
def full(data: Path) -> Path:
    """A data folder with all kinds of things in it."""
    with closing(Store(data / "archive.sqlite3")) as store:
        many = [user(f"number {n} of many", id=f"a{n}", at=1.0) for n in range(10_000)]
        store.store_project(
            Project("p1", "Work \ud800", "/elsewhere/work", "Be brief.", "own", "far/large", "project", 1.0)
        )
        store.store_project(Project("p2", "Gone", created_at=2.0, is_deleted=True))
        store.create(
            ConversationInfo("many", "Many", 1.0, 2.0, folder="/elsewhere/work", policy="own", project="p1"), many
        )
        gone = ("a0", "a1")
        done = Compaction(
            id="k", at=3.0, trigger=Trigger.AFTER_TURN, strategy="extractive", archived=gone, summary="A summary"
        )
        store.append("many", done, user("after it", id="late", at=1.0))
        store.append("many", archived=gone)
        store.change("many", is_pinned=True, setup=ConversationSetup(system_prompt="Be \ud800 short."))
        store.create(
            ConversationInfo("odd/../id", "Odd \ud800", 5.0, 6.0), [user("half \ud83d of\u2028a\npair", id="o", at=1.0)]
        )
        store.store_unsent("odd/../id", UnsentMessages(MessageDraft("not sent")))
        store.create(ConversationInfo("gone", "Gone", 7.0, 8.0, project="p2"), [user("deleted", id="g", at=1.0)])
        store.change("gone", is_deleted=True)
        store.store_memories(
            Memory("m1", "old", 1.0, 1.0), Memory("m2", "off", 2.0, 2.0, is_on=False, scope="project", project="p1")
        )
        store.store_memories(Memory("m3", "new", 3.0, 3.0), replaced={"m1": "m3"})
    (data / "spills" / NAME[:2]).mkdir(parents=True)
    (data / "spills" / NAME[:2] / NAME).write_bytes(SPILL)
    (data / "spills" / NAME[:2] / "half.new").write_bytes(b"half")
    return data


def content_of(data: Path) -> dict[str, Any]:
    """All that a data folder holds, as its store gives it."""
    with closing(Store(data / "archive.sqlite3", read_only=True)) as store:
        rows = store.database.execute_sql("SELECT id FROM conversations ORDER BY id")
        ids = [name for (name,) in rows]
        tables = {
            "conversations": "SELECT * FROM conversations ORDER BY id",
            "memories": "SELECT * FROM memories ORDER BY number",
            "projects": "SELECT * FROM projects ORDER BY number",
            "archived": "SELECT e.id FROM archived a JOIN entries e ON e.number = a.entry ORDER BY 1",
        }
        return {
            **{name: store.database.execute_sql(query).fetchall() for name, query in tables.items()},
            "infos": store.conversations(),
            "entries": {name: store.entries(name) for name in ids},
            "setups": {info.id: store.setup(info.id) for info in store.conversations()},
            "unsent": {name: store.unsent(name) for name in ids},
            "memory": memories(store.database, with_deleted=True),
            "found": [hit.message for hit in store.search("number 77")],
            "spills": {file.name: file.read_bytes() for file in data.glob("spills/*/*") if len(file.name) == 64},
        }


@pytest.mark.long
def test_an_import_into_an_empty_folder_gives_the_same_archive(full: Path, report, tmp_path: Path) -> None:
    file, other = tmp_path / "all.zip", tmp_path / "other"
    counts = {
        "conversations": 3,
        "entries": 10_004,
        "memories": 3,
        "spills": 1,
        "projects": 2,
        "known": 0,
        "unreadable": 0,
    }
    assert report("export", "--all", file, "--data-dir", full) == {"file": str(file), **counts}
    assert report("import", file, "--list", "--data-dir", other) == {"file": str(file), **counts}
    assert not other.exists()
    assert report("import", file, "--data-dir", other) == {"file": str(file), **counts}
    before = content_of(full)
    assert content_of(other) == before
    assert len(before["entries"]["many"]) == 10_002
    assert [info.id for info in before["infos"]] == ["odd/../id", "many"], "deleted ones stay deleted"
    again = report("import", file, "--data-dir", other)
    assert (again["conversations"], again["entries"], again["memories"], again["known"]) == (0, 0, 0, 3)
    assert content_of(other) == before


@pytest.mark.long
def test_the_file_is_as_it_is_documented(full: Path, printed, tmp_path: Path) -> None:
    file = tmp_path / "all.zip"
    assert "3 conversations, 2 projects, 10,004 entries, 3 memories, 1 long output" in printed(
        "export", "--all", file, "--data-dir", full
    )
    with zipfile.ZipFile(file) as zipped:
        lines = [json.loads(line) for line in zipped.read("conversations.jsonl").splitlines()]
        names = {"archive.json", "conversations.jsonl", "memories.jsonl", "projects.jsonl", f"spills/{NAME[:2]}/{NAME}"}
        assert set(zipped.namelist()) == names | {line["file"] for line in lines}
        first = json.loads(zipped.read(lines[0]["file"]).splitlines()[0])
    assert [line["info"]["id"] for line in lines] == ["many", "odd/../id", "gone"]
    assert lines[0]["archived"] == ["a0", "a1"]
    assert (first["type"], first["id"], first["parts"][0]["text"]) == ("message", "a0", "number 0 of many")
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_there_stays_unless_it_is_to_be_replaced(data: Path, stored, printed, tmp_path: Path) -> None:
    stored(["one"])
    file = tmp_path / "all.zip"
    file.write_text("mine")
    assert "already" in printed("export", "--all", file, "--data-dir", data, code=1)
    assert file.read_text() == "mine"
    printed("export", "--all", file, "--replace", "--data-dir", data)
    assert zipfile.is_zipfile(file)
    assert "takes no conversation" in printed("export", "c", "--all", file, "--data-dir", data, code=2)
    assert "alone" in printed("import", file, file, "--data-dir", data, code=2)
    assert {path.name for path in tmp_path.iterdir()} == {"all.zip", "data"}


@pytest.mark.parametrize("fault", ["version", "line", "entry", "missing", "count", "spill", "column", "clash"])
def test_nothing_of_a_damaged_file_is_imported(data: Path, stored, printed, report, tmp_path: Path, fault: str) -> None:
    stored(["one", "two"])
    (data / "spills" / NAME[:2]).mkdir(parents=True)
    (data / "spills" / NAME[:2] / NAME).write_bytes(SPILL)
    report("export", "--all", tmp_path / "all.zip", "--data-dir", data)
    with zipfile.ZipFile(tmp_path / "all.zip") as zipped:
        files = {name: zipped.read(name) for name in zipped.namelist()}
    transcript = "conversations/000001.jsonl"
    match fault:
        case "version":
            files["archive.json"] = files["archive.json"].replace(b'"version": 1', b'"version": 99')
        case "line":
            files["memories.jsonl"] = b"{"
        case "entry":
            files[transcript] += b'{"type":"nothing"}\n'
        case "missing":
            del files[transcript]
        case "count":
            files[transcript] = files[transcript].splitlines(keepends=True)[0]
        case "spill":
            files[f"spills/{NAME[:2]}/{NAME}"] = b"another"
        case "column":
            files["conversations.jsonl"] = files["conversations.jsonl"].replace(b'"title"', b'"caption"')
        case _:
            line = files["conversations.jsonl"]
            files["conversations.jsonl"] = line + line.replace(b'"id": "c"', b'"id": "d"')
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as zipped:
        for name, content in files.items():
            zipped.writestr(name, content)
    other = tmp_path / "other"
    assert "cannot be imported" in printed("import", tmp_path / "bad.zip", "--data-dir", other, code=1)
    with closing(Store(other / "archive.sqlite3")) as store:
        assert store.conversations() == ()
        assert store.database.execute_sql("SELECT COUNT(*) FROM entries").fetchone() == (0,)
