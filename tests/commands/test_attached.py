"""Files that a line of `palimpsest chat` names."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from desktop_app.chat.ports import WorldError
from desktop_app.commands.attached import MAX_BYTES, attached_in

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "cat.png").write_bytes(PNG)
    (tmp_path / "a note.txt").write_text("Grüße\n", encoding="utf-8")
    (tmp_path / "notes").write_bytes(b"\xef\xbb\xbfplain")
    return tmp_path


def test_images_and_texts_are_attached_in_their_order_and_once(folder: Path) -> None:
    line = 'Compare @sub/cat.png, @"a note.txt" and @notes! Again @sub/../sub/cat.png.'
    cat, note, notes = attached_in(line, folder)
    assert (cat.name, cat.media_type, cat.is_image) == ("cat.png", "image/png", True)
    assert base64.b64decode(cat.content.removeprefix("data:image/png;base64,")) == PNG
    assert (note.name, note.media_type, note.content) == ("a note.txt", "text/plain", "Grüße\n")
    assert notes.content == "plain"


@pytest.mark.parametrize("line", ["Hello @ana", "me@sub/cat.png", "@", "an @ alone", "no file at all"])
def test_what_is_no_file_is_a_word(folder: Path, line: str) -> None:
    assert attached_in(line, folder) == ()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("gone.png", None, "There is no file gone.png"),
        ("sub/gone", None, "There is no file sub/gone"),
        ("false.png", b"no image\0", "neither text"),
        ("song.webp", b"RIFF\0\0\0\0WAVE", "neither text"),
        ("data.bin", b"a\0b", "neither text"),
        ("latin.txt", b"Gr\xfc\xdfe", "neither text"),
        ("large.txt", b"x" * (MAX_BYTES + 1), "larger than 10 MB"),
    ],
)
def test_what_cannot_be_attached_is_said(folder: Path, name: str, content: bytes | None, words: str) -> None:
    if content is not None:
        (folder / name).write_bytes(content)
    with pytest.raises(WorldError) as error:
        attached_in(f"Look at @{name}", folder)
    assert words in error.value.failure.title
    assert error.value.failure.kept == "The line was not sent."
