"""The engine a hundred times: importing litellm takes seconds, so one process imports it, and each engine is a fork.

As a program it reads, from the socket on its standard input, the data folder of each engine to be, with its standard
input, output and error; it answers with the engine's process id. What then runs is `serve`, as `python -m desktop_app
engine` runs it.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import sys
import time
from pathlib import Path

from desktop_app.conversation.events import TurnEvent
from engine_client import ROOT, EngineClient

LINE_MOST = 64 * 1024 * 1024


class EngineForks:
    """The process that forks engines. Use it as a context."""

    async def __aenter__(self) -> EngineForks:
        self._line, theirs = socket.socketpair()
        self._process = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                sys.executable,
                str(Path(__file__)),
                stdin=theirs,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}", "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
            )
        )
        self._process.add_done_callback(lambda _: theirs.close())
        self._one_at_a_time = asyncio.Lock()
        self._line.setblocking(False)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._line.close()
        await (await self._process).wait()

    async def start(self, data: Path, descriptors: tuple[int, int, int]) -> int:
        """An engine on that data folder. Returns its process id."""
        await self._process
        async with self._one_at_a_time:
            socket.send_fds(self._line, [str(data).encode()], descriptors)
            return int(await asyncio.get_running_loop().sock_recv(self._line, 100))


class ForkedEngine(EngineClient):
    """One of these engines, and what it said."""

    def __init__(self, data: Path, forks: EngineForks) -> None:
        super().__init__(data)
        self.events = self.heard = Heard()
        self._forks = forks

    async def start(self) -> ForkedEngine:
        reads, writes = os.pipe(), os.pipe()
        log = os.open(self.data.parent / "engine.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.pid = await self._forks.start(self.data, (reads[0], writes[1], log))
        for descriptor in (reads[0], writes[1], log):
            os.close(descriptor)
        self.process = _Pipes(reads[1], await _reader(writes[0]))  # type: ignore[assignment]
        self._reading = asyncio.ensure_future(self._read())
        return self

    async def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        await self._end()

    async def close(self) -> int:
        self.process.stdin.close()
        return await self._end()

    async def _end(self) -> int:
        async with asyncio.timeout(30):
            await self._reading  # its end of the pipe closes when it is gone
        self.process.stdin.close()
        return 0


class Heard(list[TurnEvent]):
    """Events, and when each came, in seconds of time.monotonic()."""

    def __init__(self) -> None:
        self.at: list[float] = []

    def append(self, event: TurnEvent) -> None:
        self.at.append(time.monotonic())
        super().append(event)


class _Pipes:
    """Standard input and output of an engine, as `asyncio.subprocess.Process` has them."""

    def __init__(self, descriptor: int, stdout: asyncio.StreamReader) -> None:
        self._descriptor: int | None = descriptor
        self.stdin = self
        self.stdout = stdout

    def write(self, line: bytes) -> None:
        assert self._descriptor is not None
        os.write(self._descriptor, line)

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None


async def _reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=LINE_MOST)
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(descriptor, "rb"))
    return reader


# The process that forks


def main() -> None:
    """Forks until its line closes."""
    from desktop_app.engine.serve import serve
    from desktop_app.models import litellm_library
    from desktop_app.models.tokens.tokenizers import tokenizer_for

    litellm_library._load()
    tokenizer_for("scripted").count("Loaded once.")
    gc.freeze()
    line = socket.socket(fileno=os.dup(0))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the engines
    while True:
        folder, descriptors, _, _ = socket.recv_fds(line, 4096, 3)
        if not folder:
            return
        pid = os.fork()
        if not pid:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            line.close()
            for number, descriptor in enumerate(descriptors):
                os.dup2(descriptor, number)
                os.close(descriptor)
            sys.stdin = open(0)  # noqa: SIM115 - as it is in a process that has just begun
            os._exit(serve(Path(folder.decode())))
        for descriptor in descriptors:
            os.close(descriptor)
        line.sendall(b"%d" % pid)


if __name__ == "__main__":
    main()
