"""The interface of a format."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from desktop_app.conversation.foreign import ForeignConversation, UnreadFile

from .sources import Source

Found = ForeignConversation | UnreadFile


class Format(msgspec.Struct, frozen=True):
    """How the files of one program are recognized and read."""

    program: str
    """As the user knows it."""
    where: str
    """What the user has to give: "the zip of a data export, or the conversations.json in it"."""
    recognizes: Callable[[Source], bool]
    """Whether it is the file with which conversations of this program begin, by its contents. Raises BadFile."""
    read: Callable[[Source], Iterator[Found]]
    """The conversations of a file that was recognized, one after the other.

    A bad conversation is an UnreadFile, and the others follow. Raises BadFile where nothing more can be read.
    """
    homes: tuple[str, ...] = ()
    """Folders below the user's own in which the program keeps its history; none if it must be exported."""
