"""What a file of `export_whole` holds, as an import shows it before."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

from desktop_app.conversation.foreign import FoundConversation
from desktop_app.conversation.message import Message

from .failures import world_errors
from .rows import decode
from .whole_archive import WholeArchive
from .whole_parts import CONVERSATIONS, Row, check_index, lines_in, open_zip, reading_whole, texts_in

PROGRAM = "Palimpsest"


def describe_whole(path: Path) -> WholeArchive:
    """Return what such a file says that it holds. Raises ArchiveError."""
    with world_errors(path), reading_whole(path), open_zip(path) as zipped:
        about = check_index(zipped, path)
        counts = (int(about[name]) for name in ("conversations", "entries", "memories", "spills"))
        return WholeArchive(str(path), *counts, projects=int(about.get("projects", 0)))


def conversations_in(path: Path) -> list[FoundConversation]:
    """Return the conversations of such a file, without those that were deleted. Raises ArchiveError."""
    with world_errors(path), reading_whole(path), open_zip(path) as zipped:
        check_index(zipped, path)
        return list(_found(zipped, path.name))


def _found(zipped: zipfile.ZipFile, file: str) -> Iterator[FoundConversation]:
    for line in lines_in(zipped, CONVERSATIONS):
        info: Row = line["info"]
        if not info["is_deleted"]:
            said = [entry for text in texts_in(zipped, line["file"]) if _is_counted(entry := decode(text.decode()))]
            times = [message.at for message in said if message.at] or [float(info["created_at"])]
            ids = tuple(message.id for message in said)
            title, name = str(info["title"]), str(info["id"])
            yield FoundConversation(name, PROGRAM, title, file, len(said), min(times), max(times), ids)


def _is_counted(entry: object) -> bool:
    return isinstance(entry, Message) and entry.is_counted
