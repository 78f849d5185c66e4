"""What was done to a disk, as disk.c wrote it down, and what a power cut leaves of it.

The model is POSIX's, with names that become durable in their order, as the journals of ext4, XFS and APFS keep them:
- what was written to a file is durable once that file was synced; a name, once its folder was synced;
- of what came after, nothing may be there (`NOTHING`), everything (`EVERYTHING`), or any of it (`TORN`): each block of
  512 bytes by itself, whatever was written before or after it, and of the names those up to some moment. A file that
  grew and whose blocks are lost has zeros in their place.
"""

from __future__ import annotations

import random
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

SECTOR = 512
NOTHING, TORN, EVERYTHING = "nothing", "torn", "everything"
WAYS = (NOTHING, TORN, EVERYTHING)


class Change(NamedTuple):
    """A record of the log. kind: W(rite), T(runcate), C(reate), S(ync), U(nlink), M(ake a folder), R(ename), L(ink),
    and A(cknowledge): what the program wrote into a pipe."""

    kind: str
    path: str
    second: str
    data: bytes
    offset: int


def read_log(file: Path) -> Iterator[Change]:
    content, at = file.read_bytes(), 0
    while at < len(content):
        kind, *lengths, offset = struct.unpack_from("5q", content, at)
        at += 40
        parts = []
        for length in lengths:
            parts.append(content[at : at + length])
            at += length
        yield Change(chr(kind), parts[0].decode(), parts[1].decode(), parts[2], offset)


class File:
    """What a file holds: durable bytes, and what was done to it since it was synced."""

    def __init__(self, durable: bytes = b"") -> None:
        self._durable = bytearray(durable)
        self._pending: list[tuple[int, bytes | None]] = []

    def change(self, offset: int, data: bytes | None) -> None:
        """data None: it is cut or grown to `offset` bytes."""
        self._pending.append((offset, data))

    def sync(self) -> None:
        for offset, data in self._pending:
            _apply(self._durable, offset, data)
        self._pending.clear()

    def left(self, way: str, chance: random.Random) -> bytes:
        found, share = bytearray(self._durable), chance.random()
        for offset, data in self._pending if way != NOTHING else ():
            if way == EVERYTHING or data is None:
                if way == EVERYTHING or chance.random() < share:
                    _apply(found, offset, data)
                continue
            end = 0
            while end < len(data):
                begin, end = end, min(end + SECTOR - (offset + end) % SECTOR, len(data))
                if chance.random() < share:
                    _apply(found, offset + begin, data[begin:end])
        return bytes(found)


def _apply(content: bytearray, offset: int, data: bytes | None) -> None:
    end = offset if data is None else offset + len(data)
    if len(content) < end:
        content.extend(bytes(end - len(content)))
    if data is None:
        del content[offset:]
    else:
        content[offset:end] = data


FOLDER = File()
Names = dict[str, File]
Step = list[tuple[str, File | None]]
"""Names that change at once, each with its file; None where it goes."""


class Disk:
    """A disk while a log is done to it again. root: the folder that was there before. before: what it held then, as a
    copy of it; nothing without one."""

    def __init__(self, root: Path, before: Path | None = None) -> None:
        self._root = str(root)
        self._names: Names = {self._root: FOLDER}
        if before is not None:
            for path in before.rglob("*"):
                file = FOLDER if path.is_dir() else File(path.read_bytes())
                self._names[str(root / path.relative_to(before))] = file
        self._durable: Names = dict(self._names)
        self._pending: list[Step] = []

    def take(self, change: Change) -> None:
        match change.kind:
            case "W":
                self._names[change.path].change(change.offset, change.data)
            case "T":
                self._names[change.path].change(change.offset, None)
            case "S":
                self._sync(change.path)
            case "A":
                pass
            case _:
                self._rename(_step(change, self._names))

    def _rename(self, step: Step) -> None:
        _move(self._names, step)
        self._pending.append(step)

    def _sync(self, path: str) -> None:
        file = self._names[path]
        if file is not FOLDER:
            file.sync()
            return
        done = [step for step in self._pending if any(_parent(name) == path for name, _ in step)]
        for step in done:
            _move(self._durable, step)
        self._pending = [step for step in self._pending if step not in done]

    def left(self, way: str, chance: random.Random, folder: Path) -> None:
        """Writes what a power cut leaves at this moment into an empty folder."""
        names = dict(self._durable)
        count = {NOTHING: 0, TORN: chance.randint(0, len(self._pending)), EVERYTHING: len(self._pending)}[way]
        for step in self._pending[:count]:
            _move(names, step)
        written: dict[int, Path] = {}
        for name in sorted(names):
            target, file = folder / PurePosixPath(name).relative_to(self._root), names[name]
            if file is FOLDER:
                target.mkdir(exist_ok=True)
            elif id(file) in written:  # another name of it
                target.hardlink_to(written[id(file)])
            elif target.parent.is_dir():  # else no name leads to it
                target.write_bytes(file.left(way, chance))
                written[id(file)] = target


def _step(change: Change, names: Names) -> Step:
    match change.kind:
        case "C":
            return [(change.path, File())]
        case "M":
            return [(change.path, FOLDER)]
        case "U":
            return [(change.path, None)]
        case "L":
            return [(change.second, names[change.path])]
        case "R":
            return [(change.path, None), (change.second, names[change.path])]
    raise AssertionError(change.kind)


def _move(names: Names, step: Step) -> None:
    for name, file in step:
        if file is None:
            names.pop(name, None)
        else:
            names[name] = file


def _parent(name: str) -> str:
    return str(PurePosixPath(name).parent)


def emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
