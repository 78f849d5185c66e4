"""Classify sentences by kind: a linear classifier over words and pieces of words, for six languages.

load(weights)        once, from code that may read files: the bytes of resources/sentence_kinds.bin
kinds_of(sentence)   -> the probability of each kind

packaging/sentence_kinds trains it. The features of a sentence are its words, the pairs of neighbouring words, groups
of three letters, its beginning and its end; each Chinese, Japanese or Korean character is a separate word. A feature
has one weight per kind. The weights are summed, divided by the root of their number, and passed through a softmax.

The six sums are fields of one large integer, so that one addition adds all of them, and the sums of words are cached: a
sentence takes about 10 µs.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

FIELD = 20
"""Bits of one kind's sum in the large integer; a weight has 8, and the longest sentence has some thousand features."""
BIAS = sum(1 << (FIELD * number + FIELD - 1) for number in range(7))
"""Added to the sums, so that no field is negative when they are taken apart."""
HALF, MASK = 1 << (FIELD - 1), (1 << FIELD) - 1
SCALE = 16.0
"""Steps of a stored weight in one unit of the trained weight."""
MAX_CACHED = 65_536
"""Words and pairs of words whose sums are cached."""
MAX_READ = 1_000
"""Characters of a sentence that are classified."""
MAX_SHORT = 3
"""Letters of a word that is not split into pieces."""
RECORD = struct.Struct("<I6b")
"""A feature in the resource: its CRC-32, and a weight per kind."""

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_DIGIT = re.compile(r"\d")
_TO_WORDS = bytes(
    ord("0") if chr(sign).isdigit() else ord(chr(sign).lower()) if chr(sign).isalnum() or chr(sign) == "_" else ord(" ")
    for sign in range(128)
) + bytes(128)
_ENDS = {"?": "$?", "？": "$?", "!": "$!", "！": "$!", ":": "$:", "：": "$:"}


class Kinds(NamedTuple):
    """The probabilities of a sentence's kinds, with a sum of 1."""

    preference: float
    rule: float
    decision: float
    goal: float
    fact: float
    chatter: float


_loaded: list[bytes] = []
_weights: dict[int, int] = {}


def load(weights: bytes) -> None:
    """Use the given weights from now on. They are unpacked, which takes 20 ms, with the first sentence."""
    _loaded[:] = [weights]
    _weights.clear()
    for cache in (_kinds_of, _sum_of_word, _weight_of):
        cache.cache_clear()


def kinds_of(sentence: str) -> Kinds:
    """Return the probability of each kind of sentence. Raises RuntimeError if no weights were loaded."""
    return _kinds_of(sentence[:MAX_READ])


@lru_cache(4_096)
def _kinds_of(sentence: str) -> Kinds:
    if not _weights:
        _unpack()
    words = words_of(sentence)
    total = BIAS + sum(map(_sum_of_word, words)) + sum(map(_weight_of, _around(words, sentence)))
    fields = [((total >> (FIELD * number)) & MASK) - HALF for number in range(7)]
    root = SCALE * math.sqrt(max(fields.pop(), 1))
    powers = [math.exp(value / root) for value in fields]
    total_power = sum(powers)
    return Kinds(*[power / total_power for power in powers])


def _unpack() -> None:
    if not any(_loaded):
        raise RuntimeError("sentence_kinds.load was not called")
    _weights.update(  # in one step, since another thread may call in the meantime
        {
            feature: sum(value << (FIELD * number) for number, value in enumerate((*values, 1)))
            for feature, *values in RECORD.iter_unpack(_loaded[0])
        }
    )


def words_of(sentence: str) -> list[str]:
    """Return the words in lowercase, each digit as 0."""
    if sentence.isascii():
        return sentence.encode().translate(_TO_WORDS).decode().split()
    return _WORD.findall(_DIGIT.sub("0", sentence.lower()))


def features_of(sentence: str) -> Iterator[str]:
    """Yield the features of a sentence, as used for training."""
    words = words_of(sentence)
    for word in words:
        yield from _features_of_word(word)
    yield from _around(words, sentence)


def _features_of_word(word: str) -> Iterator[str]:
    yield word
    if len(word) > MAX_SHORT:
        marked = f"<{word}>"
        yield from [f"3{marked[start : start + 3]}" for start in range(len(marked) - 2)]


def _around(words: list[str], sentence: str) -> Iterator[str]:
    """Yield the features besides single words: neighbours, the beginning, the end, the length."""
    yield from [f"{left} {right}" for left, right in pairwise(words)]
    if words:
        yield f"^{words[0]}"
        yield f"^{' '.join(words[:2])}"
    if end := _ENDS.get(sentence.rstrip()[-1:]):
        yield end
    yield f"#{min(len(sentence).bit_length(), 8)}"


@lru_cache(MAX_CACHED)
def _sum_of_word(word: str) -> int:
    return sum(map(_weight_of, _features_of_word(word)))


@lru_cache(MAX_CACHED)
def _weight_of(feature: str) -> int:
    return _weights.get(crc32(feature.encode("utf-8", "replace")), 0)
