"""A world around the sandbox: what attempts are after, and whether they got it."""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

import psutil
from sandbox_attempts import PLACES, SECRETS, Attempt

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import ToolContext, ToolOutcome
from desktop_app.settings import Settings
from desktop_app.tools.registry import ToolRegistry
from desktop_app.tools.spill import SpillFolder

ROOT = Path(__file__).resolve().parent.parent.parent
DRIVER = Path(__file__).parent / "sandbox_driver.py"
CANARY = "a canary that sings"
SLEEP = 7_000_000
"""Seconds of the first sleeping process: each has another number, by which it is found."""
_TOKEN = re.compile(rb"T\d{3}T")


class World:
    """Folders, secrets, servers and processes that a program in the sandbox must not get at."""

    def __init__(self, root: Path, stack: ExitStack) -> None:
        self._name = root.name
        self.root, self.home, self.data, self.work = root, root / "home", root / "data", root / "work"
        self.places = dict(zip(PLACES, self._places(), strict=True))
        self.arrived: set[str] = set()
        self._victims: dict[int, psutil.Process] = {}
        self._stack = stack
        self._make_files()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._sockets = list(self._open_sockets())
        self._listener.start()
        self.sleeper = self._sleep(SLEEP - 1, {"SOME_TOKEN": CANARY})
        self._shared = SharedMemory(create=True, size=8)
        stack.callback(self._forget_shared)
        stack.callback(self._shared.close)
        self._libc = ctypes.CDLL(None)
        self._libc.syscall(250, 1, None)  # a session of keys, as a login has it
        self._key = self._libc.syscall(248, b"user", b"palimpsest sandbox test", b"canary", 6, -3)
        self._libc.semget(self.root.stat().st_ino % 1_000_000, 1, 0o1666)
        (root / "marker").touch()
        handle = os.open(root / "marker", os.O_RDONLY)
        os.set_inheritable(handle, True)
        stack.callback(os.close, handle)

    def prepare(self, attempts: Sequence[Attempt]) -> Path:
        """Make what each attempt needs, and return the file that says what to do."""
        tasks = [self._task(attempt) for attempt in attempts]
        file = self.work / "task" / "task.json"
        shutil.rmtree(file.parent, ignore_errors=True)
        (file.parent / "out").mkdir(parents=True)
        file.write_text(json.dumps(tasks))
        return file

    def succeeded(self, attempts: Sequence[Attempt], before: dict[int, Any]) -> list[Attempt]:
        """Return those that had their effect. before: what `look` has returned before they were made."""
        time.sleep(0.2)  # for what is still on its way
        return [attempt for attempt in attempts if self._has_effect(attempt, before)]

    def look(self, attempts: Sequence[Attempt]) -> dict[int, Any]:
        """Return what the folder of each attempt holds, by its number."""
        return {each.number: fingerprint(self._folder(each)) for each in attempts if each.effect == "changed"}

    def _has_effect(self, attempt: Attempt, before: dict[int, Any]) -> bool:
        match attempt.effect:
            case "changed":
                return fingerprint(self._folder(attempt)) != before[attempt.number]
            case "said":
                with suppress(OSError):
                    said = (self.work / "task" / "out" / str(attempt.number)).read_text(errors="replace")
                    return (CANARY if attempt.secret else attempt.token) in said
                return False
            case "arrived":
                return attempt.token in self.arrived
            case "left":
                return any(str(SLEEP + attempt.number) in process.cmdline()[1:2] for process in sleeping())
            case "killed":
                victim = self._victims[attempt.number]
                return not victim.is_running() or victim.status() == psutil.STATUS_ZOMBIE

    def _folder(self, attempt: Attempt) -> Path:
        return self.places[attempt.place or "outside"] / f"d{attempt.number}"

    def _task(self, attempt: Attempt) -> dict[str, Any]:
        own = self.work / f"w{attempt.number}"
        folder = self._folder(attempt)
        for made in (own, folder / "e", folder / "sub"):
            made.mkdir(parents=True, exist_ok=True)
        (own / "m").write_text("mine")
        (folder / "f").write_text("before")
        (folder / "sub" / "x").write_text("before")
        number = SLEEP + attempt.number
        if attempt.effect == "killed":
            self._victims[attempt.number] = self._sleep(number)
        victim = self._victims.get(attempt.number, self.sleeper)
        names = self._names() | {"d": str(folder), "w": str(own), "n": number, "victim": victim.pid}
        names |= {"s": str(self.root / attempt.secret), "t": attempt.token}
        code = attempt.code.format(**names)
        return {"number": attempt.number, "code": code, "names": names}

    def _names(self) -> dict[str, Any]:
        return {
            **{name: str(path) for name, path in (("home", self.home), ("data", self.data), ("work", self.work))},
            **{"port": self._tcp, "udp": self._udp, "ip": own_address(), "unix": str(self.root / "unix.socket")},
            **{"datagram": str(self.root / "datagram.socket"), "abstract": self._name},
            **{"datagram_abstract": f"{self._name}-datagram", "run_socket": str(self._run_socket)},
            **{"tmp_socket": str(self._tmp_socket), "pid": self.sleeper.pid, "pid_name": SLEEP - 1},
            **{"key": self._key, "shm": self._shared.name, "semaphore": self.root.stat().st_ino % 1_000_000},
        }

    def _forget_shared(self) -> None:
        with suppress(FileNotFoundError):  # Python's tracker removes what a program has only opened
            self._shared.unlink()

    def _places(self) -> Iterator[Path]:
        yield from (self.root / "outside", self.home / "documents", self.data / "more")
        yield from (self.work / ".git" / "hooks", self.work / ".vscode")

    def _make_files(self) -> None:
        self.work.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(self.work)], check=True)
        for place in self.places.values():
            place.mkdir(parents=True, exist_ok=True)
        for secret in SECRETS:
            path = self.root / secret
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{CANARY}\n")

    def _sleep(self, seconds: int, environment: dict[str, str] | None = None) -> psutil.Process:
        process = subprocess.Popen(
            ["sleep", str(seconds)], start_new_session=True, cwd=self.root, env=os.environ | (environment or {})
        )
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return psutil.Process(process.pid)

    def _open_sockets(self) -> Iterator[socket.socket]:
        folder = Path(tempfile.mkdtemp(prefix="sandbox-test-", dir="/tmp"))
        self._stack.callback(shutil.rmtree, folder)
        self._tmp_socket = folder / "unix.socket"
        run = Path("/run" if os.access("/run", os.W_OK) else folder)
        self._run_socket = run / f"palimpsest-{self._name}.socket"
        self._stack.callback(self._run_socket.unlink)
        tcp = socket.create_server(("", 0))
        self._tcp = tcp.getsockname()[1]
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("", 0))
        self._udp = udp.getsockname()[1]
        yield from (tcp, udp)
        for path in (str(self.root / "unix.socket"), self._tmp_socket, self._run_socket, f"\0{self._name}"):
            yield (one := socket.socket(socket.AF_UNIX))
            one.bind(str(path))
            one.listen()
        for path in (str(self.root / "datagram.socket"), f"\0{self._name}-datagram"):
            yield (one := socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
            one.bind(path)

    def _listen(self) -> None:
        import selectors

        selector = selectors.DefaultSelector()
        for one in self._sockets:
            one.setblocking(False)
            selector.register(one, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                one: Any = key.fileobj
                try:
                    if one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                        connection = one.accept()[0]
                        connection.setblocking(False)
                        selector.register(connection, selectors.EVENT_READ)
                        continue
                    content = one.recv(65_536)
                except OSError:
                    content = b""
                self.arrived.update(token.decode() for token in _TOKEN.findall(content))
                is_answered = not content or content.startswith((b"GET", b"\x16", b"CONNECT"))
                if one.type == socket.SOCK_STREAM and is_answered:
                    selector.unregister(one)
                    one.close()


def fingerprint(folder: Path) -> list[Any]:
    """Return what is in a folder: names, modes, times and contents."""
    found: list[Any] = []
    for path in (folder, *sorted(folder.rglob("*"))):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found.append((str(path), status.st_mode, status.st_uid, status.st_mtime_ns, content))
    return found


def sleeping() -> Iterator[psutil.Process]:
    for process in psutil.process_iter(["name"]):
        with suppress(psutil.Error):
            if process.name() == "sleep" and len(process.cmdline()) == 2:
                yield process


def own_address() -> str:
    """Return an address of this machine that is not the loopback's, if it has one."""
    found = [a.address for each in psutil.net_if_addrs().values() for a in each if a.family == socket.AF_INET]
    return next((address for address in found if not address.startswith("127.")), "127.0.0.1")


@contextmanager
def world(monkeypatch: Any) -> Iterator[World]:
    """Make it where neither a temporary folder nor a working folder is, and remove it with all that attempts made."""
    (ROOT / "build").mkdir(exist_ok=True)
    root = Path(os.path.realpath(tempfile.mkdtemp(prefix="sandbox-", dir=ROOT / "build")))
    monkeypatch.setenv("HOME", str(root / "home"))
    monkeypatch.setenv("PALIMPSEST_KEYS_FILE", str(root / "home" / "own.keys"))
    monkeypatch.setenv("SOME_TOKEN", CANARY)
    with ExitStack() as stack:
        stack.callback(subprocess.run, ["rm", "-rf", str(root)], check=True)
        yield World(root, stack)
        for process in sleeping():
            with suppress(psutil.Error, ValueError):
                if int(process.cmdline()[1]) >= SLEEP:
                    process.kill()


def make_unconfined(file: Path) -> None:
    """Make the attempts as any program of the user's would."""
    with open(file.parent / "log", "w") as log:
        subprocess.run([sys.executable, str(DRIVER), str(file)], stdout=log, stderr=log, check=True, close_fds=False)


def make_confined(one: World, file: Path) -> ToolOutcome:
    """Make the attempts as a command of a model's."""
    settings = Settings()
    tools = ToolRegistry((), SpillFolder(one.data / "spills"), lambda: settings, one.data)
    command = f"{sys.executable} {DRIVER} {file}"
    call = ToolCall("1", "bash", json.dumps({"command": command, "timeout": 600}))

    async def run() -> ToolOutcome:
        context = ToolContext("one", str(one.work))
        await tools.needs(call, context)
        *_, outcome = [piece async for piece in tools.run(call, context)]
        assert isinstance(outcome, ToolOutcome)
        return outcome

    return asyncio.run(run())
