"""Backups: made while the archive is written, checked, kept by their age, and put in the archive's place."""

from __future__ import annotations

import errno
import sqlite3
import stat
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from archive_messages import overwrite_page, said
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.archive import backups
from desktop_app.archive.backups import (
    back_up_to_folder,
    is_backup_due,
    list_backups,
    make_backup,
    restore_backup,
    times_to_keep,
)
from desktop_app.archive.migrations import APPLICATION_ID, FIRST
from desktop_app.archive.whole_archive import export_whole
from desktop_app.chat.export_files import write_export
from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.listing import ConversationInfo
from stores import Store

NOW = datetime(2026, 7, 15, 12, tzinfo=UTC)
TIMES = st.lists(st.integers(-400 * 24, 3 * 24).map(lambda hours: NOW + timedelta(hours=hours)))


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def entries_of(path: Path) -> list[str]:
    with closing(Store(path, read_only=True)) as store:
        return [entry.id for entry in store.entries("c")]


def test_a_backup_holds_everything_while_the_archive_is_open(store: Store, path: Path, tmp_path: Path) -> None:
    store.append("c", said("m1"), said("m2"))
    made = back_up_to_folder(path, tmp_path / "backups")
    assert (made.conversations, made.entries, made.size) == (1, 2, Path(made.file).stat().st_size)
    assert names_in(tmp_path / "backups") == {Path(made.file).name}
    assert entries_of(Path(made.file)) == ["m1", "m2"]
    assert list_backups(tmp_path / "backups") == (made,)
    modes = [stat.S_IMODE(one.stat().st_mode) for one in (tmp_path / "backups", Path(made.file))]
    assert modes == [0o700, 0o600]


@pytest.mark.parametrize("has_link", [True, False])
@pytest.mark.parametrize("kind", ["backup", "whole", "export"])
def test_what_others_put_where_a_file_is_begun_is_neither_followed_nor_written_to(
    store: Store, path: Path, tmp_path: Path, kind: str, has_link: bool
) -> None:
    """In a folder such as /tmp the name under which a file is begun can be guessed, and taken."""
    store.append("c", said("m1"))
    (tmp_path / "shared").mkdir()
    target, mine = tmp_path / "shared" / "out", tmp_path / "profile"
    mine.write_text("mine")
    begun = target.with_name(target.name + (".part" if kind == "export" else ".unfinished"))
    begun.symlink_to(mine) if has_link else begun.hardlink_to(mine)
    if kind == "export":
        write_export(target, "text")
    elif kind == "whole":
        export_whole(path, tmp_path / "spills", target)
    else:
        make_backup(path, target)
    assert mine.read_text() == "mine"
    assert names_in(tmp_path / "shared") == {"out"}
    assert not target.is_symlink()
    assert target.stat().st_nlink == 1


def test_two_of_one_second_have_names_of_their_own(store: Store, path: Path, tmp_path: Path) -> None:
    first, second = (back_up_to_folder(path, tmp_path / "backups") for _ in range(2))
    assert first.at < second.at
    assert names_in(tmp_path / "backups") == {Path(second.file).name}, "the newest of the day"


def test_it_is_of_one_moment_while_another_thread_writes(store: Store, path: Path, tmp_path: Path) -> None:
    """Each transaction appends two entries: a backup never has an odd number of them."""
    ended = threading.Event()

    def back_up() -> None:
        for n in range(12):
            counts.append(make_backup(path, tmp_path / f"b{n}.sqlite3").entries)
        ended.set()

    counts: list[int] = []
    thread = threading.Thread(target=back_up)
    thread.start()
    written = 0
    while not ended.is_set() and thread.is_alive():
        store.append("c", said(f"a{written}", "x" * 500), said(f"b{written}"))
        written += 1
    thread.join()
    assert len(counts) == 12
    assert not [count for count in counts if count % 2]
    assert counts == sorted(counts)
    assert len(entries_of(path)) == 2 * written


