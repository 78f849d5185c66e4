"""Limit the size of a server's response, including its decompressed size, and read the events of a streaming reply.

A server may send data for ever, or megabytes that decompress to gigabytes; httpx would read all of it into one text.
"""

from __future__ import annotations

import asyncio
import json
import re
import struct
import time
import zlib
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterator
from functools import partial
from typing import Any

import httpx
import msgspec

MAX_REPLY_BYTES = 256 * 1024 * 1024
"""Limit for a streaming reply: 128,000 tokens, each in its own event, are 50 MB."""
MAX_PAGE_BYTES = 16 * 1024 * 1024
"""Limit for any other answer; the longest list of models has half a megabyte."""
MAX_LINE_BYTES = 4 * 1024 * 1024
"""Limit for one line of a streaming reply, which is one event and is parsed at once. Other answers are often a single
line."""
MAX_ERROR_BYTES = 50_000
"""Bytes of an error or a redirection after which the rest is ignored: litellm searches it for secrets, which takes 8 s
for each megabyte."""
PIECE_BYTES = 64 * 1024
REST_EVERY = 0.01
"""Seconds of reading after which other tasks get their turn."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
ENCODING = "gzip"
"""The only compression that is accepted: it can be decompressed piece by piece."""


class ResponseTooLarge(httpx.RequestError):
    """A server sent more than the limit. httpx adds the request, which litellm reads."""

    def __init__(self, what: str, limit: int) -> None:
        size = f"{limit // 1024**2} MB" if limit >= 1024**2 else f"{limit} bytes"
        super().__init__(f"It sent more than {size} in {what}.")


async def limit_bytes(limit: int, response: httpx.Response) -> None:
    """Limit the bytes of a response; an event hook for httpx."""
    coding = response.headers.pop("content-encoding", "identity").strip().lower()
    assert isinstance(response.stream, httpx.AsyncByteStream)
    response.stream = _BoundedStream(response.stream, coding, limit, not response.is_success)


class _BoundedStream(httpx.AsyncByteStream):
    """The decompressed bytes of a response. is_error: bytes beyond MAX_ERROR_BYTES are ignored and raise no error."""

    def __init__(self, stream: httpx.AsyncByteStream, coding: str, limit: int, is_error: bool) -> None:
        self._stream = stream
        self._coding = coding
        self._limit = limit
        self._is_error = is_error

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        total = line = 0
        unpack, rested = _unpacker(self._coding), time.monotonic()
        async for packed in self._stream:
            for piece in unpack(packed):
                total += len(piece)
                if self._is_error and total >= MAX_ERROR_BYTES:
                    yield piece[: len(piece) - (total - MAX_ERROR_BYTES)]
                    return
                newline = piece.rfind(b"\n")
                line = line + len(piece) if newline < 0 else len(piece) - newline - 1
                self._refuse_too_much(total, line)
                yield piece
                if time.monotonic() - rested > REST_EVERY:
                    await asyncio.sleep(0)  # lets other tasks run, such as Stop, even if there is always more to read
                    rested = time.monotonic()

    def _refuse_too_much(self, total: int, line: int) -> None:
        if total > self._limit:
            raise ResponseTooLarge("one answer", self._limit)
        if line > MAX_LINE_BYTES and self._limit > MAX_PAGE_BYTES:
            raise ResponseTooLarge("one line", MAX_LINE_BYTES)

    async def aclose(self) -> None:
        await self._stream.aclose()


def _unpacker(coding: str) -> Callable[[bytes], Iterator[bytes]]:
    """Return a function that decompresses the bytes of a response piece by piece. Raises httpx.DecodingError."""
    match coding:
        case "identity" | "":
            return iter_pieces
        case "gzip":
            return partial(_inflate, zlib.decompressobj(zlib.MAX_WBITS | 16))
        case _:
            raise httpx.DecodingError(f"The answer is packed as {coding[:40]}, which was not asked for.")


def iter_pieces(content: bytes) -> Iterator[bytes]:
    """Yield the bytes in small pieces."""
    for start in range(0, len(content), PIECE_BYTES):
        yield content[start : start + PIECE_BYTES]


def _inflate(inflater: Any, packed: bytes) -> Iterator[bytes]:
    piece = bytes(PIECE_BYTES)
    # After a full piece there may be more output. Bytes after the end of the data would be returned again and again.
    while (packed or len(piece) == PIECE_BYTES) and not inflater.eof:
        try:
            piece = inflater.decompress(packed, PIECE_BYTES)
        except zlib.error as error:
            raise httpx.DecodingError("The answer cannot be unpacked.") from error
        packed = inflater.unconsumed_tail
        if piece:
            yield piece


ERROR_EVENT = re.compile(rb"event: *error\s*$")
"""The line that names an event as an error, whose data may be plain text."""


class ReplyMarks(msgspec.Struct):
    """What a reply had besides its events."""

    has_end: bool = False
    """Whether "[DONE]" came."""


async def events_of(
    content: AsyncIterable[bytes], is_in_lines: bool = False, marks: ReplyMarks | None = None
) -> AsyncGenerator[Any]:
    """Yield the JSON value of each event of a reply, up to "[DONE]", which is noted in `marks`.

    Events without data are skipped: servers send them as keep-alives. The type of an event is also in its JSON. An
    event that the end of the stream cuts is dropped. is_in_lines: whether each line is a value, as Ollama sends it.
    Servers that do not stream send JSON without events, as one value, a list or lines. Raises ResponseTooLarge for an
    event over MAX_LINE_BYTES, JSONDecodeError and UnicodeDecodeError.

    https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
    """
    lines = _lines_of(content)
    line = await anext((line async for line in lines if line.strip() and not line.startswith(b":")), b"")
    line = line.removeprefix(BYTE_ORDER_MARK)
    if not is_in_lines and line.lstrip()[:1] in (b"{", b"["):
        for value in await _plain_values(line, lines):
            yield value
        return
    is_in_lines = is_in_lines and not line.startswith(b"data:")
    marks = marks or ReplyMarks()
    begun: list[bytes] = []  # joined once the event ends, since joining at each line would take quadratic time
    size, is_error = 0, False
    while line is not None:
        data = line if is_in_lines else line[len(b"data:") :] if line.startswith(b"data:") else b""
        is_error = bool(ERROR_EVENT.match(line)) if line.startswith(b"event:") else is_error
        stripped = data.strip()
        size = _checked(size + len(data)) if line else 0
        if stripped == b"[DONE]":
            marks.has_end = True
            return
        if begun and not line:
            yield _error_of(b"\n".join(begun)) if is_error else _value_of(b"\n".join(begun))
            begun = []
        elif begun and data:
            begun.append(data)
        elif stripped:
            try:  # an event is almost always one line, and some servers leave out the empty line after it
                yield _value_of(data)
            except json.JSONDecodeError:
                if is_in_lines:
                    raise
                begun = [data]
        line = await anext(lines, None)
    if begun and is_error:
        yield _error_of(b"\n".join(begun))


def _error_of(data: bytes) -> Any:
    """Return the value of an error's event, which some servers write as plain text."""
    try:
        return _value_of(data)
    except (json.JSONDecodeError, UnicodeDecodeError):
        return {"error": {"message": data.decode(errors="replace").strip()}}


