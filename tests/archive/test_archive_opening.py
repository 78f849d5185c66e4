from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import peewee
import pytest
from archive_messages import said

from desktop_app.archive.damage import examine
from desktop_app.archive.migrations import APPLICATION_ID, FIRST, MIGRATIONS, migrate
from desktop_app.conversation.events import ArchiveError, Failure
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message
from stores import Store
from texts import ALREADY_OPEN, NOT_AN_ARCHIVE

DATA = Path(__file__).with_name("data")
PROJECT = Path(__file__).parents[2]

WRITER = """
import sys
from pathlib import Path
from desktop_app.archive.store import Store
from desktop_app.archive.writing import store_partial
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text

store = Store(Path(sys.argv[1]))
store.create(ConversationInfo("k", "Killed", 1.0, 1.0))
for number in range(1_000_000):
    store.append("k", Message(id=f"m{number}", at=2.0, role=Role.USER, parts=(Text("x" * 500),)))
    store.write(store_partial, "k", Message(id="reply", role=Role.ASSISTANT, parts=(Text(f"after {number}"),)))
    print(number, flush=True)
"""


def failure_of_opening(path: Path, read_only: bool = False) -> Failure:
    with pytest.raises(ArchiveError) as caught:
        Store(path, read_only)
    assert caught.value.failure.detail or caught.value.failure.advice
    return caught.value.failure


def test_an_archive_is_created_with_its_folder_and_leaves_no_log_behind(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "archive.sqlite3"
    store = Store(path)
    assert store.database.execute_sql("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store.database.execute_sql("PRAGMA synchronous").fetchone() == (2,), "a power cut loses nothing"
    assert store.database.execute_sql("PRAGMA foreign_keys").fetchone() == (1,)
    assert store.database.execute_sql("PRAGMA busy_timeout").fetchone() == (5_000,)
    store.close()
    assert sorted(file.name for file in path.parent.iterdir()) == ["archive.counts", "archive.lock", "archive.sqlite3"]
    assert path.read_bytes()[68:72] == b"Plmp" == APPLICATION_ID.to_bytes(4, "big")


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS) + 1))
def test_an_archive_of_each_version_still_opens(version: int, path: Path) -> None:
    shutil.copy(DATA / f"version-{version}.sqlite3", path)
    store = Store(path)
    assert [(info.title, info.messages) for info in store.conversations()] == [("Split the ledger", 4)]
    kinds = [*["Message"] * 4, "Compaction", "Pin"] + ["Flush", "RequestContext", "Recalled", "Permit"] * (version > 1)
    assert [type(entry).__name__ for entry in store.entries("old")] == kinds
    assert store.conversation("old").folder == ("/home/ann/billing" if version > 1 else "")
    assert [memory.text for memory in store.memories()] == (["The user's name is Ann."] if version > 1 else [])
    expected = [] if version == 1 else [("folder" if version >= 4 else "user", "/home/ann/billing")]
    assert [(memory.scope, memory.folder) for memory in store.memories()] == expected
    assert [(result.message, result.archived) for result in store.search("billing/models/ledger.py")] == [
        ("old-1", True)
    ]
    assert [project.name for project in store.projects()] == (["Billing"] if version >= 9 else [])
    assert store.conversation("old").project == (store.projects()[0].id if version >= 9 else "")
    assert store.search("数据库")[0].message == "old-4"
    assert store.recover_partials() == 1
    health = store.read(examine)
    assert (health.damage, health.unreadable, health.unsearchable) == ((), (), ())
    store.close()


