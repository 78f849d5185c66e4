"""How the C library keeps memory that was freed (see `docs/decisions/0032`)."""

from __future__ import annotations

import ctypes
import sys

M_MMAP_THRESHOLD = -3
"""Of glibc's malloc.h."""
LARGE_BYTES = 256 * 1024
"""From which on a block has pages of its own, that go back to the system when it is freed."""


def give_back_large_blocks() -> None:
    """Let each large block that is freed go back to the system at once.

    glibc raises that limit with each large block that it frees, up to 32 MB: after one reply of megabytes all such
    blocks lie among the small ones, which stay, and so does what is free between them. Other systems are left as they
    are.
    """
    if sys.platform == "linux" and hasattr(library := ctypes.CDLL(None), "mallopt"):  # musl has none
        library.mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
