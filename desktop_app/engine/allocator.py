"""Settings of the C library's allocator, so that freed memory goes back to the system (`docs/decisions/0032`)."""

from __future__ import annotations

import ctypes
import sys

M_MMAP_THRESHOLD = -3
"""From glibc's malloc.h."""
LARGE_BYTES = 256 * 1024
"""Blocks of at least this size get pages of their own, which are returned to the system when the block is freed."""


def give_back_large_blocks() -> None:
    """Return each large block to the system as soon as it is freed.

    glibc raises its limit with each large block that it frees, up to 32 MB: after one reply of megabytes, all such
    blocks lie among the small ones, which live on, and the free space between them is never returned. On other
    systems nothing is changed.
    """
    if sys.platform == "linux" and hasattr(library := ctypes.CDLL(None), "mallopt"):  # musl has none
        library.mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
