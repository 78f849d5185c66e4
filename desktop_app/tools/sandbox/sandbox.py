"""The sandbox: detection of its availability, the rights of each program, and the filter of system calls.

The filter, a program in classic BPF, blocks what namespaces do not cover: the kernel's keyrings, which a login session
passes on; writing into a terminal; and kinds of sockets without namespaces, such as sockets to the host of a virtual
machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from desktop_app.conversation.words import translatable
from desktop_app.own_processes import isolated_command
from desktop_app.paths import make_folder

from .confinement import (
    STORES,
    Confinement,
    bubblewrap_options,
    confined_environment,
    guarded_places,
    home_folders,
    is_within,
    mounted_inside,
    name_servers,
    repositories_in,
    secret_places,
)
from .placeholders import Placeholders, close_handles, open_handles
from .private_home import furnish_home, home_environment
from .scoped_start import can_scope_sockets

UNIX, IPV4, IPV6, NETLINK = 1, 2, 10, 16
"""Address families of sockets."""
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
"""Requests of ioctl that write into a terminal."""
_LOAD, _IF_EQUAL, _IF_FROM, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24
"""Offsets in the data that a filter gets about a call; of the arguments, only the lower half, which is sufficient."""
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001  # EPERM
_OTHER_NUMBERS = 0x40000000
"""The lowest number of the x32 calls, another interface to the same kernel."""
_STEP = struct.Struct("=HBBI")


class Machine(NamedTuple):
    """The kernel's identifier of an architecture, and its numbers of system calls."""

    architecture: int
    socket: int
    ioctl: int
    refused: tuple[int, ...]
    """Numbers of add_key, request_key, keyctl, and the calls of io_uring, whose requests no filter sees."""


MACHINES = {
    "x86_64": Machine(0xC000003E, 41, 16, (248, 249, 250, 425, 426, 427)),
    "aarch64": Machine(0xC00000B7, 198, 29, (217, 218, 219, 425, 426, 427)),
}


def filter_program(has_unix_sockets: bool, machine: str = "") -> bytes:
    """Return the program for `bwrap --seccomp`; b"" for an unknown machine.

    has_unix_sockets: False for programs with network that are not scoped, because abstract sockets, such as the display
    server's, belong to the shared network namespace. Socket pairs are always allowed.
    """
    known = MACHINES.get(machine or platform.machine())
    if known is None:
        return b""
    allowance, refusal = _step(_RETURN, _ALLOW), _step(_RETURN, _REFUSE)
    families = (UNIX, IPV4, IPV6, NETLINK) if has_unix_sockets else (IPV4, IPV6, NETLINK)
    sockets = _step(_LOAD, _FIRST) + b"".join(_if_equal(family, allowance) for family in families)
    requests = _step(_LOAD, _SECOND) + b"".join(_if_equal(request, refusal) for request in (TIOCSTI, TIOCLINUX))
    return b"".join(
        (
            _step(_LOAD, _ARCHITECTURE),
            _step(_IF_EQUAL, known.architecture, 1, 0) + refusal,
            _step(_LOAD, _NUMBER),
            _step(_IF_FROM, _OTHER_NUMBERS, 0, 1) + refusal,
            *(_if_equal(number, refusal) for number in known.refused),
            _if_equal(known.socket, sockets + refusal),
            _if_equal(known.ioctl, requests + allowance),
            allowance,
        )
    )


