"""What streams is read once in each frame, and the first piece at once."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator

from desktop_app.chat.ports import FRAME_SECONDS
from desktop_app.models.server_stream import Patience


class Socket:
    """A connection on which a byte arrives every `gap` seconds; a read returns all that are there, one after another,
    as a chunked response does. reads: how often it had to be waited for."""

    def __init__(self, count: int, gap: float) -> None:
        self._count, self._gap = count, gap
        self.reads = 0

    async def content(self) -> AsyncGenerator[bytes, None]:
        now = asyncio.get_running_loop().time
        start, given = now(), 0
        while given < self._count:
            there = min(int((now() - start) / self._gap) if self._gap else self._count, self._count)
            if there <= given:
                self.reads += 1
                await asyncio.sleep(start + (given + 1) * self._gap - now())
                there = given + 1
            for _ in range(there - given):
                given += 1
                yield b"x"


async def read(socket: Socket) -> tuple[bytes, list[float]]:
    """All that was read, and when each piece came."""
    content, times = b"", list[float]()
    async for piece in Patience(None, 1.0).pieces(socket.content()):
        content += piece
        times.append(asyncio.get_running_loop().time())
    return content, times


async def test_pieces_that_come_often_are_read_once_a_frame() -> None:
    socket = Socket(100, 0.004)
    content, times = await read(socket)
    assert content == b"x" * 100
    assert socket.reads <= (times[-1] - times[0]) / FRAME_SECONDS + 2
    bursts = [a for a, b in itertools.pairwise(times) if b - a > 0.001]
    assert len(bursts) <= 2 * socket.reads + 1


async def test_the_first_piece_and_pieces_that_come_seldom_are_not_delayed() -> None:
    start = asyncio.get_running_loop().time()
    socket = Socket(5, 3 * FRAME_SECONDS)
    _, times = await read(socket)
    late = [time - start - (number + 1) * 3 * FRAME_SECONDS for number, time in enumerate(times)]
    assert min(late) < 0.5 * FRAME_SECONDS


async def test_what_is_there_already_is_read_at_once() -> None:
    content, times = await read(Socket(10_000, 0.0))
    assert content == b"x" * 10_000
    assert times[-1] - times[0] < 100 * FRAME_SECONDS
