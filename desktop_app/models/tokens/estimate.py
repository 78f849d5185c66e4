"""Estimating a family's tokens: each token of o200k counts as much as that family needs for its kind of text.

Families differ by the kind of text: Llama 2 splits every digit, and Chinese into bytes; Claude needs more tokens for
capitals. So o200k's tokens are sorted into classes by their characters, and each family has a weight for each class,
fitted to its real tokenizer (tests/bench/measure_tokenizers.py). docs/tokenizers.md has the measured errors.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable

import msgspec
import tiktoken

from desktop_app.paths import RESOURCES

from .encoding import Count, chunks

ONE = 1_000
"""Weights are integers, in thousandths of a token, so that sums do not depend on how a text was split."""


class _Fitted(msgspec.Struct, frozen=True):
    unfitted: int
    """The weight of classes that the fitted texts lacked: rare scripts and signs, which other families split more."""
    classes: tuple[str, ...]
    families: dict[str, tuple[int, ...]]
    """Weights in the order of the classes."""


_FITTED = msgspec.json.decode((RESOURCES / "token_weights.json").read_bytes(), type=_Fitted)
CLASSES = _FITTED.classes
WEIGHTS = _FITTED.families


def estimate_with(encoding: tiktoken.Encoding, family: str) -> Count:
    """Return a function that counts o200k's tokens by the family's weights.

    Fractions are rounded up or down by the text's checksum: the same text always counts the same, and many short
    pieces of a stream add up to the count of the whole, where plain rounding would lose or add a quarter.
    """
    weight_of = _Weights(encoding.decode_single_token_bytes, family).__getitem__
    encode = encoding.encode_ordinary

    def count(text: str) -> int:
        thousandths = sum(sum(map(weight_of, encode(piece))) for piece in chunks(text))
        whole, rest = divmod(thousandths, ONE)
        return whole + (zlib.crc32(text.encode(errors="replace")) % ONE < rest) if rest else whole

    return count


class _Weights(dict[int, int]):
    """The weight of each of o200k's 200,000 tokens, computed when the token is first seen."""

    def __init__(self, bytes_of: Callable[[int], bytes], family: str) -> None:
        super().__init__()
        self._bytes_of = bytes_of
        self._weight_of = dict(zip(CLASSES, WEIGHTS[family], strict=True))

    def __missing__(self, token: int) -> int:
        weight = self[token] = self._weight_of.get(class_of(self._bytes_of(token)), _FITTED.unfitted)
        return weight


_SCRIPTS = (
    (re.compile(r"[一-\u9fff]"), "han", (1, 2, 3, 4)),
    (re.compile(r"[\u3040-ヿ]"), "kana", (1, 2, 3, 4)),
    (re.compile(r"[가-\ud7a3]"), "hangul", (1, 2, 3)),
    (re.compile(r"[\u0400-\u052f]"), "cyrillic", (1, 3, 6)),
    (re.compile(r"[\u0600-\u06ff]"), "arabic", (1, 3)),
    (re.compile(r"[\u00c0-\u024f]"), "latin", (1, 3, 6)),
)
"""Scripts by the first character that is not ASCII, each with the lengths at which its classes begin."""

_WITHOUT_SPACES = ("han", "kana", "script", "sign")
"""Classes that hardly ever follow a space."""


def class_of(token: bytes) -> str:
    """Return the class of a token, such as "_lower4": a space, then four or five lower-case letters.

    The number is the class's smallest length; "_" stands for a leading space.
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
        return "lines" + _bucket(len(text), (1, 2))
    return "space" + _bucket(len(text), (1, 2, 5, 17))


def _class_of_ascii(word: str) -> str:
    if word.isdigit():
        return "digit" + _bucket(len(word), (1, 2, 3))
    if word.isalpha():
        return _case_of(word) + _bucket(len(word), (1, 2, 3, 4, 6, 9))
    if any(character.isalnum() for character in word):
        return "mixed"
    return ("signs\\n" if "\n" in word else "signs") + _bucket(len(word), (1, 2, 3))


def _case_of(word: str) -> str:
    if word.islower():
        return "lower"
    return "UPPER" if word.isupper() and len(word) > 1 else "Title"


def _class_of_script(word: str) -> str:
    first = next(character for character in word if not character.isascii())
    for pattern, name, lengths in _SCRIPTS:
        if pattern.match(first):
            return name + _bucket(len(word), lengths)
    return "script" if first.isalpha() else "sign" + _bucket(len(word), (1, 2))


def _bucket(length: int, starts: tuple[int, ...]) -> str:
    return str(max(start for start in starts if start <= length or start == starts[0]))
