"""Reads files of other programs in a process of its own; see `imports/child.py`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator

import msgspec

from desktop_app.conversation.foreign import ImportReply, ImportRequest, UnreadFile

from .child_process import ChildProcess

_decoder: msgspec.msgpack.Decoder[ImportReply] = msgspec.msgpack.Decoder(ImportReply)


class ForeignFileReader:
    """What an import reads through."""

    async def read(self, request: ImportRequest) -> AsyncGenerator[ImportReply, None]:
        """Yield what is found in them. Closing the iterator ends the process, and a dead process is an UnreadFile."""
        argument = msgspec.json.encode(request).decode()
        argv = (sys.executable, "-I", "-m", "desktop_app.imports.child", argument)
        child = await ChildProcess.start(argv, "/", with_errors=False)
        try:
            while (length := await _exactly(child.output, 4)) is not None:
                frame = await _exactly(child.output, int.from_bytes(length, "big"))
                if frame is None:
                    break
                yield _decoder.decode(frame)
            if code := await child.wait():
                yield UnreadFile(", ".join(request.paths), f"the process that read it ended early (code {code})")
        finally:
            await child.end()


async def _exactly(stream: asyncio.StreamReader, count: int) -> bytes | None:
    """Return so many bytes; None where the stream ends before."""
    try:
        return await stream.readexactly(count)
    except asyncio.IncompleteReadError:
        return None
