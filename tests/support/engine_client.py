"""A window without a window: starts the real engine process and speaks its protocol."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from desktop_app.conversation.events import Failure, TurnEvent, TurnFinished
from desktop_app.engine import protocol as p
from forked_engines import forked_command

R = TypeVar("R", bound=p.EngineResponse)
ROOT = Path(__file__).resolve().parents[2]


class Refused(Exception):
    """The engine answered with a failure."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"{failure.kind}: {failure.title} {failure.detail}")
        self.failure = failure


class EngineClient:
    """One engine process and what it said.

    is_forked: off a process that has imported everything. `process` then stands for the engine: killed and ended with
    it, and with another process id. environment: what it has beside the test's own.
    """

    def __init__(
        self, data: Path, is_forked: bool = True, environment: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.data = data
        self.is_forked = is_forked
        self._environment = environment
        self.events: list[TurnEvent] = []
        self.lists: list[p.ConversationsChanged] = []
        self._answers: dict[int, asyncio.Future[p.ResponseLine]] = {}
        self._changed = asyncio.Event()
        self._number = 0

    async def start(self) -> EngineClient:
        log = (self.data.parent / "engine.log").open("ab")
        arguments = ("engine", "--data-dir", str(self.data))
        self.process = await asyncio.create_subprocess_exec(
            *(forked_command(*arguments) if self.is_forked else [sys.executable, "-m", "desktop_app", *arguments]),
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            limit=64 * 1024 * 1024,
            env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", **self._environment},
        )
        log.close()
        self._reading = asyncio.ensure_future(self._read())
        return self

    async def ask(self, request: p.EngineRequest[R]) -> R:
        """Return the response to a request. Raises Refused if it is a failure."""
        line = await self._line_for(p.encode_line(p.RequestLine(self._number + 1, request)))
        if line.failure is not None:
            raise Refused(line.failure)
        assert line.response is not None
        return request.checked(line.response)

    async def ask_json(self, request: str) -> p.ResponseLine:
        """Return the response line to a request that may be none of the protocol."""
        return await self._line_for(f'{{"type":"request","number":{self._number + 1},"request":{request}}}\n'.encode())

    async def _line_for(self, line: bytes) -> p.ResponseLine:
        self._number += 1
        future = self._answers[self._number] = asyncio.get_running_loop().create_future()
        self.process.stdin.write(line)
        async with asyncio.timeout(300):
            return await future

    async def until(self, is_met: Callable[[list[TurnEvent]], bool], seconds: float = 300) -> None:
        """Waits until the events meet the condition."""
        async with asyncio.timeout(seconds):
            while not is_met(self.events):
                self._changed.clear()
                await self._changed.wait()

    async def turn(self, conversation: str, text: str) -> list[TurnEvent]:
        """Sends a message; the turn's events once it is over."""
        start = len(self.events)
        await self.ask(p.Send(conversation, text))
        await self.until(lambda events: any(isinstance(e, TurnFinished) for e in events[start:]))
        return self.events[start:]

    async def kill(self) -> None:
        """SIGKILL, as the kernel does when memory runs out."""
        self.process.send_signal(signal.SIGKILL)
        await self._end()

    async def close(self) -> int:
        """The end of standard input: the window is gone. Returns the exit code."""
        if self.process.returncode is None and not self.process.stdin.is_closing():
            self.process.stdin.close()
        return await self._end()

    async def _end(self) -> int:
        async with asyncio.timeout(120):
            code = await self.process.wait()
        await self._reading
        return code

    async def _read(self) -> None:
        while line := await self.process.stdout.readline():
            match p.decode_engine_line(line):
                case p.ResponseLine() as answer:
                    self._answers.pop(answer.number).set_result(answer)
                case p.EventLine(event):
                    self.events.append(event)
                case p.ConversationsChanged() as changed:
                    self.lists.append(changed)
            self._changed.set()
        for future in self._answers.values():
            future.cancel()  # the engine is gone: nobody waits for its answers
