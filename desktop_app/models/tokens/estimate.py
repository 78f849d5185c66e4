"""An estimate of a family's tokens: each token of o200k counts as much as that family needs for its kind of text.

Families differ by kind: Llama 2 takes every digit alone and Chinese by the byte, Claude more tokens for capitals. So
o200k's tokens are sorted into classes by what they are made of, and each family has a weight for each class, fitted
to its real tokenizer (tests/bench/measure_tokenizers.py). docs/tokenizers.md has the errors that were measured.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable

import tiktoken

from .encoding import CHUNK, Count, chunks
from .weights import CLASSES, UNFITTED, WEIGHTS

ONE = 1_000
"""Weights are in thousandths of a token: whole numbers, so that sums do not depend on how a text was cut up."""


def estimate_with(encoding: tiktoken.Encoding, family: str) -> Count:
    """Counts o200k's tokens by the family's weights.

    The rest of a token is rounded up or down by the text's checksum: the same text always counts the same, and many
    short pieces of a stream add up to what the whole counts, where rounding each would lose or add a quarter.
    """
    weight_of = _Weights(encoding.decode_single_token_bytes, family).__getitem__
    encode = encoding.encode_ordinary

    def count(text: str) -> int:
        if len(text) <= CHUNK:
            thousandths = sum(map(weight_of, encode(text)))
        else:
            thousandths = sum(sum(map(weight_of, encode(piece))) for piece in chunks(text))
        whole, rest = divmod(thousandths, ONE)
        return whole + (zlib.crc32(text.encode(errors="replace")) % ONE < rest) if rest else whole

    return count


class _Weights(dict[int, int]):
    """A weight for each of o200k's 200,000 tokens, found when the token is first seen."""

    def __init__(self, bytes_of: Callable[[int], bytes], family: str) -> None:
        super().__init__()
        self._bytes_of = bytes_of
        self._weight_of = dict(zip(CLASSES, WEIGHTS[family], strict=True))

    def __missing__(self, token: int) -> int:
        weight = self[token] = self._weight_of.get(class_of(self._bytes_of(token)), UNFITTED)
        return weight


_SCRIPTS = (
    (re.compile(r"[一-\u9fff]"), "han", (1, 2, 3, 4)),
    (re.compile(r"[\u3040-ヿ]"), "kana", (1, 2, 3, 4)),
    (re.compile(r"[가-\ud7a3]"), "hangul", (1, 2, 3)),
    (re.compile(r"[\u0400-\u052f]"), "cyrillic", (1, 3, 6)),
    (re.compile(r"[\u0600-\u06ff]"), "arabic", (1, 3)),
    (re.compile(r"[\u00c0-\u024f]"), "latin", (1, 3, 6)),
)
"""By the first character that is not ASCII; then the lengths at which a class begins."""

_WITHOUT_SPACES = ("han", "kana", "script", "sign")
"""Classes that are hardly ever seen after a space."""


def class_of(token: bytes) -> str:
    """What a token is made of, such as "_lower4": a space, then four or five small letters.

    The number is the least length of the class; "_" stands for a space before.
    """
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return "bytes"
    if text.isspace() or not text:
        return _class_of_space(text)
    word = text.removeprefix(" ")
    before = "_" if len(word) < len(text) else ""
    if word.isascii():
        return before + _class_of_ascii(word)
    kind = _class_of_script(word)
    return kind if kind.startswith(_WITHOUT_SPACES) else before + kind


def _class_of_space(text: str) -> str:
    if "\n" in text or "\r" in text:
        return "lines" + _least(len(text), (1, 2))
    return "space" + _least(len(text), (1, 2, 5, 17))


def _class_of_ascii(word: str) -> str:
    if word.isdigit():
        return "digit" + _least(len(word), (1, 2, 3))
    if word.isalpha():
        return _case_of(word) + _least(len(word), (1, 2, 3, 4, 6, 9))
    if any(character.isalnum() for character in word):
        return "mixed"
    return ("signs\\n" if "\n" in word else "signs") + _least(len(word), (1, 2, 3))


def _case_of(word: str) -> str:
    if word.islower():
        return "lower"
    return "UPPER" if word.isupper() and len(word) > 1 else "Title"


def _class_of_script(word: str) -> str:
    first = next(character for character in word if not character.isascii())
    for pattern, name, lengths in _SCRIPTS:
        if pattern.match(first):
            return name + _least(len(word), lengths)
    return "script" if first.isalpha() else "sign" + _least(len(word), (1, 2))


def _least(length: int, starts: tuple[int, ...]) -> str:
    """The last of the starts that the length reaches."""
    return str(max(start for start in starts if start <= length or start == starts[0]))
