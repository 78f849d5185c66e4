"""`palimpsest backup` and `palimpsest restore`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from stores import Store


def test_a_backup_is_made_listed_and_restored(data: Path, stored, report, printed) -> None:
    stored(["one", "two"])
    made = report("backup", "--data-dir", data)
    assert (made["conversations"], made["entries"]) == (1, 2)
    assert report("backup", "--list", "--data-dir", data)["backups"] == [made]
    assert "1 conversation, 2 entries" in printed("backup", "--list", "--data-dir", data)
    (data / "archive.sqlite3").unlink()
    assert report("restore", made["file"], "--data-dir", data) == {"restored": made["file"], "kept": None}
    assert [row["messages"] for row in report("export", "--data-dir", data)["conversations"]] == [2]
    assert "archive.before-restore-1.sqlite3" in printed("restore", made["file"], "--data-dir", data)


def test_a_file_of_the_users_choice(data: Path, stored, report, printed, tmp_path: Path) -> None:
    stored(["one"])
    file = tmp_path / "mine.sqlite3"
    assert report("backup", file, "--data-dir", data)["file"] == str(file)
    assert "already" in printed("backup", file, "--data-dir", data, code=1)
    assert "1 entry" in printed("backup", file, "--replace", "--data-dir", data)
    assert "no backups yet" in printed("backup", "--list", "--data-dir", data)
    assert "takes no FILE" in printed("backup", file, "--list", "--data-dir", data, code=2)


def test_without_an_archive_there_is_nothing_to_back_up(data: Path, printed) -> None:
    told = printed("backup", "--data-dir", data, code=2)
    assert "There is no archive" in told
    assert not data.exists()


@pytest.mark.wire
def test_while_a_window_is_open_a_backup_is_made_but_none_restored(data: Path, stored, report, printed) -> None:
    stored(["one"])
    with closing(Store(data / "archive.sqlite3")):
        made = report("backup", "--data-dir", data)
        assert "already open" in printed("restore", made["file"], "--data-dir", data, code=1)


def test_what_is_no_backup_is_refused(data: Path, stored, printed, tmp_path: Path) -> None:
    stored(["one"])
    (tmp_path / "b.sqlite3").write_text("no archive")
    assert "cannot be restored" in printed("restore", tmp_path / "b.sqlite3", "--data-dir", data, code=1)
    assert "cannot be restored" in printed("restore", tmp_path / "none", "--data-dir", data, code=2)
