"""Importing conversations of other programs."""

from __future__ import annotations

from desktop_app.conversation.foreign import FoundConversation, FoundHistory, KnownKind, UnreadFile

from .base import EngineRequest, EngineResponse


class LookedThrough(EngineResponse, frozen=True):
    """What can be imported, newest first, without the ids of its messages; and what could not be read."""

    found: tuple[FoundConversation, ...]
    unread: tuple[UnreadFile, ...]


class HistoriesFound(EngineResponse, frozen=True):
    """The folders of this machine in which other programs keep their conversations, newest first."""

    histories: tuple[FoundHistory, ...]
    known_kinds: tuple[KnownKind, ...] = ()
    """What can be imported at all, by the names of the programs."""


class FindHistories(EngineRequest[HistoriesFound], frozen=True):
    """Find what could be looked through on this machine; no file is read."""


class LookThrough(EngineRequest[LookedThrough], frozen=True):
    """Look through files, folders and zips; nothing is stored. `ImportProgressed` tells how far it is."""

    paths: tuple[str, ...]


class ImportFinished(EngineResponse, frozen=True):
    """What came of it."""

    # New ones, and those that have become longer.
    conversations: int
    messages: int
    unread: tuple[UnreadFile, ...]
    # The id of the one that was said last; "" if nothing was imported.
    newest: str


class ImportConversations(EngineRequest[ImportFinished], frozen=True):
    """Import conversations that were found in these paths, by the ids that they have here."""

    paths: tuple[str, ...]
    chosen: frozenset[str]


ImportingRequest = FindHistories | LookThrough | ImportConversations
