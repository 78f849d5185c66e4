"""Words that mean nearly the same, from a table of word vectors (packaging/word_meanings/make.py). Pure, without I/O.

A word's vector is stored as signs: two words are compared by an XOR and a count of bits, in 3 ms for the whole table.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nsmallest

ALIKE, ALIKE_TOGETHER = 16, 32
"""Words with nearly the meaning of a word that are used, and of several together."""
MIN_LIKENESS = 0.2
"""Minimum likeness, 0 to 1, of a word that is used; of two unrelated ones, it is about 0."""
_ENDINGS = (
    ("ies", "y"), ("ied", "y"), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("es", ""), ("es", "e"), ("s", ""),
    ("ly", ""), ("ings", ""),
)  # fmt: skip


def base_forms(word: str) -> list[str]:
    """Return a word in lower case, and the words of which it may be a form."""
    lowered = word.lower()
    forms = [lowered]
    for ending, base in _ENDINGS:
        stem = lowered.removesuffix(ending)
        if stem != lowered and len(stem) > 2:
            forms.append(stem + base)
            if not base and stem[-1] == stem[-2]:
                forms.append(stem[:-1])  # "running"
    return list(dict.fromkeys(forms))


class Meanings:
    """The table of words with their vectors' signs.

    table: the bytes of resources/word_meanings.bin.
    """

    def __init__(self, table: bytes) -> None:
        words, size, length = (int.from_bytes(table[start : start + 4], "little") for start in (0, 4, 8))
        names, signs = table[12 : 12 + length].decode().split("\n"), table[12 + length :]
        self._bits = 8 * size
        self._signs = {
            name: int.from_bytes(signs[size * number : size * (number + 1)], "big")
            for number, name in enumerate(names[:words])
        }
        self._alike: dict[str, dict[str, float]] = {}

    def alike(self, words: Sequence[str]) -> tuple[dict[str, float], ...]:
        """Return for each word the words that mean nearly the same, with their likeness; first itself, with 1.

        For several words, another group has those that mean nearly the same as all of them together: "refund" for
        "money back".
        """
        groups = [self._alike_one(word) for word in words]
        known = [signs for word in words if (signs := self._signs_of(word)) is not None]
        if len(known) < 2:
            return tuple(groups)
        own = [form for word in words for form in base_forms(word)]
        return (*groups, self._nearest(known, own, ALIKE_TOGETHER))

    def _alike_one(self, word: str) -> dict[str, float]:
        if word not in self._alike:
            signs = self._signs_of(word)
            self._alike[word] = {word: 1.0} | ({} if signs is None else self._nearest([signs], base_forms(word), ALIKE))
        return self._alike[word]

    def _signs_of(self, word: str) -> int | None:
        return next((self._signs[form] for form in base_forms(word) if form in self._signs), None)

    def _nearest(self, several: Sequence[int], without: Sequence[str], most: int) -> dict[str, float]:
        """Return the words nearest to the sum of the given vectors, without the given words."""
        differing = [sum([(signs ^ each).bit_count() for each in several]) for signs in self._signs.values()]
        near = nsmallest(most + len(without), zip(differing, self._signs, strict=True))
        count, scale = len(several), self._bits * len(several) ** 0.5
        found = {word: (count * self._bits - 2 * bits) / scale for bits, word in near if word not in without}
        return {word: likeness for word, likeness in list(found.items())[:most] if likeness >= MIN_LIKENESS}
