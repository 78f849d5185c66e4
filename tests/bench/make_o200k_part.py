"""Makes resources/o200k_part.bin, the part of o200k that most texts need. `python tests/bench/make_o200k_part.py`

It is all tokens, at the index of their rank, of which a text can consist that has only the characters of
`encoding.PART`; the place of each other token is empty. So such a text has the same tokens in the part and in all.
"""

from __future__ import annotations

import re
import sys

from desktop_app.models.tokens.encoding import OUTSIDE_PART, PART_SEPARATOR, read_tiktoken_file
from desktop_app.models.tokens.tokenizers import O200K
from desktop_app.paths import O200K_PART

LONGEST = 4
"""Bytes of a character in UTF-8."""


def characters() -> set[str]:
    """Return the characters of a text for which the part is enough."""
    every = (chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    return {character for character in every if not re.search(OUTSIDE_PART, character)}


class Part:
    """The tokens that occur in texts of some characters. A token may begin and end inside a character."""

    def __init__(self, characters: set[str]) -> None:
        self._characters = characters
        encoded = [character.encode() for character in characters]
        self._beginnings = {each[:end] for each in encoded for end in range(len(each))}
        self._ends = {each[start:] for each in encoded for start in range(1, len(each) + 1)}
        self._inner = {each[a:b] for each in encoded for a in range(len(each)) for b in range(a + 1, len(each) + 1)}

    def has(self, token: bytes) -> bool:
        """Return whether a text of the characters can contain the token."""
        return token.isascii() or token in self._inner or any(map(self._is_text, self._middles(token)))

    def _middles(self, token: bytes) -> list[bytes]:
        cuts = [(a, len(token) - b) for a in range(LONGEST) for b in range(LONGEST) if a + b <= len(token)]
        return [
            token[start:end]
            for start, end in cuts
            if (not start or token[:start] in self._ends) and token[end:] in self._beginnings
        ]

    def _is_text(self, middle: bytes) -> bool:
        try:
            return self._characters.issuperset(middle.decode())
        except UnicodeDecodeError:
            return False


def main() -> None:
    """Write the file."""
    part = Part(characters())
    ranks = read_tiktoken_file(O200K.file.read())
    assert list(ranks.values()) == list(range(len(ranks)))
    tokens = [token if part.has(token) else b"" for token in ranks]
    O200K_PART.write_bytes(PART_SEPARATOR.join(tokens))
    print(sum(map(bool, tokens)), "of", len(tokens), "tokens", O200K_PART.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
