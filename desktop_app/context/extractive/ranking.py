"""Rank the passages for a page: first those that add the most for their length."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence

from .passages import Passage
from .sentences import Voice

ENOUGH = 5.0
"""Rare words with which a passage has half of the greatest worth: the worth saturates."""
LINE = 40
"""Bytes that a line costs beside its words."""
OF_MODEL = 0.3
"""The worth of a model's words relative to the user's, which they follow from."""
SAID_BEFORE = 0.5
"""The share of its worth that a word keeps once the page has it."""


class Ranking:
    """Passages by worth for their length: the weight and rarity of their words, or the chance that they are asked for.

    Words of passages taken before count less. A passage's worth is computed again when it is next, since it can only
    have become less.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        spread = Counter(word for passage in passages for words in passage.words for word in words)
        total = math.log(sum(len(passage.words) for passage in passages) + 2)
        self._rarity = {word: 1.0 - math.log(times) / total for word, times in spread.items()}
        self._told: set[str] = set()
        self._heap = [(-self._worth(passage), number, passage) for number, passage in enumerate(passages)]
        heapq.heapify(self._heap)

    def _worth(self, passage: Passage) -> float:
        length = passage.length + LINE
        if passage.chance:
            return passage.chance / length
        rarity = self._rarity.__getitem__
        told = 0.0
        for weight, words in zip(passage.weights, passage.words, strict=True):
            told += weight * sum(map(rarity, words))
        return told / (told + ENOUGH) / length * (OF_MODEL if passage.voice is Voice.MODEL else 1.0)

    def offer(self, take: Callable[[Passage], bool | None], voices: Collection[str]) -> None:
        """Offer the remaining passages of those voices, best first, until `take` returns None."""
        refused: list[tuple[float, int, Passage]] = []
        while self._heap:
            known, number, passage = heapq.heappop(self._heap)
            now = -self._worth(passage)
            if self._heap and now > self._heap[0][0] and now > known:
                heapq.heappush(self._heap, (now, number, passage))
                continue
            taken = take(passage) if passage.voice in voices else False
            if taken:
                self._tell(passage)
                continue
            refused.append((now, number, passage))
            if taken is None:
                break
        for entry in refused:
            heapq.heappush(self._heap, entry)

    def _tell(self, passage: Passage) -> None:
        for words in passage.words:
            for word in words - self._told:
                self._rarity[word] *= SAID_BEFORE
            self._told |= words
