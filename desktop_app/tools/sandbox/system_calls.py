"""The filter of system calls in the sandbox, as a program of the kernel's classic BPF.

It closes what namespaces leave open: the keyrings of the kernel, which a login session hands down; writing into a
terminal; sockets of kinds that no namespace covers, such as those to the host of a virtual machine.
"""

from __future__ import annotations

import platform
import struct
from typing import NamedTuple

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
