"""Putting a file in the place of an archive that is open, and what a kill leaves."""

from __future__ import annotations

import errno
import os
from contextlib import closing
from pathlib import Path

import pytest
from archive_messages import said

from desktop_app.archive import backups, damage, migrations
from desktop_app.archive.backups import list_kept_copies, make_backup, prepare_restore, restore_backup, restored_file
from desktop_app.conversation.events import ArchiveError
from stores import Store


@pytest.fixture
def backup(store: Store, path: Path) -> Path:
    """A backup with one message; the archive has two."""
    store.append("c", said("m1"))
    made = make_backup(path, path.parent / "backups" / "b.sqlite3")
    store.append("c", said("m2", "second"))
    return Path(made.file)


def ids(store: Store) -> list[str]:
    return [entry.id for entry in store.entries("c")]


def test_an_open_archive_goes_back_and_what_was_there_is_kept(store: Store, path: Path, backup: Path) -> None:
    told: list[tuple[int, int]] = []
    new = prepare_restore(path, backup, lambda done, whole: told.append((done, whole)))
    assert ids(store) == ["m1", "m2"], "nothing has changed yet"
    assert told[-1][0] == told[-1][1] > 0
    kept = store.exchange(new, is_keeping=True)
    assert ids(store) == ["m1"]
    assert not store.search("second")
    store.append("c", said("m3"))
    assert ids(store) == ["m1", "m3"]
    (copy,) = list_kept_copies(path)
    assert (copy.file, copy.kept_before, copy.entries) == (str(kept), "restore", 2)
    store.exchange(prepare_restore(path, Path(copy.file)), is_keeping=True)
    assert ids(store) == ["m1", "m2"], "and back again"


def test_where_no_second_name_is_to_be_had_it_is_copied(
    store: Store, path: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    store.exchange(prepare_restore(path, backup), is_keeping=True)
    assert [copy.entries for copy in list_kept_copies(path)] == [2]
    assert ids(store) == ["m1"]

    def full(source: Path, target: Path) -> None:
        target.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(damage.shutil, "copyfile", full)
    with pytest.raises(ArchiveError) as raised:
        store.exchange(prepare_restore(path, backup), is_keeping=True)
    assert raised.value.failure.kind == "disk"
    assert len(list_kept_copies(path)) == 1, "no half a copy"
    assert not [name for name in os.listdir(path.parent) if "unfinished" in name]
    store.append("c", said("m4"))
    assert ids(store) == ["m1", "m4"]


def test_a_full_disk_while_it_is_copied_changes_nothing(
    store: Store, path: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "PAGES_AT_ONCE", 1)

    def full(done: int, whole: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(ArchiveError) as raised:
        prepare_restore(path, backup, full)
    assert raised.value.failure.kind == "disk"
    assert "cannot be restored" in raised.value.failure.title
    assert not restored_file(path).exists()
    assert ids(store) == ["m1", "m2"]


class Killed(BaseException):
    """Stands for SIGKILL: nothing after it is done."""


@pytest.mark.parametrize("moment", ["_set_aside", "EntryCounts", "replace_archive"])
def test_killed_before_the_end_it_is_the_old_one_and_nothing_is_left(
    store: Store, path: Path, backup: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    store.close()

    def kill(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(backups, moment, kill)
        patch.setattr(Path, "unlink", lambda *_, **__: None)  # whoever is killed removes nothing
        with pytest.raises(Killed):
            restore_backup(path, backup)
    assert restored_file(path).exists()
    journal = path.with_name("archive.restored-journal")  # of a copy that was cut short
    journal.write_bytes(b"pages")
    with closing(Store(path)) as again:
        assert ids(again) == ["m1", "m2"]
        assert not restored_file(path).exists()
        assert not journal.exists()
        assert not list_kept_copies(path), "a second name of the archive is no copy"


def test_an_archive_that_is_being_read_is_not_replaced(store: Store, path: Path, backup: Path, monkeypatch) -> None:
    store.database.execute_sql("PRAGMA busy_timeout = 10")
    with closing(Store(path, read_only=True)) as reader, reader.database.atomic("DEFERRED"):
        assert len(reader.entries("c")) == 2
        store.append("c", said("m3"))
        with pytest.raises(ArchiveError) as raised:
            store.exchange(prepare_restore(path, backup), is_keeping=True)
        assert raised.value.failure.kind == "locked"
    assert ids(store) == ["m1", "m2", "m3"]
