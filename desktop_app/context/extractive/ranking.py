"""Rank the passages for a page: first those that tell the most for their length."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from .passages import Passage
from .sentences import Voice

ENOUGH = 5.0
"""Rare words with which a passage has half of the greatest worth: the worth saturates."""
LINE = 40
"""Bytes that a line costs beside its words."""
OF_MODEL = 0.3
"""The worth of a model's words relative to the user's, which they follow from."""


def rank_passages(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages by the weight and rarity of their words, or the chance that they are asked for."""
    spread = Counter(word for passage in passages for words in passage.words for word in words)
    total = math.log(sum(len(passage.words) for passage in passages) + 2)
    rarity = {word: 1.0 - math.log(times) / total for word, times in spread.items()}

    def worth(passage: Passage) -> float:
        length = passage.length + LINE
        if passage.chance:
            return passage.chance / length
        told = 0.0
        for weight, words in zip(passage.weights, passage.words, strict=True):
            told += weight * sum(map(rarity.__getitem__, words))
        return told / (told + ENOUGH) / length * (OF_MODEL if passage.voice is Voice.MODEL else 1.0)

    return sorted(passages, key=worth, reverse=True)