def test_a_file_that_is_there_stays_unless_it_is_to_be_replaced(store: Store, path: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(ArchiveError) as raised:
        make_backup(path, tmp_path / "mine")
    assert raised.value.failure.kind == "exists"
    assert (tmp_path / "mine").read_text() == "mine"
    make_backup(path, tmp_path / "mine", is_replacing=True)
    assert entries_of(tmp_path / "mine") == []


def test_what_is_stopped_leaves_nothing(store: Store, path: Path, tmp_path: Path) -> None:
    def stop(*_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        back_up_to_folder(path, tmp_path / "backups", stop)
    assert names_in(tmp_path / "backups") == set()


def test_a_full_disk_leaves_nothing_and_older_backups(store: Store, path: Path, tmp_path: Path, monkeypatch) -> None:
    old = back_up_to_folder(path, tmp_path / "backups")

    def full(database: object, file: Path, check: object) -> None:
        file.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(backups, "copy_to_file", full)
    with pytest.raises(ArchiveError) as raised:
        back_up_to_folder(path, tmp_path / "backups")
    assert "No space left" in raised.value.failure.detail
    assert names_in(tmp_path / "backups") == {Path(old.file).name}


def test_a_folder_that_is_a_file_is_told(store: Store, path: Path, tmp_path: Path) -> None:
    (tmp_path / "backups").write_text("not a folder")
    with pytest.raises(ArchiveError) as raised:
        back_up_to_folder(path, tmp_path / "backups")
    assert raised.value.failure.kind == "disk"


def test_a_damaged_archive_gives_no_backup(store: Store, path: Path, tmp_path: Path) -> None:
    store.append("c", *(said(f"m{n}", f"mark{n} " * 300) for n in range(20)))
    store.close()
    overwrite_page(path, "entries", b"mark7")
    with pytest.raises(ArchiveError) as raised:
        make_backup(path, tmp_path / "b.sqlite3")
    assert raised.value.failure.kind == "damaged"
    assert "b.sqlite3" not in {name[:9] for name in names_in(tmp_path)}


@given(TIMES)
def test_kept_are_the_newest_of_seven_days_and_four_weeks(times: list[datetime]) -> None:
    kept = times_to_keep(times, NOW)
    past = {at for at in times if at <= NOW}
    assert kept <= set(times)
    assert {at for at in times if at > NOW} <= kept
    days = {at.date() for at in past}
    weeks = {at.isocalendar()[:2] for at in past}
    assert len(kept & past) <= 7 + 4
    for day in sorted(days)[-7:]:
        assert max(at for at in past if at.date() == day) in kept
    for week in sorted(weeks)[-4:]:
        assert max(at for at in past if at.isocalendar()[:2] == week) in kept
    assert times_to_keep(kept, NOW) == kept, "what stays is not removed later without a newer one"


def test_old_ones_and_those_cut_off_go_and_what_is_not_ours_stays(store: Store, path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    dates = [f"archive-2020-01-{day:02d}T{hour:02d}0000.sqlite3" for day in range(1, 29) for hour in (8, 20)]
    for name in (*dates, "archive-2020-01-28T210000.sqlite3.unfinished", "archive-mine.sqlite3", "notes.txt"):
        (folder / name).write_text("old")
    made = Path(back_up_to_folder(path, folder).file)
    days = {f"archive-2020-01-{day}T200000.sqlite3" for day in range(23, 29)}  # and the new one is the seventh
    weeks = {"archive-2020-01-26T200000.sqlite3", "archive-2020-01-19T200000.sqlite3"}
    assert names_in(folder) == days | weeks | {made.name, "archive-mine.sqlite3", "notes.txt"}
    damaged = [one for one in list_backups(folder) if one.is_damaged]
    assert len(damaged) == len(days | weeks)


@pytest.mark.parametrize(("hours", "is_due"), [(1, False), (23, False), (25, True), (-5, True)])
def test_one_is_due_a_day_after_the_last(tmp_path: Path, hours: int, is_due: bool) -> None:
    (tmp_path / (NOW - timedelta(hours=hours)).strftime(backups.NAME)).write_text("")
    assert is_backup_due(tmp_path, NOW) is is_due
    assert is_backup_due(tmp_path / "nowhere", NOW)


def test_a_restored_archive_is_as_it_was_and_the_other_is_kept(store: Store, path: Path, tmp_path: Path) -> None:
    store.append("c", said("m1"))
    made = make_backup(path, tmp_path / "b.sqlite3")
    store.append("c", said("m2"))
    store.close()
    aside = restore_backup(path, Path(made.file))
    assert aside is not None
    assert entries_of(aside) == ["m1", "m2"]
    with closing(Store(path)) as restored:  # takes no entry for a lost one
        assert [entry.id for entry in restored.entries("c")] == ["m1"]
        assert [hit.message for hit in restored.search("hello")] == ["m1"]
    assert {name for name in names_in(tmp_path) if "damaged" in name} == set()


def test_the_log_beside_the_archive_is_kept_and_not_taken_for_the_new_ones(path: Path, tmp_path: Path) -> None:
    with closing(Store(tmp_path / "other" / "archive.sqlite3")) as other:
        other.create(ConversationInfo("c", "Other", 1.0, 1.0), [said("o1")])
        made = make_backup(other.path, tmp_path / "b.sqlite3")
    with closing(Store(path)) as killed:
        killed.create(ConversationInfo("c", "A", 1.0, 1.0), [said("m1")])
        names = ("archive.sqlite3", "archive.sqlite3-wal")
        left = {name: (tmp_path / name).read_bytes() for name in names}
    for name, content in left.items():
        (tmp_path / name).write_bytes(content)
    aside = restore_backup(path, Path(made.file))
    assert aside is not None
    assert (entries_of(aside), entries_of(path)) == (["m1"], ["o1"])


@pytest.mark.wire
def test_nothing_is_restored_while_the_archive_is_open(store: Store, path: Path, tmp_path: Path) -> None:
    made = make_backup(path, tmp_path / "b.sqlite3")
    store.append("c", said("m1"))
    with pytest.raises(ArchiveError) as raised:
        restore_backup(path, Path(made.file))
    assert raised.value.failure.kind == "locked"
    assert [entry.id for entry in store.entries("c")] == ["m1"]


@pytest.mark.parametrize("fault", ["cut", "page", "empty", "text", "missing", "newer"])
def test_a_backup_that_is_not_sound_changes_nothing(store: Store, path: Path, tmp_path: Path, fault: str) -> None:
    store.append("c", *(said(f"m{n}", f"mark{n} " * 300) for n in range(20)))
    file = Path(make_backup(path, tmp_path / "elsewhere" / "b.sqlite3").file)
    store.close()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    match fault:
        case "cut":
            file.write_bytes(file.read_bytes()[:-8192])
        case "page":
            overwrite_page(file, "entries", b"mark7")
        case "empty":
            file.write_bytes(b"")
        case "text":
            file.write_text("No archive.")
        case "missing":
            file.unlink()
        case _:
            with closing(sqlite3.connect(file)) as connection:
                connection.execute("PRAGMA user_version = 1000")
    with pytest.raises(ArchiveError) as raised:
        restore_backup(path, file)
    assert raised.value.failure.kind == {"missing": "not_found", "newer": "newer"}.get(fault, "damaged")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def test_a_backup_of_an_older_version_is_brought_up_to_date_when_it_is_opened(path: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.sqlite3"
    with closing(sqlite3.connect(old)) as connection:
        for statement in FIRST:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("INSERT INTO conversations VALUES ('c', 'Old', 1, 1, '', 0, 'safe', 0)")
        connection.commit()
    assert restore_backup(path, old) is None
    with closing(Store(path)) as store:
        assert [info.title for info in store.conversations()] == ["Old"]
