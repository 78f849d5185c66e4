"""Count a family's tokens by the best installed method, with a logged fallback to the next one."""

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
"""Characters that are encoded at once: tiktoken's regular expression overflows its stack on a million spaces."""

BYTES_PER_TOKEN = 3
"""Bytes of UTF-8. It gives more tokens than any tokenizer needs for prose, and about the right number for JSON."""

Count = Callable[[str], int]
"""Returns the tokens of a text, in linear time. Never raises."""


class Encoding(Protocol):
    """Turns text into tokens, reading special tokens as plain text."""

    def encode_ordinary(self, text: str) -> list[int]: ...


class TokenizerMissing(Exception):
    """A tokenizer's file is not installed or is damaged."""


class CountingMethod(msgspec.Struct, frozen=True):
    """A method of counting."""

    name: str
    is_exact: bool
    load: Callable[[], Count]
    """Takes up to a second. Raises TokenizerMissing, ValueError, OSError."""


class FamilyTokenizer:
    """A `Tokenizer` that loads the first method that works, at the first count and on the calling thread.

    A method that fails is logged once, and the next one is used; if all fail, characters are counted.
    """

    _loading = threading.RLock()  # shared: families share encodings, and a method may load another family's tokenizer

    def __init__(self, overhead: Overhead, methods: Sequence[CountingMethod]) -> None:
        self.overhead = overhead
        self._methods = list(methods)
        self._count: Count | None = None

    @property
    def name(self) -> str:
        return self._methods[0].name

    @property
    def is_exact(self) -> bool:
        return self._methods[0].is_exact

    def count(self, text: str) -> int:
        """Return the tokens of the text, in linear time. Never raises."""
        return (self._count or self._loaded())(text)

    def _loaded(self) -> Count:
        with self._loading:
            while self._count is None:
                method = self._methods[0]
                try:
                    self._count = method.load()
                except (TokenizerMissing, ValueError, OSError) as error:
                    self._methods = self._methods[1:] or [
                        CountingMethod(f"characters (estimate for {method.name})", False, lambda: count_characters)
                    ]
                    log.warning("The tokenizer %s cannot be used: %s. Used instead: %s.", method.name, error, self.name)
            return self._count


class TemplateTokenizer:
    """A family's tokenizer for models with another chat template, which counts texts in the same way."""

    def __init__(self, tokenizer: FamilyTokenizer, overhead: Overhead) -> None:
        self.overhead = overhead
        self.count = tokenizer.count
        self._tokenizer = tokenizer

    @property
    def name(self) -> str:
        return self._tokenizer.name

    @property
    def is_exact(self) -> bool:
        return self._tokenizer.is_exact


def count_characters(text: str) -> int:
    """Return one token for each BYTES_PER_TOKEN bytes of UTF-8."""
    return -(-len(text.encode(errors="replace")) // BYTES_PER_TOKEN)


def count_with(encoding: Encoding) -> Count:
    """Return a function that counts the tokens of that encoding, a chunk at a time."""
    return lambda text: sum(len(encoding.encode_ordinary(piece)) for piece in chunks(text))


# Every encoding splits before a single space after a word, and after a single newline.
_BOUNDARY = re.compile(r"(?<=\S)(?= \S)|(?<=\S\n)(?=[^\s/])")


def chunks(text: str) -> Iterator[str]:
    """Yield the text in pieces of at most CHUNK characters, split where that does not change the tokens.

    Only a run of hundreds of characters without a space or newline is split anywhere, which changes about one token.
    """
    start = 0
    while start < len(text):
        end = min(start + CHUNK, len(text))
        if end < len(text):
            for boundary in _BOUNDARY.finditer(text, start + CHUNK // 2, end + 1):
                end = boundary.start()
        yield text[start:end]
        start = end
