"""Run programs in the sandbox: whether this machine has one, what each program may do, and its system calls.

The filter of system calls, a program of the kernel's classic BPF, closes what namespaces leave open: the keyrings of
the kernel, which a login session hands down; writing into a terminal; and sockets of kinds that no namespace covers,
such as those to the host of a virtual machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import platform
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

UNIX, IPV4, IPV6, NETLINK = 1, 2, 10, 16
"""Families of sockets."""
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
"""Requests of ioctl that write into a terminal."""
_LOAD, _IF_EQUAL, _IF_FROM, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24
"""Offsets in what a filter sees of a call; of the arguments the lower half, which is all that is used of these."""
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001  # EPERM
_OTHER_NUMBERS = 0x40000000
"""From here on they are those of x32, another way to call the same kernel."""
_STEP = struct.Struct("=HBBI")


class Machine(NamedTuple):
    """What the kernel calls an architecture, and its numbers of calls."""

    architecture: int
    socket: int
    ioctl: int
    refused: tuple[int, ...]
    """add_key, request_key, keyctl; io_uring, whose requests no filter sees."""


MACHINES = {
    "x86_64": Machine(0xC000003E, 41, 16, (248, 249, 250, 425, 426, 427)),
    "aarch64": Machine(0xC00000B7, 198, 29, (217, 218, 219, 425, 426, 427)),
}


def filter_program(has_network: bool, machine: str = "") -> bytes:
    """Return the program for `bwrap --seccomp`; b"" for a machine whose numbers are not known.

    has_network: no socket between processes can be opened then, since those without a file, such as the screen's, are
    a part of the network. Pairs of sockets can.
    """
    known = MACHINES.get(machine or platform.machine())
    if known is None:
        return b""
    allowance, refusal = _step(_RETURN, _ALLOW), _step(_RETURN, _REFUSE)
    families = (IPV4, IPV6, NETLINK) if has_network else (UNIX, IPV4, IPV6, NETLINK)
    sockets = _step(_LOAD, _FIRST) + b"".join(_if_equal(family, allowance) for family in families)
    requests = _step(_LOAD, _SECOND) + b"".join(_if_equal(one, refusal) for one in (TIOCSTI, TIOCLINUX))
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
"""No further ones can be made inside; bubblewrap has it since 0.8."""
NOT_LINUX = translatable("The sandbox is available on Linux only.")
NOT_INSTALLED = translatable("bubblewrap is not installed (the system's package “bubblewrap”).")
BROKEN = translatable("bubblewrap is installed, but does not work here: {reason}")
_PREFIX = "palimpsest-"
_WITH_FILTER = 'exec 8<"$0"; exec "$@"'
"""Opens the filter of system calls for bubblewrap, so that no file has to be handed through to it."""
_OWN = ("/dev/", "/proc/", "/sys/")
"""What a program in the sandbox reads of these is about itself."""
_UNSUITABLE = ("/dev", "/proc", "/run", "/sys")


class Unconfinable(Exception):
    """A program cannot run in the sandbox with that working folder; says why, for the model."""


class SandboxProbe(msgspec.Struct, frozen=True):
    """Whether there is a sandbox."""

    fault: str = ""
    """Why there is none, for the user; "" if it works."""
    program: str = ""
    options: tuple[str, ...] = ()


class Rights(msgspec.Struct, frozen=True):
    """What a program in the sandbox may do beside reading most files, and writing its folder."""

    owner: str
    """Whose temporary files it sees: programs of one owner have them in common."""
    has_network: bool = False
    writable: tuple[str, ...] = ()
    """Folders beside its own."""
    shown: tuple[str, ...] = ()
    """Secrets that it may read."""
    keeps_caches: bool = False
    """Whether what it downloads is kept for its next start."""


class Confined(msgspec.Struct, frozen=True):
    """A command line that runs a program in the sandbox, and what to start it with. To be closed once it is started."""

    argv: tuple[str, ...]
    environment: dict[str, str]
    places: dict[str, int] = {}

    @property
    def handles(self) -> tuple[int, ...]:
        """Open files that it inherits."""
        return tuple(self.places.values())

    def close(self) -> None:
        """Close what it inherits."""
        close_handles(self.places)


@lru_cache(1)
def probe() -> SandboxProbe:
    """Return whether there is a sandbox, from trying one; the first time takes some 20 ms. The answer is kept."""
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
    """Return why a sandbox does not start; "" if it does."""
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
    """Confines the programs of one engine. Its temporary folders last until `close`, one for each owner.

    data: our data folder. keys: the user's file of keys, if there is one.
    """

    def __init__(self, data: Path, keys: Path | None = None) -> None:
        self._data = data
        self._ours = tuple(os.path.realpath(path) for path in (data, keys) if path is not None)
        self._folder: Path | None = None
        self._placeholders = Placeholders()
        self._making = threading.Lock()  # commands that run at once start on threads of their own

    async def fault(self) -> str:
        """Return why there is no sandbox on this machine; "" if there is one."""
        return (await asyncio.to_thread(probe)).fault

    async def confine(
        self, argv: Sequence[str], folder: str | Path, environment: Mapping[str, str], rights: Rights
    ) -> Confined:
        """Return how to run a program in the sandbox, which `fault` has found to be there.

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
        """Remove the temporary folders, and what kept names taken."""
        self._placeholders.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _confined(self, argv: Sequence[str], environment: Mapping[str, str], wanted: Confinement) -> Confined:
        found = probe()
        start: tuple[str, ...] = (found.program, *found.options)
        if program := filter_program(wanted.has_network):
            file = self._root() / f"filter-{wanted.has_network}"
            with self._making:
                if not file.exists():  # another program may be reading it
                    file.write_bytes(program)
            start = ("/bin/sh", "-c", _WITH_FILTER, str(file), *start, "--seccomp", "8")
        handles = open_handles(mounted_inside(wanted))
        options = bubblewrap_options(wanted, handles)
        return Confined((*start, *options, "--", *argv), confined_environment(environment, wanted.has_network), handles)

    def _confinement(self, chosen: str, rights: Rights) -> Confinement:
        folder, root, homes = os.path.realpath(chosen), self._root(), home_folders()
        own = dict.fromkeys(os.path.realpath(os.path.expanduser(path)) for path in (folder, *rights.writable))
        can_write = tuple(path for path in own if os.path.isdir(path) and not _is_too_wide(path, homes))
        if folder in _UNSUITABLE:
            raise Unconfinable(f"{folder} is another one in the sandbox.")
        folders, files = secret_places(homes, (*self._ours, str(root)))
        if any(is_within(folder, hidden) for hidden in folders):
            raise Unconfinable(f"{folder} holds secrets, or data of Palimpsest's, which are hidden in the sandbox.")
        repositories = tuple(dict.fromkeys(found for one in can_write for found in repositories_in(one)))
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
            tuple(path for path in map(os.path.realpath, rights.shown) if not path.startswith(_OWN)),
            tuple(dict.fromkeys(path for one in can_write for path in guarded_places(one))),
            tuple(os.path.join(repository, store) for repository in repositories for store in STORES),
            str(_private_folder(self._data / "server_caches" / _name_of(rights.owner))) if rights.keeps_caches else "",
            name_servers(),
        )

    def _is_hidden(self, path: str, writable: Sequence[str]) -> bool:
        """Return whether a file is hidden: those of the program's own folders are the user's to give; not sockets."""
        return path in self._ours or not os.path.isfile(path) or not any(is_within(path, one) for one in writable)

    def _root(self) -> Path:
        """Return the folder of the temporary folders; those that other engines have left behind are removed first."""
        with self._making:
            if self._folder is None:
                for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}[0-9]*-*"):
                    if not Path("/proc", left.name.split("-")[1]).exists():
                        shutil.rmtree(left, ignore_errors=True)
                self._folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
                (self._folder / "empty").touch(mode=0o400)
            return self._folder


def _is_too_wide(folder: str, homes: Sequence[str]) -> bool:
    """Return whether a folder holds a home, or is no place for files: a program that may write it may do anything."""
    return folder in _UNSUITABLE or any(is_within(home, folder) for home in homes)


def _private_folder(path: Path) -> Path:
    make_folder(path)
    return path


def _name_of(owner: str) -> str:
    return hashlib.sha256(owner.encode(errors="replace")).hexdigest()[:16]
