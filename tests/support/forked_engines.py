"""Engine processes for tests that are not about how one starts: each is forked off a process that has imported it all.

Importing litellm takes three seconds of a core, and the tests start engines a hundred times. What is forked runs the
same `desktop_app engine` in a process of its own, with the arguments, folder, environment and pipes that it is given.

`python forked_engines.py serve SOCKET` is the process that has imported it all; it ends with its standard input.
`python forked_engines.py SOCKET ARGUMENTS` stands for one engine: it lives, dies and is killed with it.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

MAX_REQUEST = 1 << 16
"""Bytes of a request: arguments, folder and environment."""


def forked_command(*arguments: str) -> list[str]:
    """Return a command line that runs `palimpsest ARGUMENTS` in a process that is forked for it."""
    return [sys.executable, "-I", "-S", __file__, _socket_of_server(), *arguments]


@functools.cache
def _socket_of_server() -> str:
    """Start the process that engines are forked off, and return where it is reached."""
    folder = tempfile.TemporaryDirectory(prefix="engines-")
    path = Path(folder.name, "socket")
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    server = subprocess.Popen([sys.executable, __file__, "serve", path], stdin=subprocess.PIPE, env=environment)
    atexit.register(_end, server, folder)
    while not path.exists():
        assert server.poll() is None, "it has ended"
        time.sleep(0.01)
    return str(path)


def _end(server: subprocess.Popen[bytes], folder: tempfile.TemporaryDirectory[str]) -> None:
    server.communicate()
    folder.cleanup()


def run_client(path: str, arguments: list[str]) -> NoReturn:
    """Have an engine forked, and end as it ends."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.connect(path)
    signal.signal(signal.SIGTERM, lambda *_: server.send(b"end"))
    wanted = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}
    socket.send_fds(server, [json.dumps(wanted).encode()], [0, 1, 2])
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):  # theirs now: whoever reads them notices the end of the engine
        os.dup2(nothing, descriptor)
    code = int(server.recv(16) or b"1")
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


class Server:
    """Forks engines, kills those whose client was killed, and tells the others how theirs ended."""

    def __init__(self, path: str) -> None:
        self._program: Callable[[], int] = lambda: 1
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(path)
        self._listener.listen(50)  # clients may come before all is imported
        self._engines: dict[int, socket.socket] = {}
        self._ready = selectors.DefaultSelector()

    def run(self, program: Callable[[], int]) -> None:
        """Serve until nobody can ask any more. program: what a forked process runs, its arguments in `sys.argv`."""
        self._program = program
        ended, told = os.pipe()
        for end in (ended, told):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(told)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for source in (0, ended, self._listener):
            self._ready.register(source, selectors.EVENT_READ)
        while True:
            for key, _ in self._ready.select():
                if key.fileobj == 0:
                    return
                if key.fileobj == ended:
                    os.read(ended, 4096)
                    self._tell_of_ends()
                elif key.fileobj is self._listener:
                    self._fork(self._listener.accept()[0])
                else:
                    self._signal(key.data, key.fileobj)

    def _fork(self, client: socket.socket) -> None:
        content, descriptors, *_ = socket.recv_fds(client, MAX_REQUEST, 3)
        engine = os.fork()
        if engine == 0:
            become_engine(self._program, json.loads(content), descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        self._engines[engine] = client
        self._ready.register(client, selectors.EVENT_READ, engine)

    def _signal(self, engine: int, client: socket.socket) -> None:
        if client.recv(16):
            os.kill(engine, signal.SIGTERM)
        else:
            self._ready.unregister(client)
            if engine in self._engines:
                os.kill(engine, signal.SIGKILL)

    def _tell_of_ends(self) -> None:
        while self._engines:
            engine, status = os.waitpid(-1, os.WNOHANG)
            if not engine:
                return
            with contextlib.suppress(OSError):  # the client was killed
                self._engines.pop(engine).send(str(os.waitstatus_to_exitcode(status)).encode())


def become_engine(program: Callable[[], int], wanted: dict[str, Any], descriptors: list[int]) -> NoReturn:
    """Run the program in this process, which has just been forked."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
        os.closerange(3, 1024)
        os.chdir(wanted["folder"])
        os.environ.clear()
        os.environ.update(wanted["environment"])
        sys.argv = ["palimpsest", *wanted["arguments"]]
        code = program()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        os._exit(code)


def main(arguments: list[str]) -> None:
    """Run the server or a client."""
    if arguments[0] != "serve":
        run_client(arguments[0], arguments[1:])
    server = Server(arguments[1])
    import desktop_app.engine.serve  # noqa: F401 - all of the engine
    from desktop_app.__main__ import main as program

    server.run(program)


if __name__ == "__main__":
    main(sys.argv[1:])
