"""The built-in model's server: llama.cpp in a child process, on a free loopback port, behind a token.

The child runs this module as a program: it loads the model, prints one line of JSON with its address, and ends when its
standard input is closed, so that it never outlives the engine. `LlamaServer` owns it in the engine.
"""

from __future__ import annotations

import asyncio
import ctypes
import importlib
import json
import os
import secrets
import signal
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, Any

from desktop_app.chat.ports import ModelError
from desktop_app.conversation.events import Failure
from desktop_app.conversation.words import translatable
from desktop_app.own_processes import module_command
from desktop_app.process_secrets import seal_process, variable

TOKEN_VARIABLE = "PALIMPSEST_LLAMA_TOKEN"
START_SECONDS = 60.0
"""Loading takes half a second; the limit allows for a machine that is swapping."""
STOP_SECONDS = 3.0
DYING_SECONDS = 0.5
MAX_THREADS = 4
"""More do not make such a small model faster."""

# The model's own template adds a system prompt if there is none, which would not be counted.
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


class _EndedWhileLoading(ModelError):
    pass


class LlamaServer:
    """Starts the child when it is first needed, and again after it has died."""

    def __init__(self, model: Path, window: int) -> None:
        self._model = model
        self._window = window
        self._starting = asyncio.Lock()
        self._child: asyncio.subprocess.Process | None = None
        self._loading: asyncio.subprocess.Process | None = None
        self._is_closed = False
        self.base_url = ""
        """The running server's, such as http://127.0.0.1:40123/v1."""
        self.token = secrets.token_urlsafe(24)

    @property
    def is_running(self) -> bool:
        return self._child is not None and self._child.returncode is None

    @property
    def pid(self) -> int:
        """The child's process id; 0 if there is none."""
        return self._child.pid if self._child is not None and self.is_running else 0

    async def start(self) -> str:
        """Start the server if it is not running, and return its base URL. Raises ModelError.

        A child that ends while loading, perhaps because it was killed, is started once more.
        """
        async with self._starting:
            if not self.is_running:
                try:
                    await self._launch()
                except _EndedWhileLoading:
                    if self._is_closed:
                        raise
                    await self._launch()
            return self.base_url

    async def has_died(self) -> bool:
        """Wait briefly for the child's end: its connections break before the system reports it."""
        if self._child is not None:
            try:
                await asyncio.wait_for(self._child.wait(), DYING_SECONDS)
            except TimeoutError:
                return False
        return True

    def close(self) -> None:
        """Kill a child that is still loading, and start no other."""
        self._is_closed = True
        if self._loading is not None and self._loading.returncode is None:
            self._loading.kill()

    async def stop(self) -> None:
        async with self._starting:
            child, self._child = self._child, None
            if child is not None:
                await _end(child)

    async def _launch(self) -> None:
        with tempfile.TemporaryFile() as errors:
            child = await asyncio.create_subprocess_exec(
                *module_command("models.llama_server", str(self._model), str(self._window)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                env={**os.environ, TOKEN_VARIABLE: self.token, "PYTHONPATH": _import_path()},
            )
            self._loading = child
            if self._is_closed:
                child.kill()
            try:
                self.base_url = await _address(child, errors)
            except BaseException:  # including cancellation: the child must not be left running
                await _end(child)
                raise
            finally:
                self._loading = None
        self._child = child


async def _address(child: asyncio.subprocess.Process, errors: IO[bytes]) -> str:
    assert child.stdout is not None
    try:
        line = await asyncio.wait_for(child.stdout.readline(), START_SECONDS)
    except TimeoutError as error:
        raise ModelError(
            _not_started(
                translatable("It did not answer within {start_seconds} seconds.").format(
                    start_seconds=f"{START_SECONDS:.0f}"
                )
            )
        ) from error
    if not line.endswith(b"\n"):
        await _end(child)
        raise _EndedWhileLoading(_not_started(_last_words(errors, child.returncode or 0)))
    return json.loads(line)["base_url"]


def _last_words(errors: IO[bytes], code: int) -> str:
    errors.seek(0)
    lines = errors.read().decode(errors="replace").strip().splitlines()
    if lines:
        return lines[-1]
    return f"It was killed by signal {-code}: is there enough memory?" if code < 0 else "It ended without a word."


async def _end(child: asyncio.subprocess.Process) -> None:
    """Close the child's input, which ends it, and kill it if it does not end in time."""
    if child.stdin is not None:
        child.stdin.close()
    try:
        await asyncio.wait_for(child.wait(), STOP_SECONDS)
    except TimeoutError:
        child.kill()
        await child.wait()


def _import_path() -> str:
    """Return a PYTHONPATH with which the child finds this package, however the engine was started."""
    root = str(Path(__file__).resolve().parent.parent.parent)
    return os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH", ""))))


def _not_started(detail: str) -> Failure:
    return Failure(
        "provider",
        translatable("The built-in model could not be started"),
        detail,
        kept=translatable("Your message is stored."),
        advice=translatable("Try again. If it happens again, run `palimpsest doctor`, or choose another model."),
    )


# The child process.


def main(model: str, window: int, port: int = 0, name: str = "builtin") -> None:
    """Serve the model under that name until standard input ends. port: 0 for a free one."""
    _die_with_parent()
    seal_process()
    server = _serve(model, window, port, name)
    print(json.dumps({"base_url": f"{server.listening_address}/v1"}), flush=True)
    os.dup2(2, 1)  # standard output is no longer read, but a library may still print to it
    input_reader = threading.Thread(target=sys.stdin.buffer.read, daemon=True)
    input_reader.start()
    input_reader.join()
    os._exit(0)  # a normal exit would wait for llama.cpp's threads


def _serve(model: str, window: int, port: int, name: str) -> Any:
    """Load the model and listen; needs 335 MB with a window of 8,192.

    Quantizing the cache would save 85 MB, but halve the speed of reading long prompts. There is one slot, with a cache
    for the prompts of a few other conversations, since reading 2,000 tokens again takes 20 s.
    """
    xllamacpp: Any = importlib.import_module("xllamacpp")  # a compiled module without types
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {name}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    token = variable(TOKEN_VARIABLE)
    params.api_keys = [token] if token else []
    params.n_ctx = window
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = 64  # small, since a cancelled prompt is read to the end of its batch
    params.cache_ram_mib = 64
    # Threads spin while they wait for each other, hundreds of times per token: on two busy cores, two threads read 12
    # to 130 tokens a second and wrote 2 to 20, one thread read 40 to 100 and wrote 24 to 45. On idle cores, two are
    # half as fast again as one. So one core is left free.
    threads = max(1, min(MAX_THREADS, (os.cpu_count() or 1) - 1))
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.n_threads_http = 2
    params.n_gpu_layers = 0
    params.fit_params = False
    params.warmup = False
    params.chat_template = CHAT_TEMPLATE
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = 1  # errors only
    return xllamacpp.Server(params)


def _die_with_parent() -> None:
    """Ask Linux to kill this process when its parent dies, in case another process holds standard input open."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


if __name__ == "__main__":
    path, size, *rest = sys.argv[1:]
    main(path, int(size), int(rest[0]), rest[1]) if rest else main(path, int(size))
