"""Zips that are bombs, given to an import: told within seconds; who reads them stays within a limit of memory."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from desktop_app.conversation.foreign import FoundConversation, ImportRequest, UnreadFile
from desktop_app.tools.foreign_files import ForeignFileReader
from document_bombs import MB, nested, overlapping, package
from slowness import slowness

pytestmark = pytest.mark.wire
LINE = b'{"role":"user","content":"hello there"}\n'
BEGUN = '[{"title":"x","mapping":{"a":{"id":"a","message":{"author":{"role":"user"},"content":'
NODE = f'{BEGUN}{{"content_type":"text","parts":["'.encode()


def unpacked(first: bytes, fill: bytes, times: int, last: bytes, name: str = "conversations.json") -> bytes:
    """Return a zip of one file: `fill` so many times between the two."""
    content = io.BytesIO()
    with (
        zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file,
        file.open(name, "w", force_zip64=True) as written,
    ):
        written.write(first)
        for _ in range(times):
            written.write(fill)
        written.write(last)
    return content.getvalue()


BOMBS: dict[str, Callable[[], bytes]] = {
    "zips in zips": lambda: nested(5),
    "blanks": lambda: unpacked(b"[", b" " * MB, 2_000, b"]"),
    "one string": lambda: unpacked(b'[{"role":"user","content":"', b"x" * MB, 2_000, b'"}]'),
    "one message": lambda: unpacked(NODE, b"x" * MB, 2_000, b'"]}}}}}]'),
    "numbers": lambda: unpacked(b'[{"a":[', b"1," * 500_000, 500, b"1]}]"),
    "brackets": lambda: unpacked(b"", b"[" * MB, 100, b""),
    "messages": lambda: unpacked(b"", LINE * 20_000, 200, b"", "chat.jsonl"),
    "one place, many names": lambda: overlapping([f"{n:05}.json" for n in range(3_000)], b"[" + b" " * 10 * MB + b"]"),
    "many files": lambda: package({f"{n}.json": b"{}" for n in range(65_000)}),
}
QUICK = ("zips in zips", "brackets", "one place, many names")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in BOMBS]
)
async def test_a_bomb_is_told(tmp_path: Path, name: str) -> None:
    bomb = tmp_path / "bomb.zip"
    bomb.write_bytes(BOMBS[name]())
    begun = time.monotonic()
    async with aclosing(ForeignFileReader().read(ImportRequest((str(bomb),)))) as replies:
        found = [reply async for reply in replies]
    assert time.monotonic() - begun < 60 * slowness()
    assert not [reply for reply in found if isinstance(reply, FoundConversation)]
    assert [reply.reason for reply in found if isinstance(reply, UnreadFile)]
