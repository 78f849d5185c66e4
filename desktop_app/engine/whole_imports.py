"""Import chosen conversations from files of `export --all`, which contain an archive of Palimpsest."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from desktop_app.archive.whole_archive import WholeArchive, conversations_in, is_whole_archive
from desktop_app.chat.importing import ImportArchive, ImportOutcome, Report
from desktop_app.chat.tasks import shielded
from desktop_app.conversation.foreign import FoundConversation, ReadProgress

AT_ONCE = 200
"""Conversations that are stored in one transaction, each of which reads the file's list again. An import can be
cancelled between two transactions."""


class WholeImportArchive(ImportArchive, Protocol):
    """The archive's methods that such an import needs. They raise ArchiveError."""

    async def import_whole(self, spills: Path, path: Path, *, only: frozenset[str] | None = None) -> WholeArchive:
        """Store these conversations of a file in one transaction; None: all, and everything else in the file."""
        ...


async def split_paths(paths: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the paths of files of `export --all`, and the other paths."""
    are_ours = [await asyncio.to_thread(is_whole_archive, Path(path)) for path in paths]
    pairs = list(zip(paths, are_ours, strict=True))
    return tuple(path for path, is_ours in pairs if is_ours), tuple(path for path, is_ours in pairs if not is_ours)


async def look_through_wholes(archive: WholeImportArchive, paths: Sequence[str]) -> list[FoundConversation]:
    """Return the conversations in these files. One that the archive has already would not be changed: all its messages
    count as known."""
    found: list[FoundConversation] = []
    for path in paths:
        for each in await asyncio.to_thread(conversations_in, Path(path)):
            is_known = await archive.known_messages(each.message_ids)
            found.append(replace(each, known=each.messages if is_known else 0))
    return found


async def import_wholes(
    archive: WholeImportArchive, spills: Path, paths: Sequence[str], chosen: frozenset[str], report: Report
) -> ImportOutcome:
    """Import the chosen conversations of these files.

    If no conversation of a file is left out, everything else in it is also imported.
    """
    outcome, newest_at = ImportOutcome(), -1.0
    for path in map(Path, paths):
        found = await look_through_wholes(archive, (str(path),))
        wanted, size = [each for each in found if each.id in chosen], path.stat().st_size
        for start in range(0, len(wanted), AT_ONCE):
            ids = frozenset(each.id for each in wanted[start : start + AT_ONCE])
            stored = await shielded(archive.import_whole(spills, path, only=ids))
            outcome = replace(outcome, conversations=outcome.conversations + stored.conversations)
            report(ReadProgress(size * (start + len(ids)) // len(wanted), size), outcome.conversations)
            await asyncio.sleep(0)  # where a cancel arrives
        if wanted and all(each.known or each.id in chosen for each in found):
            await shielded(archive.import_whole(spills, path))
        for each in wanted:
            outcome = replace(outcome, messages=outcome.messages + each.new)
            if each.last_at > newest_at:
                newest_at, outcome = each.last_at, replace(outcome, newest=each.id)
    return outcome
