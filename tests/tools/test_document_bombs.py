"""Documents that are bombs, attached: each is refused or read in part, in seconds, and nothing is fetched."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from desktop_app.chat.ports import WorldError
from desktop_app.tools.read_attachments import MAX_TEXT, SECONDS, read_attachment
from document_bombs import MARK, document_bombs

pytestmark = pytest.mark.wire
NAMES = tuple(document_bombs(""))
SLOW = ("blanks.docx", "a stream of 1.5 GB.pdf", "many objects.pdf")
"""Those that take seconds to be made or read."""
ALL = [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in NAMES]
READ_IN_PART = ("external.docx", "template.docx")
"""What they hold beside is passed over."""
SPARE = 300_000_000
"""Bytes that this process may take for what was read."""


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


@pytest.mark.parametrize("name", ALL)
async def test_a_bomb_is_refused_or_read_in_part(tmp_path: Path, listener: socket.socket, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(document_bombs(f"http://127.0.0.1:{listener.getsockname()[1]}")[name]())
    before, begun = psutil.Process().memory_info().rss, time.monotonic()
    try:
        attachment = await read_attachment(file)
    except WorldError as error:
        told = (error.failure.title, error.failure.kept, error.failure.advice)
        content = ""
    else:
        told, content = (name, "read", "in part"), attachment.content
    assert name in told[0]
    assert all(told)
    assert len(content) < MAX_TEXT
    assert name not in READ_IN_PART or content.strip() == MARK
    assert time.monotonic() - begun < SECONDS + 10
    assert psutil.Process().memory_info().rss < before + SPARE
    with pytest.raises(BlockingIOError):
        listener.accept()
