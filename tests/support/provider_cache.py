"""How prompt caches work: the longest common prefix (OpenAI and the local servers), or markers (Anthropic)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from itertools import accumulate

from provider_shapes import Block

LOOKBACK = 20
"""Blocks that Anthropic looks at before each marker, the marked one among them.

https://platform.claude.com/docs/en/build-with-claude/prompt-caching
"""


def prefixes_of(blocks: Sequence[Block]) -> list[bytes]:
    """A hash for each beginning of the prompt: that of its first block, of its first two, ..."""
    hashes: list[bytes] = []
    running = hashlib.blake2b(digest_size=16)
    for block in blocks:
        running.update(block.key.encode())
        running.update(b"\0")
        hashes.append(running.copy().digest())
    return hashes


class PrefixCache:
    """Knows every prefix that was ever sent, to the block, as a server does that has room enough."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def take(self, blocks: Sequence[Block], tokens: Sequence[float], minimum: int, step: int) -> int:
        """Tokens of the longest known prefix, in whole steps, at least the minimum; and keeps this prompt."""
        hashes = prefixes_of(blocks)
        same = next((index for index, hashed in enumerate(hashes) if hashed not in self._known), len(hashes))
        # The last token is always computed anew, so a prompt that is known as a whole is not cached as a whole.
        known = int(sum(tokens[:same])) - (same == len(blocks))
        self._known.update(hashes)
        return known // step * step if known >= minimum else 0


class MarkedCache:
    """Anthropic's: a prefix is written where a marker stands, found from a marker by looking back, and lives for
    five minutes (or an hour) after it was last used."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._ends: dict[bytes, float] = {}

    def take(self, blocks: Sequence[Block], tokens: Sequence[float], minimum: int) -> tuple[int, int]:
        """Tokens read from the cache and tokens written into it."""
        marked = [index for index, block in enumerate(blocks) if block.cached_for]
        hashes, totals, now = prefixes_of(blocks), list(accumulate(tokens)), self._clock()
        hit = max((self._found(hashes, index, now) for index in marked), default=-1)
        if hit >= 0:
            lives_for = next(blocks[index].cached_for for index in marked if index >= hit)
            self._ends[hashes[hit]] = max(self._ends[hashes[hit]], now + lives_for)
        written = hit
        for index in marked:
            if totals[index] >= minimum and (index > hit or hashes[index] not in self._ends):
                self._ends[hashes[index]] = now + blocks[index].cached_for
                written = max(written, index)
        read = int(totals[hit]) if hit >= 0 else 0
        return read, (int(totals[written]) - read if written > hit else 0)

    def _found(self, hashes: list[bytes], marker: int, now: float) -> int:
        """The longest living prefix that is found from that marker; -1 for none."""
        oldest = max(marker - LOOKBACK, -1)
        return next((i for i in range(marker, oldest, -1) if self._ends.get(hashes[i], 0) > now), -1)
