"""Commands on a disk that becomes full while they write: what was there stays, and they can be done again.

A scene is a function of SCENES: it fills a folder, and returns the command and what must hold when it has failed.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from cut_commands import CONVERSATIONS, MESSAGES, check_folder, program, titles_of
from killed import ROOT, check_data, entries_of
from killed_commands import fill, write_export
from shim import PARTS, FailingDisk, spread

from desktop_app.archive.backups import list_backups, make_backup
from desktop_app.archive.whole_archive import export_whole
from desktop_app.commands.arguments import WORLD_ERROR
from desktop_app.conversation.message import Message
from desktop_app.paths import backups_folder, database_file, spills_folder
from stores import Store

OLD = b"what was there"
FULL = ("The disk is full", "No space left on device", "database or disk is full")


class Scene(NamedTuple):
    """command: run on the full disk. check: raises what it misses; whether the command has succeeded."""

    command: list[str]
    check: Callable[[bool], None]


def stands(data: Path) -> None:
    """The archive that was there is as it was."""
    Store(database_file(data)).close()
    check_data(data)
    check_folder(data)


def backup(disk: Path, beside: Path) -> Scene:
    data = disk / "data"
    fill(database_file(data), "Old", MESSAGES)
    make_backup(database_file(data), backups_folder(data) / "archive-2020-01-01T000000.sqlite3")

    def check(has_succeeded: bool) -> None:
        stands(data)
        assert len(entries_of(data)["c"]) == MESSAGES
        assert len(list_backups(backups_folder(data))) == 1 + has_succeeded
        assert all(not each.is_damaged and each.entries == MESSAGES for each in list_backups(backups_folder(data)))
        assert len(list(backups_folder(data).iterdir())) == 1 + has_succeeded

    return Scene(program("backup", "--data-dir", str(data)), check)


def restore(disk: Path, beside: Path) -> Scene:
    data, file = disk / "data", beside / "b.sqlite3"
    fill(database_file(data), "Old", MESSAGES)
    fill(database_file(beside / "other"), "New", MESSAGES)
    make_backup(database_file(beside / "other"), file)

    def check(has_succeeded: bool) -> None:
        stands(data)
        assert titles_of(data) == {"c": "New" if has_succeeded else "Old"}
        assert len(list(data.glob("archive.before-restore-*"))) == has_succeeded

    return Scene(program("restore", str(file), "--data-dir", str(data)), check)


def export(disk: Path, beside: Path) -> Scene:
    data, target = beside / "data", disk / "target.md"
    fill(database_file(data), "Old", MESSAGES)

    def check(has_succeeded: bool) -> None:
        assert [path.name for path in disk.iterdir()] == (["target.md"] if has_succeeded else [])

    return Scene(program("export", "c", str(target), "--data-dir", str(data)), check)


def export_over(disk: Path, beside: Path) -> Scene:
    scene, target = export(disk, beside), disk / "target.md"
    target.write_bytes(OLD)

    def check(has_succeeded: bool) -> None:
        assert [path.name for path in disk.iterdir()] == ["target.md"]
        assert (target.read_bytes() == OLD) is not has_succeeded

    return Scene([*scene.command, "--replace"], check)


def export_all(disk: Path, beside: Path) -> Scene:
    data, target = beside / "data", disk / "all.zip"
    fill(database_file(data), "Old", MESSAGES)

    def check(has_succeeded: bool) -> None:
        assert [path.name for path in disk.iterdir()] == (["all.zip"] if has_succeeded else [])

    return Scene(program("export", "--all", str(target), "--data-dir", str(data)), check)


def import_chats(disk: Path, beside: Path) -> Scene:
    data, file = disk / "data", beside / "conversations.json"
    fill(database_file(data), "Old", MESSAGES)
    old, said = entries_of(data)["c"], write_export(file, random.Random(5), CONVERSATIONS)

    def check(has_succeeded: bool) -> None:
        stands(data)
        entries, titles = entries_of(data), titles_of(data)
        assert entries.pop("c") == old
        assert titles.pop("c") == "Old"
        for name, title in titles.items():
            assert sorted(each.text for each in entries[name] if isinstance(each, Message)) == said[title]
        assert len(titles) == len(set(titles.values()))
        assert len(titles) == CONVERSATIONS or not has_succeeded

    return Scene(program("import", str(file), "--data-dir", str(data)), check)


def import_whole(disk: Path, beside: Path) -> Scene:
    data, other, file = disk / "data", beside / "other", beside / "all.zip"
    fill(database_file(data), "Old", MESSAGES)
    fill(database_file(other), "New", MESSAGES, "n")
    export_whole(database_file(other), spills_folder(other), file)

    def check(has_succeeded: bool) -> None:
        stands(data)
        assert titles_of(data) == ({"c": "Old", "n": "New"} if has_succeeded else {"c": "Old"})

    return Scene(program("import", str(file), "--data-dir", str(data)), check)


SCENES: dict[str, Callable[[Path, Path], Scene]] = {
    "backup": backup,
    "restore": restore,
    "export": export,
    "export over a file": export_over,
    "export of everything": export_all,
    "import": import_chats,
    "import of a whole archive": import_whole,
}


class Trials:
    """A scene that is done again and again. failed: how often the command did."""

    def __init__(self, folder: Path, name: str) -> None:
        self._disk, self._before, beside = folder / "disk", folder / "before", folder / "beside"
        self._disk.mkdir()
        beside.mkdir()
        self._scene = SCENES[name](self._disk, beside)
        shutil.copytree(self._disk, self._before)
        self._failing = FailingDisk(self._disk, folder / "control")
        self.failed = 0

    def writes(self) -> int:
        """Return how many writes the command takes."""
        before = self._failing.count
        assert self._run().returncode == 0
        self._scene.check(True)
        return self._failing.count - before

    def fill(self, calls: int, part: int) -> None:
        """Let the disk be full after that many writes, then free it."""
        shutil.rmtree(self._disk)
        shutil.copytree(self._before, self._disk)
        self._failing.set(calls=calls, part=part)
        done = self._run()
        self._failing.set()
        errors = done.stderr.decode()
        assert "Traceback" not in errors, errors
        assert done.returncode in (0, WORLD_ERROR), errors
        if done.returncode == WORLD_ERROR:
            self.failed += 1
            assert any(word in errors for word in FULL), errors
            self._scene.check(False)
            again = self._run()
            assert again.returncode == 0, again.stderr.decode()
        self._scene.check(True)

    def _run(self) -> subprocess.CompletedProcess[bytes]:
        environment = {**os.environ, **self._failing.environment, "PYTHONPATH": str(ROOT)}
        return subprocess.run(self._scene.command, env=environment, capture_output=True, cwd=ROOT, check=False)


def fill_at(folder: Path, name: str, count: int, seed: str) -> str:
    """Fill the disk at that many places of a command, and return what was found."""
    trials = Trials(folder, name)
    writes = trials.writes()
    chosen = spread([(call, part) for call in range(writes) for part in PARTS], count, random.Random(seed))
    for call, part in chosen:
        try:
            trials.fill(call, part)
        except BaseException as error:
            error.add_note(f"{name}, full at write {call} of {writes}, part {part}")
            raise
    return (
        f"full disk in {name}: {len(chosen)} of {writes * len(PARTS)} places, {trials.failed} failed, 0 losses, {seed=}"
    )