def _if_equal(value: int, then: bytes) -> bytes:
    return _step(_IF_EQUAL, value, 0, len(then) // _STEP.size) + then


def _step(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return _STEP.pack(code, if_so, if_not, value)


PROGRAM = "bwrap"
PROBE_SECONDS = 10.0
NO_MORE_NAMESPACES = "--disable-userns"
"""Prevents creating further namespaces inside; available since bubblewrap 0.8."""
NOT_LINUX = translatable("The sandbox is available on Linux only.")
NOT_INSTALLED = translatable("bubblewrap is not installed (the system's package “bubblewrap”).")
BROKEN = translatable("bubblewrap is installed, but does not work here: {reason}")
_PREFIX = "palimpsest-"
_WITH_FILTER = 'exec 8<"$0"; exec "$@"'
"""A shell command that opens the filter for bubblewrap, so that no file has to be passed to it."""
_OWN = ("/dev/", "/proc/", "/sys/")
"""Prefixes of files that are different inside the sandbox."""
_UNSUITABLE = ("/dev", "/proc", "/run", "/sys")


class Unconfinable(Exception):
    """Raised if a program cannot run in the sandbox with its working folder, with the reason for the model."""


class SandboxProbe(msgspec.Struct, frozen=True):
    """The result of testing the sandbox."""

    fault: str = ""
    """The reason why there is no sandbox, for the user; "" if it works."""
    program: str = ""
    options: tuple[str, ...] = ()


class Rights(msgspec.Struct, frozen=True):
    """The rights of a program in the sandbox, in addition to reading most files and writing its folder."""

    owner: str
    """The owner of the temporary files: programs with the same owner share them."""
    has_network: bool = False
    writable: tuple[str, ...] = ()
    """Writable folders in addition to the working folder."""
    readable: tuple[str, ...] = ()
    """Secrets that it may read."""
    keeps_files: bool = False
    """Whether it has a home folder of its own and caches, which are kept for the next start."""


class Confined(msgspec.Struct, frozen=True):
    """The command line, environment and handles to start a program in the sandbox. Must be closed after the start."""

    argv: tuple[str, ...]
    environment: dict[str, str]
    places: dict[str, int] = {}

    @property
    def handles(self) -> tuple[int, ...]:
        """File descriptors that the program inherits."""
        return tuple(self.places.values())

    def close(self) -> None:
        """Close the inherited file descriptors."""
        close_handles(self.places)


@lru_cache(1)
def probe() -> SandboxProbe:
    """Test whether a sandbox can be started, which takes about 20 ms; the result is cached."""
    if sys.platform != "linux":
        return SandboxProbe(NOT_LINUX)
    program = shutil.which(PROGRAM)
    if program is None:
        return SandboxProbe(NOT_INSTALLED)
    reason = ""
    for options in ((NO_MORE_NAMESPACES,), ()):
        reason = _try(program, options)
        if not reason:
            return SandboxProbe("", program, options)
    return SandboxProbe(BROKEN.format(reason=reason))


def _try(program: str, options: tuple[str, ...]) -> str:
    """Return the reason why a sandbox does not start; "" if it does."""
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}probe-") as folder:
        empty = Path(folder, "empty")
        empty.touch()
        own = os.path.realpath(folder)
        wanted = Confinement("/", (own,), folder, str(empty), guarded=(f"{own}/empty",))
        handles = open_handles(mounted_inside(wanted))
        argv = (program, *options, *bubblewrap_options(wanted, handles), "--", "/bin/sh", "-c", "exit 0")
        try:
            done = subprocess.run(
                argv,
                capture_output=True,
                timeout=PROBE_SECONDS,
                stdin=subprocess.DEVNULL,
                pass_fds=tuple(handles.values()),
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        finally:
            close_handles(handles)
    errors = done.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {done.returncode}"]
    return "" if done.returncode == 0 else errors[-1]


class Sandbox:
    """Confines the programs of one engine. It has a temporary folder for each owner until `close`.

    data: Palimpsest's data folder. keys: the user's keys file; None if there is none.
    """

    def __init__(self, data: Path, keys: Path | None = None) -> None:
        self.data = data
        self._ours = tuple(os.path.realpath(path) for path in (data, keys) if path is not None)
        self._folder: Path | None = None
        self._placeholders = Placeholders()
        self._making = threading.Lock()  # parallel commands start on different threads

    async def fault(self) -> str:
        """Return the reason why there is no sandbox on this machine; "" if there is one."""
        return (await asyncio.to_thread(probe)).fault

    async def confine(
        self, argv: Sequence[str], folder: str | Path, environment: Mapping[str, str], rights: Rights
    ) -> Confined:
        """Return how to start a program in the sandbox. Only valid if `fault` returns "".

        Raises Unconfinable, and OSError.
        """
        wanted = await asyncio.to_thread(self._confinement, str(folder), rights)
        opening = asyncio.ensure_future(asyncio.to_thread(self._confined, argv, environment, wanted))
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            with contextlib.suppress(OSError):
                (await opening).close()
            raise

    def close(self) -> None:
        """Remove the temporary folders and the placeholder files."""
        self._placeholders.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _confined(self, argv: Sequence[str], environment: Mapping[str, str], wanted: Confinement) -> Confined:
        found = probe()
        start: tuple[str, ...] = (found.program, *found.options)
        is_scoped = bool(wanted.home) and wanted.has_network and can_scope_sockets()
        if is_scoped:
            start = (*isolated_command("tools.sandbox.scoped_start"), *start)
        if program := filter_program(is_scoped or not wanted.has_network):
            file = self._root() / f"filter-{is_scoped or not wanted.has_network}"
            with self._making:
                if not file.exists():  # another program may be reading it
                    file.write_bytes(program)
            start = ("/bin/sh", "-c", _WITH_FILTER, str(file), *start, "--seccomp", "8")
        handles = open_handles(mounted_inside(wanted))
        options = bubblewrap_options(wanted, handles)
        inside = confined_environment(environment, wanted.has_network)
        if wanted.home:
            furnish_home(Path(wanted.home), environment)
            inside = home_environment(inside, wanted.home)
        return Confined((*start, *options, "--", *argv), inside, handles)

    def _confinement(self, chosen: str, rights: Rights) -> Confinement:
        folder, root, homes = os.path.realpath(chosen), self._root(), home_folders()
        further = (_writable_folder(path, homes, rights.keeps_files) for path in rights.writable)
        can_write = tuple(path for path in dict.fromkeys((folder, *further)) if not _is_too_wide(path, homes))
        if folder in _UNSUITABLE:
            raise Unconfinable(f"{folder} is another one in the sandbox.")
        folders, files = secret_places(homes, (*self._ours, str(root)))
        if any(is_within(folder, hidden) for hidden in folders):
            raise Unconfinable(f"{folder} holds secrets, or data of Palimpsest's, which are hidden in the sandbox.")
        repositories = tuple(dict.fromkeys(found for each in can_write for found in repositories_in(each)))
        for repository in repositories:
            self._placeholders.keep(repository)
        return Confinement(
            folder,
            can_write,
            str(_private_folder(root / _name_of(rights.owner))),
            str(root / "empty"),
            rights.has_network,
            folders,
            tuple(path for path in files if self._is_hidden(path, can_write)),
            tuple(path for path in map(os.path.realpath, rights.readable) if not path.startswith(_OWN)),
            tuple(dict.fromkeys(path for each in can_write for path in guarded_places(each))),
            tuple(os.path.join(repository, store) for repository in repositories for store in STORES),
            str(_private_folder(self.data / "server_caches" / _name_of(rights.owner))) if rights.keeps_files else "",
            name_servers(),
            str(_private_folder(self.home_of(rights.owner))) if rights.keeps_files else "",
        )

    def home_of(self, owner: str) -> Path:
        """Return the home folder of a program that keeps files, which may not exist yet."""
        name = re.sub(r"[^\w-]+", "-", owner.rpartition("/")[2], flags=re.ASCII).strip("-")[:40] or "server"
        return Path(os.path.realpath(self.data), "server_homes", f"{name}-{_name_of(owner)[:6]}")

    def _is_hidden(self, path: str, writable: Sequence[str]) -> bool:
        """Return whether to hide a file or a socket. The user has given access to secret files in writable folders."""
        return path in self._ours or not os.path.isfile(path) or not any(is_within(path, each) for each in writable)

    def _root(self) -> Path:
        """Return the parent of the temporary folders; first, remove the folders that dead engines have left."""
        with self._making:
            if self._folder is None:
                for leftover in Path(tempfile.gettempdir()).glob(f"{_PREFIX}[0-9]*-*"):
                    if not Path("/proc", leftover.name.split("-")[1]).exists():
                        shutil.rmtree(leftover, ignore_errors=True)
                self._folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
                (self._folder / "empty").touch(mode=0o400)
            return self._folder


def _is_too_wide(folder: str, homes: Sequence[str]) -> bool:
    """Return whether a folder contains a home, or is a system folder: write access to it would allow anything."""
    return folder in _UNSUITABLE or any(is_within(home, folder) for home in homes)


def _writable_folder(path: str, homes: Sequence[str], must_be: bool) -> str:
    """Return a folder of the settings without links; make it if it does not exist. Raises Unconfinable.

    must_be: refuse a folder that is too wide, which is only read otherwise.
    """
    folder = os.path.realpath(os.path.expanduser(path))
    if must_be and _is_too_wide(folder, homes):
        raise Unconfinable(f"{path} holds a home, or belongs to the system: name a folder in it that may be written.")
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise Unconfinable(f"The folder {path}, which may be written, cannot be made: {error.strerror}.") from error
    return folder


def _private_folder(path: Path) -> Path:
    make_folder(path)
    return path


def _name_of(owner: str) -> str:
    return hashlib.sha256(owner.encode(errors="replace")).hexdigest()[:16]
