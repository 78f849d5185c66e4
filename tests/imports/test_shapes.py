"""What is said of a file that no format recognizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.conversation.foreign import UnreadFile
from desktop_app.imports.formats import read_all
from desktop_app.imports.sources import sources_in
from texts import UNKNOWN_FORMAT


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "an empty file"),
        (b"%PDF-1.7 ...", "a PDF document"),
        (b"\x89PNG\r\n\x1a\n\0\0", "an image or a sound"),
        (b"  <!DOCTYPE html><p>", "a web page"),
        (b'[{"b": 1, "a": 2}]', "JSON with the fields a, b"),
        (b'{"a1":0,"a2":0,"a3":0,"a4":0,"a5":0,"a6":0,"a7":0,"a8":0,"a9":0}', "a4, a5, a6, a7, a8, …"),
        (b"[1, 2]", "JSON without conversations"),
        ("naïve".encode(), "plain text"),
        (bytes(range(256)), "a file without text"),
    ],
)
def test_it_says_what_it_seems_to_be(tmp_path: Path, content: bytes, kind: str) -> None:
    (tmp_path / "file").write_bytes(content)
    ((_, found),) = read_all(sources_in(tmp_path / "file"))
    assert isinstance(found, UnreadFile)
    assert found.reason.startswith(UNKNOWN_FORMAT)
    assert found.reason.endswith(kind)
