"""A disk that becomes full at any byte of what an append to the archive writes: nothing of it is stored, and the next
one is whole.

    python full_at_bytes.py ARCHIVE     # appends a message for each line, and says how that ended
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from recorded import read_log
from shim import FIRST, FailingDisk, Place, spread

from builders import user
from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.listing import ConversationInfo
from stores import Store

ROOT = Path(__file__).resolve().parent.parent.parent
CONVERSATION = "c"
CHECK_EVERY = 1_000
"""Trials between two looks at the whole archive."""


class Appender:
    """A process that appends to an archive on a disk that can fail."""

    def __init__(self, archive: Path, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(archive)],
            env={**os.environ, **environment, "PYTHONPATH": f"{ROOT}:{ROOT}/tests/support:{Path(__file__).parent}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        assert self._said() == "open"

    def append(self, name: str) -> str:
        """Return "stored", or the kind of the failure."""
        assert self._process.stdin
        self._process.stdin.write(f"{name}\n")
        return self._said()

    def _said(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        self._process.communicate()
        assert self._process.returncode == 0


def sizes_of_writes(folder: Path) -> list[int]:
    """Return the bytes of each write of an append."""
    folder.mkdir()
    log = folder / "log"
    environment = FailingDisk(folder / "data", folder / "control").environment
    with closing(Appender(folder / "data" / "archive.sqlite3", environment | {"FAULTS_LOG": str(log)})) as appender:
        assert appender.append("first") == "stored"
        before = len(list(read_log(log)))
        assert appender.append("second") == "stored"
        return [len(change.data) for change in list(read_log(log))[before:] if change.kind == "W"]


def fill_at_bytes(folder: Path, trials: int, seed: str) -> str:
    """Fill the disk at that many places, spread over all bytes of an append; return what was found."""
    sizes = sizes_of_writes(folder / "sizes")
    places: list[Place] = [(call, FIRST + byte) for call, size in enumerate(sizes) for byte in range(size)]
    chosen = spread(places, trials, random.Random(seed))
    archive, disk = folder / "data" / "archive.sqlite3", FailingDisk(folder / "data", folder / "control")
    stored, failed = list[str](), 0
    with closing(Appender(archive, disk.environment)) as appender, closing(Store(archive, read_only=True)) as reader:
        for number, (call, part) in enumerate(chosen):
            disk.set(calls=call, part=part)
            said = appender.append(f"m{number}")
            disk.set()
            assert said in ("stored", "disk"), said
            assert newest(reader) == (f"m{number}" if said == "stored" else "".join(stored[-1:])), (call, part)
            failed += said == "disk"
            again = appender.append(f"m{number}") if said == "disk" else said
            assert again == "stored", (call, part)
            stored.append(f"m{number}")
            if number % CHECK_EVERY == CHECK_EVERY - 1:
                check_whole(archive, stored)
    check_whole(archive, stored)
    return (
        f"disk full at {len(chosen)} of {len(places)} bytes of {len(sizes)} writes, {failed} failed, 0 losses, {seed=}"
    )


def newest(reader: Store) -> str:
    found = reader.database.execute_sql("SELECT id FROM entries ORDER BY number DESC LIMIT 1").fetchone()
    return found[0] if found else ""


def check_whole(archive: Path, stored: list[str]) -> None:
    """Everything that was said to be stored is there once, in its order, and the file is sound."""
    with closing(Store(archive, read_only=True)) as store:
        assert [entry.id for entry in store.entries(CONVERSATION)] == stored
        assert store.database.execute_sql("PRAGMA integrity_check").fetchall() == [("ok",)]


def main(archive: str) -> None:
    with closing(Store(Path(archive))) as store:
        store.create(ConversationInfo(CONVERSATION, "C", 1.0, 1.0))
        print("open", flush=True)
        for line in sys.stdin:
            name = line.strip()
            try:
                store.append(CONVERSATION, user(f"{name} goes on. " * 20, id=name))
            except ArchiveError as error:
                print(error.failure.kind, flush=True)
            else:
                print("stored", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
