"""Reads other programs' files in a child process, because a malicious file may take for ever or exhaust memory.

The argument is an `ImportRequest` as JSON, or "@" and the path of a file that contains one, because systems limit the
length of arguments. The process writes frames to its standard output: a big-endian length of four bytes, then an
`ImportReply` in MessagePack.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
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
from desktop_app.own_processes import limit_memory

from .format import Found
from .formats import TOO_MUCH_MEMORY, read_all
from .sources import BadFile, sources_in

MAX_MEMORY = 1_500_000_000
"""Bytes of address space."""
PROGRESS_STEP = 2**20
"""Bytes read between two progress reports."""


def replies(request: ImportRequest) -> Iterator[ImportReply]:
    """Yield what is found in the paths, in their order, interspersed with progress."""
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
    """Return `found` with U+FFFD for lone surrogates, such as half of a truncated character: they cannot be stored."""
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
    """Write the replies to a request."""
    encode = msgspec.msgpack.Encoder().encode
    content = Path(argument[1:]).read_bytes() if argument.startswith("@") else argument
    for reply in replies(msgspec.json.decode(content, type=ImportRequest)):
        frame = encode(reply)
        output.write(len(frame).to_bytes(4, "big") + frame)
        output.flush()


if __name__ == "__main__":
    limit_memory(MAX_MEMORY)
    main(sys.argv[1], sys.stdout.buffer)
