"""Reads other programs' files in a child process; see `imports/child.py`."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager

import msgspec

from desktop_app.conversation.foreign import ImportReply, ImportRequest, UnreadFile
from desktop_app.conversation.words import translatable
from desktop_app.own_processes import isolated_command

from .child_process import ChildProcess

MAX_ARGUMENT = 100_000
"""Bytes of an argument; Linux accepts 131,072."""
ENDED = translatable("the process that read it ended early (code {code})")
_decoder: msgspec.msgpack.Decoder[ImportReply] = msgspec.msgpack.Decoder(ImportReply)


class ForeignFileReader:
    """Reads the files of an import."""

    async def read(self, request: ImportRequest) -> AsyncGenerator[ImportReply, None]:
        """Yield the replies to a request. Closing the iterator ends the process; a crash of it is an UnreadFile."""
        with _as_argument(request) as argument:
            async with aclosing(self._replies(request, argument)) as replies:
                async for reply in replies:
                    yield reply

    async def _replies(self, request: ImportRequest, argument: str) -> AsyncGenerator[ImportReply, None]:
        child = await ChildProcess.start(isolated_command("imports.child", argument), "/", with_errors=False)
        try:
            while (length := await _exactly(child.output, 4)) is not None:
                frame = await _exactly(child.output, int.from_bytes(length, "big"))
                if frame is None:
                    break
                yield _decoder.decode(frame)
            if code := await child.wait():
                yield UnreadFile(", ".join(request.paths), ENDED.format(code=code))
        finally:
            await child.end()


@contextmanager
def _as_argument(request: ImportRequest) -> Iterator[str]:
    """Yield a command-line argument for the request; a long request is in a temporary file."""
    content = msgspec.json.encode(request)
    if len(content) <= MAX_ARGUMENT:
        yield content.decode()
        return
    with tempfile.NamedTemporaryFile(prefix="palimpsest-import-") as file:
        file.write(content)
        file.flush()
        yield f"@{file.name}"


async def _exactly(stream: asyncio.StreamReader, count: int) -> bytes | None:
    """Return exactly `count` bytes; None if the stream ends before."""
    try:
        return await stream.readexactly(count)
    except asyncio.IncompleteReadError:
        return None
