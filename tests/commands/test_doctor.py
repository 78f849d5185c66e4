from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop_app.__main__ import main
from desktop_app.archive.store import Store
from desktop_app.commands import doctor
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.settings import Settings, write_settings


@pytest.fixture
def data(tmp_path: Path) -> Path:
    store = Store(tmp_path / "archive.sqlite3")
    store.create(ConversationInfo("c", "Work", 1.0, 1.0), [Message(id="m", role=Role.USER, parts=(Text("ledger"),))])
    store.close()
    write_settings(tmp_path / "settings.json", Settings())
    return tmp_path


def examined(capsys, data: Path, code: int) -> dict[str, dict[str, object]]:
    """The checks by name, after the exit code was found to be this one."""
    assert main(["doctor", "--data-dir", str(data), "--json"]) == code
    report = json.loads(capsys.readouterr().out)
    assert set(report) == {"ok", "checks"}
    assert report["ok"] is (code == 0)
    assert all(set(check) == {"name", "ok", "detail"} for check in report["checks"])
    return {check["name"]: check for check in report["checks"]}


def test_everything_here_is_well(data: Path, capsys) -> None:
    checks = examined(capsys, data, 0)
    assert checks["archive"]["detail"] == "1 conversation, 1 entry"
    required = ("data folder", "disk space", "archive", "entries", "search index", "settings", "SQLite", "packages")
    assert all(checks[name]["ok"] for name in required)
    assert {"llama.cpp", "built-in model"} <= set(checks)


def test_people_get_an_aligned_table(data: Path, capsys) -> None:
    assert main(["doctor", "--data-dir", str(data)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "All is well."
    assert lines[0].startswith("✓  data folder ")
    assert lines[0].index(str(data)) == lines[2].index("1 conversation")


def test_a_new_data_folder_is_fine_and_is_not_created(tmp_path: Path, capsys) -> None:
    checks = examined(capsys, tmp_path / "new" / "data", 0)
    assert "will be created" in str(checks["data folder"]["detail"])
    assert not (tmp_path / "new").exists()


def test_it_examines_an_archive_that_is_in_use(data: Path, capsys) -> None:
    holder = Store(data / "archive.sqlite3")
    assert examined(capsys, data, 0)["archive"]["ok"]
    holder.close()


def break_entry(data: Path) -> None:
    store = Store(data / "archive.sqlite3")
    store.database.execute_sql("DROP TRIGGER entries_never_change")
    store.database.execute_sql("UPDATE entries SET body = '{'")
    store.close()


def break_index(data: Path) -> None:
    store = Store(data / "archive.sqlite3")
    store.database.execute_sql("UPDATE message_texts SET text = 'other'")
    store.close()


def break_header(data: Path) -> None:
    (data / "archive.sqlite3").write_bytes(b"\0" * 8192)


def break_pages(data: Path) -> None:
    content = bytearray((data / "archive.sqlite3").read_bytes())
    content[4096:12288] = b"\xa5" * 8192
    (data / "archive.sqlite3").write_bytes(content)


def break_table(data: Path) -> None:
    """The archive can be opened, and breaks off when its messages are read."""
    store = Store(data / "archive.sqlite3")
    (page,) = store.database.execute_sql("SELECT rootpage FROM sqlite_master WHERE name = 'message_texts'").fetchone()
    (size,) = store.database.execute_sql("PRAGMA page_size").fetchone()
    store.close()
    content = bytearray((data / "archive.sqlite3").read_bytes())
    content[(page - 1) * size : page * size] = b"\xa5" * size
    (data / "archive.sqlite3").write_bytes(content)


def break_settings(data: Path) -> None:
    (data / "settings.json").write_text('{"theme": 3}')


@pytest.mark.parametrize(
    ("break_it", "name", "told"),
    [
        (break_entry, "entries", "1 cannot be read: m"),
        (break_index, "search index", "1 cannot be found by search: m"),
        (break_header, "archive", "is not a Palimpsest archive"),
        (break_pages, "archive", "malformed"),
        (break_table, "archive", "malformed"),
        (break_table, "entries", "were read"),
        (break_table, "search index", "not examined"),
        (break_settings, "settings", "is not valid"),
    ],
)
def test_what_is_broken_is_named_and_nothing_is_changed(
    data: Path, capsys, break_it: Callable[[Path], None], name: str, told: str
) -> None:
    break_it(data)
    before = {file.name: file.read_bytes() for file in data.iterdir()}
    check = examined(capsys, data, 1)[name]
    assert not check["ok"]
    assert told in str(check["detail"])
    assert {file.name: file.read_bytes() for file in data.iterdir() if file.name in before} == before


def test_a_data_folder_that_cannot_be_is_named(tmp_path: Path, capsys) -> None:
    (tmp_path / "file").write_text("")
    check = examined(capsys, tmp_path / "file" / "data", 1)["data folder"]
    assert "is not a folder" in str(check["detail"])


def test_a_missing_library_is_named_by_its_package(data: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(doctor, "LIBRARIES", {"libNoSuch.so.9": "libnosuch9"})
    check = examined(capsys, data, 1)["system libraries"]
    assert check["detail"] == "missing; install with: apt-get install libnosuch9"


def test_a_missing_package_is_named_and_a_missing_model_alone_is_no_failure(data: Path, capsys, monkeypatch) -> None:
    seen = doctor.find_spec
    monkeypatch.setattr(doctor, "find_spec", lambda name: None if name == "xllamacpp" else seen(name))
    assert not examined(capsys, data, 0)["llama.cpp"]["ok"]
    monkeypatch.setattr(doctor, "PACKAGES", ("peewee", "no_such_package"))
    assert examined(capsys, data, 1)["packages"]["detail"] == "missing: no_such_package"
