"""How well typed letters fit a name, as command palettes match: letters in their order, with gaps."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


def fuzzy_rank(query: str, text: str) -> tuple[int, int] | None:
    """Return how badly the query fits, for sorting: the smaller, the better; None if it does not fit.

    It fits if its letters stand in the text in their order, whatever their case and accents. Best is where they stand
    together at the beginning of a word, then where words begin with them, then together, then where they lie closest.
    """
    words, letters = _folded(query).strip(), _folded(text)
    together = letters.find(words)
    if together >= 0 and (not words or _begins_word(letters, together)):
        return 0, together
    wanted = "".join(words.split())
    if (found := _starts(wanted, letters)) is not None:
        return 1, found[-1] - found[0]
    if together >= 0:
        return 2, together
    found = _first_letters(wanted, letters)
    return None if found is None else (3, found[-1] - found[0])


def _starts(wanted: str, letters: str) -> list[int] | None:
    """Return where the letters stand if each one continues a run or begins a word."""
    ends: list[list[int]] = [[]]  # ways to place what was looked at so far, one for each last place
    for letter in wanted:
        ways: dict[int, list[int]] = {}
        for way in ends:
            after = way[-1] + 1 if way else 0
            for place in range(after, len(letters)):
                if letters[place] == letter and ((way and place == after) or _begins_word(letters, place)):
                    ways.setdefault(place, [*way, place])
        ends = list(ways.values())
    return ends[0] if ends else None


def _first_letters(wanted: str, letters: str) -> list[int] | None:
    """Return where the letters stand, each as early as possible."""
    found: list[int] = []
    for letter in wanted:
        place = letters.find(letter, found[-1] + 1 if found else 0)
        if place < 0:
            return None
        found.append(place)
    return found


def _begins_word(letters: str, place: int) -> bool:
    return letters[place : place + 1].isalnum() and (place == 0 or not letters[place - 1].isalnum())


@lru_cache(maxsize=1_024)  # at each key all names are looked at again
def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))
