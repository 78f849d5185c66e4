"""Importing conversations of other programs: first what there is, then what the user chose of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Protocol

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.events import Failure
from desktop_app.conversation.foreign import (
    ForeignConversation,
    FoundConversation,
    ImportReply,
    ImportRequest,
    ReadConversation,
    ReadProgress,
    UnreadFile,
)
from desktop_app.conversation.foreign_record import conversation_id
from desktop_app.conversation.words import translatable

from .tasks import shielded

Report = Callable[[ReadProgress, int], None]
"""Where progress goes, with how many conversations are stored."""


GROWN = Failure(
    kind="stale",
    title=translatable("An import added to this conversation"),
    kept=translatable("Nothing was sent or changed."),
    advice=translatable("Open it again."),
)


class ForeignFiles(Protocol):
    """Files of other programs."""

    def read(self, request: ImportRequest) -> AsyncGenerator[ImportReply, None]:
        """Yield what is found in them. Closing the iterator ends the reading. What cannot be read is an UnreadFile."""
        ...


class ImportArchive(Protocol):
    """What an import needs of the archive. Its methods raise ArchiveError."""

    async def known_messages(self, ids: Sequence[str]) -> int:
        """Return how many of these messages there are, in conversations that are not deleted."""
        ...

    async def import_conversation(self, foreign: ForeignConversation, file: str) -> int:
        """Store what there is not yet of a conversation, in one transaction; return how many messages that are."""
        ...


class UnopenedArchive:
    """An archive for an import, which stores each conversation while it is not open: no session knows what is added.

    unopened: a context in which the conversation of that id is not open.
    """

    def __init__(self, archive: ImportArchive, unopened: Callable[[str], AbstractAsyncContextManager[None]]) -> None:
        self._archive = archive
        self._unopened = unopened
        self.known_messages = archive.known_messages

    async def import_conversation(self, foreign: ForeignConversation, file: str) -> int:
        async with self._unopened(conversation_id(foreign)):
            return await shielded(self._archive.import_conversation(foreign, file))


class ImportOffer(msgspec.Struct, frozen=True):
    """What can be imported, newest first, and what could not be read."""

    found: tuple[FoundConversation, ...] = ()
    unread: tuple[UnreadFile, ...] = ()


class ImportOutcome(msgspec.Struct, frozen=True):
    """What came of an import."""

    conversations: int = 0
    """How many are new, or have become longer."""
    messages: int = 0
    """How many are new."""
    unread: tuple[UnreadFile, ...] = ()
    newest: str = ""
    """The id of the one that was changed last of them, to be opened."""


async def look_through(
    files: ForeignFiles, archive: ImportArchive, paths: tuple[str, ...], report: Report
) -> ImportOffer:
    """Return what can be imported from these files, folders and zips. Nothing is stored. Raises ArchiveError."""
    found: dict[str, FoundConversation] = {}
    unread: list[UnreadFile] = []
    async with aclosing(files.read(ImportRequest(paths))) as replies:
        async for reply in replies:
            match reply:
                case FoundConversation():
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
    """Import the chosen conversations of these paths, each in one transaction: what was imported before a cancel stays,
    and the next import goes on from there. Raises ArchiveError."""
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
                    await asyncio.sleep(0)  # where a cancel arrives: what is read next may be there already
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
