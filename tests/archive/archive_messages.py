"""Messages for the tests of the archive, and what a bad sector does to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from builders import message
from desktop_app.conversation.message import Message, Role

PAGE = 4096


def said(message_id: str, text: str = "hello", at: float = 2.0, role: Role = Role.USER, speaker: str = "") -> Message:
    return message(role, text, id=message_id, at=at, speaker=speaker)


def overwrite_page(path: Path, table: str, mark: bytes) -> bytes:
    """Overwrite the page of that table that holds the mark. Return the file's new bytes."""
    content = bytearray(path.read_bytes())
    with closing(sqlite3.connect(path)) as connection:
        pages = connection.execute("SELECT pageno FROM dbstat WHERE name = ?", (table,)).fetchall()
    (start,) = [(page - 1) * PAGE for (page,) in pages if mark in content[(page - 1) * PAGE : page * PAGE]]
    content[start : start + PAGE] = b"\xa5" * PAGE
    path.write_bytes(content)
    return bytes(content)
