"""How a family's tokens are counted: by the best way that is installed, falling back to the next and saying so."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import msgspec

from desktop_app.context.counting.tokens import Overhead

log = logging.getLogger(__name__)

CHUNK = 4_000
"""Characters encoded at once. tiktoken's regular expression runs out of stack on a million spaces."""

BYTES_A_TOKEN = 3
"""UTF-8 bytes: more tokens than any tokenizer needs for prose, about right for JSON."""

Count = Callable[[str], int]
"""Tokens of a text of any length. Never raises, in a time proportional to the length."""


class Encoding(Protocol):
    """What turns text into tokens."""

    def encode_ordinary(self, text: str) -> list[int]:
        """Tokens, where special tokens in the text are plain text."""
        ...


class TokenizerMissing(Exception):
    """A tokenizer's file is not installed, or is damaged."""


class Way(msgspec.Struct, frozen=True):
    """One way of counting. load: takes up to a second, once; raises TokenizerMissing, ValueError, OSError."""

    name: str
    is_exact: bool
    load: Callable[[], Count]


class FamilyTokenizer:
    """A `Tokenizer` that counts in the first of its ways that can be loaded, at the first count, whichever thread asks.

    A way that fails is logged once, and the next one is used; after the last, characters are counted.
    """

    _loading = threading.RLock()  # one for all, since families share encodings, and one may be fitted to another

    def __init__(self, overhead: Overhead, ways: Sequence[Way]) -> None:
        self._overhead = overhead
        self._ways = list(ways)
        self._count: Count | None = None

    @property
    def name(self) -> str:
        """Such as "o200k", or "o200k (estimate for claude)"."""
        return self._ways[0].name

    @property
    def is_exact(self) -> bool:
        """Whether these are the model's own tokens, not an estimate."""
        return self._ways[0].is_exact

    @property
    def overhead(self) -> Overhead:
        """What the chat format adds to the text."""
        return self._overhead

    def count(self, text: str) -> int:
        """Tokens of the text. Never raises, and takes time proportional to its length, whatever it holds."""
        return (self._count or self._loaded())(text)

    def _loaded(self) -> Count:
        with self._loading:
            while self._count is None:
                way = self._ways[0]
                try:
                    self._count = way.load()
                except (TokenizerMissing, ValueError, OSError) as error:
                    self._ways = self._ways[1:] or [by_characters(way.name)]
                    log.warning("The tokenizer %s cannot be used: %s. Used instead: %s.", way.name, error, self.name)
            return self._count


def by_characters(name: str) -> Way:
    """The last resort: it always loads."""
    return Way(f"characters (estimate for {name})", False, lambda: count_characters)


def count_characters(text: str) -> int:
    """One token for each BYTES_A_TOKEN bytes of UTF-8."""
    return -(-len(text.encode(errors="replace")) // BYTES_A_TOKEN)


def count_with(encoding: Encoding) -> Count:
    """Counts the tokens of that encoding, a chunk at a time."""

    def count(text: str) -> int:
        if len(text) <= CHUNK:
            return len(encoding.encode_ordinary(text))
        return sum(len(encoding.encode_ordinary(piece)) for piece in chunks(text))

    return count


# Every encoding here starts a new piece before a single space that follows a word, and after a single line's end.
_BOUNDARY = re.compile(r"(?<=\S)(?= \S)|(?<=\S\n)(?=[^\s/])")


def chunks(text: str) -> Iterator[str]:
    """The text in pieces of at most CHUNK characters, cut where the tokens are the same as in one piece.

    Only a run of hundreds of characters without a space or a line's end is cut anywhere, at a token more or less.
    """
    start = 0
    while start < len(text):
        end = min(start + CHUNK, len(text))
        if end < len(text):
            for boundary in _BOUNDARY.finditer(text, start + CHUNK // 2, end + 1):
                end = boundary.start()
        yield text[start:end]
        start = end
