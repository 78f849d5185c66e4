"""The lines of a child process as the streams that the `mcp` package talks through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import msgspec
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.shared.message import SessionMessage

from .child import MOST_LINE, Child

MESSAGES_AT_ONCE = 32
REST_SECONDS = 0.01
"""After so many messages the reader rests: a server that never stops talking must leave time to everybody else."""
MOST_UNSENT = 256
GARBAGE_KEPT = 200

Arriving = MemoryObjectSendStream[SessionMessage | Exception]
Leaving = MemoryObjectReceiveStream[SessionMessage]


@asynccontextmanager
async def pipes(
    child: Child,
) -> AsyncGenerator[tuple[MemoryObjectReceiveStream[Any], MemoryObjectSendStream[Any]], None]:
    """A transport as the package wants it. The first stream ends when the child's output does.

    Ours, since the package's own keeps a line of any length and copies all of it with each chunk, leaves children of
    the child alive, and waits 4 s for one that does not end.
    """
    arriving, arrived = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    leaving, left = anyio.create_memory_object_stream[SessionMessage](MOST_UNSENT)
    tasks = [asyncio.ensure_future(_read(child, arriving)), asyncio.ensure_future(_write(child, left))]
    try:
        yield arrived, leaving
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        for stream in (arriving, arrived, leaving, left):
            stream.close()
        for task in tasks:
            if not task.cancelled():
                task.result()


async def _read(child: Child, arriving: Arriving) -> None:
    count = 0
    async with arriving:
        while (line := await child.line()) is not None:
            message = _message(line, child)
            if message is not None:
                try:
                    await arriving.send(SessionMessage(message))
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    return  # nobody listens any more
            count += 1
            if count % MESSAGES_AT_ONCE == 0:
                await asyncio.sleep(REST_SECONDS)


async def _write(child: Child, left: Leaving) -> None:
    async with left:
        async for message in left:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                child.write(text.encode() + b"\n")
            except ConnectionError:
                child.kill()  # it has ended, or it never reads: either way its output ends now
                return


def _message(line: bytes, child: Child) -> types.JSONRPCMessage | None:
    """The message on that line. None for what is none: a program's own chatter, which the protocol forbids."""
    if not line.endswith(b"\n"):
        return _too_long(line)
    text = line.strip()
    if not text:
        return None
    try:
        if text.startswith(b"{"):
            fields = msgspec.json.decode(text)  # pydantic takes seven times as long to read many small objects
            return types.jsonrpc_message_adapter.validate_python(fields, by_name=False)
    except (msgspec.DecodeError, ValueError, RecursionError):
        pass
    child.garbage = child.garbage or text[:GARBAGE_KEPT].decode(errors="replace")
    return None


class _Answer(msgspec.Struct):
    id: int


def _too_long(start: bytes) -> types.JSONRPCMessage | None:
    """In the place of an answer that is too long, an error for the call that waits for it."""
    head, _, _ = start.partition(b'"result"')
    try:
        answer = msgspec.json.decode(head.rstrip(b", \t") + b"}", type=_Answer)
    except msgspec.DecodeError:
        return None
    error = types.ErrorData(code=types.INTERNAL_ERROR, message=f"The answer has more than {MOST_LINE:,} bytes.")
    return types.JSONRPCError(jsonrpc="2.0", id=answer.id, error=error)
