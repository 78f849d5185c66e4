"""Files that a line of `palimpsest chat` names."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.chat.ports import WorldError
from desktop_app.commands.attached import attached_in


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "cat.py").write_text("meow()\n", encoding="utf-8")
    (tmp_path / "a note.txt").write_text("Grüße\n", encoding="utf-8")
    (tmp_path / "notes").write_bytes(b"\xef\xbb\xbfplain")
    (tmp_path / "data.bin").write_bytes(b"a\0b")
    return tmp_path


async def test_files_are_attached_in_their_order_and_once(folder: Path) -> None:
    line = 'Compare @sub/cat.py, @"a note.txt" and @notes! Again @sub/../sub/cat.py.'
    found = await attached_in(line, folder)
    assert [(one.name, one.content) for one in found] == [
        ("cat.py", "meow()\n"),
        ("a note.txt", "Grüße\n"),
        ("notes", "plain"),
    ]


@pytest.mark.parametrize("line", ["Hello @ana", "me@sub/cat.py", "@", "an @ alone", "no file at all"])
async def test_what_is_no_file_is_a_word(folder: Path, line: str) -> None:
    assert await attached_in(line, folder) == ()


@pytest.mark.parametrize("name", ["gone.png", "sub/gone", "data.bin"])
async def test_a_file_that_cannot_be_attached_is_named(folder: Path, name: str) -> None:
    with pytest.raises(WorldError) as error:
        await attached_in(f"Look at @{name}", folder)
    assert name in error.value.failure.title
    assert error.value.failure.kept
