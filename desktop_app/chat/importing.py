"""Import conversations from other programs and from files of `export --all`: list them, then store the chosen ones."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec.structs import replace

from desktop_app.archive.whole_archive import conversations_in, is_whole_archive
from desktop_app.conversation.events import Failure
from desktop_app.conversation.foreign import (
    ForeignConversation,
    FoundConversation,
    ImportOutcome,
    ImportReply,
    ImportRequest,
    ReadConversation,
    ReadProgress,
    UnreadFile,
)
from desktop_app.conversation.foreign_record import conversation_id
from desktop_app.conversation.words import translatable

from .tasks import shielded

if TYPE_CHECKING:
    from desktop_app.archive.archive import Archive

Report = Callable[[ReadProgress, int], None]
"""Called with the progress of reading, and the number of conversations stored so far."""


GROWN = Failure(
    kind="stale",
    title=translatable("An import added to this conversation"),
    kept=translatable("Nothing was sent or changed."),
    advice=translatable("Open it again."),
)


class ForeignFiles(Protocol):
    """Files of other programs."""

    def read(self, request: ImportRequest) -> AsyncGenerator[ImportReply, None]:
        """Yield the contents, and an UnreadFile for each file that cannot be read. Closing the iterator stops it."""
        ...


class ImportArchive(Protocol):
    """The methods of the archive that an import uses. They raise ArchiveError."""

    async def known_messages(self, ids: Sequence[str]) -> int:
        """Return how many of these messages exist in conversations that are not deleted."""
        ...

    async def import_conversation(self, foreign: ForeignConversation, file: str) -> int:
        """Store the messages that are not stored yet, in one transaction, and return their number."""
        ...


class UnopenedArchive:
    """An import's archive, which stores into a conversation only while it is closed.

    An open session would not notice the new messages. unopened: returns a context in which the conversation of that
    id is closed.
    """

    def __init__(self, archive: ImportArchive, unopened: Callable[[str], AbstractAsyncContextManager[None]]) -> None:
        self._archive = archive
        self._unopened = unopened
        self.known_messages = archive.known_messages

    async def import_conversation(self, foreign: ForeignConversation, file: str) -> int:
        async with self._unopened(conversation_id(foreign)):
            return await shielded(self._archive.import_conversation(foreign, file))


class ImportOffer(msgspec.Struct, frozen=True):
    """The conversations that can be imported, newest first, and the files that could not be read."""

    found: tuple[FoundConversation, ...] = ()
    unread: tuple[UnreadFile, ...] = ()


async def look_through(
    files: ForeignFiles, archive: ImportArchive, paths: tuple[str, ...], report: Report
) -> ImportOffer:
    """Return the conversations in these files, folders and zips. Nothing is stored. Raises ArchiveError."""
    found: dict[str, FoundConversation] = {}
    unread: list[UnreadFile] = []
    async with aclosing(files.read(ImportRequest(paths))) as replies:
        async for reply in replies:
            match reply:
                case FoundConversation():
                    if reply.id not in found or found[reply.id].messages <= reply.messages:  # others have parts of it
                        found[reply.id] = replace(reply, known=await archive.known_messages(reply.message_ids))
                case UnreadFile():
                    unread.append(reply)
                case ReadProgress():
                    report(reply, 0)
                case ReadConversation():
                    raise AssertionError("nobody asked for it")
    newest_first = sorted(found.values(), key=lambda each: -each.last_at)
    return ImportOffer(tuple(newest_first), tuple(unread))


async def import_conversations(
    files: ForeignFiles, archive: ImportArchive, paths: tuple[str, ...], chosen: frozenset[str], report: Report
) -> ImportOutcome:
    """Import the chosen conversations of these paths, each in one transaction. Raises ArchiveError.

    After a cancel, the conversations imported so far stay, and the next import continues from there.
    """
    outcome, last_at, progress = ImportOutcome(), -1.0, ReadProgress(0, 0)
    async with aclosing(files.read(ImportRequest(paths, chosen))) as replies:
        async for reply in replies:
            match reply:
                case ReadConversation(file, foreign):
                    new = await archive.import_conversation(foreign, file)
                    outcome = replace(
                        outcome, conversations=outcome.conversations + bool(new), messages=outcome.messages + new
                    )
                    report(progress, outcome.conversations)
                    await asyncio.sleep(0)  # lets a cancel in: if the next reply is ready, `async for` does not
                    if foreign.updated_at >= last_at:
                        last_at, outcome = foreign.updated_at, replace(outcome, newest=conversation_id(foreign))
                case UnreadFile():
                    outcome = replace(outcome, unread=(*outcome.unread, reply))
                case ReadProgress():
                    progress = reply
                    report(progress, outcome.conversations)
                case FoundConversation():
                    raise AssertionError("nobody asked for it")
    return outcome


AT_ONCE = 200
"""Conversations stored in one transaction. Fewer would make a cancel faster, but each transaction reads the file's list
again."""


async def split_paths(paths: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the paths of `export --all` files, and the other paths."""
    are_ours = [await asyncio.to_thread(is_whole_archive, Path(path)) for path in paths]
    pairs = list(zip(paths, are_ours, strict=True))
    return tuple(path for path, is_ours in pairs if is_ours), tuple(path for path, is_ours in pairs if not is_ours)


async def look_through_wholes(archive: Archive, paths: Sequence[str]) -> list[FoundConversation]:
    """Return the conversations in these files. All messages of one that is already in the archive count as known, since
    an import would not change it."""
    found: list[FoundConversation] = []
    for path in paths:
        for each in await asyncio.to_thread(conversations_in, Path(path)):
            is_known = await archive.known_messages(each.message_ids)
            found.append(replace(each, known=each.messages if is_known else 0))
    return found


async def import_wholes(
    archive: Archive, spills: Path, paths: Sequence[str], chosen: frozenset[str], report: Report
) -> ImportOutcome:
    """Import the chosen conversations of these files.

    Everything else in a file is also imported, unless one of its conversations is left out.
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
            await asyncio.sleep(0)  # lets a cancel in
        if wanted and all(each.known or each.id in chosen for each in found):
            await shielded(archive.import_whole(spills, path))
        for each in wanted:
            outcome = replace(outcome, messages=outcome.messages + each.new)
            if each.last_at > newest_at:
                newest_at, outcome = each.last_at, replace(outcome, newest=each.id)
    return outcome