def _checked(size: int) -> int:
    if size > MAX_LINE_BYTES:
        raise ResponseTooLarge("one event", MAX_LINE_BYTES)
    return size


async def _plain_values(first: bytes, lines: AsyncIterable[bytes]) -> list[Any]:
    """Return the values of JSON without events: the elements of a list, or each line if the whole is no JSON."""
    begun, size = [first], len(first)
    async for line in lines:
        begun.append(line)
        size = _checked(size + len(line))
    try:
        whole = _value_of(b"\n".join(begun))
    except json.JSONDecodeError:
        return [_value_of(line) for line in begun if line.strip()]
    return whole if isinstance(whole, list) else [whole]


def _value_of(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        pass  # such as a number above any float, NaN, or half of a surrogate pair, which Python reads
    try:
        return json.loads(data.decode())
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise
    except (ValueError, RecursionError) as error:  # a number with too many digits, or nested too deeply
        raise json.JSONDecodeError("not a value that can be read", "", 0) from error


async def _lines_of(content: AsyncIterable[bytes]) -> AsyncGenerator[bytes]:
    """Yield the lines without their ends."""
    rest: list[bytes] = []
    async for piece in content:
        # A CR at the end of a piece may be half of a CR LF.
        end = max(piece.rfind(b"\n"), piece.rfind(b"\r", 0, -1)) + 1
        if end:
            for line in b"".join([*rest, piece[:end]]).splitlines():
                yield line
            rest = []
        rest.append(piece[end:])
    for line in b"".join(rest).splitlines():
        yield line


PRELUDE = struct.Struct(">III")
"""The beginning of a message of AWS's event streams: its length, the length of its headers, and a checksum."""


async def aws_events_of(content: AsyncIterable[bytes]) -> AsyncGenerator[Any]:
    """Yield the events of a reply in AWS's binary format, each as an object with its type as the only name.

    A message that the end of the stream cuts is dropped. Raises ResponseTooLarge and JSONDecodeError.

    https://smithy.io/2.0/aws/amazon-eventstream.html
    """
    rest = bytearray()
    async for piece in content:
        rest += piece
        while len(rest) >= PRELUDE.size:
            size, size_of_headers, checksum = PRELUDE.unpack_from(rest)
            if size > MAX_LINE_BYTES:
                raise ResponseTooLarge("one event", MAX_LINE_BYTES)
            if zlib.crc32(rest[:8]) != checksum or size < size_of_headers + PRELUDE.size + 4:
                raise json.JSONDecodeError("not a message of an event stream", "", 0)
            if len(rest) < size:
                break
            yield _aws_event(bytes(rest[PRELUDE.size : size - 4]), size_of_headers)
            del rest[:size]


def _aws_event(message: bytes, size_of_headers: int) -> Any:
    headers = dict(_aws_headers(message[:size_of_headers]))
    kind = headers.get(":event-type") or headers.get(":exception-type") or headers.get(":error-code") or "error"
    value = _value_of(message[size_of_headers:] or b"{}")
    if headers.get(":message-type", "event") == "event":
        return {kind: value}
    text = value.get("message") if isinstance(value, dict) else None
    return {"error": {"type": kind, "message": text or headers.get(":error-message") or kind}}


def _aws_headers(content: bytes) -> Iterator[tuple[str, str]]:
    """Yield the headers up to the first that is not a text; the others are not used."""
    at = 0
    while at < len(content):
        name = content[at + 1 : at + 1 + content[at]]
        at += 1 + len(name)
        if content[at : at + 1] != b"\x07":
            return
        size = int.from_bytes(content[at + 1 : at + 3], "big")
        yield name.decode(errors="replace"), content[at + 3 : at + 3 + size].decode(errors="replace")
        at += 3 + size
