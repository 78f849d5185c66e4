"""The built-in model's tokenizer, from its GGUF file: byte-level BPE with llama.cpp's pre-tokenizer "smollm"."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

import tiktoken

from .gguf import BadGguf, read_metadata
from .tokens.bytelevel import encoding_of, ranks_of

# llama.cpp splits off each digit and runs GPT-2's pattern on the rest, where the end of a piece counts as the end of
# the text: hence white space is taken whole before a digit.
PATTERN = r"\p{N}|'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?=\p{N})|\s+(?!\S)|\s+"


class SmolEncoding:
    """Counts as llama.cpp does with this vocabulary."""

    def __init__(self, encoding: tiktoken.Encoding, known: int, missing: frozenset[int]) -> None:
        self._encoding = encoding
        self._known = known
        self._has_missing = _pattern_of_missing(missing)

    def encode_ordinary(self, text: str) -> list[int]:
        """Return tokens numbered by merge rank. Bytes that the vocabulary lacks give none, as in llama.cpp."""
        tokens = self._encoding.encode_ordinary(text)
        if self._has_missing.search(text):
            return [token for token in tokens if token < self._known]
        return tokens


def load_encoding(gguf: Path) -> SmolEncoding:
    """Load the encoding of that file, in 0.2 s and 12 MB. Raises BadGguf, OSError."""
    metadata = read_metadata(gguf)
    if metadata.get("tokenizer.ggml.pre") != b"smollm":
        raise BadGguf(f"{gguf} has another tokenizer than SmolLM2's")
    tokens = cast("list[bytes]", metadata["tokenizer.ggml.tokens"])
    merges = cast("list[bytes]", metadata["tokenizer.ggml.merges"])
    return _encoding(tokens, merges)


def _encoding(tokens: list[bytes], merges: list[bytes]) -> SmolEncoding:
    ranks = ranks_of((token.decode() for token in tokens), (merge.decode() for merge in merges))
    known = len(ranks)
    missing = frozenset(byte for byte in range(256) if bytes([byte]) not in ranks)
    for byte in sorted(missing):  # tiktoken wants a rank for every byte
        ranks[bytes([byte])] = len(ranks)
    return SmolEncoding(encoding_of(ranks, PATTERN), known, missing)


def _pattern_of_missing(missing: frozenset[int]) -> re.Pattern[str]:
    """Match characters whose UTF-8 form has a missing byte: controls, and the unassigned planes led by F1 and F2."""
    controls = "".join(re.escape(chr(byte)) for byte in sorted(missing) if byte < 0x80)
    return re.compile(f"[{controls}\U00040000-\U000bffff]")
