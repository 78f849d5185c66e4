"""Message streams for the `mcp` package over the standard input and output of a server's process."""

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

from .process import MAX_LINE, ServerProcess

MAX_BURST = 32
PAUSE_SECONDS = 0.01
"""Pause of the reader after MAX_BURST messages, so that a server that sends endlessly does not block other tasks."""
MAX_UNSENT = 256
MAX_GARBAGE = 200

Arriving = MemoryObjectSendStream[SessionMessage | Exception]
Leaving = MemoryObjectReceiveStream[SessionMessage]


@asynccontextmanager
async def open_pipes(
    process: ServerProcess,
) -> AsyncGenerator[tuple[MemoryObjectReceiveStream[Any], MemoryObjectSendStream[Any]], None]:
    """Open a transport for the package. The first stream ends when the output of the process does.

    This replaces the package's own transport, which buffers lines of any length and copies them with each chunk, leaves
    children of the process alive, and waits 4 s for a process that does not end.
    """
    arriving, arrived = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    leaving, left = anyio.create_memory_object_stream[SessionMessage](MAX_UNSENT)
    tasks = [asyncio.ensure_future(_read(process, arriving)), asyncio.ensure_future(_write(process, left))]
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


async def _read(process: ServerProcess, arriving: Arriving) -> None:
    count = 0
    async with arriving:
        while (line := await process.read_line()) is not None:
            message = _parse_message(line, process)
            if message is not None:
                try:
                    await arriving.send(SessionMessage(message))
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    return  # the session is closed
            count += 1
            if count % MAX_BURST == 0:
                await asyncio.sleep(PAUSE_SECONDS)


async def _write(process: ServerProcess, left: Leaving) -> None:
    async with left:
        async for message in left:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                process.write(text.encode() + b"\n")
            except ConnectionError:
                process.kill()  # it has ended or does not read its input; this also ends its output
                return


def _parse_message(line: bytes, process: ServerProcess) -> types.JSONRPCMessage | None:
    """Return the message on a line; None for any other output, which the protocol forbids."""
    if not line.endswith(b"\n"):
        return _error_for_long(line)
    text = line.strip()
    if not text:
        return None
    try:
        if text.startswith(b"{"):
            fields = msgspec.json.decode(text)  # pydantic takes seven times as long for many small objects
            return types.jsonrpc_message_adapter.validate_python(fields, by_name=False)
    except (msgspec.DecodeError, ValueError, RecursionError):
        pass
    process.garbage = process.garbage or text[:MAX_GARBAGE].decode(errors="replace")
    return None


class _AnswerId(msgspec.Struct):
    id: int


def _error_for_long(start: bytes) -> types.JSONRPCMessage | None:
    """Return an error for the call whose result is too long; None if the line is not a result."""
    head, _, _ = start.partition(b'"result"')
    try:
        answer = msgspec.json.decode(head.rstrip(b", \t") + b"}", type=_AnswerId)
    except msgspec.DecodeError:
        return None
    error = types.ErrorData(code=types.INTERNAL_ERROR, message=f"The answer has more than {MAX_LINE:,} bytes.")
    return types.JSONRPCError(jsonrpc="2.0", id=answer.id, error=error)
