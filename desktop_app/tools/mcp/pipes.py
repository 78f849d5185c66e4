"""Message streams for the `mcp` package over the standard input and output of a server's process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Self, cast

import anyio
import msgspec
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.shared.message import SessionMessage

from desktop_app.conversation.transcript import replace_surrogates_in_builtins

from .process import MAX_DECODED_AT_ONCE, MAX_LINE, ServerProcess
from .results import correct_result

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
            if len(line) > MAX_DECODED_AT_ONCE:
                message = await asyncio.to_thread(_parse_message, line, process)
            else:
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
            return types.jsonrpc_message_adapter.validate_python(_correct(_decode(text)), by_name=False)
    except (ValueError, RecursionError):
        pass
    process.garbage = process.garbage or text[:MAX_GARBAGE].decode(errors="replace")
    return None


def _decode(text: bytes) -> Any:
    """Return the value of a line of JSON, with U+FFFD for half of a character, as JavaScript writes one that was cut.

    Raises ValueError and RecursionError.
    """
    try:
        return msgspec.json.decode(text)  # pydantic takes seven times as long for many small objects
    except msgspec.DecodeError:
        if b"\\u" not in text:
            raise
        return replace_surrogates_in_builtins(json.loads(text))


USED = ("name", "title", "description", "inputSchema", "annotations", "_meta")
"""Fields of a tool that are read. A mistake in another one would lose the whole list."""


def _correct(message: Any) -> Any:
    """Return a message whose list of tools, or result of a call, is valid: the package refuses it for one wrong part.

    A list in which nothing is a tool is left to be refused.
    """
    result = message.get("result") if isinstance(message, dict) else None
    if isinstance(result, dict) and ("content" in result or "structuredContent" in result):
        return {**message, "result": correct_result(cast("dict[str, Any]", result))}
    tools = cast("dict[str, Any]", result).get("tools") if isinstance(result, dict) else None
    if not isinstance(tools, list):
        return message
    corrected = [_correct_tool(tool) for tool in cast("list[Any]", tools) if isinstance(tool, dict) and _has_name(tool)]
    if not corrected:
        return message
    return {**message, "result": {**cast("dict[str, Any]", result), "tools": corrected}}


def _has_name(tool: Any) -> bool:
    return isinstance(tool.get("name"), str)


def _correct_tool(tool: Any) -> dict[str, Any]:
    """Return the tool with a schema that says it is of an object, and without fields of a wrong type."""
    kept = {field: tool[field] for field in USED if field in tool and field != "inputSchema"}
    for field, kind in (("title", str), ("description", str), ("annotations", dict), ("_meta", dict)):
        if not isinstance(kept.get(field), kind):
            kept.pop(field, None)
    schema = tool.get("inputSchema")
    return {**kept, "inputSchema": {**(schema if isinstance(schema, dict) else {}), "type": "object"}}


class CorrectedStream:
    """The stream of messages of another transport, corrected like the messages of a process."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    @property
    def last_context(self) -> Any:
        """The context in which the newest message was sent, which the package asks for."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        return self._corrected(await self._stream.receive())

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> AsyncIterator[SessionMessage | Exception]:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return self._corrected(await anext(self._stream))

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._stream.__aexit__(*error)

    @staticmethod
    def _corrected(item: SessionMessage | Exception) -> SessionMessage | Exception:
        if isinstance(item, SessionMessage) and isinstance(item.message, types.JSONRPCResponse):
            item.message.result = _correct({"result": item.message.result})["result"]
        return item


@asynccontextmanager
async def open_corrected(transport: Any) -> AsyncGenerator[tuple[CorrectedStream, Any], None]:
    """Open another transport, whose messages are corrected."""
    async with transport as (arrived, leaving):
        yield CorrectedStream(arrived), leaving


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