@pytest.mark.parametrize(("folder", "scope"), [("/home/ann/billing", "folder"), ("", "conversation")])
def test_what_was_saved_by_rule_without_being_asked_stays_where_it_was_said(
    folder: str, scope: str, path: Path
) -> None:
    shutil.copy(DATA / "version-2.sqlite3", path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE conversations SET folder = ?", (folder,))
        connection.execute("UPDATE memories SET author = 'rule' WHERE id = 'old-m1'")
    connection.close()
    store = Store(path)
    (memory,) = store.memories()
    assert (memory.scope, memory.folder, memory.conversation) == (scope, folder, "old")
    store.close()


def test_each_section_becomes_a_project_of_its_name(path: Path) -> None:
    shutil.copy(DATA / "version-7.sqlite3", path)
    sections = ["Work", " work ", "Über uns", "", "Home"]
    with sqlite3.connect(path) as connection:
        for number, section in enumerate(sections):
            values = (f"c{number}", f"Number {number}", 10.0 - number, 20.0, section, number == 4)
            connection.execute(
                "INSERT INTO conversations (id, title, created_at, updated_at, section, is_deleted, model, share,"
                " status, folder) VALUES (?, ?, ?, ?, ?, ?, '', 0.0, 'safe', '')",
                values,
            )
    connection.close()
    store = Store(path)
    names = {project.id: project.name for project in store.projects()}
    assert sorted(name.casefold() for name in names.values()) == ["home", "work", "über uns"]
    found = {info.id: names.get(info.project, "").casefold() for info in store.conversations()}
    assert found == {"old": "", "c0": "work", "c1": "work", "c2": "über uns", "c3": ""}
    assert {project.created_at for project in store.projects()} == {9.0, 8.0, 6.0}
    store.change("c4", is_deleted=False)
    assert names[store.conversation("c4").project] == "Home"
    assert all((one.folder, one.instructions, one.recall_in) == ("", "", "conversation") for one in store.projects())
    store.close()


def test_a_migration_makes_a_backup_first_and_keeps_older_backups(path: Path) -> None:
    shutil.copy(DATA / "version-1.sqlite3", path)
    old_backup = path.with_name("archive.backup-v1.sqlite3")
    old_backup.write_bytes(b"an older one")
    database = peewee.SqliteDatabase(str(path))
    migrate(database, path, (FIRST, ("ALTER TABLE conversations ADD COLUMN note TEXT NOT NULL DEFAULT ''",)))
    assert database.execute_sql("SELECT note FROM conversations").fetchall() == [("",)]
    assert database.execute_sql("PRAGMA user_version").fetchone() == (2,)
    database.close()
    assert old_backup.read_bytes() == b"an older one"
    backup = Store(path.with_name("archive.backup-v1-2.sqlite3"))
    assert len(backup.entries("old")) == 6
    backup.close()


def test_a_migration_that_fails_leaves_the_archive_as_it_was(path: Path) -> None:
    shutil.copy(DATA / "version-1.sqlite3", path)
    database = peewee.SqliteDatabase(str(path))
    with pytest.raises(peewee.OperationalError, match="no such table"):
        migrate(database, path, (FIRST, ("CREATE TABLE new (a)", "ALTER TABLE missing ADD COLUMN b")))
    database.close()
    store = Store(path)
    assert len(store.entries("old")) == 6
    assert not store.database.execute_sql("SELECT 1 FROM sqlite_master WHERE name = 'new'").fetchall()
    store.close()


def test_a_newer_archive_is_not_touched(path: Path) -> None:
    Store(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    content = path.read_bytes()
    for read_only in (False, True):
        failure = failure_of_opening(path, read_only)
        assert "newer Palimpsest" in failure.title
        assert "version 99" in failure.detail
    assert path.read_bytes() == content


def foreign_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE conversations (mine)")
    connection.commit()
    connection.close()


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    "make",
    [foreign_database, lambda path: path.write_text("some notes\n" * 50), lambda path: path.write_bytes(b"\0" * 4096)],
)
def test_a_foreign_file_is_recognised_and_not_touched(path: Path, make, read_only: bool) -> None:
    make(path)
    content, names = path.read_bytes(), {file.name for file in path.parent.iterdir()}
    failure = failure_of_opening(path, read_only)
    assert failure.title == NOT_AN_ARCHIVE.format(path=path)
    assert failure.kind == "damaged"
    assert path.read_bytes() == content
    assert {file.name for file in path.parent.iterdir()} - names <= {"archive.lock"}


def test_what_there_is_in_the_archives_place_decides(path: Path) -> None:
    assert failure_of_opening(path, read_only=True).kind == "not_found"
    assert not path.exists()
    path.touch()
    store = Store(path)
    assert store.conversations() == (), "an empty file becomes an archive"
    store.close()
    failure = failure_of_opening(path / "data" / "archive.sqlite3")
    assert (failure.kind, "cannot be used" in failure.title) == ("disk", True)
    path.unlink()
    path.mkdir()
    assert NOT_AN_ARCHIVE.format(path=path) in failure_of_opening(path).title


@pytest.fixture
def nobody() -> Iterator[Path]:
    """A folder of ours, while the rights of a user who owns nothing apply (root may write everywhere)."""
    if sys.platform == "win32":
        pytest.skip("needs the permissions of Unix")
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
        folder.chmod(0o755)
        shutil.rmtree(folder)


def lose_rights(folder: Path) -> None:
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    if os.getuid() == 0:
        os.seteuid(65_534)


def test_a_read_only_folder_is_said_plainly_and_can_still_be_read(nobody: Path) -> None:
    path = nobody / "archive.sqlite3"
    store = Store(path)
    store.create(ConversationInfo("c", "A conversation", 1.0, 1.0), (said("m1", "the ledger"),))
    store.close()
    lose_rights(nobody)
    assert failure_of_opening(path).kind == "disk"
    reader = Store(path, read_only=True)
    assert [result.message for result in reader.search("ledger")] == ["m1"]
    with pytest.raises(ArchiveError, match="cannot be written") as caught:
        reader.append("c", said("m2"))
    assert caught.value.failure.kind == "disk"
    reader.close()


def test_an_empty_read_only_folder_is_said_plainly(nobody: Path) -> None:
    lose_rights(nobody)
    failure = failure_of_opening(nobody / "archive.sqlite3")
    assert (failure.kind, failure.title) == ("disk", f"The data folder {nobody} cannot be used")


@pytest.mark.wire
def test_a_second_writer_is_told_so_while_readers_are_welcome(store: Store) -> None:
    store.append("c", said("m1"))
    failure = failure_of_opening(store.path)
    assert failure.kind == "locked"
    assert failure.title == ALREADY_OPEN
    assert str(os.getpid()) in failure.detail
    reader = Store(store.path, read_only=True)
    store.append("c", said("m2"))
    assert [entry.id for entry in reader.entries("c")] == ["m1", "m2"]
    reader.close()


@pytest.mark.wire
def test_a_writer_that_waits_gets_the_folder_when_the_other_one_closes(path: Path) -> None:
    first = Store(path)
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE) as second:
        assert second.stdout is not None
        first.close()
        assert second.stdout.readline() == b"0\n"
        second.kill()


@pytest.mark.wire
def test_a_killed_writer_loses_nothing_that_it_acknowledged_and_frees_the_folder(path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(30)]
        writer.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in writer.stdout.read().split(b"\n")[:-1]]
    store = Store(path)
    messages = store.entries("k")
    assert [message.id for message in messages[: len(acknowledged)]] == [f"m{number}" for number in acknowledged]
    assert store.recover_partials() == 1
    reply = store.entries("k")[-1]
    assert isinstance(reply, Message)
    assert reply.is_interrupted
    assert int(reply.text.removeprefix("after ")) >= acknowledged[-1]
    assert store.read(examine).damage == ()
    store.close()


def test_a_disk_that_is_full_when_the_archive_is_closed_loses_nothing_and_is_no_failure(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    resource = pytest.importorskip("resource")
    path, message = tmp_path / "archive.sqlite3", said("m", "long " * 20_000)
    store = Store(path)
    store.create(ConversationInfo("c", "C", 1.0, 1.0), [message])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, limits[1]))  # as a full disk: it cannot grow
    try:
        store.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "archive.sqlite3" in caplog.text
    again = Store(path)
    assert again.entries("c") == (message,)
    again.close()
