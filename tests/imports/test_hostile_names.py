"""Folders and zips with files of any name, and paths that no file can have: all that can be read is."""

from __future__ import annotations

import json
import os
import zipfile
from io import BytesIO
from pathlib import Path

import msgspec
import pytest

from desktop_app.conversation.foreign import FoundConversation, ImportReply, ImportRequest, ReadConversation, UnreadFile
from desktop_app.imports.child import main
from desktop_app.imports.sources import BadFile, sources_in
from hostile_names import NAMES

pytestmark = pytest.mark.skipif(os.name == "nt", reason="names of Linux")


def replies(path: str, only: frozenset[str] | None = None) -> list[ImportReply]:
    output = BytesIO()
    main(msgspec.json.encode(ImportRequest((path,), only)).decode(), output)
    content, found = output.getvalue(), list[ImportReply]()
    while content:
        end = 4 + int.from_bytes(content[:4], "big")
        found.append(msgspec.msgpack.decode(content[4:end], type=ImportReply))
        content = content[end:]
    return found


def said(what: str) -> str:
    return json.dumps({"role": "user", "content": what}) + "\n"


def imported(path: Path) -> set[str]:
    """The titles of what is found, each of which is then read."""
    found = [reply for reply in replies(str(path)) if isinstance(reply, FoundConversation)]
    read = replies(str(path), frozenset(each.id for each in found))
    titles = {each.conversation.title for each in read if isinstance(each, ReadConversation)}
    assert titles == {each.title for each in found}
    return titles


def test_a_folder_with_files_of_any_name_is_read_whole(tmp_path: Path) -> None:
    for what, name in NAMES.items():
        folder = tmp_path / name  # a folder of that name, since a format may ask for an ending
        folder.mkdir()
        (folder / f"{name[:100]}.jsonl").write_text(said(what))
    assert imported(tmp_path) == set(NAMES)


def test_a_zip_with_files_of_any_name_is_read_whole(tmp_path: Path) -> None:
    names = {what: name.encode(errors="replace").decode() for what, name in NAMES.items()}
    with zipfile.ZipFile(tmp_path / "chats.zip", "w") as file:
        for what, name in (names | {"up": "../../up", "root": "/etc/x", "drive": "C:\\x"}).items():
            file.writestr(f"{name}.jsonl", said(what))
    assert imported(tmp_path / "chats.zip") == {*names, "up", "root", "drive"}


def test_what_cannot_be_read_of_a_folder_is_told_for_each_file(tmp_path: Path) -> None:
    for name in NAMES.values():
        (tmp_path / f"{name[:100]}.json").write_text('[{"role": "user", "content": "cut')
    told = [reply.file for reply in replies(str(tmp_path)) if isinstance(reply, UnreadFile)]
    assert len(told) == len(NAMES)


@pytest.mark.parametrize("name", ["n" * 300, "a/" * 3_000, "a\0b", "\ud83d"], ids=["long", "deep", "zero", "half"])
def test_a_path_that_no_file_can_have_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadFile):
        sources_in(tmp_path / name)
