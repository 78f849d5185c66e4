from __future__ import annotations

import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from desktop_app.commands import doctor
from desktop_app.models import builtin
from desktop_app.settings import Settings, write_settings
from desktop_app.tools.sandbox import sandbox
from stores import Store
from texts import BROUGHT_UP_TO_DATE, INSTALL


@pytest.fixture
def data(stored, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder. The hash of the built-in model, 0.1 s of work, is looked at by one of its own tests."""
    monkeypatch.setattr(builtin, "check_hash", lambda: None)
    folder = stored(["ledger"])
    write_settings(folder / "settings.json", Settings())
    return folder


@pytest.fixture
def examine(report) -> Callable[..., dict[str, dict[str, Any]]]:
    """`examine(data, code)`: the checks by name."""

    def run(data: Path, code: int = 0) -> dict[str, dict[str, Any]]:
        told = report("doctor", "--data-dir", data, code=code)
        assert (set(told), told["ok"]) == ({"ok", "checks"}, code == 0)
        assert all(set(check) == {"name", "ok", "detail"} for check in told["checks"])
        return {check["name"]: check for check in told["checks"]}

    return run


def test_everything_here_is_well(data: Path, examine) -> None:
    checks = examine(data)
    assert checks["archive"]["detail"] == "1 conversation, 1 entry"
    required = ("data folder", "disk space", "archive", "entries", "search index", "settings", "SQLite", "packages")
    assert all(checks[name]["ok"] for name in required)
    assert {"llama.cpp", "built-in model"} <= set(checks)


def test_the_sandbox_is_tried_and_nobody_needs_it(data: Path, examine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert examine(data)["sandbox"]["ok"] == (not sandbox.probe().fault)
    sandbox.probe.cache_clear()
    monkeypatch.setattr(sandbox, "PROGRAM", "false")  # it is there, and does not work
    found = examine(data)["sandbox"]
    sandbox.probe.cache_clear()
    assert (found["ok"], "does not work here" in found["detail"]) == (False, sys.platform == "linux")


def test_people_get_an_aligned_table(data: Path, printed) -> None:
    lines = printed("doctor", "--data-dir", data).splitlines()
    assert (lines[-1] == "All is well.") == all(line.startswith("✓") for line in lines[:-2])
    assert lines[0].startswith("✓  data folder ")
    assert lines[0].index(str(data)) == lines[2].index("1 conversation")


@pytest.mark.long
def test_a_new_data_folder_is_fine_and_is_not_created(tmp_path: Path, examine) -> None:
    checks = examine(tmp_path / "new" / "data")
    assert "will be created" in str(checks["data folder"]["detail"])
    assert not (tmp_path / "new").exists()


def change_archive(data: Path, *statements: str) -> None:
    store = Store(data / "archive.sqlite3")
    for statement in statements:
        store.database.execute_sql(statement)
    store.close()


def overwrite(data: Path, start: int, content: bytes) -> None:
    archive = bytearray((data / "archive.sqlite3").read_bytes())
    archive[start : start + len(content)] = content
    (data / "archive.sqlite3").write_bytes(archive)


def break_entry(data: Path) -> None:
    change_archive(data, "DROP TRIGGER entries_never_change", "UPDATE entries SET body = '{'")


def break_index(data: Path) -> None:
    change_archive(data, "UPDATE message_texts SET text = 'other'")


def break_header(data: Path) -> None:
    overwrite(data, 0, bytes(4096))


def break_pages(data: Path) -> None:
    overwrite(data, 4096, b"\xa5" * 8192)


def break_table(data: Path) -> None:
    """The archive can be opened, and breaks off when its messages are read."""
    with closing(sqlite3.connect(data / "archive.sqlite3")) as archive:
        (page,) = archive.execute("SELECT rootpage FROM sqlite_master WHERE name = 'message_texts'").fetchone()
    overwrite(data, (page - 1) * 4096, b"\xa5" * 4096)


def break_settings(data: Path) -> None:
    (data / "settings.json").write_text('{"theme": 3}')


@pytest.mark.parametrize(
    ("break_it", "name", "told"),
    [
        (break_entry, "entries", "1 cannot be read"),
        (break_index, "search index", "1 cannot be found"),
        (break_header, "archive", "is not a Palimpsest archive"),
        (break_pages, "archive", "malformed"),
        (break_table, "archive", "malformed"),
        (break_table, "entries", "were read"),
        (break_table, "search index", "not examined"),
        (break_settings, "settings", "is not valid"),
    ],
)
@pytest.mark.long
def test_what_is_broken_is_named_and_nothing_is_changed(
    data: Path, examine, break_it: Callable[[Path], None], name: str, told: str
) -> None:
    break_it(data)
    before = {file.name: file.read_bytes() for file in data.iterdir()}
    check = examine(data, 1)[name]
    assert not check["ok"]
    assert told in str(check["detail"])
    assert {file.name: file.read_bytes() for file in data.iterdir() if file.name in before} == before


def test_an_archive_of_an_older_version_is_no_fault(tmp_path: Path, examine) -> None:
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(Path(__file__).parents[1] / "archive" / "data" / "version-7.sqlite3", data / "archive.sqlite3")
    assert BROUGHT_UP_TO_DATE in examine(data)["archive"]["detail"]


def test_a_data_folder_that_cannot_be_is_named(tmp_path: Path, examine) -> None:
    (tmp_path / "file").write_text("")
    check = examine(tmp_path / "file" / "data", 1)["data folder"]
    assert "is not a folder" in str(check["detail"])


def test_a_missing_library_is_named_by_its_package(data: Path, examine, monkeypatch) -> None:
    monkeypatch.setattr(doctor, "LIBRARIES", {"libNoSuch.so.9": "libnosuch9"})
    check = examine(data, 1)["system libraries"]
    assert check["detail"] == INSTALL.format(libraries="libnosuch9")


def test_a_missing_package_is_named_and_a_missing_model_alone_is_no_failure(data: Path, examine, monkeypatch) -> None:
    seen = doctor.find_spec
    monkeypatch.setattr(doctor, "find_spec", lambda name: None if name == "xllamacpp" else seen(name))
    assert not examine(data)["llama.cpp"]["ok"]
    monkeypatch.setattr(doctor, "PACKAGES", ("peewee", "no_such_package"))
    assert examine(data, 1)["packages"]["detail"] == "missing: no_such_package"


CHECKS = (("a", True, ""), ("sandbox", False, "", False), ("archive", False, ""))


def test_the_last_line_names_what_failed() -> None:
    good, optional, required = (doctor.Check(*given) for given in CHECKS)
    assert doctor.conclusion_of([good]) == "All is well."
    assert doctor.conclusion_of([good, optional]) == "Palimpsest works, but not all of it: see ✗ above (sandbox)."
    assert doctor.conclusion_of([good, optional, required]).startswith("Something")
