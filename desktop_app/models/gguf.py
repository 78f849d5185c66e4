"""Read the metadata of a GGUF file (version 2 or 3), such as its tokenizer and window. The weights are not read.

The layout is llama.cpp's (ggml/docs/gguf.md): magic, version, counts, then keys with typed values, little-endian.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Any

Value = int | float | bool | bytes | list["Value"]

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING = 8
_ARRAY = 9


class BadGguf(ValueError):
    """The file is not a GGUF file, or is damaged."""


def read_metadata(path: Path) -> dict[str, Value]:
    """Return all keys and values; strings stay bytes, since tokens need not be UTF-8. Raises BadGguf, OSError."""
    with path.open("rb") as file:
        if not file.read(4) == b"GGUF":
            raise BadGguf(f"{path} is not a GGUF file")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            try:
                return _MetadataReader(content, 4).metadata()
            except (struct.error, KeyError, UnicodeDecodeError, IndexError) as error:
                raise BadGguf(f"{path} is damaged ({error!r})") from error


class _MetadataReader:
    def __init__(self, content: mmap.mmap, position: int) -> None:
        self._content = content
        self._position = position

    def metadata(self) -> dict[str, Value]:
        version = self._number("I")
        if version not in (2, 3):
            raise BadGguf(f"GGUF version {version} is not known")
        self._number("Q")  # the number of tensors
        count = self._number("Q")
        return {self._string().decode(): self._value(self._number("I")) for _ in range(count)}

    def _value(self, kind: int) -> Value:
        if kind == _STRING:
            return self._string()
        if kind != _ARRAY:
            return self._number(_NUMBERS[kind])
        element, length = self._number("I"), self._number("Q")
        if element in _NUMBERS:
            return list(self._numbers(f"{length}{_NUMBERS[element]}"))
        return [self._value(element) for _ in range(length)]

    def _number(self, letter: str) -> Any:
        return self._numbers(letter)[0]

    def _numbers(self, letters: str) -> tuple[Any, ...]:
        numbers = struct.unpack_from(f"<{letters}", self._content, self._position)
        self._position += struct.calcsize(f"<{letters}")
        return numbers

    def _string(self) -> bytes:
        length = self._number("Q")
        text = self._content[self._position : self._position + length]
        if len(text) < length:
            raise IndexError("it ends inside a text")
        self._position += length
        return text
