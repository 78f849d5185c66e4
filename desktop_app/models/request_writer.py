"""The process that runs litellm, which writes requests in the formats of the providers (decision 67).

litellm takes seconds to import and 200 MB. Its process is started when somebody begins to type or a model is asked, and
ends when nothing was asked of it for a while. It holds no state: what is learned about models and the connections to
servers stay in the engine.

A call is a line of JSON. So is its answer, which is followed by the body of a request if it says so.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, BinaryIO

import msgspec

from desktop_app.conversation.openai_chat import Json
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.own_processes import module_command

from .endpoint import Endpoint

IDLE_SECONDS = 600.0
"""Seconds without a call after which the process ends."""


class NotWritten(Exception):
    """litellm, or what it uses, did not write a request. An error of the world.

    names: of the original exception's classes. status_code: the HTTP status that litellm ascribes to it, or 0.
    """

    def __init__(self, names: tuple[str, ...], status_code: int, message: str) -> None:
        super().__init__(message)
        self.names, self.status_code, self.message = names, status_code, message


class WriteCall(msgspec.Struct, frozen=True, tag="write"):
    """Asks for the HTTP request to an endpoint."""

    endpoint: Endpoint
    model: str
    options: ReplyOptions
    quirks: tuple[str, ...]


class OptionsCall(msgspec.Struct, frozen=True, tag="options"):
    """Asks for the parameters that a model accepts."""

    kind: str
    model: str


Call = WriteCall | OptionsCall


class RequestWriter:
    """Starts the process when it is needed, again if it has ended, and hands calls to it one after the other.

    They wait on a thread of their own: while litellm is imported, the threads that all of the engine shares stay free.
    """

    def __init__(self, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle_seconds = idle_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = ThreadPoolExecutor(1, "request writer")
        self._is_closed = False

    @property
    def is_running(self) -> bool:
        return bool(self.pid)

    @property
    def pid(self) -> int:
        """The id of the process; 0 while it does not run."""
        return self._process.pid if self._process is not None and self._process.poll() is None else 0

    async def start(self) -> None:
        """Start the process, which then imports litellm, unless it runs. Does not wait for the import."""
        if not self._is_closed:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._running)

    async def ask(self, call: Call, request: Json | None = None) -> tuple[Json, bytes]:
        """Return the answer to a call, and the body with it. Raises NotWritten.

        request: the fields that litellm is to write; they may have whatever JSON can have.
        """
        line = json.dumps([msgspec.to_builtins(call), request]).encode() + b"\n"
        if self._is_closed:
            raise _ended()
        answer, body = await asyncio.get_running_loop().run_in_executor(self._thread, self._ask, line)
        if error := answer.get("error"):
            raise NotWritten(tuple(error["names"]), error["status"], error["message"])
        if bug := answer.get("bug"):
            raise RuntimeError(f"the process of litellm failed: {bug}")
        return answer, body

    def close(self) -> None:
        """End the process. Calls that wait for it fail."""
        self._is_closed = True
        if self._process is not None:
            self._process.kill()  # the thread, if it reads an answer, reads the end then
        self._thread.shutdown()
        self._forget()

    def _ask(self, line: bytes) -> tuple[Json, bytes]:
        with suppress(OSError, EOFError):  # it ended, perhaps since it was idle just until now
            return self._exchange(line)
        try:
            return self._exchange(line)
        except (OSError, EOFError) as error:
            raise _ended() from error

    def _exchange(self, line: bytes) -> tuple[Json, bytes]:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(line)
        process.stdin.flush()
        if not (answered := process.stdout.readline()):
            process.kill()
            process.wait()
            raise EOFError
        answer = json.loads(answered)
        return answer, process.stdout.read(answer.get("bytes", 0))

    def _running(self) -> subprocess.Popen[bytes]:
        if self._is_closed:
            raise EOFError
        if self._process is None or self._process.poll() is not None:
            self._forget()
            command = module_command("models.request_writer", str(self._idle_seconds))
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self._process

    def _forget(self) -> None:
        """Close what is left of a process that has ended; end one that was started while this was closed."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                with suppress(OSError):  # a line that it did not read is written at the end
                    if pipe is not None:
                        pipe.close()
            self._process = None


def _ended() -> NotWritten:
    return NotWritten(("WriterEnded",), 0, "The process that writes requests has ended.")


def main(idle_seconds: float) -> None:
    """Answer the calls on standard input until it is closed, or none has come for that time."""
    from desktop_app.process_secrets import seal_process

    seal_process()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is for the process that started this one
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # for what libraries print
    lines: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, lines.put), daemon=True).start()
    litellm_client = import_client()
    with suppress(queue.Empty):
        while line := lines.get(timeout=idle_seconds):
            answer, body = asyncio.run(_answer(litellm_client, line))
            answers.write(json.dumps(answer).encode() + b"\n" + body)
            answers.flush()
    answers.close()
    os._exit(0)  # as the engine does: litellm's objects import modules when they are garbage-collected


def import_client() -> Any:
    """Import litellm, and return the module `litellm_client`.

    One request is written, so that the first real one does not wait for litellm's late imports (0.8 s).
    """
    import logging

    from desktop_app.connections import without_unusable_certificates

    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # otherwise it downloads a price list
    with without_unusable_certificates():  # it reads them while it is imported
        from . import litellm_client

    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)  # its messages quote requests, and errors are raised anyway
    request = {"messages": [{"role": "user", "content": "."}], "max_tokens": 1, "stream": True}
    asyncio.run(litellm_client.write_request(Endpoint("warm-up", "http://127.0.0.1:9/v1"), "warm-up", request))
    return litellm_client


def _read(source: BinaryIO, put: Callable[[bytes], None]) -> None:
    """Read lines until the engine has gone; then end at once, even during the import."""
    for line in source:
        put(line)
    os._exit(0)


async def _answer(client: Any, line: bytes) -> tuple[Json, bytes]:
    try:
        described, request = json.loads(line)
        call = msgspec.convert(described, Call)
        if isinstance(call, OptionsCall):
            return {"options": client.options_of(call.kind, call.model)}, b""
        written = await client.write_request(call.endpoint, call.model, request, call.quirks, call.options)
        body, headers = written.content, list(written.headers.items())
        return {"method": written.method, "url": str(written.url), "headers": headers, "bytes": len(body)}, body
    except client.ERRORS as error:
        names = [kind.__name__ for kind in type(error).__mro__]
        message, status = str(getattr(error, "message", "") or error), getattr(error, "status_code", 0)
        return {"error": {"names": names, "message": message, "status": status if isinstance(status, int) else 0}}, b""
    except Exception:  # noqa: BLE001 - the engine raises it
        return {"bug": traceback.format_exc()}, b""


if __name__ == "__main__":
    main(float(sys.argv[1]))
