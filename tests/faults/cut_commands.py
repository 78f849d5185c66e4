"""Commands that replace or fill an archive, each recorded once: what a power cut may leave of it at any change.

A scene is a function of SCENES: it fills a data folder, and returns the command and what must hold of what is left.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from killed import OF_DATA, ROOT, entries_of
from killed_commands import OLD_ARCHIVES, fill, grown, write_export
from recorded import WAYS, Change, Disk, emptied, read_log
from shim import shim

from desktop_app.__main__ import main
from desktop_app.archive.backups import make_backup, restore_backup
from desktop_app.archive.whole_archive import export_whole
from desktop_app.commands.doctor import checks
from desktop_app.conversation.message import Message
from desktop_app.paths import database_file, spills_folder
from stores import Store

MESSAGES = 300
CONVERSATIONS = 25
COPIES = 20
OPENED = (
    "from pathlib import Path; from desktop_app.archive.store import Store; Store(Path({!r})).close(); print('open')"
)


class Scene(NamedTuple):
    """command: what is recorded. check: raises what it misses of a data folder that was opened again; whether the
    command had told that it is done. again: does it once more, after which `check` holds as if it had told."""

    command: list[str]
    check: Callable[[Path, bool], None]
    again: Callable[[Path], None]


def run_command(*arguments: str) -> None:
    assert main(list(arguments)) == 0


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "desktop_app", *arguments]


def titles_of(data: Path) -> dict[str, str]:
    with closing(Store(database_file(data), read_only=True)) as store:
        return {info.id: info.title for info in store.conversations()}


def restore(data: Path, beside: Path) -> Scene:
    """The archive is the old one, or the new one with the old one beside it."""
    fill(database_file(data), "Old", MESSAGES)
    fill(database_file(beside / "other"), "New", MESSAGES)
    backup = beside / "b.sqlite3"
    make_backup(database_file(beside / "other"), backup)
    old = entries_of(data)["c"]

    def check(left: Path, is_told: bool) -> None:
        (title,) = titles_of(left).values()
        kept = sorted(left.glob("archive.before-restore-*.sqlite3"))
        assert title == "New" or not is_told, "told, and not there"
        assert bool(kept) is (title == "New")
        assert len(entries_of(left)["c"]) == MESSAGES
        if kept:
            with closing(Store(kept[0], read_only=True)) as store:
                assert store.entries("c") == old, "of the old archive something is lost"

    return Scene(
        program("restore", str(backup), "--data-dir", str(data)),
        check,
        lambda left: restore_backup(database_file(left), backup) and None,
    )


def migrate(data: Path, version: int) -> Scene:
    """Every entry is there; the copy of before is whole once the archive is of the new version."""
    bodies = grown(OLD_ARCHIVES / f"version-{version}.sqlite3", database_file(data), COPIES)

    def check(left: Path, is_told: bool) -> None:
        with closing(sqlite3.connect(database_file(left))) as connection:
            assert dict(connection.execute("SELECT id, body FROM entries")) == bodies
        copies = sorted(left.glob("archive.backup-v*.sqlite3"))
        assert copies
        for copy in copies:
            with closing(sqlite3.connect(f"{copy.as_uri()}?immutable=1", uri=True)) as connection:
                assert dict(connection.execute("SELECT id, body FROM entries")) == bodies

    def open_again(left: Path) -> None:
        Store(database_file(left)).close()

    return Scene([sys.executable, "-c", OPENED.format(str(database_file(data)))], check, open_again)


def create(data: Path) -> Scene:
    """A new archive is made again if its making broke off: nothing was said in it."""

    def check(left: Path, is_told: bool) -> None:
        assert titles_of(left) == {}

    def open_again(left: Path) -> None:
        Store(database_file(left)).close()

    return Scene([sys.executable, "-c", OPENED.format(str(database_file(data)))], check, open_again)


def import_chats(data: Path, beside: Path) -> Scene:
    """What was there is there, and each conversation of the file is there whole or not at all."""
    fill(database_file(data), "Old", MESSAGES)
    old, file = entries_of(data)["c"], beside / "conversations.json"
    said = write_export(file, random.Random(5), CONVERSATIONS)

    def check(left: Path, is_told: bool) -> None:
        entries, titles = entries_of(left), titles_of(left)
        assert entries.pop("c") == old, "of the old archive something is lost"
        assert titles.pop("c") == "Old"
        assert len(set(titles.values())) == len(titles), "imported twice"
        for name, title in titles.items():
            assert sorted(each.text for each in entries[name] if isinstance(each, Message)) == said[title]
        assert len(titles) == CONVERSATIONS or not is_told, "told, and not there"

    return Scene(
        program("import", str(file), "--json", "--data-dir", str(data)),
        check,
        lambda left: run_command("import", str(file), "--json", "--data-dir", str(left)),
    )


def import_whole(data: Path, beside: Path) -> Scene:
    """What was there is there, and of the file all or nothing, with its long outputs."""
    fill(database_file(data), "Old", MESSAGES)
    old, other, file = entries_of(data)["c"], beside / "other", beside / "all.zip"
    write_export(beside / "conversations.json", random.Random(6), CONVERSATIONS)
    run_command("import", str(beside / "conversations.json"), "--json", "--data-dir", str(other))
    for content in (b"a long output " * number for number in range(1_000, 1_006)):
        name = sha256(content).hexdigest()
        spill = spills_folder(other) / name[:2] / name
        spill.parent.mkdir(parents=True, exist_ok=True)
        spill.write_bytes(content)
    export_whole(database_file(other), spills_folder(other), file)
    new = entries_of(other)

    def check(left: Path, is_told: bool) -> None:
        entries = entries_of(left)
        assert entries.pop("c") == old, "of the old archive something is lost"
        assert entries in ({}, new), "a part of it"
        assert entries or not is_told, "told, and not there"
        spills = [path for path in spills_folder(left).glob("*/*") if path.suffix != ".new"]
        assert all(sha256(path.read_bytes()).hexdigest() == path.name for path in spills)
        assert len(spills) == 6 or not entries, "a message names an output that is not there"

    return Scene(
        program("import", str(file), "--json", "--data-dir", str(data)),
        check,
        lambda left: run_command("import", str(file), "--json", "--data-dir", str(left)),
    )


SCENES: dict[str, Callable[[Path, Path], Scene]] = {
    "new archive": lambda data, _: create(data),
    "restore": restore,
    "migration of version 1": lambda data, _: migrate(data, 1),
    "migration of version 8": lambda data, _: migrate(data, 8),
    "import": import_chats,
    "import of a whole archive": import_whole,
}


def record(folder: Path, name: str) -> tuple[Scene, Path]:
    """Run the command of a scene once. Return it and the log; a copy of the disk before it is in `before`."""
    disk, beside, log = folder / "disk", folder / "beside", folder / "log"
    beside.mkdir()
    disk.mkdir()
    scene = SCENES[name](disk / "data", beside)
    shutil.copytree(disk, folder / "before")
    environment = {"LD_PRELOAD": str(shim()), "FAULTS_ROOT": str(disk), "FAULTS_LOG": str(log)}
    environment |= {"PYTHONPATH": str(ROOT), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    done = subprocess.run(scene.command, env={**os.environ, **environment}, capture_output=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout
    return scene, log


def spread_places(changes: Sequence[Change], count: int, chance: random.Random) -> set[int]:
    """Return that many places: of names that change and of syncs first, since few changes are, then of all."""
    numbers = [number for number, change in enumerate(changes) if change.kind != "A"]
    rare = [number for number in numbers if changes[number].kind != "W"]
    chosen = set(chance.sample(rare, min(len(rare), count // 2)))
    chosen.add(numbers[-1])
    rest = [number for number in numbers if number not in chosen]
    return chosen | set(chance.sample(rest, min(count - len(chosen), len(rest))))


def cut(folder: Path, name: str, count: int, seed: str) -> tuple[int, int, int]:
    """Cut the power at that many places of a scene. Return how many trials and places there were, of how many."""
    chance = random.Random(f"{seed}-{name}")
    scene, log = record(folder, name)
    changes = list(read_log(log))
    disk = Disk(folder / "disk", folder / "before")
    places, trials, is_told = spread_places(changes, count, chance), 0, False
    for place, change in enumerate(changes):
        disk.take(change)
        is_told |= change.kind == "A"
        for way in WAYS if place in places else ():
            root = emptied(folder / "left" / "disk")
            disk.left(way, chance, root)
            try:
                look(root / "data", scene, is_told)
            except BaseException as error:
                error.add_note(f"{name}, cut at {place} of {len(changes)} ({change.kind} {change.path}), {way}")
                raise
            trials += 1
    return trials, len(places), len(changes)


def look(data: Path, scene: Scene, is_told: bool) -> None:
    """What a power cut left opens, has what it must, and the command can be done again."""
    Store(database_file(data)).close()  # finishes, or removes, what was left
    check_folder(data)
    scene.check(data, is_told)
    scene.again(data)
    check_folder(data)
    scene.check(data, True)


def check_folder(data: Path) -> None:
    """Nothing is damaged or left over."""
    names = [path.name for path in data.iterdir()]
    left = ("restored", "decided", "damaged", "salvaged", "unfinished")
    assert not [name for name in names if any(word in name for word in left)], names
    found = takewhile(lambda check: check.name != "log", checks(data))
    assert [check for check in found if check.name in OF_DATA and not check.ok] == []
