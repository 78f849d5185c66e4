"""Zips that say what is not so of what is in them: what can be read is read, the rest told; nothing is unpacked."""

from __future__ import annotations

import json
import os
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hostile_import import all_replies, watched

from desktop_app.conversation.foreign import FoundConversation, UnreadFile

GOOD = json.dumps([{"role": "user", "content": "What is tea?"}])
BAD = json.dumps([{"role": "user", "content": "What is ink?"}])
Change = Callable[[zipfile.ZipFile, bytearray], None]


def entry(name: str, mode: int = 0o100644, **more: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    for field, value in more.items():
        setattr(info, field, value)
    return info


def made(folder: Path, *entries: tuple[zipfile.ZipInfo, str]) -> Path:
    with zipfile.ZipFile(folder / "chats.zip", "w") as file:
        file.writestr("good.json", GOOD)
        for info, content in entries:
            file.writestr(info, content)
    return folder / "chats.zip"


def patched(file: Path, field: int, value: bytes) -> Path:
    """Change a field of the second entry, in the directory of the zip, at that place of the entry."""
    content = bytearray(file.read_bytes())
    first = content.index(b"PK\x01\x02")
    start = content.index(b"PK\x01\x02", first + 4)
    content[start + field : start + field + len(value)] = value
    file.write_bytes(content)
    return file


ENTRIES: dict[str, Callable[[Path], Path]] = {
    "a link": lambda folder: made(folder, (entry("a.json", stat.S_IFLNK | 0o777), "/etc/passwd")),
    "a link to a folder": lambda folder: made(
        folder, (entry("a", stat.S_IFLNK | 0o777), "/etc"), (entry("a/b.json"), BAD)
    ),
    "a device": lambda folder: made(folder, (entry("zero.json", stat.S_IFCHR | 0o666), "")),
    "a pipe": lambda folder: made(folder, (entry("pipe.json", stat.S_IFIFO | 0o666), "")),
    "an absolute name": lambda folder: made(folder, (entry("/etc/hostile-mark"), BAD)),
    "a name upwards": lambda folder: made(folder, (entry("../../hostile-mark"), BAD)),
    "a drive": lambda folder: made(folder, (entry("C:\\hostile-mark.json"), BAD)),
    "a UNC name": lambda folder: made(folder, (entry("\\\\evil.example\\share\\a.json"), BAD)),
    "a name of 60,000 characters": lambda folder: made(folder, (entry("a" * 60_000), BAD)),
    "a name with a zero": lambda folder: patched(made(folder, (entry("ab.json"), BAD)), 46, b"a\0"),
    "a name that is no UTF-8": lambda folder: patched(made(folder, (entry("éb.json"), BAD)), 46, b"\xff\xfe"),
    "the same name": lambda folder: made(folder, (entry("good2.json"), BAD), (entry("good2.json"), BAD)),
    "a password": lambda folder: patched(made(folder, (entry("a.json"), BAD)), 8, b"\x01\x00"),
    "a method that nobody knows": lambda folder: patched(made(folder, (entry("a.json"), BAD)), 10, b"\x63\x00"),
    "deflate that is none": lambda folder: patched(made(folder, (entry("a.json"), BAD)), 10, b"\x08\x00"),
    "bzip2 that is none": lambda folder: patched(made(folder, (entry("a.json"), BAD)), 10, b"\x0c\x00"),
    "lzma that is none": lambda folder: patched(made(folder, (entry("a.json"), BAD)), 10, b"\x0e\x00"),
    "a wrong sum": lambda folder: patched(made(folder, (entry("a.json"), BAD)), 16, b"\x00\x00\x00\x01"),
    "4 GB by its own word": lambda folder: patched(
        made(folder, (entry("a.json"), BAD)), 20, struct.pack("<II", 0xFFFFFFFE, 0xFFFFFFFE)
    ),
    "nothing by its own word": lambda folder: patched(made(folder, (entry("a.json"), BAD)), 20, bytes(8)),
    "the place of another": lambda folder: patched(made(folder, (entry("a.json"), BAD)), 42, bytes(4)),
    "a place behind the end": lambda folder: patched(made(folder, (entry("a.json"), BAD)), 42, b"\xff\xff\xff\x7f"),
    "the 31st of February": lambda folder: patched(made(folder, (entry("a.json"), BAD)), 12, b"\xff\xff\xff\xff"),
    "a disk of its own": lambda folder: patched(made(folder, (entry("a.json"), BAD)), 34, b"\x07\x00"),
    "a later version": lambda folder: patched(made(folder, (entry("a.json"), BAD)), 6, b"\xff\x00"),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ENTRIES)
def test_what_is_said_of_an_entry_opens_nothing_else(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    file = ENTRIES[name](folder)
    before = sorted(os.walk(tmp_path))
    with watched(tmp_path) as noted:
        found = all_replies(file)
    assert noted == []
    assert sorted(os.walk(tmp_path)) == before
    titles = [each.title for each in found if isinstance(each, FoundConversation)]
    told = [each for each in found if isinstance(each, UnreadFile)]
    assert all(each.reason for each in told)
    assert "What is tea?" in titles or told, "nothing is said"
    assert "root:" not in repr(found), "it was followed"


@pytest.mark.long
def test_a_zip_whose_directory_is_damaged_is_told(tmp_path: Path) -> None:
    file = made(tmp_path, (entry("a.json"), BAD))
    content = file.read_bytes()
    for place in range(content.index(b"PK\x01\x02"), len(content)):
        for sign in (0x00, 0xFF, 0x7F):
            file.write_bytes(content[:place] + bytes([sign]) + content[place + 1 :])
            assert all_replies(file) or not zipfile.ZipFile(file).filelist, place
