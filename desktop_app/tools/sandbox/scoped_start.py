"""Start a program that can reach no abstract socket of a program outside.

Abstract sockets, such as the display server's, belong to the network namespace, and a filter of system calls does not
see to which one a program connects. The kernel's Landlock does, since Linux 6.12.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from functools import lru_cache

CREATE_RULESET, RESTRICT_SELF = 444, 446
"""Numbers of the system calls, equal on all machines."""
ASK_VERSION = 1
WITH_SCOPES = 6
"""The version of Landlock that can scope sockets."""
ABSTRACT_SOCKETS = 1
NO_NEW_PRIVILEGES = 38
_RULESET = struct.Struct("=QQQ")
"""The handled accesses to files and to the network, and the scopes."""


@lru_cache(1)
def can_scope_sockets() -> bool:
    """Return whether the kernel can keep a program from the abstract sockets of others."""
    if sys.platform != "linux":
        return False
    version: int = ctypes.CDLL(None).syscall(CREATE_RULESET, None, 0, ASK_VERSION)
    return version >= WITH_SCOPES


def scope_sockets() -> None:
    """Deny this process and its children the abstract sockets of other processes. Raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    rules = _RULESET.pack(0, 0, ABSTRACT_SOCKETS)
    handle: int = library.syscall(CREATE_RULESET, rules, len(rules), 0)
    done: int = -1 if handle < 0 else library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if done == 0:
        done = library.syscall(RESTRICT_SELF, handle, 0)
    if done != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    os.close(handle)


if __name__ == "__main__":
    scope_sockets()
    os.execv(sys.argv[1], sys.argv[1:])
