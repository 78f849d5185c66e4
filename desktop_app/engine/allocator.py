"""Configure the C library's allocator to return freed memory to the system (`docs/decisions/0032`)."""

from __future__ import annotations

import ctypes
import sys

M_MMAP_THRESHOLD = -3
"""From glibc's malloc.h."""
LARGE_BYTES = 256 * 1024
"""Blocks of at least this size are mapped separately, so that freeing one returns its pages to the system."""


def give_back_large_blocks() -> None:
    """Return each large block to the system as soon as it is freed.

    glibc raises its threshold with each large block that it frees, up to 32 MB. After one reply of megabytes, large
    blocks are allocated among small ones that stay alive, and the free space between them is never returned. Does
    nothing on other systems.
    """
    if sys.platform == "linux" and hasattr(library := ctypes.CDLL(None), "mallopt"):  # musl has none
        library.mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
