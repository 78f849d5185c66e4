"""Reads files of other programs in a process of its own: what they hold may be made to take for ever, or all memory.

Its argument is an `ImportRequest` as JSON, or "@" and the path of a file with one, since a system limits how long an
argument may be. It writes frames to its standard output: four bytes of length, the lowest
last, and a value in MessagePack, one of `ImportReply`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.foreign import (
    ForeignConversation,
    ForeignMessage,
    FoundConversation,
    ImportReply,
    ImportRequest,
    ReadConversation,
    ReadProgress,
    UnreadFile,
)
from desktop_app.conversation.foreign_record import conversation_id, message_ids
from desktop_app.conversation.transcript import replace_surrogates_in_builtins
from desktop_app.conversation.words import translatable

from .format import Found
from .formats import TOO_MUCH_MEMORY, read_all
from .sources import BadFile, sources_in

MAX_MEMORY = 1_500_000_000
"""Bytes of address space."""
PROGRESS_STEP = 2**20
"""Bytes between two reports of progress."""


def replies(request: ImportRequest) -> Iterator[ImportReply]:
    """Return what is found in all paths, in their order, with progress between."""
    for name in request.paths:
        try:
            yield from _replies_of(Path(name), request.only)
        except BadFile as error:
            yield UnreadFile(name, error.reason)
        except MemoryError:
            yield UnreadFile(name, TOO_MUCH_MEMORY)


def _replies_of(path: Path, only: frozenset[str] | None) -> Iterator[ImportReply]:
    sources, reported = sources_in(path), 0
    size = sources.size
    for source, each in read_all(sources):
        found = _sendable(each)
        if isinstance(found, UnreadFile):
            yield found
        elif only is None:
            yield _outline(found, source.name)
        elif conversation_id(found) in only:
            yield ReadConversation(source.name, found)
        if sources.bytes_read - reported > PROGRESS_STEP:
            reported = sources.bytes_read
            yield ReadProgress(min(reported, size), size)


def _sendable(found: Found) -> Found:
    """Return it with U+FFFD for what is no character, such as half of one that was cut off: that cannot be stored."""
    try:
        msgspec.msgpack.encode(found)
    except UnicodeEncodeError:
        sound = msgspec.convert(replace_surrogates_in_builtins(found), type(found))
        if isinstance(sound, ForeignConversation):
            return replace(
                sound, unread=(*sound.unread, translatable("an incomplete character was replaced by U+FFFD"))
            )
        return sound
    return found


def _outline(found: ForeignConversation, file: str) -> FoundConversation:
    times = [e.message.at for e in found.entries if isinstance(e, ForeignMessage) and e.message.at]
    return FoundConversation(
        conversation_id(found),
        found.program,
        found.title,
        file,
        found.messages,
        min(times, default=found.created_at),
        max(times, default=found.updated_at or found.created_at),
        message_ids(found),
        found.unread,
    )


def main(argument: str, output: BinaryIO) -> None:
    """Write the replies to that request."""
    encode = msgspec.msgpack.Encoder().encode
    content = Path(argument[1:]).read_bytes() if argument.startswith("@") else argument
    for reply in replies(msgspec.json.decode(content, type=ImportRequest)):
        frame = encode(reply)
        output.write(len(frame).to_bytes(4, "big") + frame)
        output.flush()


def _limit_memory() -> None:
    with suppress(ImportError, ValueError, OSError):  # where the system can do that
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


if __name__ == "__main__":
    _limit_memory()
    main(sys.argv[1], sys.stdout.buffer)
